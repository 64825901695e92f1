# SPDX-License-Identifier: Apache-2.0
"""The computation of a module as a function of its parameters, for the transformations."""

from __future__ import annotations

import functools

import joggle as jg
from joggle import _core
from joggle.nn.layers.base import Module

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["checkpoint", "is_module", "of_parameters"]


def is_module(name: str, argument: str, value: Any) -> None:
    if not isinstance(value, Module):
        raise TypeError(
            f"[{name}] {argument}: got {type(value).__name__}, allowed is a joggle.nn.Module"
        )


def of_parameters(
    transform: Callable[..., Any], module: Module, fn: Callable[..., Any]
) -> Callable[..., Any]:
    """transform applied to fn as a function of the module's trainable parameters and its arguments.

    The module has its own parameters again after each call, but for those that fn has set.
    """

    def run(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        before = _core._tree_pick(parameters, module)
        try:
            module.update(parameters)
            return fn(*args, **kwargs)
        finally:
            _core._tree_put_back(parameters, before, module)

    transformed = transform(run)

    @functools.wraps(fn, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return transformed(module.trainable_parameters(), *args, **kwargs)

    return call


def checkpoint(module: Module, fn: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """fn, or else the module, as a function whose inner values are computed again for derivatives.

    >>> layer = jg.nn.Linear(2, 3)
    >>> jg.nn.utils.checkpoint(layer)(jg.ones((4, 2))).shape
    (4, 3)
    """
    is_module("checkpoint", "module", module)
    return of_parameters(jg.checkpoint, module, module if fn is None else fn)
