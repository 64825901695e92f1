# SPDX-License-Identifier: Apache-2.0
"""Polynomials of coefficients: NumPy's results, and laws that they keep."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(0)
PAIRS = ["polyadd", "polysub", "polymul"]


def numbers(shape, dtype):
    drawn = RNG.integers(-9, 9, shape)
    return (drawn + 1j * RNG.integers(-9, 9, shape) if dtype[0] == "c" else drawn).astype(dtype)


def near(ours, theirs, dtype="f8", rtol=1e-12):
    found, theirs = np.asarray(ours), np.asarray(theirs)
    assert found.shape == theirs.shape
    assert found.dtype == theirs.dtype
    np.testing.assert_allclose(found, theirs, rtol=rtol, atol=rtol * abs(theirs).max(initial=1))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtypes", [("i4", "i8"), ("f8", "f8"), ("f4", "c8"), ("c16", "f8")])
@pytest.mark.parametrize("shapes", [((), (3,)), ((1,), (4,)), ((5,), (2,)), ((3,), (3,))])
def test_two_polynomials_meet_as_in_numpy(name, dtypes, shapes):
    first, second = (numbers(*each) for each in zip(shapes, dtypes, strict=True))
    near(getattr(jg, name)(jg.array(first), jg.array(second)), getattr(np, name)(first, second))


def test_leading_zeros_of_factors_are_dropped():
    near(jg.polymul(jg.array([0, 0, 2]), jg.array([0, 3, 1])), np.polymul([0, 0, 2], [0, 3, 1]))
    near(jg.polymul(jg.array([0, 0]), jg.array([1, 2])), np.polymul([0, 0], [1, 2]))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("lengths", [(1, 1), (2, 4), (5, 1), (7, 3), (4, 4)])
def test_quotient_and_remainder_are_numpys(dtype, lengths):
    u, v = (numbers(length, dtype) for length in lengths)
    v[0] = 3
    for ours, theirs in zip(jg.polydiv(jg.array(u), jg.array(v)), np.polydiv(u, v), strict=True):
        near(ours, theirs)


def test_a_division_without_remainder_leaves_a_zero():
    quotient, rest = jg.polydiv(jg.array([1.0, -3.0, 2.0]), jg.array([1.0, -1.0]))
    assert quotient.tolist() == [1, -2] and rest.tolist() == [0]


@pytest.mark.parametrize("dtype", ["i8", "f8", "c16"])
@pytest.mark.parametrize("m", [0, 1, 2, 6])
def test_derivatives_and_antiderivatives_are_numpys(dtype, m):
    p = numbers(4, dtype)
    near(jg.polyder(jg.array(p), m), np.polyder(p, m))
    if dtype != "i8":  # of integers the default float
        near(jg.polyint(jg.array(p), m), np.polyint(p, m))
        near(jg.polyint(jg.array(p), m, k=0.1), np.polyint(p, m, k=0.1))
        constants = np.arange(m) + 0.5
        near(jg.polyint(jg.array(p), m, k=constants), np.polyint(p, m, k=constants))


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 4)])
def test_values_are_numpys(dtype, shape):
    x, p = numbers(shape, dtype), numbers(5, dtype)
    near(jg.polyval(jg.array(p), jg.array(x)), np.polyval(p, x), rtol=1e-6)
    assert jg.polyval([0.1], jg.array([1.0], dtype="float64")).tolist() == [0.1]


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("shape", [(0,), (1,), (5,), (4, 4)])
def test_polynomials_have_the_roots_given(dtype, shape):
    zeros = numbers(shape, dtype)
    near(jg.poly(jg.array(zeros)), np.poly(zeros), rtol=1e-10)


def test_conjugate_roots_give_real_coefficients():
    assert jg.poly(jg.array([1 + 2j, 3, 1 - 2j])).dtype == jg.float32
    assert jg.poly(jg.array([1 + 2j, 3])).dtype == jg.complex64


@pytest.mark.parametrize(
    "p", [[], [0], [0, 0], [3], [0, 5, 0], [1, -6, 11, -6], [0, 0, 1, 2, 5, 0, 0], [1 + 1j, 2, 3]]
)
def test_roots_are_numpys_in_any_order(p):
    p = np.array(p, "c16" if np.iscomplexobj(p) else "f8")
    found, expected = np.asarray(jg.roots(jg.array(p))), np.roots(p)
    assert found.dtype == "c16" and found.shape == expected.shape
    np.testing.assert_allclose(np.sort(found), np.sort(expected.astype("c16")), atol=1e-12)


@pytest.mark.parametrize("columns", [(), (3,)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("deg", [0, 1, 4])
def test_fits_are_numpys(columns, weighted, deg):
    x, y = RNG.random(20) * 3, RNG.random((20, *columns))
    w = RNG.random(20) if weighted else None
    ours = [None if each is None else jg.array(each) for each in (x, y, w)]
    for options in ({}, {"cov": True}, {"cov": "unscaled"}, {"full": True}):
        found = jg.polyfit(ours[0], ours[1], deg, w=ours[2], **options)
        expected = np.polyfit(x, y, deg, w=w, **options)
        if not options:
            found, expected = [found], [expected]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.poly(jg.zeros((2, 3))), ValueError, "seq_of_zeros: has shape"),
        (lambda: jg.polyder([1.0], -1), ValueError, "m: got -1, allowed is 0 and above"),
        (lambda: jg.polyint([1.0], 1.5), TypeError, "m: got 1.5, allowed is an int"),
        (lambda: jg.polyint([1.0], 3, [1, 2]), ValueError, "k: got 2 constants"),
        (lambda: jg.polyval(jg.zeros((2, 2)), 1), ValueError, "p: has 2 axes"),
        (lambda: jg.polydiv([], [1.0]), ValueError, "u: has no coefficients"),
        (lambda: jg.polyfit([1.0, 2], [1.0], 1), ValueError, "y: has shape"),
        (lambda: jg.polyfit([], [], 1), ValueError, "x: has shape"),
        (lambda: jg.polyfit([1.0], [1.0], 1, w=[1.0, 2]), ValueError, "w: has shape"),
        (lambda: jg.polyfit([1.0], [1.0], 2, cov=True), ValueError, "cov: got 1 points"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
