# SPDX-License-Identifier: Apache-2.0
"""Adafactor: of a matrix's squared gradients it keeps the means of rows and of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import joggle as jg
from joggle.optimizers.base import Optimizer, are_numbers, is_at_least_zero

__all__ = ["Adafactor"]

Rate = float | jg.array | Callable[[jg.array], Any]


def _rms(x: jg.array) -> jg.array:
    return jg.sqrt(jg.mean(x * x))


def _product_of_means(row: jg.array, column: jg.array) -> jg.array:
    """The factor that replaces 1 / sqrt(v): the product of both means' roots."""
    by_row = jg.rsqrt(row / jg.mean(row, axis=-1, keepdims=True))
    return jg.expand_dims(by_row, -1) * jg.expand_dims(jg.rsqrt(column), -2)


class Adafactor(Optimizer):
    """Adaptive rates with memory of rows and columns only.

    Without a learning_rate the step decides: min(1e-2, 1 / sqrt(step)), with warmup_init
    min(1e-6 * step, 1 / sqrt(step)). scale_parameter multiplies that by the parameter's root mean
    square, at least eps[1]; eps[0] is added to squared gradients. Updates whose root mean square is
    above clip_threshold are scaled down to it. beta_1 adds a first moment.

    >>> factor = jg.optimizers.Adafactor(1.0, relative_step=False, scale_parameter=False)
    >>> factor.apply_gradients({"w": jg.array([2.0, -3.0])}, {"w": jg.array([1.0, 1.0])})
    {'w': array([0., 2.], dtype=float32)}
    """

    _kinds = ("real floating",)

    def __init__(
        self,
        learning_rate: Rate | None = None,
        eps: Sequence[float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = -0.8,
        beta_1: float | None = None,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
    ) -> None:
        super().__init__()
        are_numbers("Adafactor", weight_decay=weight_decay)
        if len(eps) != 2:
            raise ValueError(f"[Adafactor] eps: got {eps!r}, allowed are two numbers")
        is_at_least_zero("Adafactor", clip_threshold=clip_threshold)
        if learning_rate is not None:
            self._maybe_schedule("learning_rate", learning_rate)
        elif not relative_step:
            raise ValueError(
                "[Adafactor] learning_rate: got None, which is allowed with relative_step=True only"
            )
        self.eps = tuple(eps)
        self.clip_threshold = clip_threshold
        self.decay_rate = decay_rate
        self.beta_1 = beta_1
        self.weight_decay = weight_decay
        self.scale_parameter = scale_parameter
        self.relative_step = relative_step
        self.warmup_init = warmup_init

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts averages of squares into state: of a matrix one for rows and one for columns.

        >>> state = {}
        >>> jg.optimizers.Adafactor().init_single(jg.ones((2, 3)), state)
        >>> [(key, x.shape) for key, x in state.items()]
        [('exp_avg_sq_row', (2,)), ('exp_avg_sq_col', (3,))]
        """
        if parameter.ndim >= 2:
            shape, dtype = parameter.shape, parameter.dtype
            state["exp_avg_sq_row"] = jg.zeros(shape[:-1], dtype=dtype)
            state["exp_avg_sq_col"] = jg.zeros(shape[:-2] + shape[-1:], dtype=dtype)
        else:
            state["exp_avg_sq"] = jg.zeros_like(parameter)
        if self.beta_1 is not None:
            state["exp_avg"] = jg.zeros_like(parameter)

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; the averages in state are changed. The step counts from 1.

        >>> state, options = {}, {"relative_step": False, "scale_parameter": False}
        >>> one = jg.optimizers.Adafactor(0.5, **options)
        >>> one.state["step"] = one.step + 1
        >>> one.init_single(jg.array([3.0]), state)
        >>> one.apply_single(jg.array([2.0]), jg.array([3.0]), state)
        array([2.5], dtype=float32)
        """
        dtype = gradient.dtype
        rate = self._once(("step", dtype), lambda: self._relative_rate().astype(dtype))
        if self.scale_parameter:
            rate = rate * jg.maximum(_rms(parameter), self.eps[1])
        update = self._scaled(gradient, state)
        update = update / jg.maximum(_rms(update) / self.clip_threshold, 1.0)
        update = rate * update
        if self.beta_1 is not None:
            update = self.beta_1 * state["exp_avg"] + (1 - self.beta_1) * update
            state["exp_avg"] = update
        if self.weight_decay != 0:
            parameter = parameter - parameter * (self.weight_decay * rate)
        return parameter - update

    def _relative_rate(self) -> jg.array:
        if not self.relative_step:
            return jg.asarray(self.learning_rate)
        step = self.step.astype(jg.float32)
        return jg.minimum(1e-6 * step if self.warmup_init else 1e-2, jg.rsqrt(step))

    def _scaled(self, gradient: jg.array, state: dict[str, Any]) -> jg.array:
        """The gradient over the root of the average of its squares."""
        dtype = gradient.dtype
        decay = self._once(
            ("decay", dtype),
            lambda: (1.0 - self.step.astype(jg.float32) ** self.decay_rate).astype(dtype),
        )
        square = gradient * gradient + self.eps[0]

        def average(name: str, now: jg.array) -> jg.array:
            state[name] = decay * state[name] + (1 - decay) * now
            return state[name]

        if gradient.ndim < 2:
            return jg.rsqrt(average("exp_avg_sq", square)) * gradient
        row = average("exp_avg_sq_row", jg.mean(square, axis=-1))
        column = average("exp_avg_sq_col", jg.mean(square, axis=-2))
        return _product_of_means(row, column) * gradient
