# SPDX-License-Identifier: Apache-2.0
"""Names of Quadrants: each is ours too, or docs/kernels.md says what to use instead."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
import quadrants

import joggle.fields as qd
from joggle.fields._absent import ABSENT

pytestmark = pytest.mark.usefixtures("tier")

PAGE = (Path(__file__).parents[3] / "docs/kernels.md").read_text()
TABLE = PAGE.split("## What is absent")[1].split("\n\n")[2]
HOMES = (qd, qd.linalg, qd.types, qd.simt, qd.simt.block)
MODULES = ["ad", "algorithms", "experimental", "graph", "linalg", "math", "types"]


def names_of(module):
    """Public names that are the module's own, not what it imports for itself."""
    listed = getattr(module, "__all__", None)
    names = [n for n in listed or dir(module) if not n.startswith("_")]
    return {n for n in names if not inspect.ismodule(getattr(module, n)) or module is quadrants}


def is_own(module, name):
    found = getattr(module, name)
    home = getattr(found, "__module__", None) or ""
    return (
        home.startswith(module.__name__)
        or module is quadrants.graph
        or module.__name__ == "quadrants.types"
    )


def test_every_name_is_ours_or_said_to_be_absent():
    assert {n for n in names_of(quadrants) if not hasattr(qd, n)} - set(ABSENT) == set()


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_submodule_is_ours_or_said_to_be_absent(module):
    theirs, ours = getattr(quadrants, module), getattr(qd, module)
    names = {n for n in names_of(theirs) if is_own(theirs, n)}
    assert {n for n in names if not hasattr(ours, n)} - set(ABSENT) == set()


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_what_is_absent_says_what_to_use(name):
    home = next(m for m in HOMES if hasattr(theirs_of(m), name))
    with pytest.raises(AttributeError, match=re.escape(f"{name!r}: {ABSENT[name]}")):
        getattr(home, name)


def theirs_of(module):
    name = module.__name__.replace("joggle.fields", "quadrants")
    return importlib.import_module(name.replace("quadrants.simt", "quadrants.lang.simt"))


def test_the_page_has_a_row_for_each_absent_name_and_no_other():
    found = {}
    for row in TABLE.strip().splitlines()[2:]:
        names, instead = (cell.strip() for cell in row.strip("|").split(" | "))
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", names), instead))
    assert found == ABSENT


def test_an_absent_name_in_a_kernel_is_refused_with_its_line():
    def with_clock() -> qd.i64:
        return qd.clock_counter()

    kernel = qd.kernel(with_clock)
    with pytest.raises(TypeError, match=r"(?s)test_quadrants_names.*has no attribute.*jg\.trace"):
        kernel()


def test_fields_and_nodes_have_what_those_of_quadrants_tell():
    x = qd.field(qd.f32, (4, 2), order="ji")
    assert x.layout == (1, 0) and x.element_type is qd.f32
    assert x.has_grad() is False and x.has_dual() is False
    assert x.parent().shape == (4, 2) and x.parent(2) is qd.root and x.parent(3) is None
    y = qd.field(qd.f32)
    outer = qd.root.dense(qd.i, 3)
    inner = outer.dense(qd.i, 2)
    inner.place(y)
    assert y.parent() is inner and y.parent(2) is outer and inner.parent(2) is qd.root
    tree = qd.types.struct(parent=qd.i32).field(shape=3)
    assert tree.parent.to_numpy().tolist() == [0, 0, 0]


def test_settings_can_be_asked_for(capsys):
    qd.init(log_level=qd.ERROR, debug=True)
    assert qd.is_logging_effective(qd.CRITICAL) and not qd.is_logging_effective("info")
    qd.set_logging_level(qd.TRACE)
    assert qd.is_logging_effective("debug")
    qd.dump_compile_config()
    assert "debug=True\n" in capsys.readouterr().out
    assert qd.is_extension_enabled(qd.extension.data64)
    assert qd.is_extension_enabled(qd.extension.sparse)
    assert not qd.is_extension_enabled(qd.extension.mesh)
    with pytest.raises(ValueError, match="level: got 'loud', allowed are trace, debug"):
        qd.set_logging_level("loud")


def test_decorators_take_the_words_of_quadrants_and_no_others():
    @qd.data_oriented(stable_members=True)
    class Holder:
        @qd.kernel(graph=True, fastcache=True)
        def twice(self, n: int) -> int:
            return 2 * n

    assert Holder().twice(4) == 8
    with pytest.raises(TypeError, match="fastmath"):
        qd.kernel(fastmath=True)
    with pytest.raises(TypeError, match="kernel: got 3, allowed are functions"):
        qd.kernel(3)
    with pytest.raises(NotImplementedError, match="checkpoints: end the kernel there"):
        qd.kernel(checkpoints=True)


def test_references_assign_to_the_callers_variable():
    @qd.func
    def add(a: qd.ref(qd.i32), by: qd.i32):
        a += by

    @qd.kernel
    def run() -> int:
        total = 2
        add(total, 5)
        return total

    assert run() == 7


def test_indices_are_rescaled_from_one_field_to_another():
    fine, coarse = qd.field(qd.i32, (6, 4)), qd.field(qd.i32, (3, 2))

    @qd.kernel
    def restrict():
        for i in qd.grouped(fine):
            coarse[qd.rescale_index(fine, coarse, i)] += 1
        for i in qd.grouped(coarse):
            fine[qd.rescale_index(coarse, fine, i)] = 7

    restrict()
    assert (coarse.to_numpy() == 4).all()
    assert (fine.to_numpy()[::2, ::2] == 7).all() and fine.to_numpy().sum() == 7 * 6
