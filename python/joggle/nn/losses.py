# SPDX-License-Identifier: Apache-2.0
"""Losses: what a model is trained to make small. reduction is "none", "mean" or "sum"."""

from __future__ import annotations

import math

import joggle as jg

__all__ = [
    "binary_cross_entropy",
    "cosine_similarity_loss",
    "cross_entropy",
    "gaussian_nll_loss",
    "hinge_loss",
    "huber_loss",
    "kl_div_loss",
    "l1_loss",
    "log_cosh_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "triplet_loss",
]

TYPE_CHECKING = False  # true for type checkers; the module typing takes long to import
if TYPE_CHECKING:
    from typing import Any, Literal

    Reduction = Literal["none", "mean", "sum"]


def __getattr__(name: str) -> Any:
    """Reduction, which programs for MLX have in annotations."""
    if name != "Reduction":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from typing import Literal

    return Literal["none", "mean", "sum"]


_REDUCTIONS = {"none": lambda loss: loss, "mean": jg.mean, "sum": jg.sum}


def _reduced(name: str, loss: jg.array, reduction: str) -> jg.array:
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"[{name}] reduction: got {reduction!r}, allowed are "
            f"{', '.join(map(repr, _REDUCTIONS))}"
        )
    return _REDUCTIONS[reduction](loss)


def _are_alike(name: str, **arrays: jg.array) -> None:
    (first, one), *others = arrays.items()
    for other, array in others:
        if array.shape != one.shape:
            raise ValueError(
                f"[{name}] {other}: got shape {array.shape}, allowed is that of {first}, "
                f"{one.shape}"
            )


def _weighted(name: str, loss: jg.array, weights: jg.array | None) -> jg.array:
    if weights is None:
        return loss
    if weights.shape != loss.shape:
        raise ValueError(
            f"[{name}] weights: got shape {weights.shape}, allowed is that of the loss, "
            f"{loss.shape}"
        )
    return loss * weights


def cross_entropy(
    logits: jg.array,
    targets: jg.array,
    weights: jg.array | None = None,
    axis: int = -1,
    label_smoothing: float = 0.0,
    reduction: str = "none",
) -> jg.array:
    """logsumexp(logits) - logits[target] along an axis; targets are numbers of classes, or the
    probability of each.

    label_smoothing is the share of the probability that is spread over all classes. Where
    probabilities do not add up to 1, the logits are taken less the largest of them.

    >>> jg.nn.losses.cross_entropy(jg.array([[2.0, -1.0]]), jg.array([0]))
    array([0.04858735], dtype=float32)
    """
    name = "cross_entropy"
    if not 0 <= label_smoothing < 1:
        raise ValueError(
            f"[{name}] label_smoothing: got {label_smoothing!r}, allowed are numbers from 0 and "
            "below 1"
        )
    one_axis_less = list(logits.shape)
    one_axis_less.pop(axis)
    if targets.ndim != logits.ndim and targets.shape != tuple(one_axis_less):
        raise ValueError(
            f"[{name}] targets: got shape {targets.shape}, allowed with logits of shape "
            f"{logits.shape} are {tuple(one_axis_less)} and that shape itself"
        )
    if targets.ndim == logits.ndim:
        _are_alike(name, logits=logits, targets=targets)
        # The subtracted maximum changes the loss if the probabilities do not add up to 1.
        logits = logits - jg.stop_gradient(jg.max(logits, axis=axis, keepdims=True))
        score = jg.sum(logits * targets, axis=axis)
    elif label_smoothing == 0 and axis in (-1, logits.ndim - 1):
        loss = jg.fast.cross_entropy(logits, targets)
        if jg.isdtype(logits.dtype, "real floating"):
            loss = loss.astype(logits.dtype, copy=False)
        return _reduced(name, _weighted(name, loss, weights), reduction)
    else:
        score = _taken(logits, targets, axis)
    if label_smoothing > 0:
        mean = jg.mean(logits, axis=axis)
        score = (1 - label_smoothing) * score + label_smoothing * mean
    loss = jg.logsumexp(logits, axis=axis) - score
    return _reduced(name, _weighted(name, loss, weights), reduction)


