# SPDX-License-Identifier: Apache-2.0
"""Reductions along rows of lengths about the widths of vectors, where kernels change their way."""

import warnings

import numpy as np
import pytest

import joggle as jg

LENGTHS = [1, 7, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 129, 191, 193, 1000, 1025]
FLOATS = [np.float32, np.float64]


def rows(length, dtype, count=37):
    x = np.random.default_rng(length).standard_normal((count, length)) * 50
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, np.complex64, np.int32, np.int64])
@pytest.mark.parametrize("length", LENGTHS)
def test_sums_of_rows_are_those_of_numpy(length, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = rows(length, dtype)
    wide = x.astype(np.complex128) if dtype == np.complex64 else x.astype(np.float64)
    result = np.asarray(jg.sum(jg.from_dlpack(x), axis=1)).astype(wide.dtype)
    scale = np.abs(wide).sum(axis=1).max()
    assert np.abs(result - wide.sum(axis=1)).max() <= scale * 1e-6


@pytest.mark.part(2, of="name dtype")
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint16, np.int32, np.uint64])
@pytest.mark.parametrize("length", LENGTHS)
def test_extrema_and_their_places_are_those_of_numpy(length, dtype, name):
    x = rows(length, np.float64)
    x = (x if np.dtype(dtype).kind == "f" else np.abs(x) % 128).astype(dtype)
    ours, theirs = getattr(jg, name), getattr(np, name)
    assert np.array_equal(np.asarray(ours(jg.from_dlpack(x), axis=1)), theirs(x, axis=1))
    assert np.array_equal(np.asarray(ours(jg.from_dlpack(x))), theirs(x))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_nan_is_found_wherever_it_stands(length, dtype, name):
    x = rows(length, dtype, count=length if length < 200 else 50)
    places = np.arange(len(x)) * (length // len(x) or 1) % length
    x[np.arange(len(x)), places] = np.nan
    result = np.asarray(getattr(jg, name)(jg.from_dlpack(x), axis=1))
    assert np.array_equal(result, places) if "arg" in name else np.isnan(result).all()


@pytest.mark.parametrize("length", LENGTHS)
def test_the_first_of_equal_elements_is_told(length):
    x = np.zeros((3, length), np.float32)
    x[1] = -0.0
    x[2, length // 2 :] = 1
    assert np.asarray(jg.argmax(jg.from_dlpack(x), axis=1)).tolist() == [0, 0, length // 2]


def test_rows_apart_in_memory_and_backwards_are_reduced_where_they_lie():
    x = rows(200, np.float32)
    for view in (x[:, :32], x[::-1, 5:45], x[::3, 100:], x.reshape(37, 10, 20)[:, ::2]):
        sums = np.asarray(jg.sum(jg.from_dlpack(view), axis=-1))
        assert np.allclose(sums, view.sum(axis=-1), atol=1e-2)


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.int64, np.uint8])
def test_a_square_is_the_product(dtype):
    x = rows(300, np.float64).astype(dtype) if dtype != np.uint8 else np.arange(256, dtype=dtype)
    a = jg.from_dlpack(x)
    assert np.array_equal(np.asarray(a**2), x * x)
    assert np.array_equal(np.asarray(jg.pow(a, jg.full_like(a, 2))), x * x)
