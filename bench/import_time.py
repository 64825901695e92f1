# SPDX-License-Identifier: Apache-2.0
"""Importing joggle in a fresh process; it must not bring NumPy or PyTorch along."""

import subprocess
import sys

from support.measure import Budget, Case, Goal, Probe
from support.peers import MODULES, Absent, load

THREADS = (1,)
NAME = "import in a fresh process"
PEERS = ("joggle", "numpy", "torch", "jax", "mlx")
CODE = """
import sys, time
start = time.perf_counter_ns()
import {module}
took = time.perf_counter_ns() - start
if {name!r} == "joggle":
    assert not {{"numpy", "torch"}} & set(sys.modules), "it brings NumPy or PyTorch"
print(took)
"""


def budget(quick):
    return Budget(rounds=2, least=2) if quick else Budget(rounds=10, least=10)


def _entry(name):
    module = load(name)
    if isinstance(module, Absent):
        return module
    command = [sys.executable, "-c", CODE.format(module=MODULES[name], name=name)]

    def probe():
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return Probe(probe)


def cases(quick):
    names = ("joggle", "numpy") if quick else PEERS
    yield Case("import", {name: _entry(name) for name in names}, (Goal(30e6, None),))
