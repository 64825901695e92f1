# SPDX-License-Identifier: Apache-2.0
"""Copies of the tree, and commands that are run in them, for tests of builds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("include", "src", "python", "tools", "docs", "tests/c", "tests/cuda", "tests/mpi")
FILES = ("meson.build", "meson.options", "pyproject.toml", "LICENSE", "README.md")

# What is built is not what is asked here, so the compiler need not optimise it, which takes most of
# the time.
FAST = "-Doptimization=0"

# The variables by which `make` leads imports to its own build.
OURS = ("PYTHONPATH", "MESONPY_EDITABLE_SKIP", "LD_LIBRARY_PATH")


def run(*command, cwd, **variables):
    environment = {name: text for name, text in os.environ.items() if name not in OURS}
    # Meson and ninja lie beside the interpreter that runs the tests.
    environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def copy_tree(target):
    for part in PARTS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, target / part, ignore=ignored)
    for name in FILES:
        shutil.copy2(ROOT / name, target)
