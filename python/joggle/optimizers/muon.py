# SPDX-License-Identifier: Apache-2.0
"""Muon: matrices move by the orthogonal matrix that is near their momentum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joggle as jg
from joggle.optimizers.base import Optimizer, are_numbers, is_at_least_zero

__all__ = ["Muon"]

Rate = float | jg.array | Callable[[jg.array], Any]

# x -> a x + b x^3 + c x^5 brings singular values from 0 to 1 near to 1 in a few iterations; these
# are the numbers of the optimizer's publication.
_POLYNOMIAL = (3.4445, -4.7750, 2.0315)


def _orthogonal(x: jg.array, steps: int) -> jg.array:
    a, b, c = _POLYNOMIAL
    is_tall = x.shape[0] > x.shape[1]
    if is_tall:
        x = jg.matrix_transpose(x)
    x = x / (jg.sqrt(jg.sum(x * x)) + 1e-7)
    for _ in range(steps):
        square = x @ jg.matrix_transpose(x)
        x = a * x + (b * square + c * (square @ square)) @ x
    return jg.matrix_transpose(x) if is_tall else x


class Muon(Optimizer):
    """Momentum whose matrices are made orthogonal by ns_steps iterations of Newton and Schulz.

    Parameters of more than two axes count as matrices of shape[0] rows; vectors move by their
    momentum alone, for which other optimizers do better: see MultiOptimizer.

    >>> muon = jg.optimizers.Muon(0.5, momentum=0.0, weight_decay=0.0)
    >>> muon.apply_gradients({"b": jg.array([1.0])}, {"b": jg.array([1.0])})
    {'b': array([0.5], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(
        self,
        learning_rate: Rate,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
        nesterov: bool = True,
        ns_steps: int = 5,
    ) -> None:
        super().__init__()
        are_numbers("Muon", weight_decay=weight_decay)
        is_at_least_zero("Muon", momentum=momentum, ns_steps=ns_steps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.nesterov = nesterov
        self.ns_steps = ns_steps

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts a momentum of zeros into state.

        >>> state = {}
        >>> jg.optimizers.Muon(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['v']
        """
        state["v"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the momentum in state is changed.

        >>> state, one = {}, jg.optimizers.Muon(0.5, momentum=0.0, weight_decay=0.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([1.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        momentum = self.momentum
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        update = state["v"] = momentum * state["v"] + (1 - momentum) * gradient
        if self.nesterov:
            update = (1 - momentum) * gradient + momentum * update
        rate = self._rate(gradient.dtype)
        if parameter.ndim < 2 or parameter.size == 0:
            return parameter - rate * update
        update = _orthogonal(update.reshape((update.shape[0], -1)), self.ns_steps)
        rows, columns = parameter.shape[-2:]  # of four axes too, as in MLX
        rate = rate * max(1.0, rows / columns) ** 0.5
        return parameter - rate * update.reshape(parameter.shape)
