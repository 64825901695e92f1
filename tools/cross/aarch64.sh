#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds joggle for 64-bit Arm in build/aarch64 and runs C tests in an emulator.
#
#   tools/cross/aarch64.sh [TEST...]    the tests, as `meson test` names them; none: all
#
# The compiling tier is left out: it would need LLVM's libraries for Arm.
# Needs Debian's gcc-aarch64-linux-gnu and qemu-user-static. cmocka for Arm is laid in build/aarch64-root.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "aarch64: $*" >&2
    exit 1
}

for command in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $command >/dev/null ||
        fail "please install what Debian calls gcc-aarch64-linux-gnu and qemu-user-static"
done
meson=.venv/bin/meson
[ -x $meson ] || meson=meson

root=build/aarch64-root
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ -e $root/.made ] || tools/cross/debian.sh "$suite" arm64 $root libcmocka-dev
touch $root/.made
[ -e build/aarch64/build.ninja ] ||
    $meson setup --cross-file tools/cross/aarch64.ini -Dtests=enabled -Djit=disabled -Ddebug=true \
        build/aarch64
ninja=.venv/bin/ninja
[ -x $ninja ] || ninja=ninja
$ninja -C build/aarch64 --quiet all meson-test-prereq
export JOGGLE_BLAS=none # the OpenBLAS in .venv is for this machine
exec $meson test -C build/aarch64 --no-rebuild --print-errorlogs --timeout-multiplier 20 "$@"
