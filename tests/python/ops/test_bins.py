# SPDX-License-Identifier: Apache-2.0
"""bincount, digitize and histogram against NumPy's, unique against MLX's."""

import mlx.core as mx
import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_whole_numbers_are_counted(dtype):
    x = RNG.integers(0, 50, 1000).astype(dtype)
    weights = RNG.random(1000)
    np.testing.assert_array_equal(np.asarray(jg.bincount(jg.array(x))), np.bincount(x))
    found = jg.bincount(jg.array(x), jg.array(weights), minlength=60)
    np.testing.assert_allclose(np.asarray(found), np.bincount(x, weights, 60))
    assert jg.bincount(jg.zeros(0, dtype=dtype), minlength=2).tolist() == [0, 0]
    assert jg.bincount(jg.array(x), jg.array(x)).dtype == jg.dtype("float64")


@pytest.mark.parametrize("bins", [10, [-1, 0, 0.5, 2], [0.0, 1.0]])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms_are_numpys(bins, density, weighted):
    x = RNG.standard_normal((50, 40))
    weights = RNG.random((50, 40)) if weighted else None
    ours = None if weights is None else jg.array(weights)
    for given in (None, (-1, 2)) if bins == 10 else (None,):
        expected = np.histogram(x, bins, given, density=density, weights=weights)
        found = jg.histogram(jg.array(x), bins, given, density=density, weights=ours)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-6)


def test_the_ends_of_a_histogram_are_closed_and_nan_is_outside():
    counts, bounds = jg.histogram(jg.array([0.0, 1.0, 2.0, np.nan, 3.0]), [0, 1, 2])
    assert counts.tolist() == [1, 2] and bounds.tolist() == [0, 1, 2]
    assert jg.histogram(jg.array([3, 3]), 2)[1].tolist() == [2.5, 3, 3.5]
    assert jg.histogram(jg.zeros(0), 2)[0].tolist() == [0, 0]


@pytest.mark.parametrize("bins", [[0, 1, 2.5], [3, 1, 0], [1]])
@pytest.mark.parametrize("right", [False, True])
def test_bins_ascend_or_descend(bins, right):
    x = np.array([[-1, 0, 0.5], [1, 2.5, 3]])
    found = np.asarray(jg.digitize(jg.array(x), bins, right))
    np.testing.assert_array_equal(found, np.digitize(x, bins, right))


@pytest.mark.parametrize("bins", [[0, 2, 1], [3, 1, 2], [1, 0, 1]])
def test_bins_in_no_order_are_refused(bins):
    with pytest.raises(
        ValueError, match=r"\[digitize\] bins: are not sorted: \d stands before \d, allowed are"
    ):
        jg.digitize(jg.ones(3), bins)
    with pytest.raises(ValueError):
        np.digitize(np.ones(3), bins)


@pytest.mark.parametrize("size", [0, 2, 3, 9])
@pytest.mark.parametrize("fill", [None, 7])
def test_a_size_cuts_or_fills_what_is_distinct_as_in_mlx(size, fill):
    x = np.array([[2, 1, 2], [3, 1, 3]], "i4")
    found = jg.unique(jg.array(x), size, True, size > 0, True, fill_value=fill)
    expected = mx.unique(mx.array(x), size, True, size > 0, True, fill_value=fill)
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]


def test_without_a_size_all_that_is_distinct_is_given():
    assert jg.unique(jg.array([3, 1, 3])).tolist() == [1, 3]
    found = jg.unique(jg.array([3, 1, 3]), return_counts=True)
    assert [one.tolist() for one in found] == [[1, 3], [1, 2]]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.bincount(jg.zeros(3)), TypeError, "x: got float32"),
        (lambda: jg.bincount(jg.array([-1])), ValueError, "x: has -1"),
        (lambda: jg.bincount(jg.array([1]), jg.zeros(2)), ValueError, "weights: has shape"),
        (lambda: jg.bincount(jg.array([1]), None, None), TypeError, "minlength: got NoneType"),
        (lambda: jg.bincount(jg.array([1]), None, 2.5), TypeError, "minlength: got float"),
        (lambda: jg.histogram(jg.zeros(3), range=1), ValueError, "range: got 1, allowed is a pair"),
        (lambda: jg.histogram(jg.zeros(3), range=(1, 2, 3)), ValueError, "range: got .1, 2, 3."),
        (lambda: jg.histogram(jg.zeros(3), 0), ValueError, "bins: got 0"),
        (
            lambda: jg.histogram(jg.zeros(3), [1, 0]),
            ValueError,
            "bins: descend: 1 stands before 0, allowed are",
        ),
        (lambda: jg.histogram(jg.array([np.inf])), ValueError, "range: got inf"),
        (lambda: jg.unique(jg.zeros(0), 2), ValueError, "fill_value: got None, allowed"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
