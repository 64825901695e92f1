# SPDX-License-Identifier: Apache-2.0
"""Functions of each element or of each row, which the layers of activations.py call.

Where maximum and minimum meet a tie, the derivative goes to the second operand.
"""

from __future__ import annotations

import joggle as jg

__all__ = [
    "celu",
    "elu",
    "gelu",
    "gelu_approx",
    "gelu_fast_approx",
    "glu",
    "hard_shrink",
    "hard_tanh",
    "hardswish",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "prelu",
    "relu",
    "relu2",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "step",
    "tanh",
]

# Klambauer et al., "Self-Normalizing Neural Networks" (2017), section 2; MLX's number of digits.
_SELU_ALPHA, _SELU_SCALE = 1.67326, 1.0507


def sigmoid(x: jg.array) -> jg.array:
    """1 / (1 + exp(-x)).

    >>> jg.nn.sigmoid(jg.array([0.0]))
    array([0.5], dtype=float32)
    """
    return jg.sigmoid(x)


def relu(x: jg.array) -> jg.array:
    """The larger of x and 0.

    >>> jg.nn.relu(jg.array([-1.0, 2.0]))
    array([0., 2.], dtype=float32)
    """
    return jg.maximum(x, 0)


def relu2(x: jg.array) -> jg.array:
    """The square of relu.

    >>> jg.nn.relu2(jg.array([-1.0, 2.0]))
    array([0., 4.], dtype=float32)
    """
    return jg.square(jg.maximum(x, 0))


def relu6(x: jg.array) -> jg.array:
    """relu, at most 6.

    >>> jg.nn.relu6(jg.array([-1.0, 8.0]))
    array([0., 6.], dtype=float32)
    """
    return jg.minimum(jg.maximum(x, 0), 6.0)


def leaky_relu(x: jg.array, negative_slope: float = 0.01) -> jg.array:
    """x above 0, and negative_slope * x below.

    >>> jg.nn.leaky_relu(jg.array([-1.0, 2.0]))
    array([-0.01,  2.  ], dtype=float32)
    """
    return jg.maximum(negative_slope * x, x)


