# SPDX-License-Identifier: Apache-2.0
"""A process may end while tier 1 compiles in the background."""

import subprocess
import sys

import pytest

PROGRAM = """
import time
import joggle as jg
x = jg.full((1 << 20,), 0.5)
for size in range(3, 8):
    for _ in range(8):
        y = x
        for n in range(size):
            y = jg.exp(y * 0.1 + float(n))
        jg.eval(y)
time.sleep({delay})
"""


@pytest.mark.parametrize("delay", [0, 0.002, 0.004, 0.008, 0.016, 0.03])
def test_a_process_ends_well_while_code_is_made(delay, monkeypatch):
    monkeypatch.setenv("JOGGLE_JIT_CACHE", "none")
    command = [sys.executable, "-c", PROGRAM.format(delay=delay)]
    assert subprocess.run(command, timeout=60).returncode == 0
