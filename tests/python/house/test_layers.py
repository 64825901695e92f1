# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py: the tree keeps to tools/layers.txt, and what does not is caught. The
files of the Python package import each other in no circle."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from python_imports import circle_in, imports_of

ROOT = Path(__file__).resolve().parents[3]
CHECK = ROOT / "tools/check_layers.py"


def check(root):
    result = subprocess.run(
        [sys.executable, CHECK, "--root", root], capture_output=True, text=True, check=False
    )
    assert not result.stderr
    return result.returncode, result.stdout


def copy_to(root):
    """A copy of what the check reads."""
    for folder in ("src", "include", "python/src"):
        shutil.copytree(ROOT / folder, root / folder)
    for name in ("tools/layers.txt", "docs/layers.svg"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture
def copy(tmp_path):
    return copy_to(tmp_path)


def plant(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    with (root / path).open("a") as file:
        file.write(text + "\n")


def test_the_tree_keeps_to_its_layers():
    assert check(ROOT) == (0, "")


def test_the_table_of_rooms_has_each_folder_of_src_once():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| (`[^|]*`) \|", text.partition("\nLevel 0:")[0], re.MULTILINE)
    rooms = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(rooms) == sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir())


FAULTS = [
    ("src/base/alloc.c", '"tensor/tensor.h"', "beside or above"),
    ("src/tensor/shape.c", '"program/program.h"', "beside or above"),
    ("src/dlpack/view.c", '"op/op.h"', "beside or above"),
    ("src/plan/plant.c", '"op/plant.h"', "sees of op only op/op.h"),
    ("src/plan/plant.c", '"tile/plant.h"', "plan may not include tile"),
    ("src/stream/plant.c", '"op/op.def"', "stream may not include op"),
    ("src/memory/plant.c", '"tensor/dtype.def"', "sees of tensor only tensor/tensor.h"),
    ("src/kernel/plant.c", '"device/device.h"', "kernel may not include device"),
    ("src/plan/plant.c", "<cuda.h>", "only device/cuda"),
    ("src/device/cpu/plant.c", "<cuda_runtime.h>", "only device/cuda"),
    ("src/tile/plant.c", "<llvm-c/Core.h>", "only jit"),
    ("src/base/plant.c", "<Python.h>", "only python"),
    ("src/unknown/plant.c", '"base/base.h"', "no room unknown"),
    ("src/base/plant.c", '"base/nowhere.h"', "no such file"),
    ("python/src/plant.c", '"base/base.h"', "no such file"),
    ("python/src/plant.c", '"../../src/base/base.h"', "python may not include base"),
    ("include/joggle/view.h", '"../../src/base/base.h"', "joggle may not include base"),
    ("python/src/base/plant.c", '"array/array.h"', "base may not include array"),
    ("python/src/kernel/plant.c", '"module.h"', "kernel may not include module.h"),
    ("python/src/unknown/plant.c", '"base/core.h"', "no part unknown"),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What is said of a copy with all faults, a line each: a copy for each took a second."""
    root = copy_to(tmp_path_factory.mktemp("planted"))
    for name in ("op", "tile"):
        plant(root, f"src/{name}/plant.h", "")
    for path, include, _ in FAULTS:
        plant(root, path, f"#include {include}")
    code, output = check(root)
    assert code == 1
    return output.splitlines()


@pytest.mark.parametrize(("path", "include", "fault"), FAULTS)
def test_a_planted_include_is_caught(told, path, include, fault):
    named = include.strip('"<>')
    of_it = [line for line in told if f'{path}: includes "{named}"' in line]
    assert len(of_it) == 1 and fault in of_it[0]


def test_a_fault_is_told_of_alone(copy):
    plant(copy, "src/plan/plant.c", '#include "op/primitive.def"\n#include <cuda.h>')
    code, output = check(copy)
    assert code == 1 and len(output.splitlines()) == 1 and "only device/cuda" in output


def test_the_ways_in_that_the_table_lists_are_allowed(copy):
    plant(copy, "src/plan/plant.c", '#include "op/primitive.def"\n#include "program/executor.h"')
    plant(copy, "src/jit/plant.c", "#include <llvm-c/Core.h>")
    assert "plant.c" not in check(copy)[1]


def test_a_cycle_within_a_room_is_caught(copy):
    plant(copy, "src/base/one.h", '#include "base/two.h"')
    plant(copy, "src/base/two.h", '#include "base/one.h"')
    code, output = check(copy)
    assert code == 1
    assert "a cycle of includes: src/base/one.h -> src/base/two.h -> src/base/one.h" in output


@pytest.mark.parametrize(
    ("edge", "fault"),
    [
        ("room 3 plant: joggle run", "plant -> run does not go down a level"),
        ("room 3 plant: joggle op", "plant -> op does not go down a level"),
        ("room 3 plant: nowhere", "nowhere, which is no room"),
        ("part plant: plant", "plant, which is not listed before it"),
    ],
)
def test_an_edge_that_does_not_go_down_is_caught(copy, edge, fault):
    plant(copy, "tools/layers.txt", edge)
    code, output = check(copy)
    assert code == 1
    assert fault in output


def test_a_stale_drawing_is_caught(copy):
    plant(copy, "docs/layers.svg", "<!-- -->")
    code, output = check(copy)
    assert code == 1
    assert "docs/layers.svg is stale" in output


# joggle/__init__.py shows the names of the modules below it, and those modules read the names of
# others through it when they are called: what leads to it is no layer of its own.
FACE = "joggle"


def python_imports(package):
    graph = imports_of(package)
    return {name: each - {FACE} for name, each in graph.items() if name != FACE}


def test_no_files_of_the_python_package_import_each_other_in_a_circle():
    assert circle_in(python_imports(ROOT / "python/joggle")) is None


@pytest.mark.parametrize(("below", "above"), [("_kernel", "fields"), ("_fields", "_kernel")])
def test_the_parts_below_fields_import_nothing_above_them(below, above):
    for name, imported in python_imports(ROOT / "python/joggle").items():
        if name.startswith(f"joggle.{below}"):
            assert not [each for each in imported if each.startswith(f"joggle.{above}")], name


def test_a_circle_through_an_import_in_a_function_is_caught(tmp_path):
    plant(tmp_path, "joggle/__init__.py", "")
    plant(tmp_path, "joggle/one.py", "from joggle import two")
    plant(tmp_path, "joggle/two.py", "def late():\n    from . import one\n    return one")
    assert circle_in(python_imports(tmp_path / "joggle")) == ["joggle.one", "joggle.two"]
