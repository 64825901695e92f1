# SPDX-License-Identifier: Apache-2.0
"""Small rooms of C files, compiled as a build would, and what the tools say of them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"

needs_cc = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("nm")), reason="there is no compiler"
)


def run_tool(tool, *arguments):
    """The exit status and the output; nothing may be written to stderr."""
    result = subprocess.run(
        [sys.executable, TOOLS / tool, *arguments], capture_output=True, text=True, check=False
    )
    assert not result.stderr
    return result.returncode, result.stdout


def check_rooms(tool, root, exceptions, **files):
    """Compiles files of rooms, as base__text for src/base/text.c; what the tool says. exceptions:
    the text of the tool's list, such as tools/circles.txt for check_circles.py."""
    entries = []
    for name, text in files.items():
        source = root / f"src/{name.replace('__', '/')}.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["cc", "-c", source, "-o", root / f"{name}.o"], check=True)
        entries.append({"directory": str(root), "file": str(source), "output": f"{name}.o"})
    (root / "compile_commands.json").write_text(json.dumps(entries))
    (root / "tools").mkdir(exist_ok=True)
    (root / f"tools/{tool.removeprefix('check_')}.txt").write_text(exceptions)
    return run_tool(f"{tool}.py", root, "--root", root)
