# SPDX-License-Identifier: Apache-2.0
"""Optimizers that keep one moment of each parameter, or the sizes of its changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joggle as jg
from joggle.optimizers.base import Optimizer, are_numbers, is_at_least_zero

__all__ = ["SGD", "AdaDelta", "Adagrad", "RMSprop"]

Rate = float | jg.array | Callable[[jg.array], Any]


class SGD(Optimizer):
    """Stochastic gradient descent: with momentum, v = momentum * v + (1 - dampening) * g is
    subtracted in the place of g. weight_decay * w is added to g first.

    >>> sgd = jg.optimizers.SGD(0.1, momentum=0.5)
    >>> sgd.apply_gradients({"w": jg.array([10.0])}, {"w": jg.array([3.0])})
    {'w': array([2.], dtype=float32)}
    """

    _kinds = ("real floating", "complex floating")

    def __init__(
        self,
        learning_rate: Rate,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        dampening: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__()
        are_numbers("SGD", momentum=momentum, weight_decay=weight_decay, dampening=dampening)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"[SGD] nesterov: got momentum {momentum!r} and dampening {dampening!r}, allowed "
                "are a momentum above 0 and a dampening of 0"
            )
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.dampening = dampening
        self.nesterov = nesterov

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts a momentum of zeros into state.

        >>> state = {}
        >>> jg.optimizers.SGD(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['v']
        """
        state["v"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the momentum in state is changed.

        >>> state, one = {}, jg.optimizers.SGD(0.5, momentum=0.9)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.], dtype=float32)
        """
        rate = self._rate(gradient.dtype)
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        if self.momentum <= 0:
            return parameter - rate * gradient
        share = gradient if self.dampening <= 0 else (1 - self.dampening) * gradient
        moment = state["v"] = self.momentum * state["v"] + share
        if self.nesterov:
            moment = gradient + self.momentum * moment
        return parameter - rate * moment


class RMSprop(Optimizer):
    """v = alpha * v + (1 - alpha) * g^2; w = w - rate * g / (sqrt(v) + eps).

    >>> rms = jg.optimizers.RMSprop(0.1)
    >>> rms.apply_gradients({"w": jg.array([10.0])}, {"w": jg.array([3.0])})
    {'w': array([2.], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(self, learning_rate: Rate, alpha: float = 0.99, eps: float = 1e-8) -> None:
        super().__init__()
        is_at_least_zero("RMSprop", alpha=alpha, eps=eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.alpha = alpha
        self.eps = eps

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts an average of squares, zeros into state.

        >>> state = {}
        >>> jg.optimizers.RMSprop(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['v']
        """
        state["v"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the average of squares in state is changed.

        >>> state, one = {}, jg.optimizers.RMSprop(0.5, alpha=0.0, eps=0.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        square = self.alpha * state["v"] + (1 - self.alpha) * (gradient * gradient)
        state["v"] = square
        return parameter - self._rate(gradient.dtype) * gradient / (jg.sqrt(square) + self.eps)


class Adagrad(Optimizer):
    """v = v + g^2; w = w - rate * g / (sqrt(v) + eps).

    >>> adagrad = jg.optimizers.Adagrad(0.5)
    >>> adagrad.apply_gradients({"w": jg.array([2.0])}, {"w": jg.array([3.0])})
    {'w': array([2.5], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(self, learning_rate: Rate, eps: float = 1e-8) -> None:
        super().__init__()
        is_at_least_zero("Adagrad", eps=eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.eps = eps

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts a sum of squares, zeros into state.

        >>> state = {}
        >>> jg.optimizers.Adagrad(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['v']
        """
        state["v"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the sum of squares in state is changed.

        >>> state, one = {}, jg.optimizers.Adagrad(0.5, eps=0.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        total = state["v"] = state["v"] + gradient * gradient
        return parameter - self._rate(gradient.dtype) * gradient / (jg.sqrt(total) + self.eps)


class AdaDelta(Optimizer):
    """v = rho * v + (1 - rho) * g^2; d = sqrt(u + eps) / sqrt(v + eps) * g;
    u = rho * u + (1 - rho) * d^2; w = w - rate * d.

    >>> delta = jg.optimizers.AdaDelta(1.0, eps=1.0)
    >>> delta.apply_gradients({"w": jg.array([0.0])}, {"w": jg.array([3.0])})
    {'w': array([3.], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(self, learning_rate: Rate, rho: float = 0.9, eps: float = 1e-6) -> None:
        super().__init__()
        is_at_least_zero("AdaDelta", rho=rho, eps=eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.rho = rho
        self.eps = eps

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts averages of squares, of gradients and of steps into state.

        >>> state = {}
        >>> jg.optimizers.AdaDelta(0.1).init_single(jg.array([1.0]), state)
        >>> sorted(state)
        ['u', 'v']
        """
        state["v"] = jg.zeros_like(parameter)
        state["u"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; both averages in state are changed.

        >>> state, one = {}, jg.optimizers.AdaDelta(1.0, rho=0.0, eps=1.0)
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([0.0]), jg.array([3.0]), state)
        array([3.], dtype=float32)
        """
        rho, eps = self.rho, self.eps
        v = rho * state["v"] + (1 - rho) * (gradient * gradient)
        delta = jg.sqrt(state["u"] + eps) / jg.sqrt(v + eps) * gradient
        state["u"] = rho * state["u"] + (1 - rho) * (delta * delta)
        state["v"] = v
        return parameter - self._rate(gradient.dtype) * delta
