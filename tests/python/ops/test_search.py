# SPDX-License-Identifier: Apache-2.0
"""searchsorted, as NumPy has it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, layouts, to_joggle
from ordering import order, sample

import joggle as jg

SIDES = ["left", "right"]


def expected_places(ordered, wanted, side):
    """NumPy's, by way of float32 for the halves, whose NaN it compares otherwise."""
    if ordered.dtype.itemsize == 2 and ordered.dtype.kind != "i" and ordered.dtype.kind != "u":
        ordered, wanted = ordered.astype("f4"), wanted.astype("f4")
    return np.searchsorted(ordered, wanted, side)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_few_and_many_are_searched_for_in_any_number(dtype, side):
    for count in (0, 1, 17, 300, 3000):
        for few in (False, True):
            x = sample(dtype, count, few)
            x = x[order(x)]
            for n in (0, 1, 5, 40, 2000):
                wanted = sample(dtype, n, few, seed=5)
                found = jg.searchsorted(to_joggle(x), to_joggle(wanted), side)
                assert found.dtype == jg.dtype("int64")
                np.testing.assert_array_equal(np.asarray(found), expected_places(x, wanted, side))


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_odd_layouts_are_searched_for(dtype):
    table = np.arange(9).astype(dtype)
    for x, reference in layouts(dtype):
        found = jg.searchsorted(jg.array(table), x)
        np.testing.assert_array_equal(np.asarray(found), np.searchsorted(table, reference))
    backwards = to_joggle(table[::-1].copy())[::-1]
    assert jg.searchsorted(backwards, jg.array(3).astype(dtype), "right").item() == 4


def test_a_sorter_stands_for_a_sorted_vector():
    x = np.random.default_rng(0).standard_normal(100)
    sorter = np.argsort(x)
    found = jg.searchsorted(jg.array(x), jg.array(x), sorter=jg.array(sorter))
    np.testing.assert_array_equal(np.asarray(found), np.searchsorted(x, x, sorter=sorter))


def test_numbers_may_be_searched_for():
    x = jg.array(np.float32([1, 2, 3]))
    assert jg.searchsorted(x, 2).item() == 1
    assert jg.searchsorted(x, 2.5, side="right").item() == 2
    assert jg.searchsorted(jg.array([1, 5]), jg.array([2.5])).tolist() == [1]


@given(st.lists(st.floats(width=32), max_size=50), st.lists(st.floats(width=32), max_size=50))
def test_an_element_inserted_where_it_belongs_keeps_the_order(numbers, wanted):
    x, w = np.sort(np.array(numbers, "f4")), np.array(wanted, "f4")
    for side in SIDES:
        found = np.asarray(jg.searchsorted(jg.array(x), jg.array(w), side))
        np.testing.assert_array_equal(found, np.searchsorted(x, w, side))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.searchsorted(jg.zeros((2, 2)), 1), ValueError, "x1: has 2 axes"),
        (lambda: jg.searchsorted(jg.zeros(2), 1, "middle"), ValueError, "side: got 'middle'"),
        (lambda: jg.searchsorted(jg.zeros(2), 1, sorter=jg.zeros(2)), TypeError, "sorter"),
        (lambda: jg.searchsorted(jg.zeros(2), 1, sorter=jg.array([1])), ValueError, "sorter"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
