# SPDX-License-Identifier: Apache-2.0
"""Modules that call others."""

from __future__ import annotations

from joggle.nn.layers.base import Module

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable

    import joggle as jg

__all__ = ["Sequential"]


class Sequential(Module):
    """Calls modules, or functions, one after the other, each with the result of the one before.

    >>> jg.nn.Sequential(jg.nn.ReLU(), jg.square)(jg.array([-1.0, 3.0]))
    array([0., 9.], dtype=float32)
    """

    def __init__(self, *modules: Callable[[jg.array], jg.array]) -> None:
        super().__init__()
        self.layers = list(modules)

    def __call__(self, x: jg.array) -> jg.array:
        for layer in self.layers:
            x = layer(x)
        return x
