# SPDX-License-Identifier: Apache-2.0
"""STREAM's triad as a yardstick: the time in which the memory moves a number of bytes. Needs a C
compiler for x86-64; without one it is absent."""

import ctypes
import functools
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from support.measure import Probe
from support.peers import Absent

SOURCE = Path(__file__).with_name("stream.c")


@functools.cache
def _library():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.so"
        command = ["cc", "-O3", "-fopenmp", "-shared", "-fPIC", "-o", path, SOURCE]
        subprocess.run(command, check=True, capture_output=True)
        library = ctypes.CDLL(path)
    library.triad.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
    library.triad.restype = None
    return library


def _aligned(count):
    block = np.zeros(count + 16, np.float32)
    skip = -block.ctypes.data % 64 // 4
    return block[skip : skip + count]


def triad(a, b, nbytes):
    """The time of a triad over a and b, scaled from its own bytes to nbytes."""
    try:
        library = _library()
    except (OSError, subprocess.CalledProcessError) as error:
        return Absent(f"no C compiler for it: {error}".splitlines()[0])
    y = _aligned(a.size)
    scale = nbytes / (3 * a.nbytes)

    def probe():
        start = time.perf_counter_ns()
        library.triad(y.ctypes.data, a.ctypes.data, b.ctypes.data, a.size)
        return (time.perf_counter_ns() - start) * scale

    return Probe(probe)
