# SPDX-License-Identifier: Apache-2.0
"""round with decimals, before and behind the point, as NumPy has it."""

import numpy as np
import pytest
from layouts import assert_same, to_numpy

import joggle as jg

DECIMALS = [-3, -2, -1, 0, 1, 2, 5]
EPSILON = {"float16": 2**-10, "float32": 2**-23, "float64": 2**-52, "complex64": 2**-23}


def numbers(dtype):
    rng = np.random.default_rng(3)
    parts = rng.uniform(-2500, 2500, 200) if dtype != "float16" else rng.uniform(-99, 99, 200)
    return (parts + 1j * parts[::-1] if dtype.startswith("complex") else parts).astype(dtype)


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("decimals", DECIMALS)
def test_floats_are_rounded_to_decimals(dtype, decimals):
    a = numbers(dtype)
    for x, given in ((jg.asarray(a), a), (jg.asarray(a)[::-3], a[::-3])):
        found = to_numpy(jg.round(x, decimals))
        assert found.dtype == dtype
        for part in ("real", "imag"):
            values, before = (getattr(each, part).astype("f8") for each in (found, given))
            inexact = 2 * EPSILON[dtype] * np.abs(before)
            assert (np.abs(values - before) <= 0.5 * 10.0**-decimals + inexact).all()
            steps = values * 10.0**decimals
            assert (np.abs(steps - np.rint(steps)) <= inexact * 10.0**decimals).all()


def test_doubles_are_rounded_as_numpys_are():
    a = numbers("float64")
    for decimals in DECIMALS:
        assert_same(jg.asarray(a).round(decimals), np.round(a, decimals))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("decimals", DECIMALS)
def test_integers_are_rounded_before_the_point_only(dtype, decimals):
    a = np.arange(0, 99, dtype=dtype)
    assert_same(jg.asarray(a).round(decimals), np.round(a, decimals))
    assert_same(jg.asarray(a[::-2]).round(decimals), np.round(a[::-2], decimals))


def test_ties_go_to_the_even_neighbour():
    assert jg.round(jg.array([0.25, 0.75, -0.25]), 1).tolist() == pytest.approx([0.2, 0.8, -0.2])
    assert jg.round(jg.array([15, 25, -15]), -1).tolist() == [20, 20, -20]


def test_what_has_no_such_decimals_stays():
    for dtype in ("float32", "float64"):
        a = np.array([np.inf, -np.inf, np.nan, 1e30, -0.0, 1e-30], dtype)
        for decimals in (5, 25, 35, 299, 10**9):
            found = np.asarray(jg.asarray(a).round(decimals))
            np.testing.assert_array_equal(found[:3], a[:3])
            np.testing.assert_allclose(found[3:5], a[3:5], rtol=1e-6)
        assert np.asarray(jg.asarray(a).round(-35))[3] == 0
        assert np.asarray(jg.asarray(a).round(-(10**9)))[3] == 0
    assert np.asarray(jg.round(jg.array([1e-30]), 40)) == np.float32(1e-30)


def test_wrong_arguments_fail_at_the_call():
    with pytest.raises(TypeError, match="decimals"):
        jg.round(jg.ones(2), 1.5)
    with pytest.raises(TypeError, match=r"\[round\]"):
        jg.round(jg.array([True]), 1)
