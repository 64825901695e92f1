#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make nightly` does with packages.
#
#   tools/package/nightly.sh [STEP...]    none: all of
#
#   aarch64-tests    the C tests for 64-bit Arm, in an emulator
#   aarch64-wheel    the wheel for 64-bit Arm, and the smoke suite with it there
#   wheels           those of .venv's Python, of Debian's newer ones and of CPython 3.12; what a release has
#   wheel-3.12       the smoke suite with that of CPython 3.12, which no Debian has
#   bare-SUITE       the wheels in a Debian that has nothing else: bullseye, bookworm, trixie
#   deb              Debian's packages, and what lintian says of them
#
# A step for which the machine lacks something is left out, and the last lines name it and what that is.
# The others run also after one has failed; the exit status is 1 if one has.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset PYTHONPATH MESONPY_EDITABLE_SKIP # those of make, which name another build

steps="aarch64-tests aarch64-wheel wheels wheel-3.12 bare-bullseye bare-bookworm bare-trixie deb"
asked=("$@") left_out=() failed=()
for each in "$@"; do
    [[ " $steps " == *" $each "* ]] || {
        echo "nightly: step: got $each, allowed are $steps" >&2
        exit 1
    }
done

is_asked() {
    [ ${#asked[@]} = 0 ] || [[ " ${asked[*]} " == *" $1 "* ]]
}

# step NAME LACKS COMMAND...: runs the command, unless something is lacking.
step() {
    local name=$1 lacks=$2
    shift 2
    if ! is_asked "$name"; then
        return
    elif [ -n "$lacks" ]; then
        left_out+=("$name, for want of $lacks")
    else
        echo "nightly: $name"
        "$@" || failed+=("$name")
    fi
}

# Those of the commands that are not there; `root` is to be root.
lacking() {
    local each lacks=
    for each in "$@"; do
        if [ "$each" = root ]; then
            [ "$(id -u)" = 0 ] || lacks+=", root"
        else
            command -v "$each" >/dev/null || lacks+=", $each"
        fi
    done
    echo "${lacks#, }"
}

# The path of that CPython, if it is there with its headers.
python_of() {
    local each
    local code='import os, sys, sysconfig, ensurepip
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(sys.executable)'
    for each in "python$1" "$HOME/.pyenv/versions/$1".*/bin/python; do
        "$each" -c "$code" 2>/dev/null && return
    done
    return 0
}

wheels() {
    local pythons=".venv/bin/python" suite
    for suite in trixie forky; do
        pythons+=" $(tools/wheel/debian_python.sh $suite)" || return
    done
    make wheel PYTHONS="$pythons $python"
}

smoke() {
    rm -rf build/smoke
    "$python" -m venv build/smoke &&
        build/smoke/bin/pip install -q --disable-pip-version-check build/wheel/joggle-*-cp312-*.whl \
            build/wheel/joggle_jit-*.whl &&
        build/smoke/bin/python tests/package/smoke.py --jit
}

# Meson may be that of .venv: Debian's is older than the build asks for.
deb() {
    PATH=$PWD/.venv/bin:$PATH tools/package/deb.sh -d
}

# Commands that are not there, and what else dpkg misses.
deb_lacks() {
    local lacks unmet
    lacks=$(lacking dpkg-buildpackage dpkg-checkbuilddeps lintian)
    if command -v dpkg-checkbuilddeps >/dev/null; then
        unmet=$(dpkg-checkbuilddeps tools/package/debian/control 2>&1 |
            sed 's/.*dependencies: //; s/meson ([^)]*)//; s/ *$//')
        [ -z "$unmet" ] || lacks+=", $unmet"
    fi
    echo "${lacks#, }"
}

python=$(python_of 3.12)
no_python=
[ -n "$python" ] || no_python="a CPython 3.12 with its headers"
arm=$(lacking aarch64-linux-gnu-gcc qemu-aarch64-static)

step aarch64-tests "$arm" tools/cross/aarch64.sh
step wheels "$(lacking apt-get dpkg-deb)" wheels
step aarch64-wheel "$arm" tools/cross/wheel.sh
step wheel-3.12 "$no_python" smoke
for suite in bullseye bookworm trixie; do
    step bare-$suite "$(lacking debootstrap root)" tools/wheel/bare.sh $suite
done
step deb "$(deb_lacks)" deb

for each in ${left_out+"${left_out[@]}"}; do
    echo "nightly: left out $each" >&2
done
for each in ${failed+"${failed[@]}"}; do
    echo "nightly: failed: $each" >&2
done
[ ${#failed[@]} = 0 ]
