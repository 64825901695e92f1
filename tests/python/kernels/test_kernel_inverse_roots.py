# SPDX-License-Identifier: Apache-2.0
"""Quotients by a root of float32 with fast_math: near the exact ones for every exponent, and right
for zeros, infinities, NaN, negative and subnormal numbers, in every lane and in the rest."""

import numpy as np
import pytest

import joggle.fields as qd

MOST_ULPS = 6  # docs/kernels.md


def every_exponent():
    """Numbers of each exponent, subnormal ones too, of either sign, and what is no number."""
    rng = np.random.default_rng(7)
    signs, exponents = np.uint32([0, 1 << 31]), np.arange(256, dtype=np.uint32) << 23
    fractions = np.concatenate([[0, 1, 2**23 - 1], rng.integers(0, 2**23, 29)]).astype(np.uint32)
    bits = signs[:, None, None] | exponents[:, None] | fractions
    return np.concatenate([bits.ravel(), bits.ravel()[:5]]).view(np.float32)


def check(found, numerator, x):
    """Against the quotient in float64, which float32 rounds."""
    with np.errstate(all="ignore"):
        exact = numerator.astype(np.float64) / np.sqrt(x.astype(np.float64))
        wanted = exact.astype(np.float32)
        plain = np.isfinite(wanted) & (wanted != 0)
        error = np.abs(found.astype(np.float64) - exact)[plain]
        np.testing.assert_array_equal(found[~plain], wanted[~plain])
        assert np.all(error <= MOST_ULPS * np.spacing(np.abs(wanted[plain])))


FLOATS = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel(fast_math=True)
def invert(x: FLOATS, out: FLOATS):
    for i in range(x.shape[0]):
        out[i] = 1 / qd.sqrt(x[i])


@qd.kernel(fast_math=True)
def divide(y: FLOATS, x: FLOATS, out: FLOATS):
    for i in range(x.shape[0]):
        out[i] = y[i] / qd.sqrt(x[i])


@qd.kernel(fast_math=True)
def soften(x: FLOATS, out: FLOATS):
    for i in range(x.shape[0]):
        out[i] = 1 / qd.sqrt(x[i] * x[i] + 0.25)


@qd.kernel(fast_math=True)
def soften_in_a_loop(x: FLOATS, out: FLOATS):
    for i in range(1):
        for j in range(x.shape[0]):
            out[i + j] = 1 / qd.sqrt(abs(x[j]) + 1e-30)


@qd.kernel(fast_math=True)
def under_a_condition(x: FLOATS, out: FLOATS):
    for i in range(x.shape[0]):
        if i % 3 != 1:
            out[i] = 1 / qd.sqrt(x[i])


@qd.kernel(fast_math=False)
def as_written(x: FLOATS, out: FLOATS):
    for i in range(x.shape[0]):
        out[i] = 1 / qd.sqrt(x[i])


@pytest.mark.parametrize("count", [1, 3, 7, 16, None])
def test_reciprocals_of_roots_are_near_for_every_exponent(compiler, count):
    x = every_exponent()[:count]
    out = np.zeros_like(x)
    invert(x, out)
    check(out, np.ones_like(x), x)


def test_quotients_by_roots_are_near_for_every_exponent(compiler):
    x = every_exponent()
    y = np.random.default_rng(3).permutation(x)
    out = np.zeros_like(x)
    divide(y, x, out)
    with np.errstate(all="ignore"):
        exact = np.abs(y.astype(np.float64) / np.sqrt(x.astype(np.float64)))
    ends = ((exact > 0) & (exact < 2.0**-125)) | ((exact > 3.4e38) & (exact < np.inf))
    check(out[~ends], y[~ends], x[~ends])


@pytest.mark.parametrize("kernel", [soften, soften_in_a_loop])
def test_roots_of_what_is_surely_positive_are_right_at_infinity_and_nan(compiler, kernel):
    x = every_exponent()
    out = np.zeros_like(x)
    kernel(x, out)
    with np.errstate(all="ignore"):
        inside = x * x + np.float32(0.25) if kernel is soften else np.abs(x) + np.float32(1e-30)
        wanted = 1 / np.sqrt(inside.astype(np.float64))
    np.testing.assert_allclose(out, wanted.astype(np.float32), rtol=1e-6)


def test_quotients_under_a_condition_are_computed_where_it_holds(compiler):
    x = every_exponent()
    out = np.full_like(x, 7)
    under_a_condition(x, out)
    taken = np.arange(len(x)) % 3 != 1
    check(out[taken], np.ones_like(x[taken]), x[taken])
    assert np.all(out[~taken] == 7)


def test_roots_and_quotients_are_rounded_once_without_fast_math(compiler):
    x = every_exponent()
    out = np.zeros_like(x)
    as_written(x, out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, np.float32(1) / np.sqrt(x))
