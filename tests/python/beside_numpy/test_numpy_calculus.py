# SPDX-License-Identifier: Apache-2.0
"""Slopes, areas, values between samples: NumPy's results, in the dtype of floats that is given."""

import numpy as np
import pytest
from numpys import near

import joggle as jg

RNG = np.random.default_rng(0)


def numbers(shape, dtype):
    drawn = RNG.standard_normal(shape) * 5
    return (drawn + 1j * RNG.standard_normal(shape) if dtype[0] == "c" else drawn).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("spacing", [(), (2.5,), (0.5, 3.0), "coordinates"])
def test_slopes_are_numpys(dtype, order, spacing):
    f = numbers((5, 7), dtype)[:, ::-1]
    if spacing == "coordinates":
        spacing = (np.cumsum(RNG.random(5) + 0.1), np.cumsum(RNG.random(7) + 0.1))
    found = jg.gradient(jg.array(f), *spacing, edge_order=order)
    assert isinstance(found, tuple)
    for one, other in zip(found, np.gradient(f, *spacing, edge_order=order), strict=True):
        near(one, other)
    for axis in (-1, (1, 0)):
        given = spacing[:1] if axis == -1 and len(spacing) == 1 else spacing if axis != -1 else ()
        if axis == (1, 0) and len(given) == 2:
            given = given[::-1]
        found = jg.gradient(jg.array(f), *given, axis=axis, edge_order=order)
        expected = np.gradient(f, *given, axis=axis, edge_order=order)
        if axis == -1:
            found, expected = (found,), (expected,)
        for one, other in zip(found, expected, strict=True):
            near(one, other)


def test_slopes_of_small_whole_numbers_do_not_wrap_around():
    f = np.array([250, 3, 200], "u1")
    near(jg.gradient(jg.array(f)), np.gradient(f.astype("f4")))
    near(jg.gradient(jg.array([1.0, 4.0]), jg.array([0.0, 2.0])), np.array([1.5, 1.5], "f4"))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (40,), (4, 5)])
@pytest.mark.parametrize("ends", [(None, None), (-1.5, 7)])
@pytest.mark.parametrize("period", [None, 4, -3.5])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_values_between_samples_are_numpys(dtype, shape, ends, period, count):
    real = "f4" if dtype == "f4" else "f8"
    x, xp, fp = RNG.uniform(-3, 9, shape), np.cumsum(RNG.random(count)), numbers(count, dtype)
    x, xp = np.asarray(x).astype(real), xp.astype(real)
    found = jg.interp(jg.array(x), jg.array(xp), jg.array(fp), *ends, period)
    near(found, np.interp(x, xp, fp, *ends, period), dtype)
    near(jg.interp(jg.array(xp), jg.array(xp), jg.array(fp)), fp)


def test_values_beside_infinite_samples_and_of_nan_are_numpys():
    x = np.array([np.nan, -np.inf, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, np.inf])
    xp, fp = np.array([0.0, 1, 2, 3, 4]), np.array([0.0, np.inf, np.inf, -np.inf, 1])
    np.testing.assert_array_equal(np.asarray(jg.interp(jg.array(x), xp, fp)), np.interp(x, xp, fp))
    near(jg.interp(jg.array([1.0, 2.0], dtype="float64"), [1, 1, 2], [3.0, 4.1, 5]), [4.1, 5])


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_areas_are_numpys(dtype, axis):
    y, at = numbers((4, 6), dtype), np.cumsum(RNG.random((4, 6)), axis).astype(dtype).real
    at = np.ascontiguousarray(at)
    near(jg.trapezoid(jg.array(y), axis=axis), np.trapezoid(y, axis=axis))
    near(jg.trapezoid(jg.array(y), dx=0.3, axis=axis), np.trapezoid(y, dx=0.3, axis=axis))
    near(jg.trapezoid(jg.array(y), jg.array(at), axis=axis), np.trapezoid(y, at, axis=axis))
    line = at[0] if axis else at[:, 0]
    near(jg.trapezoid(jg.array(y), jg.array(line), axis=axis), np.trapezoid(y, line, axis=axis))


