# SPDX-License-Identifier: Apache-2.0
"""Names of other libraries that joggle does not have: the error says what to write instead, and
what it says is there."""

import re
from pathlib import Path

import pytest

import joggle as jg
from joggle import _absent

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r'PY_ABSENT\((\w+), "(.*)"\)')
ATTRIBUTES = dict(ROW.findall((ROOT / "python/src/array/absent.def").read_text()))


def test_there_are_some_200_names():
    assert len(_absent.NAMES) + len(ATTRIBUTES) >= 175


@pytest.mark.parametrize("name", _absent.NAMES)
def test_a_missing_name_of_the_module_says_what_to_write(name):
    with pytest.raises(AttributeError) as caught:
        getattr(jg, name)
    wanted = f"module 'joggle' has no attribute '{name}'; write {_absent.NAMES[name]}"
    assert str(caught.value) == wanted
    assert name not in dir(jg)


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


@pytest.mark.parametrize("advice", [*_absent.NAMES.values(), *ATTRIBUTES.values()])
def test_what_is_advised_is_there(advice):
    x = jg.ones((2, 2))
    for path in re.findall(r"\b(?:jg|joggle)((?:\.\w+)+)", advice):
        found = jg
        for name in path.split(".")[1:]:
            found = getattr(found, name)
    for name in re.findall(r"\bx\.(\w+)", advice):
        assert hasattr(x, name)


def test_other_names_fail_as_ever():
    with pytest.raises(AttributeError, match=r"^module 'joggle' has no attribute 'nothing_such'$"):
        _ = jg.nothing_such
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_such'$"):
        _ = jg.ones(2).nothing_such
    assert not hasattr(jg, "__wrapped__")


def test_dir_lists_what_is_there():
    x = jg.ones((2, 2))
    assert {"shape", "at", "astype", "__array__", "sum"} <= set(dir(x))
    assert all(hasattr(x, name) for name in dir(x))
