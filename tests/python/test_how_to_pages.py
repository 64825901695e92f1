# SPDX-License-Identifier: Apache-2.0
"""The pages on adding an op, a dtype and a device, followed to the letter in a copy of the tree."""

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
# Behind a line of a file, at its end, or a new file.
BLOCK = re.compile(
    r"^```(?:c|meson)\n(?:/\*|#) (\S+?)(?:, (at the end|after: .*?))?(?: \*/)?\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PAGES = ("docs/add-an-op.md", "docs/add-a-dtype.md", "docs/add-a-device.md")
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
DEVICES = """
import joggle as jg
x = jg.arange(6, dtype=jg.float32, device="ext:0").reshape(2, 3)
y = jg.matmul(x * 2 + 1, x.T)
print(y.device, jg.flip(y, axis=0).tolist(), "on the host for memfd:0" in jg.explain(x + 1))
print(y.to_device("cpu").device, jg.zeros_like(y).device, x.sum().item())
shared = jg.from_dlpack(y, device="cpu")
print(shared.device, shared[1].tolist())
try:
    y + jg.array([1.0, 2.0])
except ValueError as error:
    print(error)
try:
    memoryview(y)
except BufferError as error:
    print(error)
jg.set_default_device("ext:0")
z = jg.array([3, 1, 2])
print(z.device, jg.sort(z).tolist(), (z + 1)[::-1].tolist())
"""
PRINTED = """ext:0 [[31.0, 112.0], [13.0, 40.0]] True
cpu ext:0 15.0
cpu [31.0, 112.0]
[add] arguments: got arrays on ext:0 and on cpu:0, allowed is one device; to_device moves an array
x: lies on ext:0, allowed is memory of the host; x.to_device("cpu") moves it
ext:0 [1, 2, 3] [3, 2, 4]
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
    assert len(blocks) == text.count("```c\n") + text.count("```meson\n")
    for path, where, block in blocks:
        if where == "":
            (tree / path).parent.mkdir()
            (tree / path).write_text(block)
        elif where == "at the end":
            with open(tree / path, "a") as file:
                file.write(block)
        else:
            insert(tree / path, where.removeprefix("after: "), block)


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
    output = run(sys.executable, "-c", DEVICES, cwd=tree, **paths)
    assert output == PRINTED
