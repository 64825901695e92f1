#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Debian's packages of this checkout in build/deb, and has lintian look at them.
#
#   tools/package/deb.sh [--no-jit] [DPKG-BUILDPACKAGE-OPTION...]    -d: with Meson from .venv, say
#
# Needs what debian/control says, Debian's lintian and dpkg-dev.
set -euo pipefail
cd "$(dirname "$0")/../.."

profiles=
if [ "${1:-}" = --no-jit ]; then
    profiles=pkg.joggle.nojit
    shift
fi
version=$(sed -n 's/^#define JOGGLE_VERSION_[MP][A-Z]* //p' include/joggle/version.h | paste -sd.)
folder=build/deb/joggle-$version
rm -rf build/deb
mkdir -p "$folder"
git ls-files -z -co --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$folder"
tar -c -C build/deb "joggle-$version" | xz -T0 -1 >"build/deb/joggle_$version.orig.tar.xz"
cp -r tools/package/debian "$folder/"
head=$(dpkg-parsechangelog -l "$folder/debian/changelog" -S Version)
[ "$head" = "$version-1" ] || {
    echo "deb: tools/package/debian/changelog is of $head, include/joggle/version.h of $version" >&2
    exit 1
}
export DEB_BUILD_PROFILES=$profiles
(cd "$folder" && dpkg-buildpackage -us -uc "$@" >../build.log 2>&1) || {
    tail -n 30 build/deb/build.log >&2
    exit 1
}
lintian --fail-on error,warning --tag-display-limit 0 build/deb/*.changes
ls -l build/deb/*.deb
