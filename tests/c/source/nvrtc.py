# SPDX-License-Identifier: Apache-2.0
"""Compiles a text in CUDA C++ with NVRTC, as the wheel nvidia-cuda-nvrtc brings it:
nvrtc.py ARCHITECTURE FILE FLAG...

Without a file it names the compiler. The exit status is 2 where the wheel is not there, 1 with the
compiler's words where the text does not compile to a cubin or a kernel of it spills registers."""

import ctypes
import importlib.util
import re
import sys
from pathlib import Path


def find_library():
    """The folder of the wheel that has the compiler, or None."""
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations if spec else ():
        for path in sorted(Path(folder).glob("*/lib/libnvrtc.so.*")):
            return path
    return None


def text_of(library, size_of, read, program):
    size = ctypes.c_size_t()
    getattr(library, size_of)(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    getattr(library, read)(program, text)
    return text.raw[: size.value]


def spills(log):
    """What the assembler tells of kernels that keep registers in memory."""
    pairs = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log)
    return [pair for pair in pairs if pair != ("0", "0")], len(pairs)


def main(architecture=None, path=None, *flags):
    compiler = find_library()
    if compiler is None:
        sys.exit(2)
    if path is None:
        sys.exit(f"{compiler} of {compiler.stat().st_size} bytes")
    for builtins in compiler.parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)  # NVRTC does not find it by itself
    library = ctypes.CDLL(str(compiler))
    program = ctypes.c_void_p()
    source = Path(path).read_bytes()
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None)
    options = [f"-arch={architecture}", "--ptxas-options=-v", "-minimal", *flags]
    made = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = library.nvrtcCompileProgram(program, len(options), made)
    log = text_of(library, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program).decode()
    if status != 0:
        sys.exit(log[:4000] or f"nvrtcCompileProgram gave {status}")
    if text_of(library, "nvrtcGetCUBINSize", "nvrtcGetCUBIN", program)[:4] != b"\x7fELF":
        sys.exit("NVRTC gave no cubin")
    spilling, count = spills(log)
    print(f"{architecture}: {count} functions, {len(spilling)} spill")
    if spilling or count == 0:
        sys.exit(f"{len(spilling)} of {count} kernels spill registers: {spilling[:5]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
