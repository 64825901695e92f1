# SPDX-License-Identifier: Apache-2.0
"""average, cov, corrcoef and correlate: NumPy's results in NumPy's dtypes of floats."""

import numpy as np
import pytest
from numpys import near

import joggle as jg

RNG = np.random.default_rng(0)
DTYPES = ["f4", "f8", "c8", "c16"]


def numbers(shape, dtype):
    drawn = RNG.standard_normal(shape)
    return (drawn + 1j * RNG.standard_normal(shape) if dtype[0] == "c" else drawn).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("weighting", [None, "all", "axes"])
def test_averages_are_numpys(dtype, axis, keepdims, weighting):
    x = numbers((4, 5, 6), dtype)[:, ::-1]
    axes = range(3) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    shape = x.shape if weighting == "all" else [x.shape[each] for each in axes]
    weights = None if weighting is None else RNG.random(shape)
    ours = None if weights is None else jg.array(weights)
    found = jg.average(jg.array(x), axis, ours, True, keepdims=keepdims)
    expected = np.average(x, axis, weights, True, keepdims=keepdims)
    for one, other in zip(found, expected, strict=True):
        near(one, np.broadcast_to(other, one.shape))
    near(jg.average(jg.array(x), axis, ours, keepdims=keepdims), expected[0])


def test_averages_of_integers_are_floats():
    x, weights = np.arange(6).reshape(2, 3), np.array([1, 2, 3])
    near(jg.average(jg.array(x), 1, jg.array(weights)), np.average(x, 1, weights), "f4")
    assert np.isnan(jg.average(jg.array([1.0]), weights=jg.array([0.0])).item())


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("shape", [(7,), (3, 7), (1, 7)])
@pytest.mark.parametrize("rowvar", [True, False])
@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariance_and_correlation_are_numpys(dtype, shape, rowvar, name):
    x = numbers(shape, dtype)
    x = x if rowvar else np.ascontiguousarray(x.T)
    near(getattr(jg, name)(jg.array(x), rowvar=rowvar), getattr(np, name)(x, rowvar=rowvar))
    if len(shape) == 1 or shape[0] > 1:
        y = numbers(x.shape, "f8")
        expected = getattr(np, name)(x, y, rowvar)
        near(getattr(jg, name)(jg.array(x), jg.array(y), rowvar), expected)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("ddof", [None, 0, 2])
@pytest.mark.parametrize("frequent", [False, True])
@pytest.mark.parametrize("analytic", [False, True])
def test_weights_of_covariance_are_numpys(bias, ddof, frequent, analytic):
    x = numbers((3, 8), "f8")
    often = RNG.integers(1, 4, 8) if frequent else None
    much = RNG.random(8) if analytic else None
    ours = [None if each is None else jg.array(each) for each in (often, much)]
    near(
        jg.cov(jg.array(x), None, True, bias, ddof, *ours),
        np.cov(x, None, 1, bias, ddof, often, much),
    )


def test_dtype_decides_the_precision():
    x = np.arange(6).reshape(2, 3)
    near(jg.cov(jg.array(x), dtype="float64"), np.cov(x))
    near(jg.cov(jg.array(x)), np.cov(x), "f4")


def test_no_variables_have_no_covariance():
    assert jg.cov(jg.zeros((0, 7))).shape == jg.corrcoef(jg.zeros((0, 7))).shape == (0, 0)


def test_one_that_does_not_vary_has_no_correlation():
    found = np.asarray(jg.corrcoef(jg.array([[1.0, 1.0], [1.0, 2.0]])))
    assert np.isnan(found).tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize("dtypes", [("i4", "i8"), ("f4", "f8"), ("f8", "c16"), ("c8", "c8")])
@pytest.mark.parametrize("lengths", [(5, 5), (7, 3), (7, 4), (3, 7), (4, 7), (4, 8), (1, 1)])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_sums_along_another_vector_are_numpys(dtypes, lengths, mode):
    a, v = (numbers(*each) * 5 for each in zip(lengths, ("c16", "c16"), strict=True))
    a, v = (
        (x if dtype[0] == "c" else x.real).astype(dtype)
        for x, dtype in zip((a, v), dtypes, strict=True)
    )
    near(jg.correlate(jg.array(a), jg.array(v), mode), np.correlate(a, v, mode))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: jg.average(x, weights=jg.ones(3)), TypeError, "axis: got None"),
        (lambda x: jg.average(x, 0, jg.ones(3)), ValueError, "weights: has shape"),
        (lambda x: jg.average(x, 2, jg.ones(3)), IndexError, "axis: got 2"),
        (lambda x: jg.cov(x[None]), ValueError, "m: has 3 axes, allowed are at most 2"),
        (lambda x: jg.cov(x, jg.ones(2)), ValueError, "y: has 2 observations"),
        (lambda x: jg.cov(x, ddof=0.5), ValueError, "ddof: got 0.5"),
        (lambda x: jg.cov(x, fweights=[1.5, 1, 1]), TypeError, "fweights: has 1.5, allowed"),
        (lambda x: jg.cov(x, aweights=[-1.5, 1, 1]), ValueError, "aweights: has -1.5, allowed"),
        (lambda x: jg.cov(x, aweights=[1.5]), ValueError, "aweights: has shape"),
        (lambda x: jg.correlate(x, x), ValueError, "a: has shape"),
        (lambda x: jg.correlate(x[0], x[0], "some"), ValueError, "mode: got 'some'"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(jg.ones((2, 3)))
