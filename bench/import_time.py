# SPDX-License-Identifier: Apache-2.0
"""Importing joggle in a fresh process, and joggle.nn after it: neither brings NumPy or PyTorch."""

import subprocess
import sys

from support.measure import Budget, Case, Goal, Probe
from support.peers import MODULES, Absent, load

THREADS = (1,)
NAME = "import in a fresh process"
PEERS = ("joggle", "numpy", "torch", "jax", "mlx")
LAYERS = {"joggle": "joggle.nn", "mlx": "mlx.nn"}
CODE = """
import sys, time
{before}
start = time.perf_counter_ns()
import {module}
took = time.perf_counter_ns() - start
if {name!r} == "joggle":
    assert not {{"numpy", "torch"}} & set(sys.modules), "it brings NumPy or PyTorch"
print(took)
"""


def budget(quick):
    return Budget(rounds=2, least=2) if quick else Budget(rounds=10, least=10)


def _entry(name, module, before=""):
    """The import of a module; before is one that is there already, and not counted."""
    peer = load(name)
    if isinstance(peer, Absent):
        return peer
    before = before and f"import {before}"
    command = [sys.executable, "-c", CODE.format(module=module, name=name, before=before)]

    def probe():
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return Probe(probe)


def cases(quick):
    names = ("joggle", "numpy") if quick else PEERS
    yield Case("import", {name: _entry(name, MODULES[name]) for name in names}, (Goal(30e6, None),))
    layers = {name: _entry(name, LAYERS[name], MODULES[name]) for name in LAYERS}
    yield Case("import of layers after it", layers, (Goal(20e6, None),))