@pytest.mark.parametrize("dtype", ["i2", "i8", "f4", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 4)])
@pytest.mark.parametrize("ends", [{}, {"to_begin": 3}, {"to_begin": [1, 2], "to_end": [[9]]}])
def test_differences_between_ends_are_numpys(dtype, shape, ends):
    x = RNG.integers(0, 99, shape).astype(dtype)
    near(jg.ediff1d(jg.array(x), **ends), np.ediff1d(x, **ends))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("options", [{}, {"discont": 5.0}, {"period": 3.0}, {"axis": 0}])
def test_steps_of_more_than_half_a_period_are_undone(dtype, options):
    x = numbers((6, 8), dtype) * 3
    near(jg.unwrap(jg.array(x), **options), np.unwrap(x, **options))
    steps = np.array([0, np.pi, 0, -np.pi, np.pi])
    near(jg.unwrap(jg.array(steps)), np.unwrap(steps))


@pytest.mark.parametrize("period", [4, 5, 255])
def test_whole_numbers_stay_whole(period):
    x = RNG.integers(0, 300, 50)
    near(jg.unwrap(jg.array(x), period=period), np.unwrap(x, period=period))


@pytest.mark.parametrize("ends", [(1, 1000), (-2.0, -7), (1e-9, 1e30), (1, -8 + 0j), (3j, 2 + 1j)])
@pytest.mark.parametrize("num", [0, 1, 2, 9])
@pytest.mark.parametrize("endpoint", [False, True])
def test_numbers_grow_by_one_factor(ends, num, endpoint):
    wide = "complex128" if isinstance(ends[1], complex) else "float64"
    expected = np.geomspace(*ends, num, endpoint)
    near(jg.geomspace(*ends, num, endpoint, dtype=wide), expected)
    short = np.asarray(jg.geomspace(*ends, num, endpoint))
    assert short.dtype == expected.astype("c8" if wide[0] == "c" else "f4").dtype


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_ends_broadcast_to_values(axis):
    start, stop = np.array([[1.0], [2.0]]), np.array([3.0, 4.0, 500.0])
    expected = np.geomspace(start, stop, 5, axis=axis)
    near(jg.geomspace(jg.array(start), jg.array(stop), 5, axis=axis), expected)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: jg.gradient(x, 1.0, 2.0), TypeError, "varargs: got 2 spacings"),
        (lambda x: jg.gradient(x, [1.0, 2.0]), ValueError, r"varargs: has shape \(2,\)"),
        (lambda x: jg.gradient(x, edge_order=3), ValueError, "edge_order: got 3"),
        (lambda x: jg.gradient(x[:2], edge_order=2), ValueError, "f: has 2 samples"),
        (lambda x: jg.gradient(x, axis=1), IndexError, "axis: got 1"),
        (lambda x: jg.interp(1.0, x, x[1:]), ValueError, "fp: has shape"),
        (lambda x: jg.interp(1.0, [], []), ValueError, "fp: has shape"),
        (lambda x: jg.interp(1.0, x, x, period=0), ValueError, "period: got 0"),
        (lambda x: jg.interp(1j, x, x), TypeError, "x: got complex64"),
        (lambda x: jg.trapezoid(x, axis=1), IndexError, "axis: got 1"),
        (lambda x: jg.ediff1d(jg.array([1]), 1.5), TypeError, "to_end: got float32"),
        (lambda x: jg.unwrap(x * 1j), TypeError, "p: got complex64"),
        (lambda x: jg.geomspace(0, 1), ValueError, "start: got 0"),
        (lambda x: jg.geomspace(1, 2, -1), ValueError, "num: got -1"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(jg.array([1.0, 2.0, 4.0]))
