# SPDX-License-Identifier: Apache-2.0
"""Random kernels draw every public method and attribute of storage, vectors, matrices and structs.

The names are found by looking at the classes and at the documentation, and what is drawn by
reading the sources of random programs: a method that is added has to be drawn, or is listed below
with why not.
"""

import ast
import random
import re
from pathlib import Path

import pytest
import test_kernel_random_floats as floats
from kernel_drawing import Program

import joggle.fields as qd
from joggle.fields._field import ScalarField, ScalarNdarray
from joggle.fields._matrix_field import MatrixField, VectorNdarray
from joggle.fields._struct import StructField

PROGRAMS = 40
STORAGE_CLASSES = (ScalarField, ScalarNdarray, MatrixField, VectorNdarray, StructField)
DOCS = Path(__file__).parents[3] / "docs"

CHANGES_NOTHING = "says how something was made and gives no number"
NOT_DRAWN = {
    ("storage", "name"): CHANGES_NOTHING,
    ("storage", "layout"): CHANGES_NOTHING,
    ("storage", "element_shape"): CHANGES_NOTHING,
    ("storage", "element_type"): CHANGES_NOTHING,
    ("storage", "needs_grad"): CHANGES_NOTHING,
    ("storage", "offset"): CHANGES_NOTHING,
    ("storage", "struct_methods"): CHANGES_NOTHING,
    ("storage", "snode"): CHANGES_NOTHING,
    ("storage", "dual"): "forward derivatives, which test_gradients_random.py draws",
    ("value", "get_shape"): "refused in kernels; outside it gives what shape does",
    ("struct", "items"): "refused in kernels; outside it gives what to_dict does",
    ("struct", "methods"): CHANGES_NOTHING,
}


def names_of(*classes):
    """Public names, those of swizzles and of places in a node not among them."""
    found = {name for c in classes for name in dir(c) if name[0] != "_"}
    return {n for n in found if not set(n) <= set("xyzw") | set("rgba") | set("stpq") or n == "at"}


def public():
    """What fields, vectors, matrices and structs have."""
    found = {("storage", name) for name in names_of(*STORAGE_CLASSES)}
    found |= {("value", name) for name in names_of(qd.Matrix, qd.Vector)}
    return found | {("struct", name) for name in names_of(qd.Struct)}


def documented():
    """What docs/kernels.md and docs/fields.md show of them: lists of names in sentences, and the
    table of exchange."""
    kernels = (DOCS / "kernels.md").read_text()
    value = re.search(r"Vectors and matrices have(.*?)They become scalars", kernels, re.S)[1]
    storage = re.search(r"Fields and\s+arrays have\s+the\s+methods(.*?);", kernels, re.S)[1]
    of_class = re.search(r"and of `qd.Matrix` itself(.*?)\. Others", kernels, re.S)[1]
    table = re.search(r"\n\| out \|.*?(?=\n\| in C)", (DOCS / "fields.md").read_text(), re.S)[0]
    found = {("value", n) for n in quoted(value + of_class)}
    return found | {("storage", n) for n in quoted(storage + table)}


def quoted(text):
    """Names between backticks, without what they are called with."""
    found = {m.split("(")[0] for m in re.findall(r"`([^`]+)`", text)}
    return {n for n in found if re.fullmatch(r"(qd\.)?\w+", n)}


def kind_of(node):
    """Whether an attribute of a program's source is asked of storage, a struct or a value."""
    owner = node.value
    if isinstance(owner, ast.Call) and getattr(owner.func, "attr", "") == "get_member_field":
        return "storage"
    if isinstance(owner, ast.Attribute):
        of_class = getattr(owner.value, "id", "") == "qd"
        if of_class:
            return {"Struct": "struct", "Matrix": "value", "Vector": "value"}.get(owner.attr, "qd")
        return "storage" if is_array(owner.value) else "value"
    if isinstance(owner, ast.Subscript) and getattr(owner.value, "id", "") == "s":
        return "struct"
    return "storage" if is_array(owner) else "value"


def is_array(node):
    return isinstance(node, ast.Name) and re.fullmatch(r"x\d|n\d|[vms]|kept", node.id)


def attributes(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            of_module = getattr(node.value, "id", "") in ("qd", "np")
            found.add(("value", f"qd.{node.attr}") if of_module else (kind_of(node), node.attr))
    return found


@pytest.fixture(scope="module")
def drawn():
    """Whose attributes, and which, random programs have: ("value", "dot")."""
    found = set()
    for seed in range(PROGRAMS):
        found |= attributes(Program(seed, 12).source())
    draw = random.Random(0)
    for _ in range(10):
        for cases in (floats.methods(draw, "f32")[0], floats.decompositions(draw, "f32")[0]):
            found |= set().union(*map(attributes, cases))
    return found


def test_every_public_name_is_drawn_or_excepted(drawn):
    assert public() - drawn - set(NOT_DRAWN) == set()


def test_an_excepted_name_is_there_and_is_not_drawn(drawn):
    assert set(NOT_DRAWN) - public() == set()
    assert set(NOT_DRAWN) & drawn == set()


def test_every_documented_name_is_drawn(drawn):
    names = documented()
    assert {("value", "norm_inv"), ("value", "qd.eig"), ("storage", "from_torch")} <= names
    assert names - drawn - {("storage", "jg.asarray")} == set()


@pytest.mark.parametrize("letters", ["xyzw", "rgba", "stpq"])
def test_swizzles_of_every_letter_and_length_are_drawn(drawn, letters):
    found = {n for kind, n in drawn if kind == "value" and set(n) <= set(letters)}
    assert {c for n in found for c in n} == set(letters)
    assert {len(n) for n in found} >= {2, 3, 4}
