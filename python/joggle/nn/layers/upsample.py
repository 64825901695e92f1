# SPDX-License-Identifier: Apache-2.0
"""Images and the like made larger or smaller: the axes of space one after the other."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable

    Taps = list[tuple[jg.array, jg.array]]

__all__ = ["Upsample", "upsample_cubic", "upsample_linear", "upsample_nearest"]


def _triangle(distance: jg.array) -> jg.array:
    return jg.maximum(1 - distance, 0)


def _cubic(a: float) -> Callable[[jg.array], jg.array]:
    """The kernel of Keys, "Cubic convolution interpolation" (1981), section 3."""

    def kernel(distance: jg.array) -> jg.array:
        near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
        far = (((distance - 5) * distance + 8) * distance - 4) * a
        return jg.where(distance <= 1, near, jg.where(distance <= 2, far, 0))

    return kernel


_KERNELS = {  # by mode and antialias: the kernel, and how far it reaches
    ("linear", False): (_triangle, 1),
    ("linear", True): (_triangle, 1),
    ("cubic", False): (_cubic(-0.75), 2),
    ("cubic", True): (_cubic(-0.5), 2),  # as PyTorch and Pillow have it
}


def _positions(extent: int, scale: float, align_corners: bool) -> jg.array:
    """The positions of the result's elements among extent elements."""
    count = int(scale * extent)
    places = jg.arange(count, dtype=jg.float32)
    if align_corners:
        return places * ((extent - 1) / max(count - 1, 1))
    step = 1 / scale
    return places * step - ((count - 1) * step - extent + 1) / 2


def _nearest(extent: int, scale: float) -> jg.array:
    count = int(scale * extent)
    places = jg.arange(count, dtype=jg.float32)
    if count > extent:
        return jg.round((places + 0.5) * (extent / count) - 0.5).astype(jg.int32)
    return (places * (extent / count)).astype(jg.int32)


def _taps(extent: int, scale: float, align_corners: bool, mode: str, antialias: bool) -> Taps:
    """The elements that each of the result is made of: their numbers, and their weights."""
    kernel, reach = _KERNELS[mode, antialias]
    spread = max(1 / scale, 1.0) if antialias else 1.0
    positions = _positions(extent, scale, align_corners)
    if not antialias and mode == "linear":
        positions = jg.clip(positions, 0, extent - 1)
    first = jg.floor(positions)
    around = math.ceil(reach * spread)
    # Without antialias the reach is exact: what lies further has weight 0.
    offsets = range(-around, around + 1) if antialias else range(1 - reach, 1 + reach)
    numbers = [first + offset for offset in offsets]
    weights = [kernel(jg.abs(positions - number) / spread) for number in numbers]
    if antialias:  # what lies outside has no part
        inside = [(number >= 0) & (number < extent) for number in numbers]
        weights = [jg.where(x, w, 0) for x, w in zip(inside, weights, strict=True)]
        total = sum(weights[1:], weights[0])
        weights = [weight / jg.where(total > 0, total, 1) for weight in weights]
    chosen = [jg.clip(number, 0, extent - 1).astype(jg.int32) for number in numbers]
    return list(zip(chosen, weights, strict=True))


def _checked(x: jg.array, scale_factor: float | tuple[float, ...]) -> tuple[float, ...]:
    axes = x.ndim - 2
    if axes < 1:
        raise ValueError(
            f"[Upsample] x: got {x.ndim} axes, allowed are 3 and more: batch, ..., channels"
        )
    scales = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * axes
    if len(scales) != axes:
        raise ValueError(
            f"[Upsample] scale_factor: got {scales!r}, allowed is a number for each of {axes} axes"
        )
    return scales


