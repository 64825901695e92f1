# SPDX-License-Identifier: Apache-2.0
"""Products of half precision: exact sums, rounded once, against float64."""

import ml_dtypes
import numpy as np
import pytest

import joggle as jg

ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11}
# Around the panels of 14 rows and 32 columns, odd and even lengths, blocks of 224 by 1024.
SHAPES = [
    (8, 8, 8),
    (14, 32, 2),
    (15, 33, 3),
    (9, 31, 1),
    (13, 65, 17),
    (1, 64, 40),
    (64, 1, 40),
    (7, 100, 5),
    (230, 40, 64),
    (30, 1050, 9),
    (8, 8, 0),
    (0, 9, 4),
]


def sample(shape, dtype, seed):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype(getattr(ml_dtypes, dtype, None) or dtype)


def check(result, a, b, dtype):
    exact = a.astype("f8") @ b.astype("f8")
    size = np.abs(a.astype("f8")) @ np.abs(b.astype("f8"))
    assert str(result.dtype).endswith(dtype) and result.shape == exact.shape
    error = np.abs(np.asarray(result.astype("float64")) - exact)
    # One rounding of the result, and the float32 sums' share of the terms' size.
    assert (error <= np.abs(exact) * ROUNDING[dtype] * 1.01 + size * 2e-6 + 1e-30).all()


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_of_every_extent_and_layout_are_rounded_once(shape, dtype):
    m, n, k = shape
    a, b = sample((m, k), dtype, 0), sample((k, n), dtype, 1)
    at, bt = sample((k, m), dtype, 2).T, sample((n, k), dtype, 3).T
    wide = sample((2 * m, 2 * k + 1), dtype, 4)[::2, : 2 * k : 2]
    check(jg.asarray(a) @ b, a, b, dtype)
    check(jg.asarray(at) @ bt, at, bt, dtype)
    check(jg.asarray(wide) @ b, wide, b, dtype)
    check(jg.asarray(a[::-1]) @ b[:, ::-1], a[::-1], b[:, ::-1], dtype)


@pytest.mark.parametrize("dtype", ROUNDING)
def test_batches_of_half_products_broadcast(dtype):
    a, b = sample((3, 1, 20, 24), dtype, 0), sample((2, 24, 36), dtype, 1)
    check(jg.matmul(a, b), a, b, dtype)


def test_infinities_and_nan_come_through():
    a = np.ones((8, 16), ml_dtypes.bfloat16)
    a[0, 0], a[1, 1], a[2, 2], a[2, 3] = np.inf, np.nan, np.inf, -np.inf
    result = np.asarray((jg.asarray(a) @ np.ones((16, 8), ml_dtypes.bfloat16)).astype("float32"))
    assert np.isposinf(result[0]).all() and np.isnan(result[1:3]).all()
    assert (result[3:] == 16).all()


def test_rounding_is_to_nearest_even():
    a = np.zeros((8, 2), ml_dtypes.bfloat16)
    a[:, 0], a[:4, 1], a[4:, 1] = 256, 1, 3
    result = np.asarray((jg.asarray(a) @ np.ones((2, 8), ml_dtypes.bfloat16)).astype("float32"))
    assert (result[:4] == 256).all() and (result[4:] == 260).all()
