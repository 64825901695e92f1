# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions, as joggle.conv_transpose1d and its kin."""

from __future__ import annotations

import joggle as jg
from joggle.nn.layers.convolution import Convolving, are_channels, for_each_axis

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from joggle.nn.layers.convolution import Extents

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _ConvTranspose(Convolving):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extents,
        stride: Extents = 1,
        padding: Extents = 0,
        dilation: Extents = 1,
        output_padding: Extents = 0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        settings = {
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "output_padding": output_padding,
        }
        name = type(self).__name__
        are_channels(name, in_channels, out_channels)
        kernel, *extents = for_each_axis(name, self._axes, kernel_size=kernel_size, **settings)
        self._make(in_channels, out_channels, kernel, bias)
        self._keep(settings, extents)

    def _extra_repr(self) -> str:
        return self._shown("stride", "padding", "dilation", "output_padding")

    def __call__(self, x: jg.array) -> jg.array:
        convolve = (jg.conv_transpose1d, jg.conv_transpose2d, jg.conv_transpose3d)[self._axes - 1]
        found = convolve(
            x, self["weight"], self.stride, self.padding, self.dilation, self.output_padding
        )
        return self._with_bias(found)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of a convolution along one axis: strides make the result longer.

    >>> jg.nn.ConvTranspose1d(3, 8, kernel_size=2, stride=2)(jg.ones((2, 5, 3))).shape
    (2, 10, 8)
    """


class ConvTranspose2d(_ConvTranspose):
    """The transpose of a convolution of images (batch, height, width, channels).

    >>> jg.nn.ConvTranspose2d(3, 8, kernel_size=2, stride=2)(jg.ones((2, 4, 4, 3))).shape
    (2, 8, 8, 8)
    """

    _axes = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of a convolution of volumes (batch, depth, height, width, channels).

    >>> jg.nn.ConvTranspose3d(3, 8, kernel_size=2)(jg.ones((2, 3, 3, 3, 3))).shape
    (2, 4, 4, 4, 8)
    """

    _axes = 3
