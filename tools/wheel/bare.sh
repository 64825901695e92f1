#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs wheels in a Debian that has nothing else, and runs the smoke suite there.
#
#   tools/wheel/bare.sh SUITE [FOLDER [PREFIX]]    bookworm, trixie...; FOLDER has the wheels:
#                                                  build/wheel; PREFIX: a Python other than the suite's
#
# Makes the system in build/bare/SUITE, with the suite's Python; that of bullseye is too old for joggle,
# so C programs that were linked here run there. Needs root and Debian's debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

suite=${1:?usage: tools/wheel/bare.sh SUITE [FOLDER]}
wheels=$(cd "${2:-build/wheel}" && pwd)
prefix=${3:-}
bare=$PWD/build/bare/$suite
command -v debootstrap >/dev/null || {
    echo "bare: please install what Debian calls debootstrap" >&2
    exit 1
}

packages=python3,python3-venv
[ "$suite" != bullseye ] || packages=libc6
if [ ! -e "$bare/.made" ]; then
    rm -rf "$bare"
    mkdir -p "$bare"
    debootstrap --variant=minbase --include=$packages "$suite" "$bare" >"$bare.log" || {
        tail -n 20 "$bare.log" >&2
        exit 1
    }
    touch "$bare/.made"
fi
mountpoint -q "$bare/proc" || mount --bind /proc "$bare/proc"
trap 'umount "$bare/proc"' EXIT
python=python3
if [ -n "$prefix" ]; then
    mkdir -p "$bare/$prefix"
    mount --bind -o ro "$prefix" "$bare/$prefix"
    trap 'umount "$bare/proc" "$bare/$prefix"' EXIT
    python=$prefix/bin/python3
fi

# The system needs no network: what joggle depends on is fetched here.
rm -rf "$bare/wheels"
mkdir "$bare/wheels"
cp "$wheels"/*.whl tests/package/smoke.py "$bare/wheels/"
.venv/bin/python - "$wheels" >"$bare/wheels/needs.txt" <<'PYTHON'
import sys, zipfile
from email.parser import HeaderParser
from pathlib import Path

(wheel, *_) = Path(sys.argv[1]).glob("joggle-*.whl")
archive = zipfile.ZipFile(wheel)
(name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
needs = HeaderParser().parsestr(archive.read(name).decode()).get_all("Requires-Dist")
print(*[need for need in needs if ";" not in need], sep="\n")
PYTHON
.venv/bin/pip download -qq --no-deps -d "$bare/wheels" -r "$bare/wheels/needs.txt"

if [ "$suite" = bullseye ]; then
    mkdir "$bare/wheels/site"
    any=("$bare"/wheels/joggle-*.whl)
    for wheel in "${any[0]}" "$bare"/wheels/joggle_jit-*.whl; do
        .venv/bin/python -m zipfile -e "$wheel" "$bare/wheels/site"
    done
    .venv/bin/python tools/wheel/old_glibc.py "$bare/wheels/old_glibc"
    for example in hello fields kernel_heat newton; do
        cc "examples/c/$example.c" -o "$bare/wheels/$example" -I"$bare/wheels/site/joggle/include" \
            -L"$bare/wheels/old_glibc" -L"$bare/wheels/site/joggle" \
            -Wl,-rpath,/wheels/site/joggle -ljoggle -lm
        chroot "$bare" "/wheels/$example"
    done
    exit
fi

chroot "$bare" bash -euo pipefail -c '
    rm -rf /joggle
    $0 -m venv /joggle
    install="/joggle/bin/pip install -q --disable-pip-version-check --no-index --find-links /wheels"
    cd /
    $install joggle
    /joggle/bin/python /wheels/smoke.py
    $install "joggle[jit]"
    /joggle/bin/python /wheels/smoke.py --jit' "$python"
