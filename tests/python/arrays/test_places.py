# SPDX-License-Identifier: Apache-2.0
"""argmax and argmin, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import REAL, layouts, values

import joggle as jg

NAMES = ["argmax", "argmin"]


def check(x, reference, name, axis=None, keepdims=False):
    found = getattr(jg, name)(x, axis, keepdims)
    expected = getattr(np, name)(
        reference.astype("f8") if reference.dtype.kind not in "iub" else reference,
        axis,
        keepdims=keepdims,
    )
    assert found.dtype == jg.dtype("int64")
    assert found.shape == np.shape(expected)
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", REAL)
def test_the_first_of_several_is_found_in_odd_layouts(dtype, name):
    for x, reference in layouts(dtype):
        check(x, reference, name)
        for axis in (0, 1, -1):
            check(x, reference, name, axis)
            check(x, reference, name, axis, True)


@pytest.mark.parametrize("name", NAMES)
@given(shape=st.lists(st.integers(1, 20), min_size=1, max_size=3), data=st.data())
def test_any_shape_is_searched(name, shape, data):
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(len(shape)).integers(-3, 3, shape, "i2")
    check(jg.array(x), x, name, axis)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize(
    "shape, axis", [((300_000,), 0), ((3, 150_001), 1), ((150_001, 3), 0), ((700, 1300), 0)]
)
def test_large_arrays_are_searched_by_several_threads(name, dtype, shape, axis):
    x = values(shape, dtype, seed=3)
    x.reshape(-1)[x.size // 2 :: 1001] = 99
    check(jg.array(x), x, name, axis)
    check(jg.array(x), x, name)
    check(jg.array(x).permute_dims(), x.T, name, len(shape) - 1 - axis)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_first_nan_wins(name, dtype):
    special = np.array([1, np.inf, -np.inf, np.nan, 2, -np.nan, np.nan], "f4")
    for x in (special, special[:3], special[::-1], np.tile(special, (9, 1)).T, special[[2, 1, 0]]):
        check(jg.array(x.copy()).astype(dtype), x, name, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_zeros_of_either_sign_are_equal(name, dtype):
    x = np.array([-0.0, 0.0, -0.0], dtype)
    check(jg.array(x), x, name)
    check(jg.array(x[1:]), x[1:], name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [name for name in REAL if "int" in name])
def test_the_ends_of_an_integers_range_are_ordered(name, dtype):
    info = np.iinfo(dtype)
    x = np.array([0, info.max, info.min, 1, info.max, info.min], dtype)
    check(jg.array(x), x, name)
    check(jg.array(np.tile(x, (9, 1)).T.copy()), np.tile(x, (9, 1)).T, name, 0)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.argmax(jg.zeros(0)), ValueError, "empty"),
        (lambda: jg.argmin(jg.zeros((0, 3)), axis=0), ValueError, "axis 0 is empty"),
        (lambda: jg.argmax(jg.zeros(3), axis=1), IndexError, "axis: got 1"),
        (lambda: jg.argmax(jg.zeros(3, dtype="complex64")), TypeError, "complex64"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_no_lines_have_no_places():
    assert jg.argmax(jg.zeros((0, 3)), axis=1).shape == (0,)
    assert jg.argmin(jg.zeros((3, 0)), axis=0, keepdims=True).shape == (1, 0)
