# SPDX-License-Identifier: Apache-2.0
"""Questions about whole arrays: allclose, array_equal and minmax, against NumPy and MLX."""

import mlx.core as mx
import numpy as np
import pytest
from layouts import REAL, layouts

import joggle as jg

NAN = float("nan")
PAIRS = [
    ([1.0, 2.0], [1.0, 2.0]),
    ([1.0, 2.0], [1.0, 2.00001]),
    ([1.0, 2.0], [1.0, 3.0]),
    ([1.0, NAN], [1.0, NAN]),
    ([float("inf")], [float("inf")]),
    ([1.0], [1.0, 1.0]),
    ([], []),
    (1.0, [1.0]),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("equal_nan", [False, True])
def test_equality_is_that_of_numpy_and_mlx(a, b, equal_nan):
    ours = jg.array_equal(jg.array(a), jg.array(b), equal_nan=equal_nan)
    assert ours.shape == () and ours.dtype == jg.bool
    assert ours.item() == np.array_equal(np.float32(a), np.float32(b), equal_nan)
    assert ours.item() == mx.array_equal(mx.array(a), mx.array(b), equal_nan=equal_nan).item()


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("equal_nan", [False, True])
def test_closeness_is_that_of_numpy(a, b, equal_nan):
    ours = jg.allclose(jg.array(a), jg.array(b), 1e-4, equal_nan=equal_nan)
    assert ours.item() == np.allclose(np.float32(a), np.float32(b), 1e-4, equal_nan=equal_nan)


def test_dtypes_need_not_be_the_same():
    assert jg.array_equal(jg.array([1, 2]), jg.array([1.0, 2.0]))
    assert jg.array_equal(jg.array([True]), 1) == jg.array(False)
    assert jg.array_equal(jg.array(3), 3)
    assert jg.allclose(jg.array([1, 2]), 1.5, atol=0.5)


@pytest.mark.parametrize("dtype", REAL)
def test_minmax_is_min_and_max(dtype):
    for x, _ in layouts(dtype):
        for axis, keepdims in ((None, False), (0, True), ((0, 1), False)):
            low, high = jg.minmax(x, axis, keepdims)
            assert jg.array_equal(low, jg.min(x, axis, keepdims))
            assert jg.array_equal(high, jg.max(x, axis, keepdims))


def test_minmax_refuses_what_min_refuses():
    with pytest.raises(ValueError):
        jg.minmax(jg.zeros(0))
    with pytest.raises(IndexError):
        jg.minmax(jg.zeros(2), axis=1)


def test_conjugate_is_conj():
    assert jg.conjugate(jg.array([1 + 2j])).tolist() == [1 - 2j]
