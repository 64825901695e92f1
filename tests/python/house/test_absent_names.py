# SPDX-License-Identifier: Apache-2.0
"""Names of other libraries that joggle does not have: the error says what to write instead, and
what it says is there."""

import importlib
import re
from pathlib import Path

import pytest

import joggle as jg
from joggle import _absent

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r'PY_ABSENT\((\w+), "(.*)"\)')
ATTRIBUTES = dict(ROW.findall((ROOT / "python/src/array/absent.def").read_text()))


OF_MODULES = [(module, name) for module, names in _absent.MODULES.items() for name in names]
ADVICE = [_absent.MODULES[module][name] for module, name in OF_MODULES] + [*ATTRIBUTES.values()]


def test_there_are_200_names():
    assert len(ADVICE) >= 200


@pytest.mark.parametrize(("module", "name"), OF_MODULES)
def test_a_missing_name_of_a_module_says_what_to_write(module, name):
    found = importlib.import_module(module)
    with pytest.raises(AttributeError) as caught:
        getattr(found, name)
    advice = _absent.MODULES[module][name]
    assert str(caught.value) == f"module '{module}' has no attribute '{name}'; write {advice}"
    assert name not in dir(found)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_missing_attribute_of_arrays_says_what_to_write(name):
    x = jg.ones(2)
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    wanted = f"'joggle.array' object has no attribute '{name}'; write {ATTRIBUTES[name]}"
    assert str(caught.value) == wanted
    assert name not in dir(x) and not hasattr(x, name)
    with pytest.raises(AttributeError):
        setattr(x, name, 1)


@pytest.mark.parametrize("advice", ADVICE)
def test_what_is_advised_is_there(advice):
    x = jg.ones((2, 2))
    for path in re.findall(r"\b(?:jg|joggle)((?:\.\w+)+)", advice):
        found = jg
        for name in path.split(".")[1:]:
            found = getattr(found, name)
    for name in re.findall(r"\bx\.(\w+)", advice):
        assert hasattr(x, name)


def test_torchs_names_of_parameters_say_what_to_write():
    x = jg.ones((2, 2))
    for call, theirs, own in (
        (lambda: jg.sum(x, dim=0), "dim", "axis"),
        (lambda: x.mean(axis=0, keepdim=True), "keepdim", "keepdims"),
        (lambda: jg.zeros(size=3), "size", "shape"),
    ):
        with pytest.raises(TypeError, match=rf"argument '{theirs}', allowed: .*; write {own}=$"):
            call()
    with pytest.raises(TypeError, match=r"argument 'size', allowed: 'axis', 'keepdims', 'dtype'$"):
        jg.sum(x, size=3)


def test_other_names_fail_as_ever():
    with pytest.raises(AttributeError, match=r"^module 'joggle' has no attribute 'nothing_such'$"):
        _ = jg.nothing_such
    with pytest.raises(AttributeError, match=r"^module 'joggle.nn' has no .* 'nothing_such'$"):
        _ = jg.nn.nothing_such
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_such'$"):
        _ = jg.ones(2).nothing_such
    assert not hasattr(jg, "__wrapped__")


def test_dir_lists_what_is_there():
    x = jg.ones((2, 2))
    assert {"shape", "at", "astype", "__array__", "sum"} <= set(dir(x))
    assert all(hasattr(x, name) for name in dir(x))