def _interpolated(
    x: jg.array,
    scale_factor: float | tuple[float, ...],
    align_corners: bool,
    mode: str,
    antialias: bool,
) -> jg.array:
    if antialias and align_corners:
        raise ValueError("[Upsample] align_corners: got True, allowed with antialias is False")
    for axis, scale in enumerate(_checked(x, scale_factor), start=1):
        shape = [1] * x.ndim
        shape[axis] = -1
        parts = [
            jg.take(x, numbers, axis=axis) * weights.reshape(shape)
            for numbers, weights in _taps(x.shape[axis], scale, align_corners, mode, antialias)
        ]
        x = sum(parts[1:], parts[0])
    return x


def upsample_nearest(x: jg.array, scale_factor: float | tuple[float, ...]) -> jg.array:
    """Each element of the result is the nearest one of x (batch, ..., channels).

    >>> jg.nn.layers.upsample.upsample_nearest(jg.array([[[1.0], [2.0]]]), 2).reshape(-1)
    array([1., 1., 2., 2.], dtype=float32)
    """
    for axis, scale in enumerate(_checked(x, scale_factor), start=1):
        if scale == int(scale):
            x = jg.repeat(x, int(scale), axis=axis)
        else:
            x = jg.take(x, _nearest(x.shape[axis], scale), axis=axis)
    return x


def upsample_linear(
    x: jg.array,
    scale_factor: float | tuple[float, ...],
    align_corners: bool = False,
    antialias: bool = False,
) -> jg.array:
    """Each element of the result is a mean of its neighbours in x, by their distance.

    >>> upsample_linear = jg.nn.layers.upsample.upsample_linear
    >>> upsample_linear(jg.array([[[1.0], [2.0]]]), 2).reshape(-1)
    array([1.  , 1.25, 1.75, 2.  ], dtype=float32)
    """
    return _interpolated(x, scale_factor, align_corners, "linear", antialias)


def upsample_cubic(
    x: jg.array,
    scale_factor: float | tuple[float, ...],
    align_corners: bool = False,
    antialias: bool = False,
) -> jg.array:
    """Each element of the result is that of a cubic through its neighbours in x.

    >>> jg.nn.layers.upsample.upsample_cubic(jg.ones((1, 4, 1)), 2).shape
    (1, 8, 1)
    """
    return _interpolated(x, scale_factor, align_corners, "cubic", antialias)


class Upsample(Module):
    """Makes the axes of space of (batch, ..., channels) larger or smaller by scale_factor.

    mode is "nearest", "linear" or "cubic". With align_corners the first and last elements stay
    where they are. With antialias a smaller result is of all elements, not of some.

    >>> jg.nn.Upsample(2, mode="linear")(jg.ones((1, 4, 4, 3))).shape
    (1, 8, 8, 3)
    """

    def __init__(
        self,
        scale_factor: float | tuple[float, ...],
        mode: str = "nearest",
        align_corners: bool = False,
        antialias: bool = False,
    ) -> None:
        super().__init__()
        if mode not in ("nearest", "linear", "cubic"):
            raise ValueError(
                f'[Upsample] mode: got {mode!r}, allowed are "nearest", "linear" and "cubic"'
            )
        if antialias and (mode == "nearest" or align_corners):
            raise ValueError(
                '[Upsample] antialias: got True, allowed with "nearest" and align_corners is False'
            )
        if isinstance(scale_factor, (list, tuple)):
            # Not as an attribute of a module: a tuple there would be an item of the tree.
            self.__dict__["scale_factor"] = tuple(float(scale) for scale in scale_factor)
        else:
            self.scale_factor = float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.antialias = antialias

    def _extra_repr(self) -> str:
        shown = (
            f"scale_factor={self.scale_factor}, mode={self.mode!r}, "
            f"align_corners={self.align_corners}"
        )
        return shown + (", antialias=True" if self.antialias else "")

    def __call__(self, x: jg.array) -> jg.array:
        if self.mode == "nearest":
            return upsample_nearest(x, self.scale_factor)
        return _interpolated(x, self.scale_factor, self.align_corners, self.mode, self.antialias)
