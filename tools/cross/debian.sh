#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays packages of Debian, with all that they depend on, in a folder: nothing is installed here, so they
# may be of another suite or for other processors. Needs no root.
#
#   tools/cross/debian.sh SUITE ARCHITECTURE FOLDER PACKAGE...    SUITE: of the mirror that apt has
#
# ARCHITECTURE may be `source`: then FOLDER gets the package's source as it was before Debian changed it.
# Lists and downloads lie in FOLDER.apt.
set -euo pipefail

suite=${1:?usage: tools/cross/debian.sh SUITE ARCHITECTURE FOLDER PACKAGE...}
architecture=${2:?}
mkdir -p "${3:?}"
folder=$(cd "$3" && pwd)
shift 3

apt=$folder.apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/parts"
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -m 1 '/debian/*$') || {
    echo "debian: apt knows no mirror of Debian" >&2
    exit 1
}
kind=deb
[ "$architecture" != source ] || kind=deb-src
key=/usr/share/keyrings/debian-archive-keyring.gpg
echo "$kind [signed-by=$key] $mirror $suite main" >"$apt/sources.list"
: >"$apt/status"
options=(-qq -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts"
    -o APT::Sandbox::User=root -o Debug::NoLocking=true)
[ $kind = deb-src ] ||
    options+=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture")
apt-get "${options[@]}" update
if [ $kind = deb-src ]; then
    (cd "$apt/archives" && apt-get "${options[@]}" --download-only source "$@" >/dev/null)
    for archive in "$apt"/archives/*.orig.tar.*; do
        [ "${archive%.asc}" != "$archive" ] || tar -x --strip-components=1 -C "$folder" -f "$archive"
    done
    exit
fi
apt-get "${options[@]}" --no-install-recommends --download-only -y install "$@" >/dev/null

# Packages that are older than the merger of / and /usr name files by the places before it.
for name in bin lib lib64 sbin; do
    mkdir -p "$folder/usr/$name"
    [ -e "$folder/$name" ] || ln -s "usr/$name" "$folder/$name"
done
for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
        tar -x --keep-directory-symlink --no-same-owner -C "$folder" --exclude='./dev/*'
done
