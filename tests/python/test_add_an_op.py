# SPDX-License-Identifier: Apache-2.0
"""docs/add-an-op.md, followed to the letter in a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("include", "src", "python", "tools", "docs", "tests/c")
FILES = ("meson.build", "meson.options", "LICENSE")

# A build of the whole library, on two slow cores perhaps.
pytestmark = pytest.mark.timeout(600)


def run(*command, cwd, **variables):
    paths = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=os.environ | {"PATH": paths} | variables,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_op_of_the_page_works_after_its_steps(tmp_path):
    tree, build = tmp_path / "tree", tmp_path / "build"
    for part in PARTS:
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    row, function = re.findall(
        r"^```c\n(.*?)^```$", (ROOT / "docs/add-an-op.md").read_text(), re.MULTILINE | re.DOTALL
    )
    for path, text in (("src/op/op.def", row), ("src/compose/reduce.c", function)):
        with open(tree / path, "a") as file:
            file.write("\n" + text)
    run(sys.executable, "tools/optable.py", cwd=tree)
    assert "x * x * x." in (tree / "docs/ops.md").read_text()
    options = ("-Dpython=enabled", "-Dwheel=true", "-Dtests=disabled", "-Doptimization=0")
    run("meson", "setup", build, *options, cwd=tree)
    run("ninja", "-C", build, "--quiet", cwd=tree)
    run("bash", "tools/link_package.sh", build, cwd=tree)
    code = (
        "import joggle as jg; x = jg.array([2, 3]); print(jg.cube(x).tolist(), x.cube().tolist())"
    )
    output = run(sys.executable, "-c", code, cwd=tree, PYTHONPATH=str(build / "site"))
    assert output == "[16, 54]\n"
