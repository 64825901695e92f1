# SPDX-License-Identifier: Apache-2.0
"""Divisions and powers of integers, which vector code computes with floats and by selection."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("program_integers.py")


@pytest.mark.part(2, of="jit")
@pytest.mark.parametrize("isa", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("jit", ["0", "1"])
def test_quotients_rests_and_powers_are_exact_at_every_level(isa, jit, tmp_path):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_JIT": jit}
    environment["JOGGLE_JIT_CACHE"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, PROGRAM], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout == ""
