# SPDX-License-Identifier: Apache-2.0
"""Initialisers: means, spreads and shapes are what their formulas say."""

import inspect

import mlx.nn.init as mlx_init
import numpy as np
import pytest

import joggle as jg
from joggle.nn import init

SHAPE = (300, 5, 40)  # fan_in 200, fan_out 1500


def test_every_initialiser_of_mlx_is_there_with_its_parameters():
    theirs = {n for n, v in vars(mlx_init).items() if inspect.isfunction(v) and n[0] != "_"}
    assert theirs == set(init.__all__)
    for name in theirs:
        ours, other = (inspect.signature(getattr(m, name)) for m in (init, mlx_init))
        assert list(ours.parameters) == list(other.parameters)


@pytest.mark.parametrize(
    ("initializer", "mean", "deviation", "bound"),
    [
        (init.constant(0.5), 0.5, 0.0, 0.5),
        (init.normal(2.0, 0.5), 2.0, 0.5, None),
        (init.uniform(-1.0, 3.0), 1.0, 4 / 12**0.5, 3.0),
        (init.glorot_normal(), 0.0, (2 / 1700) ** 0.5, None),
        (init.glorot_uniform(), 0.0, (2 / 1700) ** 0.5, (6 / 1700) ** 0.5),
        (init.he_normal(), 0.0, 200**-0.5, None),
        (lambda a: init.he_normal()(a, "fan_out", 2.0), 0.0, 2 * 1500**-0.5, None),
        (init.he_uniform(), 0.0, 200**-0.5, (3 / 200) ** 0.5),
        (lambda a: init.he_uniform()(a, "fan_out", 2.0), 0.0, 2 * 1500**-0.5, 2 * 500**-0.5),
    ],
)
def test_initialisers_have_their_mean_spread_and_bound(initializer, mean, deviation, bound):
    found = np.asarray(initializer(jg.zeros(SHAPE)))
    assert found.shape == SHAPE
    assert found.dtype == np.float32
    assert abs(found.mean() - mean) <= 4 * max(deviation, 1e-9) / found.size**0.5
    assert abs(found.std() - deviation) <= 0.02 * deviation
    if bound is not None:
        assert np.abs(found).max() <= bound * (1 + 1e-6)


def test_identity_sparse_and_orthogonal_are_what_they_say():
    np.testing.assert_array_equal(np.asarray(init.identity()(jg.zeros((3, 3)))), np.eye(3))
    found = np.asarray(init.sparse(0.3, std=2.0)(jg.zeros((50, 21))))
    assert set((found == 0).sum(axis=1)) == {7}  # ceil(0.3 * 21)
    assert abs(found[found != 0].std() - 2) < 0.3
    for shape in ((6, 4), (4, 6), (5, 5)):
        q = np.asarray(init.orthogonal(2.0)(jg.zeros(shape)))
        product = q.T @ q if shape[0] >= shape[1] else q @ q.T
        np.testing.assert_allclose(product, 4 * np.eye(min(shape)), atol=1e-5)


def test_initialisers_take_a_dtype_and_any_layer():
    layer = jg.nn.Linear(3, 4).apply(init.constant(1.0, jg.bfloat16))
    assert layer.weight.dtype == jg.bfloat16
    assert layer.weight.shape == (4, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: init.identity()(jg.zeros((2, 3))), r"\[identity\] a: got shape \(2, 3\)"),
        (lambda: init.glorot_normal()(jg.zeros((3,))), r"\[glorot_normal\] a: got 1 axes"),
        (lambda: init.he_normal()(jg.zeros((3, 3)), "fan"), r"\[he_normal\] mode: got 'fan'"),
        (lambda: init.orthogonal()(jg.zeros((3,))), r"\[orthogonal\] a: got 1 axes"),
        (lambda: init.sparse(0.5)(jg.zeros((3,))), r"\[sparse\] a: got 1 axes"),
    ],
)
def test_initialisers_refuse_what_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
