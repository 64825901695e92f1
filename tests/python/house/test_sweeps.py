# SPDX-License-Identifier: Apache-2.0
"""What the mark `part` leaves of a sweep without --all."""

import importlib.util
import itertools
from pathlib import Path
from types import SimpleNamespace

import pytest

SPEC = importlib.util.spec_from_file_location(
    "root_conftest", Path(__file__).resolve().parents[2] / "conftest.py"
)
conftest = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(conftest)

AXES = {"name": "abcdef", "axis": (None, 0, -1, (0, 2)), "keepdims": (False, True)}


def items_of(mark):
    """One for each combination of the values of AXES."""
    return [
        SimpleNamespace(
            callspec=SimpleNamespace(params=dict(zip(AXES, values, strict=True))),
            get_closest_marker=lambda _: mark.mark,
        )
        for values in itertools.product(*AXES.values())
    ]


@pytest.mark.parametrize("step", [2, 3, 100])
def test_each_value_of_the_named_parameter_keeps_its_share(step):
    kept = list(conftest.part_of(items_of(pytest.mark.part(step, of="name"))))
    for value in AXES["name"]:
        count = sum(item.callspec.params["name"] == value for item in kept)
        assert 8 // step <= count <= -(-8 // step) and count >= 1


def test_the_other_parameters_take_turns():
    kept = list(conftest.part_of(items_of(pytest.mark.part(3, of="name"))))
    for axis, keepdims in itertools.product(AXES["axis"], AXES["keepdims"]):
        assert any(
            item.callspec.params["axis"] == axis and item.callspec.params["keepdims"] == keepdims
            for item in kept
        )


def test_a_case_that_is_run_alone_stays():
    items = items_of(pytest.mark.part(3, of="name"))
    assert all(list(conftest.part_of([item])) == [item] for item in items)
