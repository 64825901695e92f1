# SPDX-License-Identifier: Apache-2.0
"""Adam and its kin: averages of gradients, divided by their sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import joggle as jg
from joggle.optimizers.base import Optimizer, are_numbers, are_rates, is_at_least_zero

__all__ = ["Adam", "AdamW", "Adamax", "Lion"]

Rate = float | jg.array | Callable[[jg.array], Any]


class Adam(Optimizer):
    """m = b1 * m + (1 - b1) * g; v = b2 * v + (1 - b2) * g^2; w = w - rate * m / (sqrt(v) + eps).

    With bias_correction, m and v are divided by 1 - b1^step and 1 - b2^step first.

    >>> adam = jg.optimizers.Adam(0.5, bias_correction=True)
    >>> adam.apply_gradients({"w": jg.array([2.0, -4.0])}, {"w": jg.array([1.0, 1.0])})
    {'w': array([0.5, 1.5], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(
        self,
        learning_rate: Rate,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        bias_correction: bool = False,
    ) -> None:
        super().__init__()
        are_rates(type(self).__name__, "betas", betas)
        is_at_least_zero(type(self).__name__, eps=eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas = list(betas)
        self.eps = eps
        self.bias_correction = bias_correction

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts both averages, zeros into state.

        >>> state = {}
        >>> jg.optimizers.Adam(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['m', 'v']
        """
        state["m"] = jg.zeros_like(parameter)
        state["v"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; both averages in state are changed.

        >>> state, one = {}, jg.optimizers.Adam(0.5, betas=(0.0, 0.0), eps=0.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        b1, b2 = self.betas
        mean = state["m"] = b1 * state["m"] + (1 - b1) * gradient
        square = state["v"] = b2 * state["v"] + (1 - b2) * (gradient * gradient)
        if not self.bias_correction:
            return parameter - self._rate(gradient.dtype) * mean / (jg.sqrt(square) + self.eps)
        dtype = gradient.dtype
        rate, root = self._once(("corrected", dtype), lambda: self._corrected(dtype))
        return parameter - rate * mean / (jg.sqrt(square) * root + self.eps)

    def _corrected(self, dtype: Any) -> tuple[jg.array, jg.array]:
        """The rate over 1 - b1^step, and 1 / sqrt(1 - b2^step)."""
        b1, b2 = (_rest_of_power(beta, self.step) for beta in self.betas)
        rate = jg.asarray(self.learning_rate, dtype=jg.float32) / b1
        return rate.astype(dtype), jg.rsqrt(b2).astype(dtype)


def _rest_of_power(beta: float, step: jg.array) -> jg.array | float:
    """1 - beta^step, without the loss of digits where that is small."""
    if beta == 0:
        return jg.array(1.0, dtype=jg.float32)
    return -jg.expm1(step.astype(jg.float32) * math.log(beta))


class AdamW(Adam):
    """Adam, of a parameter that has shrunk by rate * weight_decay of itself.

    >>> adam = jg.optimizers.AdamW(0.5, weight_decay=1.0)
    >>> adam.apply_gradients({"w": jg.array([0.0])}, {"w": jg.array([2.0])})
    {'w': array([1.], dtype=float32)}
    """

    def __init__(
        self,
        learning_rate: Rate,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        bias_correction: bool = False,
    ) -> None:
        super().__init__(learning_rate, betas, eps, bias_correction)
        are_numbers(type(self).__name__, weight_decay=weight_decay)
        self.weight_decay = weight_decay

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter, from one that has shrunk; both averages in state are changed.

        >>> state, one = {}, jg.optimizers.AdamW(0.5, betas=(0.0, 0.0), eps=0.0, weight_decay=1.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([1.], dtype=float32)
        """
        dtype = gradient.dtype
        kept = self._once(("kept", dtype), lambda: 1 - self._rate(dtype) * self.weight_decay)
        return super().apply_single(gradient, parameter * kept, state)


class Adamax(Adam):
    """Adam with v = max(b2 * v, |g|) in the place of the root, and without correction.

    >>> adamax = jg.optimizers.Adamax(1.0, betas=(0.5, 0.5), eps=0.0)
    >>> adamax.apply_gradients({"w": jg.array([2.0])}, {"w": jg.array([1.0])})
    {'w': array([0.5], dtype=float32)}
    """

    def __init__(
        self, learning_rate: Rate, betas: Sequence[float] = (0.9, 0.999), eps: float = 1e-8
    ) -> None:
        super().__init__(learning_rate, betas, eps)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the average and the largest size in state are changed.

        >>> state, one = {}, jg.optimizers.Adamax(0.5, betas=(0.0, 0.0), eps=0.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        b1, b2 = self.betas
        mean = state["m"] = b1 * state["m"] + (1 - b1) * gradient
        largest = state["v"] = jg.maximum(b2 * state["v"], jg.abs(gradient))
        return parameter - self._rate(gradient.dtype) * mean / (largest + self.eps)


class Lion(Optimizer):
    """w = w - rate * (sign(b1 * m + (1 - b1) * g) + weight_decay * w); m = b2 * m + (1 - b2) * g.

    >>> lion = jg.optimizers.Lion(0.5)
    >>> lion.apply_gradients({"w": jg.array([3.0, -0.1])}, {"w": jg.array([1.0, 1.0])})
    {'w': array([0.5, 1.5], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(
        self,
        learning_rate: Rate,
        betas: Sequence[float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__()
        are_numbers("Lion", weight_decay=weight_decay)
        are_rates("Lion", "betas", betas)
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas = list(betas)
        self.weight_decay = weight_decay

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts an average, zeros into state.

        >>> state = {}
        >>> jg.optimizers.Lion(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['m']
        """
        state["m"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the average in state is changed.

        >>> state, one = {}, jg.optimizers.Lion(0.5)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        (b1, b2), dtype = self.betas, gradient.dtype
        mean = state["m"]
        state["m"] = b2 * mean + (1 - b2) * gradient
        if self.weight_decay > 0:
            kept = self._once(("kept", dtype), lambda: 1 - self._rate(dtype) * self.weight_decay)
            parameter = kept * parameter
        return parameter - self._rate(dtype) * jg.sign(b1 * mean + (1 - b1) * gradient)
