#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the system packages that are missing, and says so when it cannot.
#
#   tools/setup.sh          what building and testing need
#   tools/setup.sh test     what the tests run programs on as well: an OpenCL device, CMake, MPI, a browser
#   tools/setup.sh check    what lint, sanitize and fuzz need as well
#
# Packages are Debian's names. On a system without apt it only says what is missing.
set -euo pipefail

fail() {
    echo "setup: $*" >&2
    exit 1
}

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=() helpful=()

# want PACKAGE COMMAND...: the package is needed unless dpkg has it or the command succeeds.
want() {
    local package=$1
    shift
    installed "$package" || "$@" >/dev/null 2>&1 || missing+=("$package")
}

# The same for what the library can be built without: nothing fails if it is not to be had.
would_like() {
    local package=$1
    shift
    installed "$package" || "$@" >/dev/null 2>&1 || helpful+=("$package")
}

python_has_headers() {
    python3 -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

want gcc command -v cc
want g++ command -v c++
want pkg-config command -v pkg-config
want libcmocka-dev pkg-config --exists cmocka
want python3 command -v python3
want python3-venv python3 -c 'import ensurepip, venv'
want python3-dev python_has_headers
# libjoggle_jit, which compiles kernels.
would_like llvm-19-dev test -d /usr/lib/llvm-19/include/llvm-c
would_like clang-19 command -v clang-19
would_like lld-19 command -v ld.lld-19
would_like libzstd-dev pkg-config --exists libzstd
would_like zlib1g-dev pkg-config --exists zlib
if [ "${1:-}" = test ]; then
    want pocl-opencl-icd test -e /etc/OpenCL/vendors/pocl.icd
    want ocl-icd-libopencl1 test -e /usr/lib/x86_64-linux-gnu/libOpenCL.so.1
    want oclgrind command -v oclgrind
    want cmake command -v cmake
    want openmpi-bin command -v mpirun.openmpi
    want mpich command -v mpirun.mpich
    would_like chromium command -v chromium
fi
if [ "${1:-}" = check ]; then
    want clang command -v clang
    want clang-format command -v clang-format
    want clang-tidy command -v clang-tidy
    want libclang-rt-14-dev test -d "$(clang --print-runtime-dir 2>/dev/null || echo /nowhere)"
fi

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
can_install() {
    command -v apt-get >/dev/null && { [ ${#as_root[@]} = 0 ] || command -v sudo >/dev/null; }
}

if [ ${#missing[@]} -gt 0 ] && ! can_install; then
    fail "please install what Debian calls: ${missing[*]}"
fi
if [ ${#missing[@]} -gt 0 ] || { [ ${#helpful[@]} -gt 0 ] && can_install; }; then
    export DEBIAN_FRONTEND=noninteractive
    # Another program that installs packages, such as a first boot's upgrade, holds dpkg's lock.
    apt=("${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update
    for package in "${helpful[@]}"; do
        [ -z "$(apt-cache search --names-only "^$package\$")" ] || missing+=("$package")
    done
    echo "setup: installing ${missing[*]}"
    [ ${#missing[@]} = 0 ] ||
        "${apt[@]}" install --no-install-recommends -y "${missing[@]}" >/dev/null
elif [ ${#helpful[@]} -gt 0 ]; then
    echo "setup: without ${helpful[*]} kernels are not compiled, or some tests left out"
fi

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or newer is needed; python3 is $(python3 --version)"
