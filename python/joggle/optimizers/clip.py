# SPDX-License-Identifier: Apache-2.0
"""Limits of gradients."""

from __future__ import annotations

import numbers
from typing import Any

import joggle as jg
from joggle.utils import tree_flatten, tree_map

__all__ = ["clip_grad_norm"]


def clip_grad_norm(grads: Any, max_norm: float) -> tuple[Any, jg.array]:
    """The gradients, scaled so that their common norm is at most max_norm, and the norm they had.

    >>> grads, norm = jg.optimizers.clip_grad_norm({"a": jg.array([3.0, 4.0])}, 1.0)
    >>> norm
    array(5., dtype=float32)
    """
    if not isinstance(max_norm, (numbers.Real, jg.array)):
        raise TypeError(f"[clip_grad_norm] max_norm: got {max_norm!r}, allowed are numbers from 0")
    if not max_norm >= 0:
        raise ValueError(f"[clip_grad_norm] max_norm: got {max_norm!r}, allowed are numbers from 0")
    total = jg.array(0.0, dtype=jg.float32)
    for _, gradient in tree_flatten(grads):
        if jg.isdtype(gradient.dtype, "complex floating"):
            gradient = jg.abs(gradient)
        wide = gradient if gradient.dtype == jg.float64 else gradient.astype(jg.float32)
        total = total + jg.sum(wide * wide)
    norm = jg.sqrt(total)
    scale = jg.minimum(max_norm / (norm + 1e-6), 1.0)

    def scaled(gradient: jg.array) -> jg.array:
        if jg.isdtype(gradient.dtype, ("bool", "integral")):  # of what has none: zeros
            return gradient
        is_float = jg.isdtype(gradient.dtype, "real floating")
        return (gradient * scale).astype(gradient.dtype) if is_float else gradient * scale

    return tree_map(scaled, grads), norm
