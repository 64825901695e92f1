# SPDX-License-Identifier: Apache-2.0
"""Dropout: in training, elements or whole channels are set to 0 at random."""

from __future__ import annotations

import numbers

import joggle as jg
from joggle.nn.layers.base import Module

__all__ = ["Dropout", "Dropout2d", "Dropout3d"]


class _Dropping(Module):
    """The base of the three layers. It has the number of axes before the channels that are dropped
    as one."""

    _spatial = 0

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(p, numbers.Real):
            raise TypeError(
                f"[{type(self).__name__}] p: got {p!r}, allowed are numbers from 0 and below 1"
            )
        if not 0 <= p < 1:
            raise ValueError(
                f"[{type(self).__name__}] p: got {p!r}, allowed are numbers from 0 and below 1"
            )
        self._p_1 = 1 - p

    def _extra_repr(self) -> str:
        return f"p={1 - self._p_1}"

    def __call__(self, x: jg.array) -> jg.array:
        spatial = self._spatial
        if spatial and x.ndim not in (spatial + 1, spatial + 2):
            raise ValueError(
                f"[{type(self).__name__}] x: got {x.ndim} axes, allowed are {spatial + 1} and "
                f"{spatial + 2}"
            )
        if self._p_1 == 1 or not self.training:
            return x
        shape = list(x.shape)
        for axis in range(-1 - spatial, -1):
            shape[axis] = 1
        return jg.where(jg.random.bernoulli(self._p_1, tuple(shape)), x * (1 / self._p_1), 0)


class Dropout(_Dropping):
    """Sets each element to 0 with probability p in training, and scales up the others.

    >>> jg.nn.Dropout(0.25).eval()(jg.ones((3,)))
    array([1., 1., 1.], dtype=float32)
    """


class Dropout2d(_Dropping):
    """Dropout of whole channels of images (..., height, width, channels).

    >>> jg.nn.Dropout2d(0.5)(jg.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

    _spatial = 2


class Dropout3d(_Dropping):
    """Dropout of whole channels of volumes (..., depth, height, width, channels).

    >>> jg.nn.Dropout3d(0.5)(jg.ones((2, 2, 2, 3))).shape
    (2, 2, 2, 3)
    """

    _spatial = 3
