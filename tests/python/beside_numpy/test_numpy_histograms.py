# SPDX-License-Identifier: Apache-2.0
"""Bounds of bins by rule, histograms along several axes: NumPy's."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(0)
RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]
SAMPLES = {
    "normal": RNG.standard_normal(500),
    "skewed": RNG.exponential(size=(20, 30)),
    "whole": RNG.integers(0, 9, 300),
    "one": np.array([2.5]),
    "two": np.array([1.0, 2.0]),
    "same": np.full(9, 3.0),
    "none": np.zeros(0),
}


def near(ours, theirs):
    found = np.asarray(ours)
    assert found.dtype == theirs.dtype and found.shape == theirs.shape
    np.testing.assert_allclose(found, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_rules_give_numpys_bounds(rule, sample):
    x = SAMPLES[sample]
    near(jg.histogram_bin_edges(jg.array(x), rule), np.histogram_bin_edges(x, rule))


@pytest.mark.parametrize("rule", RULES)
def test_rules_look_at_what_is_in_range(rule):
    x = SAMPLES["normal"]
    near(
        jg.histogram_bin_edges(jg.array(x), rule, (-1, 2)), np.histogram_bin_edges(x, rule, (-1, 2))
    )
    for ours, theirs in zip(jg.histogram(jg.array(x), rule), np.histogram(x, rule), strict=True):
        near(ours, theirs)


@pytest.mark.parametrize("bins", [1, np.int32(7), [0.0, 0.5, 2.0]])
def test_numbers_and_bounds_are_taken_as_they_are(bins):
    x = SAMPLES["skewed"]
    near(jg.histogram_bin_edges(jg.array(x), bins), np.histogram_bin_edges(x, bins))


@pytest.mark.parametrize("bins", [5, (3, 4, 2), [np.array([-1.0, 0, 2]), 3, np.array([0.0, 1])]])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_of_a_grid_are_numpys(bins, density, weighted):
    points = RNG.standard_normal((200, 3))
    weights = RNG.random(200) if weighted else None
    ours = None if weights is None else jg.array(weights)
    limits = [(-1, 1), None, (-2.0, 2.0)]
    for given in (None, limits):
        options = {"bins": bins, "range": given, "density": density}
        counts, edges = jg.histogramdd(jg.array(points), weights=ours, **options)
        expected, bounds = np.histogramdd(points, weights=weights, **options)
        near(counts, expected)
        for one, other in zip(edges, bounds, strict=True):
            near(one, other)
    near(jg.histogramdd(list(jg.array(points).T), 4)[0], np.histogramdd(list(points.T), 4)[0])


@pytest.mark.parametrize("bins", [4, (2, 3), [0.0, 0.5, 1.0], [[0.0, 1.0], 3]])
def test_cells_of_a_plane_are_numpys(bins):
    x, y = RNG.random((2, 50))
    found, expected = jg.histogram2d(jg.array(x), jg.array(y), bins), np.histogram2d(x, y, bins)
    for one, other in zip(found, expected, strict=True):
        near(one, other)


def test_the_last_cell_is_closed_and_nan_is_outside():
    x = jg.array([0.0, 1.0, 2.0, np.nan])
    counts, _, _ = jg.histogram2d(x, x, [0.0, 1.0, 2.0])
    assert counts.tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: jg.histogram(x, "some"), ValueError, "histogram. bins: got 'some'"),
        (
            lambda x: jg.histogram(x, "fd", weights=x),
            TypeError,
            "weights: got array, allowed beside",
        ),
        (lambda x: jg.histogram_bin_edges(x, 0), ValueError, "bins: got 0"),
        (lambda x: jg.histogram_bin_edges(x, 1.5), ValueError, "bins: has shape"),
        (lambda x: jg.histogram_bin_edges(x, 2, (1, 0)), ValueError, "range: got 1 to 0"),
        (lambda x: jg.histogram2d(x, x[1:]), ValueError, "y: has shape"),
        (lambda x: jg.histogramdd([x, x], (1, 2, 3)), ValueError, "bins: got 3, allowed are 2"),
        (lambda x: jg.histogramdd([x, x], "fd"), ValueError, "bins: got 'fd'"),
        (lambda x: jg.histogramdd([x], [3], [None] * 2), ValueError, "range: got 2, allowed"),
        (lambda x: jg.histogramdd(jg.zeros((2, 2, 2))), ValueError, "sample: has 3 axes"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(jg.array([1.0, 2.0, 3.0]))