def _taken(values: jg.array, numbers: jg.array, axis: int) -> jg.array:
    found = jg.take_along_axis(values, jg.expand_dims(numbers, axis=axis), axis)
    return jg.squeeze(found, axis=axis)


def binary_cross_entropy(
    inputs: jg.array,
    targets: jg.array,
    weights: jg.array | None = None,
    with_logits: bool = True,
    reduction: str = "mean",
) -> jg.array:
    """-log of the probability of targets, 0 to 1, under inputs: logits, or else probabilities.

    Logarithms of probabilities are -100 at least.

    >>> jg.nn.losses.binary_cross_entropy(jg.array([0.0]), jg.array([1.0]))
    array(0.6931472, dtype=float32)
    """
    name = "binary_cross_entropy"
    _are_alike(name, inputs=inputs, targets=targets)
    if with_logits:
        loss = jg.logaddexp(inputs, 0) - inputs * targets
    else:
        yes = jg.maximum(jg.log(inputs), -100)
        no = jg.maximum(jg.log(1 - inputs), -100)
        loss = -(targets * yes + (1 - targets) * no)
    return _reduced(name, _weighted(name, loss, weights), reduction)


def l1_loss(predictions: jg.array, targets: jg.array, reduction: str = "mean") -> jg.array:
    """abs(predictions - targets).

    >>> jg.nn.losses.l1_loss(jg.array([1.0, 4.0]), jg.array([2.0, 2.0]))
    array(1.5, dtype=float32)
    """
    _are_alike("l1_loss", predictions=predictions, targets=targets)
    return _reduced("l1_loss", jg.abs(predictions - targets), reduction)


def mse_loss(predictions: jg.array, targets: jg.array, reduction: str = "mean") -> jg.array:
    """The square of predictions - targets.

    >>> jg.nn.losses.mse_loss(jg.array([1.0, 4.0]), jg.array([2.0, 2.0]))
    array(2.5, dtype=float32)
    """
    _are_alike("mse_loss", predictions=predictions, targets=targets)
    return _reduced("mse_loss", jg.square(predictions - targets), reduction)


def nll_loss(
    inputs: jg.array, targets: jg.array, axis: int = -1, reduction: str = "none"
) -> jg.array:
    """-inputs[target] along an axis; inputs are logarithms of probabilities.

    >>> jg.nn.losses.nll_loss(jg.array([[-0.5, -1.0]]), jg.array([1]))
    array([1.], dtype=float32)
    """
    return _reduced("nll_loss", -_taken(inputs, targets, axis), reduction)


