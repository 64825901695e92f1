# SPDX-License-Identifier: Apache-2.0
"""Powers with a number as exponent: products, quotients and roots where it is 2, 3, -1, 0.5, -2 or
-0.5."""

import warnings

import numpy as np
import pytest

import joggle as jg

KNOWN = [2, 3, -1, 0.5, -2, -0.5]
BOUNDS = {3: 1.3, -2: 1.95, -0.5: 1.5}
FLOATS = [np.float32, np.float64]
SPECIAL = [0.0, -0.0, 1.0, -1.0, -2.5, np.inf, -np.inf, np.nan, 1e-40, 3e38, 0.1]


def exact(x, exponent):
    wide = x.astype(np.longdouble)
    root = np.sqrt(wide)
    return {0.5: root, -0.5: 1 / root}.get(exponent, wide ** np.longdouble(exponent))


@pytest.mark.parametrize("exponent", KNOWN)
@pytest.mark.parametrize("dtype", FLOATS)
def test_known_exponents_are_within_their_bounds(dtype, exponent):
    x = np.random.default_rng(3).uniform(0.5, 4, 100_003).astype(dtype)
    result = np.asarray(jg.array(x) ** exponent)
    assert result.dtype == dtype
    error = np.abs(result.astype(np.longdouble) - exact(x, exponent)) / np.spacing(result)
    assert error.max() <= BOUNDS.get(exponent, 0.5)


@pytest.mark.parametrize("exponent", [*KNOWN, 2.0, 3.0, 0, 1, 4, -3, 1.5, -1.5])
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_have_the_powers_that_c_gives_them(dtype, exponent):
    x = np.array(SPECIAL, dtype)
    with np.errstate(all="ignore"):
        expected = np.power(x, np.full_like(x, exponent))
    result = np.asarray(jg.array(x) ** exponent)
    assert np.allclose(result, expected, rtol=1e-6, atol=0, equal_nan=True)
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.signbit(result[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("exponent", [2, 3])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.complex64])
def test_whole_and_complex_numbers_have_the_powers_of_numpy(dtype, exponent):
    x = np.arange(0, 120, 7).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = x**exponent
    result = np.asarray(jg.array(x) ** exponent)
    assert result.dtype == expected.dtype
    assert np.allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("exponent", KNOWN)
@pytest.mark.parametrize("dtype", [jg.float16, jg.bfloat16])
def test_half_precision_is_rounded_once(dtype, exponent):
    x = jg.array(np.linspace(0.3, 5, 999, dtype=np.float32)).astype(dtype)
    expected = (x.astype(jg.float32) ** exponent).astype(dtype)
    assert jg.array_equal(x**exponent, expected)


@pytest.mark.parametrize("exponent", [-1, -3])
def test_negative_powers_of_integers_are_0_or_1(exponent):
    x = jg.array(np.array([-2, -1, 1, 2], np.int32))
    assert (x**exponent).tolist() == [0, -1, 1, 0]


def test_squares_that_overflow_have_inverses():
    x = np.array([1e20, 1e22, -1e21, 3e-20, 1e-19], np.float32)
    with np.errstate(over="ignore"):
        expected = (x.astype(np.float64) ** -2).astype(np.float32)
    assert np.allclose(np.asarray(jg.array(x) ** -2), expected, rtol=2e-7, atol=1.5e-45)


def test_an_integer_to_a_half_is_a_float():
    result = jg.array([1, 4, 9]) ** 0.5
    assert jg.isdtype(result.dtype, "real floating")
    assert result.tolist() == [1, 2, 3]


@pytest.mark.parametrize("view", ["x.T", "x[::-2]", "x[:, 1:1]", "x[0, 0]"])
@pytest.mark.parametrize("exponent", KNOWN)
def test_views_and_arrays_as_exponents_give_the_same_shapes_and_values(view, exponent):
    x = np.random.default_rng(5).uniform(1, 2, (6, 5))
    ours, theirs = eval(view, {"x": jg.array(x)}), eval(view, {"x": x})
    assert np.allclose(np.asarray(ours**exponent), theirs**exponent, rtol=1e-15, atol=0)
    exponents = jg.full(ours.shape, float(exponent), dtype=jg.float64)
    assert np.allclose(np.asarray(ours**exponents), theirs**exponent, rtol=1e-15, atol=0)


def test_known_exponents_are_no_power_in_the_plan():
    x = jg.array(np.ones(10, np.float32))
    for exponent in KNOWN:
        assert "pow" not in str(jg.explain(x**exponent))
    assert "pow" in str(jg.explain(x**2.5))


def test_powers_of_what_is_no_number_are_refused():
    with pytest.raises(TypeError, match="pow"):
        jg.array([True]) ** jg.array(True)
