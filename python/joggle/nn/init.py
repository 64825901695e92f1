# SPDX-License-Identifier: Apache-2.0
"""Initialisers: functions that give new values for an array of the same shape."""

from __future__ import annotations

import math

import joggle as jg

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable

    Initializer = Callable[..., jg.array]

__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "normal",
    "orthogonal",
    "sparse",
    "uniform",
]


def constant(value: float, dtype: jg.Dtype = jg.float32) -> Initializer:
    """All elements are value.

    >>> jg.nn.init.constant(0.5)(jg.zeros((2,)))
    array([0.5, 0.5], dtype=float32)
    """
    return lambda a: jg.full(a.shape, value, dtype=dtype)


def normal(mean: float = 0.0, std: float = 1.0, dtype: jg.Dtype = jg.float32) -> Initializer:
    """Numbers of a normal distribution.

    >>> jg.nn.init.normal(std=0.1)(jg.zeros((2, 2))).shape
    (2, 2)
    """
    return lambda a: jg.random.normal(a.shape, dtype=dtype, loc=mean, scale=std)


def uniform(low: float = 0.0, high: float = 1.0, dtype: jg.Dtype = jg.float32) -> Initializer:
    """Numbers spread evenly over low to high.

    >>> jg.nn.init.uniform()(jg.zeros((2, 2))).shape
    (2, 2)
    """
    return lambda a: jg.random.uniform(low, high, a.shape, dtype=dtype)


def identity(dtype: jg.Dtype = jg.float32) -> Initializer:
    """The identity matrix; for square matrices only.

    >>> jg.nn.init.identity()(jg.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    def initializer(a: jg.array) -> jg.array:
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise ValueError(f"[identity] a: got shape {a.shape}, allowed are square matrices")
        return jg.eye(a.shape[0], dtype=dtype)

    return initializer


def _fans(name: str, a: jg.array) -> tuple[int, int]:
    """How many elements one of the output, and of the input, of weights (out, ..., in) meets."""
    if a.ndim < 2:
        raise ValueError(f"[{name}] a: got {a.ndim} axes, allowed are 2 and more: out, ..., in")
    outputs, *kernel, inputs = a.shape
    field = math.prod(kernel)
    return inputs * field, outputs * field


def _fan(name: str, a: jg.array, mode: str) -> int:
    fans = dict(zip(("fan_in", "fan_out"), _fans(name, a), strict=True))
    if mode not in fans:
        raise ValueError(f'[{name}] mode: got {mode!r}, allowed are "fan_in" and "fan_out"')
    return fans[mode]


def glorot_normal(dtype: jg.Dtype = jg.float32) -> Initializer:
    """Normal numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks"
    (2010), section 4.2.

    >>> jg.nn.init.glorot_normal()(jg.zeros((2, 3)), gain=2.0).shape
    (2, 3)
    """

    def initializer(a: jg.array, gain: float = 1.0) -> jg.array:
        deviation = gain * math.sqrt(2 / sum(_fans("glorot_normal", a)))
        return jg.random.normal(a.shape, dtype=dtype, scale=deviation)

    return initializer


def glorot_uniform(dtype: jg.Dtype = jg.float32) -> Initializer:
    """Numbers spread evenly over -b to b, b = gain * sqrt(6 / (fan_in + fan_out)).

    >>> jg.nn.init.glorot_uniform()(jg.zeros((2, 3))).shape
    (2, 3)
    """

    def initializer(a: jg.array, gain: float = 1.0) -> jg.array:
        bound = gain * math.sqrt(6 / sum(_fans("glorot_uniform", a)))
        return jg.random.uniform(-bound, bound, a.shape, dtype=dtype)

    return initializer


def he_normal(dtype: jg.Dtype = jg.float32) -> Initializer:
    """Normal numbers of standard deviation gain / sqrt(fan), fan being fan_in or fan_out.

    He et al., "Delving Deep into Rectifiers" (2015), section 2.2.

    >>> jg.nn.init.he_normal()(jg.zeros((2, 3)), mode="fan_out").shape
    (2, 3)
    """

    def initializer(a: jg.array, mode: str = "fan_in", gain: float = 1.0) -> jg.array:
        deviation = gain / math.sqrt(_fan("he_normal", a, mode))
        return jg.random.normal(a.shape, dtype=dtype, scale=deviation)

    return initializer


def he_uniform(dtype: jg.Dtype = jg.float32) -> Initializer:
    """Numbers spread evenly over -b to b, b = gain * sqrt(3 / fan), fan being fan_in or fan_out.

    >>> jg.nn.init.he_uniform()(jg.zeros((2, 3))).shape
    (2, 3)
    """

    def initializer(a: jg.array, mode: str = "fan_in", gain: float = 1.0) -> jg.array:
        bound = gain * math.sqrt(3 / _fan("he_uniform", a, mode))
        return jg.random.uniform(-bound, bound, a.shape, dtype=dtype)

    return initializer


def sparse(
    sparsity: float, mean: float = 0.0, std: float = 1.0, dtype: jg.Dtype = jg.float32
) -> Initializer:
    """Normal numbers, of which a share sparsity of each row of a matrix is 0.

    >>> jg.sum(jg.nn.init.sparse(0.5)(jg.zeros((2, 4))) == 0, axis=1)
    array([2, 2], dtype=int64)
    """

    def initializer(a: jg.array) -> jg.array:
        if a.ndim != 2:
            raise ValueError(f"[sparse] a: got {a.ndim} axes, allowed are 2")
        zeros = math.ceil(sparsity * a.shape[1])
        # The place of each element in a random order of its row.
        rank = jg.argsort(jg.argsort(jg.random.uniform(0, 1, a.shape), axis=1), axis=1)
        values = jg.random.normal(a.shape, dtype=dtype, loc=mean, scale=std)
        return jg.where(rank < zeros, jg.array(0, dtype=dtype), values)

    return initializer


def orthogonal(gain: float = 1.0, dtype: jg.Dtype = jg.float32) -> Initializer:
    """A matrix of orthonormal rows, or columns where it has more rows, times gain.

    Saxe et al., "Exact solutions to the nonlinear dynamics of learning" (2013); the signs make it
    spread evenly over all such matrices (Mezzadri, 2007, section 5).

    >>> q = jg.nn.init.orthogonal()(jg.zeros((2, 3)))
    >>> jg.allclose(q @ q.T, jg.eye(2), atol=1e-5)
    array(True, dtype=bool)
    """

    def initializer(a: jg.array) -> jg.array:
        if a.ndim != 2:
            raise ValueError(f"[orthogonal] a: got {a.ndim} axes, allowed are 2")
        rows, columns = a.shape
        tall = jg.random.normal((max(rows, columns), min(rows, columns)))
        q, r = jg.linalg.qr(tall)
        q = q * jg.sign(jg.linalg.diagonal(r)) * gain
        return (q if rows >= columns else q.T).astype(dtype, copy=False)

    return initializer