def gaussian_nll_loss(
    inputs: jg.array,
    targets: jg.array,
    vars: jg.array,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> jg.array:
    """-log of the density of targets under normal distributions of mean inputs and variance vars.

    The constant is left out unless full. vars are eps at least.

    >>> jg.nn.losses.gaussian_nll_loss(jg.array([0.0]), jg.array([2.0]), jg.array([1.0]))
    array(2., dtype=float32)
    """
    name = "gaussian_nll_loss"
    _are_alike(name, inputs=inputs, targets=targets, vars=vars)
    variances = jg.maximum(vars, eps)
    loss = 0.5 * (jg.log(variances) + jg.square(targets - inputs) / variances)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(name, loss, reduction)


def kl_div_loss(
    inputs: jg.array, targets: jg.array, axis: int = -1, reduction: str = "none"
) -> jg.array:
    """The divergence of inputs from targets along an axis: logarithms of probabilities, both.

    >>> half = jg.log(jg.array([0.5, 0.5]))
    >>> jg.nn.losses.kl_div_loss(jg.log(jg.array([0.25, 0.75])), half)
    array(0.14384103, dtype=float32)
    """
    loss = jg.sum(jg.exp(targets) * (targets - inputs), axis=axis)
    return _reduced("kl_div_loss", loss, reduction)


def smooth_l1_loss(
    predictions: jg.array, targets: jg.array, beta: float = 1.0, reduction: str = "mean"
) -> jg.array:
    """l1_loss less beta / 2, and below beta the square over 2 beta, which it goes over to smoothly.

    >>> jg.nn.losses.smooth_l1_loss(jg.array([0.0, 0.0]), jg.array([0.5, 2.0]), reduction="none")
    array([0.125, 1.5  ], dtype=float32)
    """
    _are_alike("smooth_l1_loss", predictions=predictions, targets=targets)
    distance = jg.abs(predictions - targets)
    below = 0.5 * jg.square(distance) / beta
    loss = jg.where(distance < beta, below, distance - 0.5 * beta)
    return _reduced("smooth_l1_loss", loss, reduction)


def triplet_loss(
    anchors: jg.array,
    positives: jg.array,
    negatives: jg.array,
    axis: int = -1,
    p: int = 2,
    margin: float = 1.0,
    eps: float = 1e-6,
    reduction: str = "none",
) -> jg.array:
    """How much nearer than margin the p-norm of anchors - negatives is to that of anchors -
    positives; eps is added below the root.

    >>> anchors, far = jg.array([[0.0, 0.0]]), jg.array([[3.0, 4.0]])
    >>> jg.nn.losses.triplet_loss(anchors, far, anchors, eps=0.0)
    array([6.], dtype=float32)
    """

    def distance(others: jg.array) -> jg.array:
        powers = jg.sum(jg.pow(jg.abs(anchors - others), p), axis=axis)
        return jg.pow(powers + eps, 1 / p)

    loss = jg.maximum(distance(positives) - distance(negatives) + margin, 0)
    return _reduced("triplet_loss", loss, reduction)


def hinge_loss(inputs: jg.array, targets: jg.array, reduction: str = "none") -> jg.array:
    """How far inputs * targets is below 1; targets are -1 or 1.

    >>> jg.nn.losses.hinge_loss(jg.array([0.5, 2.0]), jg.array([1.0, 1.0]))
    array([0.5, 0. ], dtype=float32)
    """
    return _reduced("hinge_loss", jg.maximum(1 - inputs * targets, 0), reduction)


def huber_loss(
    inputs: jg.array, targets: jg.array, delta: float = 1.0, reduction: str = "none"
) -> jg.array:
    """Half the square of the difference, and a straight line from delta on.

    >>> jg.nn.losses.huber_loss(jg.array([0.5, 3.0]), jg.array([0.0, 0.0]))
    array([0.125, 2.5  ], dtype=float32)
    """
    distance = jg.abs(inputs - targets)
    curved = jg.minimum(distance, delta)
    loss = 0.5 * jg.square(curved) + delta * (distance - curved)
    return _reduced("huber_loss", loss, reduction)


def log_cosh_loss(inputs: jg.array, targets: jg.array, reduction: str = "none") -> jg.array:
    """log(cosh(inputs - targets)), without overflow.

    >>> jg.nn.losses.log_cosh_loss(jg.array([1.0]), jg.array([0.0]))
    array([0.43378082], dtype=float32)
    """
    difference = inputs - targets
    loss = jg.logaddexp(difference, -difference) - math.log(2)
    return _reduced("log_cosh_loss", loss, reduction)


def cosine_similarity_loss(
    x1: jg.array, x2: jg.array, axis: int = 1, eps: float = 1e-8, reduction: str = "none"
) -> jg.array:
    """The cosine of the angle between x1 and x2 along an axis; the norms' product is eps at least.

    >>> jg.nn.losses.cosine_similarity_loss(jg.array([[3.0, 4.0]]), jg.array([[3.0, 0.0]]))
    array([0.6], dtype=float32)
    """
    norms = jg.linalg.norm(x1, axis=axis) * jg.linalg.norm(x2, axis=axis)
    loss = jg.sum(x1 * x2, axis=axis) / jg.maximum(norms, eps)
    return _reduced("cosine_similarity_loss", loss, reduction)


def margin_ranking_loss(
    inputs1: jg.array,
    inputs2: jg.array,
    targets: jg.array,
    margin: float = 0.0,
    reduction: str = "none",
) -> jg.array:
    """How far inputs1 is from being larger than inputs2 by margin, or smaller where targets are -1.

    >>> one, two = jg.array([1.0]), jg.array([2.0])
    >>> jg.nn.losses.margin_ranking_loss(one, two, jg.array([1.0]))
    array([1.], dtype=float32)
    """
    name = "margin_ranking_loss"
    _are_alike(name, inputs1=inputs1, inputs2=inputs2, targets=targets)
    loss = jg.maximum(margin - targets * (inputs1 - inputs2), 0)
    return _reduced(name, loss, reduction)
