#!/usr/bin/env bash
# Builds joggle on a machine with an NVIDIA GPU and checks there what others check on the fake driver:
# gpu_check.sh [FOLDER of the build, build/gpu unless given]. Needs a C compiler, Python and NVRTC; meson and
# ninja come by pip where they are not there, and torch, jax and cupy are checked where they are installed.
# The last thing that it prints is one table, for docs/gpu.md. The exit status is 1 where a check failed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/gpu}
python=${PYTHON:-python3}

"$python" -c 'import mesonbuild, numpy' 2>/dev/null || "$python" -m pip install --quiet meson ninja numpy
[ -e "$build/build.ninja" ] || "$python" -m mesonbuild.mesonmain setup -Dbuildtype=release \
    -Djit=disabled -Dpython=enabled -Dwheel=true -Dtests=disabled "$build" >/dev/null
"$python" -m mesonbuild.mesonmain compile -C "$build" >/dev/null
tools/link_package.sh "$build"
PYTHONPATH=$PWD/$build/site exec "$python" tools/gpu_check.py
