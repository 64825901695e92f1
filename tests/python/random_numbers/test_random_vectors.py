# SPDX-License-Identifier: Apache-2.0
"""Vectors of a normal distribution, and random orders."""

import numpy as np
import pytest

import joggle as jg

MEAN, COV = [1.0, -2.0, 0.5], [[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]]


@pytest.mark.parametrize("dtype", [jg.float32, jg.float64])
def test_draws_have_the_mean_and_the_covariances(dtype):
    drawn = jg.random.multivariate_normal(MEAN, COV, (40_000,), dtype, key=jg.random.key(1))
    assert drawn.shape == (40_000, 3) and drawn.dtype == dtype
    values = np.asarray(drawn)
    np.testing.assert_allclose(values.mean(0), MEAN, atol=0.03)
    np.testing.assert_allclose(np.cov(values.T), COV, atol=0.05)


def test_shapes_are_those_that_mean_and_covariances_have_together():
    mean, cov = jg.zeros((4, 1, 2)), jg.eye(2)[None] * jg.array([1.0, 2, 3])[:, None, None]
    assert jg.random.multivariate_normal(mean, cov).shape == (4, 3, 2)
    assert jg.random.multivariate_normal(mean, cov, (5, 4, 3)).shape == (5, 4, 3, 2)
    with pytest.raises(ValueError, match="cov"):
        jg.random.multivariate_normal(jg.zeros(3), jg.eye(2))


def test_covariances_without_full_rank_are_taken():
    drawn = jg.random.multivariate_normal([0.0, 0], [[1.0, 1], [1, 1]], (100,))
    np.testing.assert_allclose(np.asarray(drawn[:, 0]), np.asarray(drawn[:, 1]), atol=1e-3)


def test_an_order_has_everything_once():
    key = jg.random.key(3)
    order = jg.random.permutation(1000, key=key)
    assert sorted(order.tolist()) == list(range(1000)) != order.tolist()
    assert order.tolist() == jg.random.permutation(jg.arange(1000), key=key).tolist()
    assert jg.random.permutation(1000).tolist() != jg.random.permutation(1000).tolist()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_stay_whole(axis):
    x = np.arange(60).reshape(3, 4, 5)
    drawn = np.asarray(jg.random.permutation(jg.array(x), axis))
    first = np.moveaxis(drawn, axis, 0)[:, 0, 0].argsort()
    np.testing.assert_array_equal(np.take(drawn, first, axis), x)


def test_every_order_comes_as_often_as_the_others():
    counts = {}
    for seed in range(1200):
        order = tuple(jg.random.permutation(3, key=jg.random.key(seed)).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6 and min(counts.values()) > 140


def test_an_axis_that_is_not_there_is_refused():
    with pytest.raises(IndexError, match="axis"):
        jg.random.permutation(jg.ones(3), 1)
