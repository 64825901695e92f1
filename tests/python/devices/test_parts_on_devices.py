# SPDX-License-Identifier: Apache-2.0
"""Routines that a device runs as programs: joining, repeating, and the index of an extremum.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
DTYPES = ("float32", "float64", "float16", "int8", "int64", "uint64", "bool", "complex64")
ORDERED = tuple(dtype for dtype in DTYPES if dtype != "complex64")
SHAPES = ((5,), (1,), (3, 4, 5), (2, 7001), (7001, 2), (1, 7), (7, 1), (33, 17, 9))


@pytest.fixture(autouse=True)
def no_fallback():
    before = jg.get_option("device_fallback")
    jg.set_option("device_fallback", "error")
    yield
    jg.set_option("device_fallback", before)


def numbers(shape, dtype):
    made = np.random.default_rng(5).standard_normal(shape) * 100
    return made.astype(dtype)


def there(x):
    return jg.asarray(x, device=DEVICE)


def check(got, wanted):
    assert got.device == DEVICE
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_concat_and_stack(dtype):
    parts = [numbers((3, n, 5), dtype) for n in (4, 1, 0, 7)]
    arrays = [there(part) for part in parts]
    check(jg.concat(arrays, axis=1), np.concatenate(parts, axis=1))
    check(jg.concat(arrays, axis=None), np.concatenate(parts, axis=None))
    check(jg.stack(arrays[:1] * 31, axis=2), np.stack(parts[:1] * 31, axis=2))
    check(
        jg.concat(arrays, axis=1)[:, 2:] == arrays[0][:, :1],
        np.ones((3, 10, 5), bool) & (np.concatenate(parts, axis=1)[:, 2:] == parts[0][:, :1]),
    )


def test_concat_of_views():
    a, b = numbers((4, 5, 6), "float32"), numbers((4, 3, 6), "float32")
    x, y = there(a), there(b)
    turned = [part.transpose(2, 1, 0)[::-1, :, 1:] for part in (a, b)]
    check(
        jg.concat([z.transpose(2, 1, 0)[::-1, :, 1:] for z in (x, y)], axis=1),
        np.concatenate(turned, axis=1),
    )
    wide = np.broadcast_to(a[:1], a.shape)
    check(jg.concat([jg.broadcast_to(x[:1], x.shape), y], axis=1), np.concatenate([wide, b], 1))


def test_concat_of_what_is_computed_beside_it():
    a = numbers((50, 40), "float32")
    x = there(a)
    y = x * 2
    joined = jg.concat([y, x, y - x], axis=1)
    check(joined, np.concatenate([a * 2, a, a * 2 - a], axis=1))
    check(y, a * 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_repeat(dtype, axis):
    a = numbers((3, 4, 5), dtype)
    check(jg.repeat(there(a), 3, axis=axis), np.repeat(a, 3, axis=axis))
    check(jg.repeat(there(a), 0, axis=axis), np.repeat(a, 0, axis=axis))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ORDERED)
def test_index_of_the_extremum(dtype, shape):
    a = numbers(shape, dtype)
    if a.dtype.kind == "f" and a.size > 3:
        a.flat[a.size // 2] = a.flat[a.size - 1] = np.nan
    x = there(a)
    for name in ("argmax", "argmin"):
        for axis in (None, *range(a.ndim)):
            for keepdims in (False, True):
                wanted = getattr(np, name)(a, axis=axis, keepdims=keepdims)
                check(getattr(jg, name)(x, axis=axis, keepdims=keepdims), wanted)


def test_index_of_the_first_of_equal_extrema_in_a_view():
    a = np.tile(np.array([3, 9, 1, 9, 1], "int32"), (6, 1000))
    a[::2] = -a[::2]
    x = there(a)
    for axis in (0, 1):
        check(jg.argmax(x[::-1, ::-2], axis=axis), np.argmax(a[::-1, ::-2], axis=axis))
        check(jg.argmin(x.T + 1, axis=axis), np.argmin(a.T + 1, axis=axis))
    zeros = there(np.array([-0.0, 0.0, -0.0], "float32"))
    assert jg.argmax(zeros).item() == jg.argmin(zeros).item() == 0


def test_what_is_not_taken_is_refused_by_name():
    x = there(numbers((3, 4), "float32"))
    with pytest.raises(NotImplementedError, match="repeats that differ"):
        jg.eval(jg.repeat(x, there(np.array([1, 2, 3])), axis=0))
    with pytest.raises(NotImplementedError, match="of 40 arrays, only of up to 31"):
        jg.eval(jg.concat([x] * 40))
