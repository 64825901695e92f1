# SPDX-License-Identifier: Apache-2.0
"""pad and roll, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, assert_same, layouts, values

import joggle as jg

MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_layouts_are_padded(dtype, mode):
    for x, reference in layouts(dtype):
        for widths in (((1, 2), (0, 7), (3, 0)), ((2, 0), (0, 0), (0, 0)), 1):
            assert_same(jg.pad(x, widths, mode), np.pad(reference, widths, mode))


@given(st.lists(st.integers(0, 4), max_size=4), st.sampled_from(MODES), st.data())
def test_any_shape_is_padded(shape, mode, data):
    if mode != "constant":
        shape = [extent or 1 for extent in shape]
    widths = data.draw(
        st.lists(st.tuples(*2 * [st.integers(0, 9)]), min_size=len(shape), max_size=len(shape))
    )
    reference = values(tuple(shape), "i4")
    expected = np.pad(reference, widths, mode) if shape else reference
    assert_same(jg.pad(jg.array(reference), widths, mode), expected)


@pytest.mark.parametrize("widths", [2, (1, 3), ((1, 3),), np.int64(1), [[0, 1], [2, 3]]])
def test_widths_may_be_short(widths):
    x = values((3, 4), "f4")
    assert_same(jg.pad(jg.array(x), widths), np.pad(x, widths))


def test_a_constant_may_be_any_number():
    x = values((2, 2), "i4")
    padded = jg.pad(jg.array(x), 1, constant_values=7)
    assert_same(padded, np.pad(x, 1, constant_values=7))
    nan = jg.pad(jg.array([1.0]), 1, constant_values=jg.array(np.nan))
    assert np.isnan(np.asarray(nan)[[0, 2]]).all()
    assert jg.pad(jg.array([1.5]), (0, 1), constant_values=2).tolist() == [1.5, 2]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "complex64"])
@pytest.mark.parametrize(
    "constants",
    [(5, 6), [[5, 6]], [[1, 2], [3, 4]], [[1], [2]], [7], [[7]], np.array([5, 6], "i1"), (0.5, -1)],
)
def test_constants_may_be_pairs_as_numpys_are(constants, dtype):
    x = values((2, 3), dtype)
    for widths in (1, ((1, 0), (0, 2)), ((0, 0), (2, 3)), 0):
        expected = np.pad(x, widths, constant_values=constants)
        assert_same(jg.pad(jg.array(x), widths, constant_values=constants), expected)
        assert_same(np.pad(jg.array(x), widths, constant_values=constants), expected)


def test_constants_in_pairs_have_gradients():
    ends = jg.array([5.0, 6.0])
    found = jg.grad(lambda ends: (jg.pad(jg.ones(2), (1, 3), constant_values=ends) ** 2).sum())(
        ends
    )
    assert found.tolist() == [10, 36]


@pytest.mark.parametrize("mode", MODES)
def test_large_arrays_are_padded_by_several_threads(mode):
    x = np.arange(300_000, dtype="f4")
    assert_same(jg.pad(jg.array(x), (70_001, 3), mode), np.pad(x, (70_001, 3), mode))
    x = x.reshape(100, 3000)
    assert_same(jg.pad(jg.array(x).T, ((5, 9), (1, 1)), mode), np.pad(x.T, ((5, 9), (1, 1)), mode))


@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_layouts_are_rolled(dtype):
    for x, reference in layouts(dtype):
        assert_same(jg.roll(x, 7), np.roll(reference, 7))
        assert_same(jg.roll(x, -1, axis=1), np.roll(reference, -1, 1))
        assert_same(jg.roll(x, (1, 3), axis=(-1, 0)), np.roll(reference, (1, 3), (-1, 0)))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_any_shape_is_rolled(shape, data):
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=3))
    shifts = data.draw(st.lists(st.integers(-20, 20), min_size=len(axes), max_size=len(axes)))
    x = values(tuple(shape), "i2")
    assert_same(jg.roll(jg.array(x), shifts, axis=axes), np.roll(x, shifts, axes))
    assert_same(jg.roll(jg.array(x), shifts[0], axis=axes), np.roll(x, shifts[0], axes))


def test_plans_of_other_widths_are_not_mistaken():
    x = jg.array(np.arange(5))
    for by in range(5):
        assert_same(jg.roll(x, by), np.roll(np.arange(5), by))
    for before in range(4):
        assert_same(jg.pad(x, (before, 3 - before)), np.pad(np.arange(5), (before, 3 - before)))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.pad(jg.zeros(3), -1), ValueError, "got -1"),
        (lambda: jg.pad(jg.zeros((2, 3)), ((1, 1), (1, 1), (1, 1))), ValueError, "got 6 numbers"),
        (lambda: jg.pad(jg.zeros(3), ((1, 2, 3),)), ValueError, "got 3 numbers, allowed are two"),
        (lambda: jg.pad(jg.zeros(3), 1.5), TypeError, "pad_width"),
        (lambda: jg.pad(jg.zeros(3), 1, mode="mean"), ValueError, '"mean"'),
        (lambda: jg.pad(jg.zeros(0), 1, mode="edge"), ValueError, "empty"),
        (lambda: jg.pad(jg.zeros(3), 1, constant_values=[1, 2, 3]), ValueError, "has 3 elements"),
        (lambda: jg.pad(jg.zeros(3), 1, constant_values=[[1, 2]] * 2), ValueError, "has 4 elem"),
        (lambda: jg.pad(jg.zeros(3), 1, constant_values=[]), ValueError, "has 0 elements"),
        (lambda: jg.roll(jg.zeros(3), 1, axis=1), IndexError, "axis"),
        (lambda: jg.roll(jg.zeros((2, 3)), (1, 2, 3), axis=(0, 1)), ValueError, "as many"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
