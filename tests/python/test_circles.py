# SPDX-License-Identifier: Apache-2.0
"""tools/check_circles.py: a circle of calls between files of one room is caught, unless
tools/circles.txt has it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "tools/check_circles.py"

needs_cc = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("nm")), reason="there is no compiler"
)


def check(root, allowed, **files):
    """Compiles files of the room base; what the check says."""
    entries = []
    for name, text in files.items():
        source = root / f"src/base/{name}.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["cc", "-c", source, "-o", root / f"{name}.o"], check=True)
        entries.append({"directory": str(root), "file": str(source), "output": f"{name}.o"})
    (root / "compile_commands.json").write_text(json.dumps(entries))
    (root / "tools").mkdir(exist_ok=True)
    (root / "tools/circles.txt").write_text(allowed)
    result = subprocess.run(
        [sys.executable, CHECK, root, "--root", root], capture_output=True, text=True, check=False
    )
    assert not result.stderr
    return result.returncode, result.stdout


ONE = "void two(void); void one(void) { two(); }"
BACK = "void one(void); void two(void) { one(); }"
END = "void two(void) {}"


@needs_cc
def test_calls_in_one_direction_are_no_circle(tmp_path):
    assert check(tmp_path, "", one=ONE, two=END) == (0, "")


@needs_cc
def test_a_circle_is_caught(tmp_path):
    code, output = check(tmp_path, "# none\n", one=ONE, two=BACK)
    assert code == 1
    assert "src/base/one.c src/base/two.c: use each other" in output


@needs_cc
def test_a_circle_of_the_list_is_allowed(tmp_path):
    assert check(tmp_path, "src/base: one.c\n  two.c: why\n", one=ONE, two=BACK) == (0, "")


@needs_cc
def test_a_line_whose_circle_is_gone_is_caught(tmp_path):
    code, output = check(tmp_path, "src/base: one.c two.c: why\n", one=ONE, two=END)
    assert code == 1
    assert "no circle any more" in output
