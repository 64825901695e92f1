# SPDX-License-Identifier: Apache-2.0
"""The pages on adding an op and a dtype, followed to the letter in a copy of the tree."""

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
BLOCK = re.compile(r"^```c\n/\* (\S+), after: (.*?) \*/\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("docs/add-an-op.md", "docs/add-a-dtype.md")
OPS = """
import joggle as jg
x = jg.array([-2.5, 3.0])
print((jg.cube(x) + x.cube()).tolist(), jg.erfc(x.cube() * 0).tolist(), jg.erfc([0]).tolist())
"""
# Steps are 1/32 below 2, 1/16 from there on; the largest number is 7.75, and there is no infinity.
DTYPES = """
import joggle as jg
x = jg.array([1.03125, -2.03, 2.031251, 7.75, 0.015, 1e9]).astype(jg.float8_e2m5fn)
print(x.dtype, x.nbytes, x.astype(jg.float32).tolist())
print(jg.asarray(x, copy=True).dtype == jg.float8_e2m5fn, jg.finfo(x.dtype).max, x[1].item())
"""
VALUES = "joggle.float8_e2m5fn 6 [1.03125, -2.0, 2.0625, 7.75, 0.0, nan]\nTrue 7.75 -2.0\n"

# A build of the whole library, on two slow cores perhaps, beside other tests.
pytestmark = pytest.mark.timeout(900)


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


def insert(path, anchor, text):
    """Puts text behind the first line that holds the anchor."""
    lines = path.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if anchor in line)
    path.write_text("".join([*lines[: at + 1], text, *lines[at + 1 :]]))


def follow(page, tree):
    """Takes the steps of a page."""
    text = (ROOT / page).read_text()
    blocks = BLOCK.findall(text)
    assert len(blocks) == text.count("```c\n")
    for path, anchor, block in blocks:
        insert(tree / path, anchor, block)


def test_what_the_pages_add_works_after_their_steps(tmp_path):
    tree, build = tmp_path / "tree", tmp_path / "build"
    for part in PARTS:
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    for page in PAGES:
        follow(page, tree)
    run(sys.executable, "tools/optable.py", cwd=tree)
    assert "x * x * x." in (tree / "docs/ops.md").read_text()
    options = ("-Dpython=enabled", "-Dwheel=true", "-Dtests=disabled", "-Doptimization=0")
    run("meson", "setup", build, *options, cwd=tree)
    run("ninja", "-C", build, "--quiet", cwd=tree)
    run("bash", "tools/link_package.sh", build, cwd=tree)
    # An editable install of this tree, if there is one, must not come first.
    skipped = os.pathsep.join((os.environ.get("MESONPY_EDITABLE_SKIP", ""), str(ROOT / "build/py")))
    paths = {"PYTHONPATH": str(build / "site"), "MESONPY_EDITABLE_SKIP": skipped}
    output = run(sys.executable, "-c", OPS, cwd=tree, **paths)
    assert output == "[-31.25, 54.0] [1.0, 1.0] [1.0]\n"
    output = run(sys.executable, "-c", DTYPES, cwd=tree, **paths)
    assert output == VALUES
