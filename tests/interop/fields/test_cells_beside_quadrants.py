# SPDX-License-Identifier: Apache-2.0
"""Nodes whose cells need not exist, beside Quadrants: both print the same for one program."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("cells_program.py")

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("quadrants") is None, reason="Quadrants is not installed"
)


def printed(module):
    """Lines of the program. What kernels print comes in any order."""
    ran = subprocess.run(
        [sys.executable, PROGRAM, module], capture_output=True, text=True, timeout=300, check=True
    )
    lines = (line.partition(": ") for line in ran.stdout.splitlines())
    return sorted((name, value) for name, colon, value in lines if colon)


def test_a_program_prints_the_same():
    ours, theirs = printed("joggle.fields"), printed("quadrants")
    assert len(ours) > 40
    assert ours == theirs
