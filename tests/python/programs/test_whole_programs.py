# SPDX-License-Identifier: Apache-2.0
"""Random programs give what NumPy gives, at each instruction set, fused and not, in both tiers.

With --all each way runs more of them, with --long minutes of programs that nobody has seen before.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WAYS = {
    "as is": {},
    "unfused": {"JOGGLE_FUSE": "0"},
    "avx2": {"JOGGLE_ISA": "avx2"},
    "avx2, unfused": {"JOGGLE_ISA": "avx2", "JOGGLE_FUSE": "0"},
    "baseline": {"JOGGLE_ISA": "baseline"},
    "baseline, unfused": {"JOGGLE_ISA": "baseline", "JOGGLE_FUSE": "0"},
    "compiled": {"JOGGLE_JIT": "1"},
    "avx2, compiled": {"JOGGLE_ISA": "avx2", "JOGGLE_JIT": "1"},
    "baseline, compiled": {"JOGGLE_ISA": "baseline", "JOGGLE_JIT": "1"},
    "one thread": {"JOGGLE_NUM_THREADS": "1"},
}
# Programs, by whether sweeps run in full and by whether each is compiled.
COUNTS = {True: {True: 100, False: 900}, False: {True: 40, False: 300}}
LONG_SECONDS = 360


@pytest.mark.timeout(2 * LONG_SECONDS)
@pytest.mark.parametrize("way", WAYS)
def test_programs_give_what_numpy_gives(way, in_full, request):
    environment = {**os.environ, **WAYS[way]}
    if request.config.getoption("--long"):
        amount = ["--seconds", str(LONG_SECONDS)]
    else:
        first = 10_000 * list(WAYS).index(way)
        amount = ["--seeds", f"{first}:{first + COUNTS[in_full]['compiled' in way]}"]
    program = [sys.executable, str(Path(__file__).parent), *amount, "--minimise"]
    result = subprocess.run(program, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("0 differ\n")
