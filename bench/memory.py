# SPDX-License-Identifier: Apache-2.0
"""The memory that one call takes beside its inputs, at its peak, as the system counts it: results,
temporaries, and what a library keeps for itself. Each case is one of another claim, run by each
library in a process of its own."""

import importlib
import subprocess
import sys
from pathlib import Path

from support.measure import Budget, Case, Goal, Probe
from support.peers import Absent, load, threads
from support.work import CONTESTANTS

THREADS = (1,)
NAME = "peak memory of a call"
PROGRAM = Path(__file__).resolve().parent / "support/peak_of_call.py"
MIB = 1 << 20  # to which figures are rounded: less may be pages that something else touched

# {claim: names of its cases}
FAMILIES = {
    "attention": ("1x8x2048x64",),
    "chains": ("gelu 16 MiB", "polynomial 16 MiB"),
    "conv": ("NHWC 3x3 of 64, 56x56", "NCHW 3x3 of 64, 56x56"),
    "cumulative": ("cumsum axis 0 1024x1024",),
    "fft": ("rfft f32 1024x1024",),
    "gather": ("rows of 64, 1048576 elements",),
    "linalg": ("inv 1024",),
    "matmul": ("float32 1024",),
    "move": ("transpose copy 4096x4096", "4096x4096 + row"),
    "random_numbers": ("normal, 1048576",),
    "reduce": ("sum all 4096x4096",),
    "rows": ("softmax 4096x4096", "layer norm 4096x4096"),
    "sort": ("sort 1048576 float32",),
}
WITH_FAST = ("attention",)  # claims whose cases are also asked for by a function of their own


def budget(quick):
    return Budget(rounds=1, least=1)


def _peak(claim, case, contestant, quick):
    """The bytes of one call of the contestant, in a fresh process."""
    command = [sys.executable, PROGRAM, claim, case, contestant, str(threads())]
    command += ["--quick"] * quick
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr.strip().splitlines()[-1])
    return max(round(int(result.stdout.split()[-1]) / MIB), 1) * MIB


def _entry(claim, case, contestant, library, quick):
    module = load(library)
    if isinstance(module, Absent):
        return module
    return Probe(lambda: _peak(claim, case, contestant, quick))


def _case(claim, name, quick):
    ours = ("joggle", "joggle fast") if claim in WITH_FAST else ("joggle",)
    who = dict.fromkeys(ours, "joggle") | {
        name: library for name, (library, _) in CONTESTANTS.items()
    }
    who.pop("torch.compile")  # what it compiles is the work of minutes
    entries = {
        contestant: _entry(claim, name, contestant, library, quick)
        for contestant, library in who.items()
    }
    goal = Goal(1.0, variant=ours[-1])
    return Case(f"{claim}: {name}", entries, (goal,), unit="bytes")


def cases(quick):
    for claim, names in FAMILIES.items():
        if quick:
            names = [next(iter(importlib.import_module(claim).cases(quick))).name]
        for name in names:
            yield _case(claim, name, quick)
