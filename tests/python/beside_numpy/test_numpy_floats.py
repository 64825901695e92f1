# SPDX-License-Identifier: Apache-2.0
"""Floating numbers taken apart and put together, and whole numbers' divisors, at their edges."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(5)


def every_size(dtype, count=4000):
    """Numbers of all exponents, subnormal ones too, both signs, and what is no number."""
    bits = {"float16": "u2", "float32": "u4", "float64": "u8"}[dtype]
    whole = np.iinfo(bits)
    x = RNG.integers(0, whole.max, count, bits, endpoint=True).view(dtype)
    info = np.finfo(dtype)
    with np.errstate(over="ignore"):
        powers = np.ldexp(np.ones(1, dtype), np.arange(-1080, 1030)).astype(dtype)
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 1.0]
    near = np.nextafter(powers, np.asarray(0, dtype))
    return np.concatenate([x, powers, near, np.array(edges, dtype)])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_frexp_is_numpys_to_the_bit(dtype):
    x = every_size(dtype)
    fraction, exponent = jg.frexp(x)
    wanted, exponents = np.frexp(x)
    assert fraction.dtype.name == dtype and exponent.dtype is jg.int32
    np.testing.assert_array_equal(jg.signbit(fraction), np.signbit(wanted))
    np.testing.assert_array_equal(fraction, wanted)
    np.testing.assert_array_equal(exponent, exponents)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_ldexp_rounds_once(dtype):
    x = every_size(dtype)
    n = RNG.integers(-2200, 2200, x.size)
    n[::2] = RNG.integers(-1100, 40, n[::2].size)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jg.ldexp(x, n), np.ldexp(x, n))


@pytest.mark.parametrize("n", [10**18, -(10**18)])
def test_ldexp_takes_any_integer(n):
    wanted = [np.inf if n > 0 else 0.0, -0.0]
    np.testing.assert_array_equal(jg.ldexp(jg.array([1.0, -0.0], jg.float64), n), wanted)
    if n > 0:
        huge = np.array(2**64 - 1, np.uint64)
        np.testing.assert_array_equal(jg.ldexp(jg.array([1.0, -0.0], jg.float64), huge), wanted)


def test_ldexp_refuses_exponents_that_are_not_whole():
    with pytest.raises(TypeError, match=r"\[ldexp\] x2: got float32, allowed are integers"):
        jg.ldexp([1.0], jg.array([0.5], jg.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_modf_and_spacing_are_numpys_to_the_bit(dtype):
    x = every_size(dtype)
    with np.errstate(all="ignore"):
        # NumPy's of negative numbers is another one in float16.
        spacing = np.where(x < 0, -1, 1).astype(dtype) * np.spacing(np.abs(x))
        pairs = [*zip(jg.modf(x), np.modf(x), strict=True), (jg.spacing(x), spacing)]
    finite = np.isfinite(x) & (np.abs(x) < np.finfo(dtype).max)
    for ours, wanted in pairs:
        ours = np.asarray(ours)
        np.testing.assert_array_equal(ours[finite], wanted[finite])
        np.testing.assert_array_equal(np.signbit(ours[finite]), np.signbit(wanted[finite]))
    fraction, whole = jg.modf(jg.array([np.inf, -np.inf]))
    assert str(fraction.tolist()) == "[0.0, -0.0]" and whole.tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cube_roots_are_right_to_two_units_in_the_last_place(dtype):
    x = every_size(dtype)
    wanted = np.cbrt(x.astype("g"))
    ours = np.asarray(jg.cbrt(x))
    finite = np.isfinite(wanted) & (wanted != 0)
    np.testing.assert_array_equal(ours[~finite], wanted[~finite].astype(dtype))
    error = np.abs(ours - wanted)[finite] / np.spacing(np.abs(wanted[finite]).astype(dtype))
    assert error.max() <= 2


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_divisors_and_bit_counts_of_all_integers_are_numpys(dtype):
    info = np.iinfo(dtype)
    x, y = RNG.integers(info.min, info.max, (2, 3000), dtype, endpoint=True)
    x[:4], y[:4] = [info.min, info.max, 0, info.min], [info.min, info.max, 0, 1]
    x[4:40] = RNG.integers(0, 13, 36) * 6
    np.testing.assert_array_equal(jg.gcd(x, y), np.gcd(x, y))
    np.testing.assert_array_equal(jg.lcm(x[4:40], y[4:40] % 9), np.lcm(x[4:40], y[4:40] % 9))
    np.testing.assert_array_equal(jg.bitwise_count(x), np.bitwise_count(x))


def test_fmod_of_floats_is_exact():
    x, y = every_size("float64")[:6000], RNG.permutation(every_size("float64")[:6000])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jg.fmod(x, y), np.fmod(x, y))


def test_logaddexp2_is_numpys_for_infinities_and_numbers_far_apart():
    x = np.array([np.inf, -np.inf, np.inf, 1e300, 3.0, -1e300, 700.0])
    y = np.array([np.inf, -np.inf, -np.inf, 1e300, -np.inf, 2.0, 700.5])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(jg.logaddexp2(x, y), np.logaddexp2(x, y), rtol=1e-15)
