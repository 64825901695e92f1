#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays out BUILD/site/joggle as a wheel would, out of links: the Python sources of the tree beside the
# extension, the library and the headers of a Meson build. PYTHONPATH=BUILD/site then imports that build
# with no rebuilding at import, and an edited .py file needs no step at all.
#
#   tools/link_package.sh BUILD
set -euo pipefail
shopt -s nullglob

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
package=$build/site/joggle

mkdir -p "$package"
for link in "$package"/*; do
    [ -e "$link" ] || rm "$link" # its target is gone
done
for target in "$root"/python/joggle/* "$build"/python/_core*.so "$build/src/libjoggle.so.0" \
    "$build"/src/libjoggle_jit*.so \
    "$root/include"; do
    link=$package/${target##*/}
    [ "${target##*/}" = __pycache__ ] || [ -L "$link" ] || ln -s "$target" "$link"
done
# An editable install has every interpreter import a finder at its start, with thirty modules that most
# programs do without. It has nothing to find for those that read BUILD/site, so they get an empty one.
loader=$build/site/_joggle_editable_loader.py
[ -e "$loader" ] || printf 'def init():\n    pass\n' >"$loader"
