#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests in a CPython without the interpreter lock, and fails if importing joggle turns it on.
#
#   tools/free_threaded.sh [PYTHON [PYTEST-ARGUMENT...]]    PYTHON: such an interpreter
#
# Without PYTHON, or with an empty one, makes one in build/python-free from the source of Debian's Python
# (of trixie, 3.13), which no suite has built so. Frameworks that have no wheels for it are left out, and so
# are the tests that import them.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- tests/python/arrays tests/python/evaluation tests/python/exchange \
    tests/python/fields tests/python/kernels tests/python/derivatives tests/python/transform \
    tests/python/ops tests/python/linalg tests/python/nn

make_python() {
    local folder=$PWD/build/python-free source=$PWD/build/python-free-source
    python=$folder/bin/python3
    [ ! -x "$python" ] || return 0
    rm -rf "$source"
    tools/cross/debian.sh trixie source "$source" python3.13
    mkdir "$source/made"
    (
        cd "$source/made"
        ../configure -q --disable-gil --prefix="$folder" CFLAGS="-O2 -g0"
        make -s -j"$(nproc)"
        make -s install
    ) >"$source/log" 2>&1 || {
        tail -n 20 "$source/log" >&2
        exit 1
    }
}

[ -n "$python" ] || make_python
environment=$PWD/build/free-environment
if [ ! -e "$environment/.made" ]; then
    "$python" -m venv "$environment"
    listed() {
        "$environment/bin/python" -c "import tomllib
for need in tomllib.load(open('pyproject.toml', 'rb'))$1: print(need)"
    }
    { listed '["build-system"]["requires"]' && listed '["project"]["dependencies"]' &&
        listed '["project"]["optional-dependencies"]["test"]' |
        grep -E '^(apache-tvm-ffi|array-api-|einops|ml_dtypes|pillow|pytest|safetensors)' &&
        listed '["project"]["optional-dependencies"]["conformance"]'; } >"$environment/needs.txt"
    # Some wheels for it are of older or newer versions than ours, and some are none.
    install=("$environment/bin/pip" install -q --disable-pip-version-check --only-binary :all:)
    while read -r need; do
        "${install[@]}" "$need" 2>/dev/null || "${install[@]}" "${need%%[=;]*}" 2>/dev/null || {
            case $need in meson* | ninja* | numpy* | pytest=*)
                echo "free-threaded: $need cannot be installed, and nothing runs without it" >&2
                exit 1
                ;;
            esac
            echo "free-threaded: there is no wheel of $need, so tests with it are left out" >&2
        }
    done <"$environment/needs.txt"
    touch "$environment/.made"
fi
printf "[binaries]\npython = '%s'\n" "$environment/bin/python" >"$environment/meson.ini"
export PATH=$environment/bin:$PATH
[ -e build/free/build.ninja ] ||
    meson setup --native-file "$environment/meson.ini" -Dpython=enabled -Dtests=disabled \
        -Dloops=native build/free >/dev/null
ninja -C build/free --quiet
tools/link_package.sh build/free
export PYTHONPATH=$PWD/build/free/site
"$environment/bin/python" -c 'import sys, joggle; sys.exit(sys._is_gil_enabled())' || {
    echo "free-threaded: importing joggle turned the interpreter lock on" >&2
    exit 1
}
# A module of somebody else's, which tests load too, would turn it on for those that follow.
export PYTHON_GIL=0
export PYTHONPATH=$PYTHONPATH:$PWD/tools
exec "$environment/bin/python" -m pytest -p without_frameworks "$@"
