# SPDX-License-Identifier: Apache-2.0
"""Loading a safetensors file of 2 GiB in a fresh process: the time until its tensors can be used,
and the memory that the process has taken at its peak. The file is sparse: no disk is measured."""

import json
import os
import subprocess
import sys
import tempfile

from support.measure import Budget, Case, Goal, Probe
from support.peers import Absent, load

THREADS = (1,)
NAME = "loading 2 GiB of safetensors in a fresh process"
COUNT = 16
SETUP = {
    "joggle": "import joggle as m; take = lambda: all_of(m.load(path), m.eval)",
    "torch": "import safetensors.torch as m; take = lambda: m.load_file(path)",
    "mlx": "import mlx.core as m; take = lambda: all_of(m.load(path), m.eval)",
}
CODE = """
import sys, time
path = {path!r}
def all_of(tensors, evaluate):
    evaluate(list(tensors.values()))
    return tensors
{setup}
def peak():  # not ru_maxrss, which is the parent's to begin with
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
before, start = peak(), time.perf_counter_ns()
tensors = take()
{use}
took = time.perf_counter_ns() - start
assert len(tensors) == {count}
sys.stdout.write(f"{{took}} {{peak() - before}}")
"""
USES = {"all": "", "sum of one": "assert tensors['t3'].sum().item() == 0"}


def budget(quick):
    return Budget(rounds=2, least=2) if quick else Budget(rounds=4, least=2, long_ns=10**9)


def write_sparse(path, nbytes):
    """COUNT tensors of float32 zeros that take no room on the disk."""
    each = nbytes // COUNT
    header = {
        f"t{i}": {"dtype": "F32", "shape": [each // 4], "data_offsets": [i * each, (i + 1) * each]}
        for i in range(COUNT)
    }
    text = json.dumps(header).encode()
    text += b" " * ((-len(text) - 8) % 64)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(file.tell() + COUNT * each)


def _entry(name, path, use, column):
    module = load(name)
    if isinstance(module, Absent):
        return module
    program = CODE.format(path=path, setup=SETUP[name], use=USES[use], count=COUNT)
    command = [sys.executable, "-c", program]

    def probe():
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        return max(1, int(result.stdout.split()[column]))

    return Probe(probe)


def cases(quick):
    nbytes = 1 << (24 if quick else 31)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sparse.safetensors")
        write_sparse(path, nbytes)
        for use in USES:
            for column, unit in enumerate(("ns", "bytes")):
                entries = {name: _entry(name, path, use, column) for name in SETUP}
                what = "time" if unit == "ns" else "peak memory"
                yield Case(f"{use}, {what}", entries, (Goal(1.0),), unit=unit)
