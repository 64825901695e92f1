# SPDX-License-Identifier: Apache-2.0
"""The first call of a kernel in a fresh process: compiling it, and finding it on disk."""

import subprocess
import sys
import tempfile
from pathlib import Path

from support.measure import Budget, Case, Goal, Probe
from support.peers import Absent, load

THREADS = (1,)
NAME = "first call of a kernel in a fresh process"
SETUP = {
    "joggle": """
import os
os.environ["JOGGLE_JIT_CACHE"] = {folder!r}
import joggle.fields as module
""",
    "quadrants": """
import quadrants as module
module.init(arch=module.cpu, cpu_max_num_threads=1, log_level=module.ERROR, offline_cache=True,
            offline_cache_file_path={folder!r})
""",
    "numba": "import numba as module",
}
MAKE = {"numba": "module.njit(field_loops.{kernel})"}
CODE = """
import sys, time
sys.path.insert(0, {support!r})
import numpy as np
from support import field_kernels, field_loops
x, y = np.ones((2, 64, 64), np.float32)
start = time.perf_counter_ns()
run = {make}
run(y, x)
took = time.perf_counter_ns() - start
sys.stdout.write(str(took))
"""


def budget(quick):
    return Budget(rounds=2, least=2) if quick else Budget(rounds=8, least=8)


def _first_call(name, kernel, folder):
    """The nanoseconds from the function to the end of its first call."""
    make = MAKE.get(name, "field_kernels.{kernel}(module)").format(kernel=kernel)
    support = str(Path(__file__).resolve().parent)
    program = SETUP[name].format(folder=folder) + CODE.format(support=support, make=make)
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(result.stdout.split()[-1])


def _entry(name, kernel, kept):
    """kept: the folder of compiled code; None for an empty one each time."""
    module = load(name)
    if isinstance(module, Absent):
        return module

    def probe():
        with tempfile.TemporaryDirectory() as empty:
            return _first_call(name, kernel, empty if kept is None else f"{kept}/{name}")

    return Probe(probe)


def cases(quick):
    goals = (Goal(0.5, "quadrants"),)
    with tempfile.TemporaryDirectory() as kept:
        for kernel in ("stencil",):
            cold = {name: _entry(name, kernel, None) for name in ("joggle", "quadrants", "numba")}
            yield Case(f"{kernel}, nothing on disk", cold, goals)
            warm = {name: _entry(name, kernel, kept) for name in ("joggle", "quadrants")}
            yield Case(f"{kernel}, on disk", warm, goals)
