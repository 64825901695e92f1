#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python of another Debian suite, which may want a newer glibc than there is here, a program of
# this system, and prints its path: for `make wheel PYTHONS="python3 $(tools/wheel/debian_python.sh forky)"`.
#
#   tools/wheel/debian_python.sh SUITE
#
# It lies in build/python/SUITE, with headers. Nothing is installed here.
set -euo pipefail
cd "$(dirname "$0")/../.."

suite=${1:?usage: tools/wheel/debian_python.sh SUITE}
root=$PWD/build/python/$suite
if [ ! -e "$root/.made" ]; then
    tools/cross/debian.sh "$suite" "$(dpkg --print-architecture)" "$root" python3-dev python3-venv >&2
    touch "$root/.made"
fi
version=$(readlink "$root/usr/bin/python3")
# In its place Debian has a file that includes it from /usr/include.
cp "$root/usr/include/$(gcc -print-multiarch)/$version/pyconfig.h" "$root/usr/include/$version/"
loader=$(echo "$root"/lib64/ld-linux-*.so.*)
[ -e "$loader" ] || loader=$(echo "$root"/lib/ld-linux-*.so.*)
# The program is started by its own loader, with the libraries beside it, under the name by which it was
# called, which tells it where its modules are, or those of an environment.
cat >"$root/usr/bin/joggle-$version" <<SCRIPT
#!/bin/sh
exec $loader --argv0 "\$0" --library-path $root/usr/lib/$(gcc -print-multiarch):$root/usr/lib \\
    $root/usr/bin/$version "\$@"
SCRIPT
chmod +x "$root/usr/bin/joggle-$version"
echo "$root/usr/bin/joggle-$version"
