# SPDX-License-Identifier: Apache-2.0
"""Convolutions of (batch, ..., channels), as joggle.conv1d and its kin."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.linear import spread
from joggle.nn.layers.settings import are_sizes, size_of

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable

    Extents = int | tuple[int, ...]

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


def for_each_axis(name: str, axes: int, **settings: Extents) -> list[tuple[int, ...]]:
    """Each setting as one number for each axis of space."""
    found = []
    for argument, value in settings.items():
        is_one = size_of(value) is not None
        if not is_one and not isinstance(value, (list, tuple)):
            raise TypeError(
                f"[{name}] {argument}: got {value!r}, allowed are an int and {axes} of them"
            )
        extents = (value,) * axes if is_one else tuple(value)
        if len(extents) != axes:
            raise ValueError(
                f"[{name}] {argument}: got {value!r}, allowed are an int and {axes} of them"
            )
        for extent in extents:
            are_sizes(name, 0 if "padding" in argument else 1, **{argument: extent})
        found.append(extents)
    return found


def are_channels(name: str, inputs: int, outputs: int) -> None:
    are_sizes(name, 1, in_channels=inputs)
    are_sizes(name, out_channels=outputs)


class Convolving(Module):
    """A weight of (output channels, ...kernel, input channels of a group), and a bias."""

    _axes = 1
    _convolve: Callable[..., jg.array]

    def _make(self, inputs: int, outputs: int, kernel: tuple[int, ...], bias: bool) -> None:
        self.weight = spread(inputs * math.prod(kernel), (outputs, *kernel, inputs))
        if bias:
            self.bias = jg.zeros((outputs,))

    def _keep(self, settings: dict[str, Extents], extents: list[tuple[int, ...]]) -> None:
        """Settings become attributes: tuples of numbers where there are several axes."""
        for (name, value), numbers in zip(settings.items(), extents, strict=True):
            is_one = self._axes == 1 or name == "dilation"  # as MLX shows them
            # Not as setattr would: a tuple there would be an item of the module's tree.
            self.__dict__[name] = value if is_one else numbers

    def _shown(self, *settings: str) -> str:
        outputs, *kernel, inputs = self.weight.shape
        size = kernel[0] if self._axes == 1 else tuple(kernel)
        shown = "".join(f"{name}={getattr(self, name)}, " for name in settings)
        inputs *= getattr(self, "groups", 1)
        return f"{inputs}, {outputs}, kernel_size={size}, {shown}bias={'bias' in self}"

    def _with_bias(self, found: jg.array) -> jg.array:
        return found + self["bias"] if "bias" in self else found


class _Conv(Convolving):
    def _set(
        self,
        channels: tuple[int, int],
        kernel_size: Extents,
        stride: Extents,
        padding: Extents,
        dilation: Extents,
        groups: int,
        bias: bool,
    ) -> None:
        name = type(self).__name__
        are_channels(name, *channels)
        are_sizes(name, 1, groups=groups)
        if channels[0] % groups:
            raise ValueError(
                f"[{name}] groups: got {groups!r}, allowed are divisors of the {channels[0]} input "
                "channels"
            )
        settings = {"stride": stride, "padding": padding, "dilation": dilation}
        kernel, *extents = for_each_axis(name, self._axes, kernel_size=kernel_size, **settings)
        self._make(channels[0] // groups, channels[1], kernel, bias)
        self._keep(settings, extents)
        self.groups = groups

    def _extra_repr(self) -> str:
        groups = ("groups",) if self._axes < 3 else ()  # Conv3d has none to choose
        return self._shown("stride", "padding", "dilation", *groups)

    def __call__(self, x: jg.array) -> jg.array:
        convolve = (jg.conv1d, jg.conv2d, jg.conv3d)[self._axes - 1]
        found = convolve(
            x, self["weight"], self.stride, self.padding, self.dilation, groups=self.groups
        )
        return self._with_bias(found)


class Conv1d(_Conv):
    """A convolution along one axis: (batch, length, channels).

    >>> jg.nn.Conv1d(3, 8, kernel_size=5, padding=2)(jg.ones((2, 10, 3))).shape
    (2, 10, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        channels = in_channels, out_channels
        self._set(channels, kernel_size, stride, padding, dilation, groups, bias)


class Conv2d(_Conv):
    """A convolution of images: (batch, height, width, channels).

    >>> jg.nn.Conv2d(3, 8, kernel_size=3, stride=2)(jg.ones((2, 9, 9, 3))).shape
    (2, 4, 4, 8)
    """

    _axes = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extents,
        stride: Extents = 1,
        padding: Extents = 0,
        dilation: Extents = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        channels = in_channels, out_channels
        self._set(channels, kernel_size, stride, padding, dilation, groups, bias)


class Conv3d(_Conv):
    """A convolution of volumes: (batch, depth, height, width, channels).

    >>> jg.nn.Conv3d(3, 8, kernel_size=2)(jg.ones((2, 4, 4, 4, 3))).shape
    (2, 3, 3, 3, 8)
    """

    _axes = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extents,
        stride: Extents = 1,
        padding: Extents = 0,
        dilation: Extents = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self._set((in_channels, out_channels), kernel_size, stride, padding, dilation, 1, bias)
