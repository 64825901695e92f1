# SPDX-License-Identifier: Apache-2.0
"""The largest or the mean of each window of (batch, ..., channels)."""

from __future__ import annotations

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.convolution import for_each_axis

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from joggle.nn.layers.convolution import Extents

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]


class _Pool(Module):
    """Windows of kernel_size, stride apart (kernel_size by default), over padding on both sides."""

    _function = ""  # of joggle
    _axes = 1
    _outside = 0.0  # the elements of the padding

    def __init__(
        self, kernel_size: Extents, stride: Extents | None = None, padding: Extents = 0
    ) -> None:
        super().__init__()
        name = type(self).__name__
        stride = kernel_size if stride is None else stride
        settings = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
        axes = self._axes
        for (argument, value), least, extents in zip(
            settings.items(), (1, 1, 0), for_each_axis(name, axes, **settings), strict=True
        ):
            if not all(isinstance(extent, int) and extent >= least for extent in extents):
                raise ValueError(f"[{name}] {argument}: got {value!r}, allowed are from {least} on")
            self.__dict__[f"_{argument}"] = extents  # a tuple as an attribute would be an item

    def _extra_repr(self) -> str:
        return f"kernel_size={self._kernel_size}, stride={self._stride}, padding={self._padding}"

    def _count_windows(self, x: jg.array) -> list[int]:
        """Along each axis; below 0 where more than a stride is missing, as in MLX."""
        settings = zip(x.shape[1:-1], self._kernel_size, self._stride, self._padding, strict=False)
        return [(n + 2 * pad - size) // stride + 1 for n, size, stride, pad in settings]

    def __call__(self, x: jg.array) -> jg.array:
        function, padding = getattr(jg, self._function), self._padding
        counts = self._count_windows(x)
        if len(counts) == self._axes and min(counts) == 0:  # which the function refuses
            return jg.zeros((x.shape[0], *counts, x.shape[-1]), x.dtype, device=x.device)
        if any(2 * n > size for n, size in zip(padding, self._kernel_size, strict=True)):
            # The function takes no windows that lie in the padding alone.
            x = jg.pad(x, [(0, 0), *((n, n) for n in padding), (0, 0)], "constant", self._outside)
            padding = (0,) * self._axes
        return function(x, self._kernel_size, self._stride, padding)


class MaxPool1d(_Pool):
    """The largest of each window of (batch, length, channels).

    >>> jg.nn.MaxPool1d(2)(jg.ones((1, 8, 3))).shape
    (1, 4, 3)
    """

    _function, _axes, _outside = "max_pool1d", 1, -float("inf")


class AvgPool1d(_Pool):
    """The mean of each window of (batch, length, channels).

    >>> jg.nn.AvgPool1d(2)(jg.ones((1, 8, 3))).shape
    (1, 4, 3)
    """

    _function, _axes = "avg_pool1d", 1


class MaxPool2d(_Pool):
    """The largest of each window of images (batch, height, width, channels).

    >>> jg.nn.MaxPool2d(2)(jg.ones((1, 8, 8, 3))).shape
    (1, 4, 4, 3)
    """

    _function, _axes, _outside = "max_pool2d", 2, -float("inf")


class AvgPool2d(_Pool):
    """The mean of each window of images (batch, height, width, channels).

    >>> jg.nn.AvgPool2d(2)(jg.ones((1, 8, 8, 3))).shape
    (1, 4, 4, 3)
    """

    _function, _axes = "avg_pool2d", 2


class MaxPool3d(_Pool):
    """The largest of each window of volumes (batch, depth, height, width, channels).

    >>> jg.nn.MaxPool3d(2)(jg.ones((1, 8, 8, 8, 3))).shape
    (1, 4, 4, 4, 3)
    """

    _function, _axes, _outside = "max_pool3d", 3, -float("inf")


class AvgPool3d(_Pool):
    """The mean of each window of volumes (batch, depth, height, width, channels).

    >>> jg.nn.AvgPool3d(2)(jg.ones((1, 8, 8, 8, 3))).shape
    (1, 4, 4, 4, 3)
    """

    _function, _axes = "avg_pool3d", 3
