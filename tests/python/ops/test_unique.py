# SPDX-License-Identifier: Apache-2.0
"""The distinct elements of arrays, as the Array API has them and numpy.unique finds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, layouts, to_joggle, to_numpy
from ordering import comparable, sample

import joggle as jg


def same(x, y):
    np.testing.assert_array_equal(comparable(to_numpy(x)), comparable(to_numpy(y)))


def check(x, reference):
    """All four functions; values, first places, inverse, counts."""
    expected = np.unique(
        comparable(reference),
        return_index=True,
        return_inverse=True,
        return_counts=True,
        equal_nan=False,
    )
    found = jg.unique_all(x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(comparable(to_numpy(one)), other)
    assert found.inverse_indices.shape == x.shape
    for other in (jg.unique_counts(x), jg.unique_inverse(x)):
        for name in ("values", "counts", "inverse_indices"):
            if hasattr(other, name):
                same(getattr(other, name), getattr(found, name))
    same(jg.unique_values(x), found.values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_elements_are_found_in_any_number(dtype):
    for count in (0, 1, 2, 300, 3000):
        for few in (False, True):
            x = sample(dtype, count, few)
            check(to_joggle(x), x)


@pytest.mark.parametrize("dtype", ["bool", "int16", "bfloat16", "float64", "complex64"])
def test_odd_layouts_are_flattened(dtype):
    for x, reference in layouts(dtype):
        check(x, reference)


@given(st.lists(st.integers(-5, 5), max_size=40))
def test_the_inverse_gives_the_array_back(numbers):
    x = jg.array(np.array(numbers, "i4"))
    values, inverse = jg.unique_inverse(x)
    assert jg.take(values, inverse).tolist() == numbers


def test_results_have_names_and_dtypes():
    found = jg.unique_all(jg.array(np.uint8([[3, 1], [3, 3]])))
    assert isinstance(found, tuple) and len(found) == 4
    assert found.values.tolist() == [1, 3] and found.values.dtype == jg.dtype("uint8")
    assert found.indices.tolist() == [1, 0] and found.indices.dtype == jg.dtype("int64")
    assert found.inverse_indices.tolist() == [[1, 0], [1, 1]]
    assert found.counts.tolist() == [1, 3] and found.counts.dtype == jg.dtype("int64")
    assert jg.unique_counts(jg.array(7)).counts.tolist() == [1]


def test_each_nan_is_distinct_and_zeros_are_not():
    found = jg.unique_counts(jg.array([np.nan, 0.0, -0.0, np.nan]))
    assert str(found.values.tolist()) == "[0.0, nan, nan]"
    assert found.counts.tolist() == [2, 1, 1]


def test_a_dtype_that_is_only_stored_is_refused():
    with pytest.raises(TypeError, match="stored and exchanged"):
        jg.unique_values(jg.zeros(3, dtype="float8_e4m3fn"))
