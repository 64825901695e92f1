# SPDX-License-Identifier: Apache-2.0
"""What compile builds again is what the function built: programs that once were not."""

import numpy as np

import joggle as jg


def normal(*shape, seed=0):
    return jg.asarray(np.random.default_rng(seed).standard_normal(shape))


def test_results_of_different_calls_are_computed_apart():
    """Each alone in its call, one after the other in the walk."""
    x, y = normal(2, 3, 3), normal(2, 3, 3, seed=1)

    def both(x, y):
        return jg.cos(jg.linalg.det(x)) * jg.linalg.det(y @ x) + jg.linalg.slogdet(y)[1]

    want = both(x, y)
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(jg.compile(both)(x, y)), np.asarray(want), rtol=1e-12)

    def values(x, y):
        return jg.linalg.svd(x)[1] - jg.linalg.svd(y)[1], jg.linalg.eigh(x + x.mT)[0]

    for got, expected in zip(jg.compile(values)(x, y), values(x, y), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-12)


def test_arguments_of_inner_derivatives_are_not_copied():
    w, x = normal(64, 64), normal(64, 64, seed=1)
    step = jg.compile(jg.value_and_grad(lambda w, x: jg.sum(jg.tanh(x @ w))))
    assert "copy" not in jg.explain(*step(w, x))
    assert "argument" not in jg.explain(*step(w, x))


def test_a_number_that_several_groups_use_is_not_stored():
    x, w = normal(8, 8), normal(8, 8, seed=1)
    zero = jg.array(0.0, dtype=jg.float64)
    y = jg.maximum(x @ w, zero)
    text = jg.explain(y, jg.where(y @ w > zero, y, zero))
    assert "full" not in text
