# SPDX-License-Identifier: Apache-2.0
"""Every loss gives what MLX's gives, in each reduction, with the same derivative."""

import inspect

import mlx.core as mx
import mlx.nn.losses as mlx_losses
import numpy as np
import pytest
from beside_mlx import as_mlx, assert_alike

import joggle as jg
from joggle.nn import losses

RNG = np.random.default_rng(11)


def floats(*shape):
    return jg.array(RNG.normal(size=shape).astype(np.float32))


def chances(*shape):
    return jg.array(RNG.uniform(0.05, 0.95, size=shape).astype(np.float32))


def shares(*shape):
    """Numbers that add up to 1 along the last axis."""
    parts = chances(*shape)
    return parts / jg.sum(parts, axis=-1, keepdims=True)


LOGITS, CLASSES = floats(6, 5), jg.array([0, 4, 2, 2, 1, 3], dtype=jg.int32)
SIGNS = jg.array(np.sign(RNG.normal(size=8)).astype(np.float32))
CASES = [
    ("cross_entropy", (LOGITS, CLASSES), {}),
    ("cross_entropy", (LOGITS, CLASSES, chances(6)), {}),
    ("cross_entropy", (LOGITS, CLASSES), {"label_smoothing": 0.2}),
    ("cross_entropy", (LOGITS.T, CLASSES), {"axis": 0}),
    ("cross_entropy", (LOGITS, shares(6, 5)), {"label_smoothing": 0.1}),
    ("cross_entropy", (LOGITS, chances(6, 5)), {}),
    ("cross_entropy", (LOGITS + 50, chances(6, 5)), {"label_smoothing": 0.1}),
    ("cross_entropy", (LOGITS, chances(6, 5)), {"axis": 0}),
    ("cross_entropy", (LOGITS * 100, CLASSES), {}),
    ("cross_entropy", (floats(2, 3, 5), jg.array([[0, 4, 2], [1, 1, 3]], dtype=jg.int32)), {}),
    ("binary_cross_entropy", (floats(8), chances(8)), {}),
    ("binary_cross_entropy", (floats(8) * 50, chances(8), chances(8)), {}),
    ("binary_cross_entropy", (chances(8), chances(8)), {"with_logits": False}),
    ("l1_loss", (floats(8), floats(8)), {}),
    ("mse_loss", (floats(8), floats(8)), {}),
    ("nll_loss", (LOGITS, CLASSES), {}),
    ("nll_loss", (LOGITS.T, CLASSES), {"axis": 0}),
    ("gaussian_nll_loss", (floats(8), floats(8), chances(8)), {}),
    ("gaussian_nll_loss", (floats(8), floats(8), chances(8)), {"full": True, "eps": 0.5}),
    ("kl_div_loss", (floats(4, 6), floats(4, 6)), {}),
    ("kl_div_loss", (floats(4, 6), floats(4, 6)), {"axis": 0}),
    ("smooth_l1_loss", (floats(8), floats(8)), {}),
    ("smooth_l1_loss", (floats(8), floats(8)), {"beta": 0.3}),
    ("triplet_loss", (floats(4, 6), floats(4, 6), floats(4, 6)), {}),
    ("triplet_loss", (floats(4, 6), floats(4, 6), floats(4, 6)), {"axis": 0, "p": 3}),
    ("triplet_loss", (floats(4, 6), floats(4, 6), floats(4, 6)), {"margin": 2.0}),
    ("hinge_loss", (floats(8), SIGNS), {}),
    ("huber_loss", (floats(8) * 3, floats(8)), {}),
    ("huber_loss", (floats(8) * 3, floats(8)), {"delta": 0.4}),
    ("log_cosh_loss", (floats(8) * 30, floats(8)), {}),
    ("cosine_similarity_loss", (floats(4, 6), floats(4, 6)), {}),
    ("cosine_similarity_loss", (floats(4, 6), floats(4, 6)), {"axis": 0, "eps": 20.0}),
    ("margin_ranking_loss", (floats(8), floats(8), SIGNS), {}),
    ("margin_ranking_loss", (floats(8), floats(8), SIGNS), {"margin": 0.5}),
]  # fmt: skip


def named(case):
    return f"{case[0]}{case[2] or ''}"


def test_every_loss_of_mlx_is_there_and_in_a_case():
    theirs = {n for n, v in vars(mlx_losses).items() if inspect.isfunction(v) and n[0] != "_"}
    theirs -= {"get_args"}
    assert theirs == set(losses.__all__) == {case[0] for case in CASES}


@pytest.mark.parametrize("name", losses.__all__)
def test_parameters_of_losses_are_those_of_mlx(name):
    ours, theirs = (inspect.signature(getattr(m, name)) for m in (losses, mlx_losses))
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_loss_is_that_of_mlx(case, reduction):
    name, arguments, options = case
    ours = getattr(losses, name)(*arguments, reduction=reduction, **options)
    theirs = getattr(mlx_losses, name)(*as_mlx(arguments), reduction=reduction, **options)
    assert_alike(ours, theirs, 1e-5)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_loss_has_the_derivative_of_that_of_mlx(case):
    name, (x, *others), options = case
    ours = jg.grad(lambda x: getattr(losses, name)(x, *others, reduction="sum", **options))(x)
    given = as_mlx(others)
    theirs = mx.grad(lambda x: getattr(mlx_losses, name)(x, *given, reduction="sum", **options))(
        as_mlx(x)
    )
    assert_alike(ours, theirs, 1e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: losses.mse_loss(floats(3), floats(4)), r"\[mse_loss\] targets: got shape \(4,\)"),
        (lambda: losses.l1_loss(floats(3), floats(3), "avg"), r"\[l1_loss\] reduction: got 'avg'"),
        (lambda: losses.cross_entropy(LOGITS, CLASSES[:2]), r"\[cross_entropy\] targets"),
        (lambda: losses.cross_entropy(LOGITS, CLASSES, floats(2)), r"\[cross_entropy\] weights"),
        (lambda: losses.cross_entropy(LOGITS, CLASSES, label_smoothing=1.0), r"label_smoothing"),
    ],
)  # fmt: skip
def test_losses_refuse_what_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_type_of_reductions_is_there_for_annotations():
    assert losses.Reduction == mlx_losses.Reduction
    with pytest.raises(AttributeError, match="has no attribute 'Reductions'"):
        _ = losses.Reductions


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_integer_logits_have_losses_that_are_floats(dtype):
    numbers, targets = np.array([[2, 3], [0, 5]], dtype), np.array([0, 1])
    for axis in (-1, 0):
        ours = losses.cross_entropy(jg.array(numbers), jg.array(targets), axis=axis)
        theirs = mlx_losses.cross_entropy(mx.array(numbers), mx.array(targets), axis=axis)
        assert ours.dtype == jg.float32
        np.testing.assert_allclose(np.asarray(ours), np.array(theirs), rtol=1e-5)
    assert jg.nn.relu6(jg.array(numbers)).dtype == jg.float32
