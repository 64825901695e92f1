# SPDX-License-Identifier: Apache-2.0
"""Names and parameters of NumPy's: each is ours too, or docs/numpy.md says why it is not."""

import doctest
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import joggle as jg
from joggle import _numpy

DOCUMENT = (pathlib.Path(__file__).parents[3] / "docs/numpy.md").read_text()
ROWS = re.findall(r"^\| (`.*?) \|", DOCUMENT.split("## What is absent")[1], re.MULTILINE)
ABSENT = {name for row in ROWS for name in re.findall(r"`(\w+)`", row)}
FUNCTIONS = sorted(name for name in _numpy.NAMES if callable(getattr(np, name, None)))
UNUSED = {"out", "where", "casting", "order", "dtype", "subok", "signature", "like", "keepdims"}


def test_every_name_is_ours_or_said_to_be_absent():
    ours = {*jg.__all__, *(name for name in dir(jg) if name.startswith("__"))}
    assert set(np.__all__) - ours - ABSENT == set()


@pytest.mark.parametrize("module", ["linalg", "fft"])
def test_every_name_of_a_submodule_is_ours_or_said_to_be_absent(module):
    ours = getattr(jg, module)
    assert {n for n in getattr(np, module).__all__ if not hasattr(ours, n)} - ABSENT == set()


def test_what_is_said_to_be_absent_is():
    assert {name for name in ABSENT if hasattr(jg, name)} == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_stand_in_numpys_order_under_its_names(name):
    try:
        theirs = inspect.signature(getattr(np, name)).parameters.values()
    except ValueError:
        pytest.fail("NumPy does not tell the parameters: compare by hand, and say so here")
    ours = inspect.signature(getattr(jg, name)).parameters
    if isinstance(getattr(np, name), np.ufunc):  # which share what follows their operands
        theirs = [p for p in theirs if p.kind is p.POSITIONAL_ONLY]
    wanted = [p.name for p in theirs if p.name not in UNUSED or p.name in ours]
    assert [p for p in ours if p in wanted] == wanted


@pytest.mark.parametrize("module", _numpy.MODULES)
def test_the_table_holds_all_that_is_public_in_a_module(module):
    loaded = importlib.import_module(f"joggle._numpy.{module}")
    public = {
        name
        for name, thing in vars(loaded).items()
        if name[0] != "_" and getattr(thing, "__module__", None) == loaded.__name__
    }
    assert public == set(_numpy.MODULES[module])


@pytest.mark.parametrize("name", sorted(_numpy.NAMES))
def test_classes_and_objects_have_examples_as_functions_have(name):
    thing = getattr(jg, name)
    examples = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {"jg": jg}, name, None, 0)
    assert examples.examples
    if not inspect.isroutine(thing):  # those are run by test_doc_strings.py
        said = []
        assert doctest.DocTestRunner().run(examples, out=said.append).failed == 0, "".join(said)


def test_modules_are_imported_when_they_are_needed():
    code = """
import sys, joggle as jg
before = {name for name in sys.modules if name.startswith("joggle._numpy.")}
jg.hsplit
print(before, "joggle._numpy.split" in sys.modules, "numpy" in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "set() True False\n"


def test_type_checkers_are_told_of_every_module():
    told = set(re.findall(r"from joggle\._numpy\.(\w+) import \*", inspect.getsource(jg)))
    assert told == set(_numpy.MODULES)


@pytest.mark.parametrize("module", ["linalg", "fft", "random", "fast", "metal", "cuda"])
def test_modules_of_ops_are_imported_when_they_are_asked_for(module):
    code = f"""
import sys, joggle as jg
before = "joggle.{module}" in sys.modules
print(before, jg.{module} is sys.modules["joggle.{module}"])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "False True\n"


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="module 'joggle' has no attribute 'hsplitt'"):
        jg.hsplitt  # noqa: B018
