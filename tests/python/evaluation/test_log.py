# SPDX-License-Identifier: Apache-2.0
"""JOGGLE_LOG=plan writes each new plan to stderr, once."""

import os
import subprocess
import sys

CODE = """
import joggle as jg
x = jg.ones((3, 4))
jg.eval(x)
for _ in range(2):
    jg.eval(jg.exp(x * 2) @ x.T)
"""


def stderr_of(log):
    result = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"JOGGLE_LOG": log},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stderr


def test_a_plan_is_written_once_with_its_programs():
    text = stderr_of("plan")
    assert text.count("exp") == 1
    assert text.count("routine matmul of 2 operands into float32 (3, 3)") == 1
    assert "multiply" in text and "store" in text


def test_nothing_is_written_unless_asked_for():
    assert stderr_of("") == ""
