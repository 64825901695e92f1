# SPDX-License-Identifier: Apache-2.0
"""The pages on adding an op, a dtype and a device, followed to the letter in a copy of the tree:
what they add is built and works.

The copy and its build stay in build/pages, so that the next run compiles only what has changed. As
it takes minutes where much has, `make test-all` and .ci/run do it, and `make test` does not."""

import filecmp
import os
import re
import shutil
import sys

import pytest
from building import FAST, ROOT, copy_tree, run

pytestmark = pytest.mark.timeout(900)  # the first build, on two slow cores beside other tests
PAGES = ("docs/add-an-op.md", "docs/add-a-dtype.md", "docs/add-a-device.md")
MOST_FILES = 4  # that are written by hand for one thing that is added, with its derivative
# Behind a line of a file, at its end, or a new file.
BLOCK = re.compile(
    r"^```(?:c|meson)\n(?:/\*|#) (\S+?)(?:, (at the end|after: .*?))?(?: \*/)?\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


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


def files_in(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def mirror(source, target):
    """Makes target like source, and leaves files alone that are."""
    for path in files_in(target) - files_in(source):
        (target / path).unlink()
    for path in files_in(source):
        if not (target / path).is_file() or not filecmp.cmp(source / path, target / path, False):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, target / path)
            shutil.copymode(source / path, target / path)


def configure(build, tree):
    """With Python; without LLVM, which only kernels need."""
    options = ("-Dpython=enabled", "-Dtests=disabled", "-Djit=disabled", FAST)
    stamp, told = build / "options", f"{options} {(tree / 'meson.options').read_text()}"
    if not stamp.exists() or stamp.read_text() != told:
        shutil.rmtree(build, ignore_errors=True)
        run("meson", "setup", build, tree, *options, cwd=tree)
        stamp.write_text(told)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What runs Python on a build of a tree in which the steps of all pages were taken."""
    fresh = tmp_path_factory.mktemp("pages") / "tree"
    copy_tree(fresh)
    for page in PAGES:
        follow(page, fresh)
    run(sys.executable, "tools/optable.py", cwd=fresh)
    assert r"x \* x \* x." in (fresh / "docs/ops.md").read_text()
    tree, build = ROOT / "build/pages/tree", ROOT / "build/pages/build"
    mirror(fresh, tree)
    configure(build, tree)
    run("ninja", "-C", build, "--quiet", cwd=tree)
    run("bash", "tools/link_package.sh", build, cwd=tree)
    # An editable install of this tree, if there is one, must not come first.
    skipped = os.pathsep.join((os.environ.get("MESONPY_EDITABLE_SKIP", ""), str(ROOT / "build/py")))
    paths = {"PYTHONPATH": str(build / "site"), "MESONPY_EDITABLE_SKIP": skipped}
    return lambda code: run(sys.executable, "-c", "import joggle as jg" + code, cwd=tree, **paths)


@pytest.mark.full
def test_the_ops_of_the_page_compute(built):
    told = built("""
x = jg.array([-2.5, 3.0])
print((jg.cube(x) + x.cube()).tolist())
print(jg.erfc(x.cube() * 0).tolist(), jg.erfc([0]).tolist(), jg.grad(jg.erfc)(jg.array(0.0)))
""")
    assert told == "[-31.25, 54.0]\n[1.0, 1.0] [1.0] -1.1283792\n"


@pytest.mark.full
def test_the_routine_of_the_page_computes_and_is_batched_and_exported(built, tmp_path):
    """Rows of an array without order in memory, one element, and none; complex numbers are zero if
    both parts are."""
    file = str(tmp_path / "filled.safetensors")
    told = built(f"""
x = jg.array([[0, 3, 0], [0, 0, 5], [7, 0, 0]])
print(jg.fill_forward(x).tolist(), jg.fill_forward(x.T).tolist())
print(jg.fill_forward(jg.array([1j, 0, 2])).tolist(), jg.fill_forward(jg.array(4)).item())
print(jg.fill_forward(jg.zeros((3, 0))).shape, jg.fill_forward(jg.zeros((0, 3))).shape)
print(jg.vmap(jg.fill_forward, in_axes=1)(x).tolist())
jg.export_function({file!r}, lambda y: jg.fill_forward(y + 1), x)
print(jg.import_function({file!r})(x - 1)[0].tolist())
large = jg.fill_forward(jg.arange(300000) % 7)
print("fill_forward" in jg.explain(large), jg.sum(large).item())
""")
    total = sum(range(7)) * (300000 // 7) + sum(range(300000 % 7)) + 6 * (300000 // 7)
    assert told == (
        "[[0, 3, 3], [0, 0, 5], [7, 7, 7]] [[0, 0, 7], [3, 3, 3], [0, 5, 5]]\n"
        "[1j, 1j, (2+0j)] 4\n(3, 0) (0, 3)\n"
        "[[0, 0, 7], [3, 3, 3], [0, 5, 5]]\n"
        f"[[0, 3, 3], [0, 0, 5], [7, 7, 7]]\nTrue {total}\n"
    )


@pytest.mark.full
def test_the_dtype_of_the_page_rounds_and_is_exchanged(built):
    """Steps are 1/32 below 2, 1/16 from there on; the largest number is 7.75, and there is no
    infinity."""
    told = built("""
x = jg.array([1.03125, -2.03, 2.031251, 7.75, 0.015, 1e9]).astype(jg.float8_e2m5fn)
print(x.dtype, x.nbytes, x.astype(jg.float32).tolist())
print(jg.asarray(x, copy=True).dtype == jg.float8_e2m5fn, jg.finfo(x.dtype).max, x[1].item())
""")
    assert told == (
        "joggle.float8_e2m5fn 6 [1.03125, -2.0, 2.0625, 7.75, 0.0, nan]\nTrue 7.75 -2.0\n"
    )


@pytest.mark.full
def test_the_device_of_the_page_holds_arrays_that_are_computed(built):
    told = built("""
x = jg.arange(6, dtype=jg.float32, device="ext:0").reshape(2, 3)
y = jg.matmul(x * 2 + 1, x.T)
print(y.device, jg.flip(y, axis=0).tolist(), "on the host for memfd:0" in jg.explain(x + 1))
print(y.to_device("cpu").device, jg.zeros_like(y).device, x.sum().item())
jg.set_default_device("ext:0")
z = jg.array([3, 1, 2])
print(z.device, jg.sort(z).tolist(), (z + 1)[::-1].tolist())
""")
    assert told == (
        "ext:0 [[31.0, 112.0], [13.0, 40.0]] True\ncpu ext:0 15.0\next:0 [1, 2, 3] [3, 2, 4]\n"
    )


@pytest.mark.full
def test_tensors_of_the_pages_device_are_handed_over(built):
    told = built("""
x = jg.arange(4, dtype=jg.float32, device="ext:0")
shared = jg.from_dlpack(x * x, device="cpu")
print(shared.device, shared.tolist())
""")
    assert told == "cpu [0.0, 1.0, 4.0, 9.0]\n"


@pytest.mark.full
def test_what_the_pages_device_refuses_is_told(built):
    told = built("""
x, y = jg.asarray([1.0, 2.0], device="cpu"), jg.arange(2, dtype=jg.float32, device="ext:0")
for refused in (lambda: y + x, lambda: memoryview(y)):
    try:
        refused()
    except (ValueError, BufferError) as error:
        print(error)
""")
    assert told == (
        "[add] arguments: got arrays on ext:0 and on cpu:0, allowed is one device; "
        "to_device moves an array\n"
        'x: lies on ext:0, allowed is memory of the host; x.to_device("cpu") moves it\n'
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_thing_is_added_in_a_few_files(page):
    """Those of the op's page are counted section by section, as each adds another op."""
    text = (ROOT / page).read_text()
    parts = text.split("\n## ") if page == "docs/add-an-op.md" else [text]
    counts = [len({path for path, *_ in BLOCK.findall(part)}) for part in parts]
    assert 0 < max(counts) <= MOST_FILES
    if page == "docs/add-an-op.md":
        assert [count for count in counts if count] == [2, 4, 4]
