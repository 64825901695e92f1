# SPDX-License-Identifier: Apache-2.0
"""tile and repeat, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, assert_same, layouts, values

import joggle as jg


@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_layouts_are_repeated(dtype):
    for x, reference in layouts(dtype):
        for times in (2, (3, 1, 2), (2, 1, 1, 3), (0, 1, 1), ()):
            assert_same(jg.tile(x, times), np.tile(reference, times))
        assert_same(jg.repeat(x, 3), np.repeat(reference, 3))
        for axis in (0, 1, -1):
            assert_same(jg.repeat(x, 2, axis=axis), np.repeat(reference, 2, axis))


@given(st.lists(st.integers(0, 4), max_size=4), st.lists(st.integers(0, 3), max_size=5), st.data())
def test_any_shape_is_repeated(shape, times, data):
    x = values(tuple(shape), "i4")
    assert_same(jg.tile(jg.array(x), times), np.tile(x, times))
    count = data.draw(st.integers(0, 5))
    assert_same(jg.repeat(jg.array(x), count), np.repeat(x, count))
    if shape:
        axis = data.draw(st.integers(-len(shape), len(shape) - 1))
        assert_same(jg.repeat(jg.array(x), count, axis), np.repeat(x, count, axis))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_every_index_may_have_its_own_count(shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = shape[axis]
    counts = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    x = values(tuple(shape), "f4")
    assert_same(
        jg.repeat(jg.array(x), jg.array(counts, dtype="uint8"), axis=axis),
        np.repeat(x, counts, axis),
    )
    mirrored = -1 - axis if axis >= 0 else -axis - 1
    assert_same(
        jg.repeat(jg.array(x).permute_dims(), counts, axis=mirrored),
        np.repeat(x.T, counts, mirrored),
    )


def test_what_is_repeated_fuses_with_what_makes_it():
    x = jg.array(values((3, 4), "f4"))
    assert_same(jg.tile(x + 1, (2, 2)) * 2, np.tile(np.asarray(x) + 1, (2, 2)) * 2)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.tile(jg.zeros(3), -1), ValueError, "got -1"),
        (lambda: jg.tile(jg.zeros(3), 2**62), ValueError, r"allowed is a product below 2\^63"),
        (lambda: jg.tile(jg.zeros(3), 1.5), TypeError, "repetitions"),
        (lambda: jg.repeat(jg.zeros(3), 1.5), TypeError, "allowed are integers"),
        (lambda: jg.repeat(jg.zeros(3), [1, 2]), ValueError, "one for each of 3"),
        (lambda: jg.repeat(jg.zeros(3), [1, -2, 1]), ValueError, "got -2"),
        (lambda: jg.repeat(jg.zeros(3), -1), ValueError, "got -1"),
        (lambda: jg.repeat(jg.zeros(3), 2, axis=1), IndexError, "axis"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
