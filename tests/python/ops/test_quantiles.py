# SPDX-License-Identifier: Apache-2.0
"""median and quantile, against NumPy's in float64."""

import numpy as np
import pytest
from layouts import REAL, layouts, to_joggle, to_numpy
from ordering import sample

import joggle as jg

METHODS = [
    *("linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf"),
    *("averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf"),
    *("hazen", "weibull", "median_unbiased", "normal_unbiased"),
]
NUMBERS = [0, 0.1, 0.25, 0.5, 0.77, 1]
TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float64": 1e-14}


def check(found, expected, dtype):
    tolerance = TOLERANCE.get(dtype, 3e-7)
    np.testing.assert_allclose(to_numpy(found).astype("f8"), expected, tolerance, tolerance)


def finite(dtype, count, few):
    x = sample(dtype, count, few)
    return x if x.dtype.kind in "iub" else np.nan_to_num(x, nan=1, posinf=2, neginf=-2)


@pytest.mark.parametrize("dtype", REAL)
def test_medians_are_numpys(dtype):
    for count in (1, 2, 17, 300, 3001):
        for few in (False, True):
            x = finite(dtype, count, few)
            check(jg.median(to_joggle(x)), np.median(x.astype("f8")), dtype)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["int16", "uint64", "bfloat16", "float32", "float64"])
def test_quantiles_are_numpys(dtype, method):
    for count in (1, 2, 8, 301):
        x = finite(dtype, count, count == 8)
        expected = np.quantile(x.astype("f8"), NUMBERS, method=method)
        check(jg.quantile(to_joggle(x), NUMBERS, method=method), expected, dtype)
        for q, one in zip(NUMBERS, expected, strict=True):
            check(jg.quantile(to_joggle(x), q, method=method), one, dtype)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_any_axes_of_odd_layouts_are_reduced(dtype):
    for x, reference in layouts(dtype):
        for axis in (None, 0, -1, (0, 2), (1, 0)):
            for keepdims in (False, True):
                expected = np.median(reference, axis, keepdims=keepdims)
                check(jg.median(x, axis, keepdims), expected, dtype)
                q = np.array([[0.3, 0.9]])
                expected = np.quantile(reference, q, axis, keepdims=keepdims)
                found = jg.quantile(x, jg.array(q), axis, keepdims)
                assert found.shape == expected.shape
                check(found, expected, "float32")


def test_nan_makes_the_result_nan():
    x = np.float32([[1, np.nan, 2], [3, 4, 5]])
    assert str(jg.median(jg.array(x), axis=1).tolist()) == "[nan, 4.0]"
    assert str(jg.quantile(jg.array(x), [0.0, 0.5], axis=1).tolist()) == "[[nan, 3.0], [nan, 4.0]]"


def test_infinities_beside_an_element_do_not_change_it():
    assert jg.quantile(jg.array([1.0, 2.0, np.inf]), 0.5).item() == 2
    assert jg.quantile(jg.array([1.0, np.inf, np.inf]), 0.75).item() == np.inf


def test_integers_give_floats():
    assert jg.median(jg.array([1, 2])).dtype == jg.dtype("float32")
    assert jg.median(jg.array([1, 2])).item() == 1.5


def test_of_nothing_the_median_is_nan_and_there_is_no_quantile():
    assert str(jg.median(jg.zeros((2, 0)), axis=1).tolist()) == "[nan, nan]"
    with pytest.raises(ValueError, match="no elements"):
        jg.quantile(jg.zeros(0), 0.5)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.quantile(jg.zeros(3), 1.5), ValueError, "q: got 1.5, allowed 0 to 1"),
        (lambda: jg.quantile(jg.zeros(3), [np.nan]), ValueError, "q: got nan"),
        (lambda: jg.quantile(jg.zeros(3), 0.5, method="best"), ValueError, "method: got 'best'"),
        (lambda: jg.median(jg.zeros(3), axis=1), IndexError, "axis: got 1"),
        (lambda: jg.median(jg.zeros(3, dtype="complex64")), TypeError, "complex64"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_an_infinity_that_all_numbers_are_above_stays_itself():
    assert jg.quantile(jg.array([-np.inf, 1.0, 2.0]), 0.25).item() == -np.inf
    assert np.isnan(jg.quantile(jg.array([-np.inf, np.inf, 2.0]), 0.75).item()) is np.False_
    assert np.isnan(jg.quantile(jg.array([-np.inf, np.inf]), 0.5).item())


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "weibull", "hazen"])
def test_ranks_are_numpys_wherever_they_fall(method):
    for count in range(1, 60):
        x, q = np.arange(float(count)), np.arange(41) / 40
        found = np.asarray(jg.quantile(jg.array(x), jg.array(q), method=method))
        np.testing.assert_array_equal(found, np.quantile(x, q, method=method))
