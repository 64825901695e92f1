# SPDX-License-Identifier: Apache-2.0
"""What tools/optable.py derives from the tables is checked in; it must be what they say now."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_derived_files_are_what_the_tables_say():
    result = subprocess.run(
        [sys.executable, ROOT / "tools/optable.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