def log_softmax(x: jg.array, axis: int = -1) -> jg.array:
    """The logarithm of softmax, without overflow.

    >>> jg.nn.log_softmax(jg.array([0.0, 0.0]))
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    return jg.log_softmax(x, axis=axis)


def elu(x: jg.array, alpha: float = 1.0) -> jg.array:
    """x above 0, and alpha * (exp(x) - 1) below.

    >>> jg.nn.elu(jg.array([-1.0, 2.0]))
    array([-0.63212055,  2.        ], dtype=float32)
    """
    return jg.where(x > 0, x, alpha * (jg.exp(jg.minimum(0, x)) - 1))


def softmax(x: jg.array, axis: int = -1) -> jg.array:
    """exp(x) over its sum along an axis, without overflow.

    >>> jg.nn.softmax(jg.array([0.0, 0.0]))
    array([0.5, 0.5], dtype=float32)
    """
    return jg.softmax(x, axis=axis)


def softplus(x: jg.array) -> jg.array:
    """log(1 + exp(x)).

    >>> jg.nn.softplus(jg.array([0.0]))
    array([0.6931472], dtype=float32)
    """
    return jg.logaddexp(x, 0)


def softsign(x: jg.array) -> jg.array:
    """x / (1 + abs(x)).

    >>> jg.nn.softsign(jg.array([1.0]))
    array([0.5], dtype=float32)
    """
    return x / (1 + jg.abs(x))


def softshrink(x: jg.array, lambd: float = 0.5) -> jg.array:
    """x moved towards 0 by lambd, and 0 where it is no larger.

    >>> jg.nn.softshrink(jg.array([-1.0, 0.25]))
    array([-0.5,  0. ], dtype=float32)
    """
    return jg.where(jg.abs(x) > lambd, x - jg.sign(x) * lambd, 0)


def celu(x: jg.array, alpha: float = 1.0) -> jg.array:
    """x above 0, and alpha * (exp(x / alpha) - 1) below.

    >>> jg.nn.celu(jg.array([-1.0, 2.0]))
    array([-0.63212055,  2.        ], dtype=float32)
    """
    return jg.maximum(x, 0) + alpha * (jg.exp(jg.minimum(0, x) / alpha) - 1)


def silu(x: jg.array) -> jg.array:
    """x * sigmoid(x).

    >>> jg.nn.silu(jg.array([2.0]))
    array([1.761594], dtype=float32)
    """
    return x * jg.sigmoid(x)


def log_sigmoid(x: jg.array) -> jg.array:
    """The logarithm of sigmoid, without overflow.

    >>> jg.nn.log_sigmoid(jg.array([0.0]))
    array([-0.6931472], dtype=float32)
    """
    return -softplus(-x)


def gelu(x: jg.array) -> jg.array:
    """x times the normal distribution's share below x.

    >>> jg.nn.gelu(jg.array([2.0]))
    array([1.9544997], dtype=float32)
    """
    return jg.gelu(x)


def gelu_approx(x: jg.array) -> jg.array:
    """gelu by way of tanh.

    >>> jg.nn.gelu_approx(jg.array([2.0]))
    array([1.9545977], dtype=float32)
    """
    return jg.gelu_approx(x)


def gelu_fast_approx(x: jg.array) -> jg.array:
    """gelu by way of sigmoid: x * sigmoid(1.702 * x).

    >>> jg.nn.gelu_fast_approx(jg.array([2.0]))
    array([1.9356586], dtype=float32)
    """
    return x * jg.sigmoid(1.702 * x)


def glu(x: jg.array, axis: int = -1) -> jg.array:
    """The first half of x along an axis times the sigmoid of the second.

    >>> jg.nn.glu(jg.array([2.0, 0.0]))
    array([1.], dtype=float32)
    """
    values, gates = jg.split(x, 2, axis=axis)
    return values * jg.sigmoid(gates)


def step(x: jg.array, threshold: float = 0.0) -> jg.array:
    """1 from the threshold on, and 0 below, as int32.

    >>> jg.nn.step(jg.array([-1.0, 2.0]))
    array([0, 1], dtype=int32)
    """
    return jg.astype(x >= threshold, jg.int32)


def selu(x: jg.array) -> jg.array:
    """elu with the scales that keep mean 0 and variance 1 from layer to layer.

    >>> jg.nn.selu(jg.array([2.0]))
    array([2.1014], dtype=float32)
    """
    return elu(x, _SELU_ALPHA) * _SELU_SCALE


def prelu(x: jg.array, alpha: jg.array) -> jg.array:
    """leaky_relu whose slope is an array.

    >>> jg.nn.prelu(jg.array([-1.0, 2.0]), jg.array(0.25))
    array([-0.25,  2.  ], dtype=float32)
    """
    return jg.maximum(0, x) + alpha * jg.minimum(x, 0)


def mish(x: jg.array) -> jg.array:
    """x * tanh(softplus(x)).

    >>> jg.nn.mish(jg.array([1.0]))
    array([0.8650984], dtype=float32)
    """
    return x * jg.tanh(softplus(x))


def hardswish(x: jg.array) -> jg.array:
    """x * relu6(x + 3) / 6.

    >>> jg.nn.hardswish(jg.array([-4.0, 3.0]))
    array([-0.,  3.], dtype=float32)
    """
    return x * relu6(x + 3) / 6


def hard_tanh(x: jg.array, min_val: float = -1.0, max_val: float = 1.0) -> jg.array:
    """x, at least min_val and at most max_val.

    >>> jg.nn.hard_tanh(jg.array([-4.0, 0.5]))
    array([-1. ,  0.5], dtype=float32)
    """
    return jg.minimum(jg.maximum(x, min_val), max_val)


def hard_shrink(x: jg.array, lambd: float = 0.5) -> jg.array:
    """x, and 0 where it is no larger than lambd.

    >>> jg.nn.hard_shrink(jg.array([-1.0, 0.25]))
    array([-1.,  0.], dtype=float32)
    """
    return jg.where(jg.abs(x) > lambd, x, 0)


def softmin(x: jg.array, axis: int = -1) -> jg.array:
    """softmax of -x.

    >>> jg.nn.softmin(jg.array([0.0, 0.0]))
    array([0.5, 0.5], dtype=float32)
    """
    return jg.softmax(-x, axis=axis)


def tanh(x: jg.array) -> jg.array:
    """The hyperbolic tangent.

    >>> jg.nn.tanh(jg.array([0.0]))
    array([0.], dtype=float32)
    """
    return jg.tanh(x)
