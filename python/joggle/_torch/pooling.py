# SPDX-License-Identifier: Apache-2.0
"""Poolings as torch has them."""

import itertools
import math

import torch

from joggle import _core
from joggle._torch import indexing
from joggle._torch.dtypes import OURS, cast, computing, is_float
from joggle._transforms import vjp

_FIRST = "channels_first"


def average_pool(fun):
    def spell(node, x, size, stride=(), padding=0, ceil_mode=False, counted=True, divisor=None):
        wide = computing(node.like.dtype)
        batched = x.ndim == len(size) + 2
        x = cast(x if batched else x[None], wide)
        found = _averaged(fun, x, size, stride, padding, ceil_mode, counted, divisor)
        return cast(found if batched else found[0], node.like.dtype)

    return spell


def _averaged(fun, x, size, stride, padding, ceil_mode, counted, divisor):
    count = x.ndim - 2
    size, padding = _each(size, count), _each(padding, count)
    stride = _each(stride, count) if stride else size
    return fun(x, size, stride, padding, ceil_mode, counted, divisor, data_format=_FIRST)


def _each(value, count):
    if isinstance(value, int):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)


def average_pool_backward(fun):
    def spell(node, gradient, x, size, stride, padding, ceil_mode, counted, divisor):
        batched = x.ndim == len(size) + 2
        if not batched:
            x, gradient = x[None], gradient[None]
        window = (size, stride, padding, ceil_mode, counted, divisor)
        _, pull = vjp(lambda x: _averaged(fun, x, *window), [x])
        (found,) = pull([gradient])
        return found if batched else found[0]

    return spell


def largest_of_windows(fun):
    """The largest elements; their places only where somebody asks for them."""

    def spell(node, x, size, stride=(), padding=0, dilation=1, ceil_mode=False):
        count = len(size)
        size = _each(size, count)
        stride = _each(stride, count) if stride else size
        padding, dilation = _each(padding, count), _each(dilation, count)
        if any(user.args[1] == 1 for user in node.users):
            return _with_places(node, x, size, stride, padding, dilation)
        batched = x.ndim == count + 2
        x = x if batched else x[None]
        found = fun(x, size, stride, padding, dilation, ceil_mode, data_format=_FIRST)
        return found if batched else found[0], None

    return spell


def _with_places(node, x, size, stride, padding, dilation):
    """Window by window element: each in turn is compared with the largest so far. The first of
    equals holds, and the last NaN."""
    count = len(size)
    spaces, outs = x.shape[-count:], tuple(node.like[0].shape[-count:])
    steps = _Steps(spaces, outs, stride, padding, dilation)
    x = steps.padded(x, size)
    best = _core.full((), -math.inf, dtype=x.dtype)
    places = steps.first()
    for offsets in itertools.product(*map(range, size)):
        value = x[steps.of(offsets)]
        is_better = _core.logical_or(_core.greater(value, best), _core.isnan(value))
        best = _core.where(is_better, value, best)
        places = _core.where(is_better, steps.places(offsets), places)
    return best, _core.astype(places, OURS[torch.int64])


class _Steps:
    """The positions of the elements of windows: numbers in row-major order of the axes in space."""

    def __init__(self, spaces, outs, stride, padding, dilation):
        self.spaces, self.outs, self.stride = spaces, outs, stride
        self.padding, self.dilation = padding, dilation
        small = math.prod(spaces) < 1 << 31
        self.dtype = OURS[torch.int32 if small else torch.int64]

    def padded(self, x, size):
        """x with elements that are no window's largest around it, as far as windows reach."""
        widths = [(0, 0)] * (x.ndim - len(size))
        for extent, out, s, p, d, k in zip(
            self.spaces, self.outs, self.stride, self.padding, self.dilation, size, strict=True
        ):
            widths.append((p, max((out - 1) * s + (k - 1) * d + 1 - p - extent, 0)))
        if not any(low or high for low, high in widths):
            return x
        least = _core.full((), -math.inf, dtype=x.dtype)
        return _core.pad(x, widths, constant_values=least)

    def of(self, offsets):
        """The index of what all windows have at the offsets."""
        steps = zip(offsets, self.dilation, self.outs, self.stride, strict=True)
        return (
            ...,
            *(slice(i * d, i * d + (out - 1) * s + 1, s) for i, d, out, s in steps),
        )

    def _along(self, axis):
        """The positions along an axis at which windows begin; they are below 0 in the padding."""
        begins = _core.astype(_core.arange(self.outs[axis]), self.dtype)
        begins = _core.subtract(_core.multiply(begins, self.stride[axis]), self.padding[axis])
        return _core.reshape(begins, (-1,) + (1,) * (len(self.outs) - axis - 1))

    def _numbers(self, along):
        found = along[0]
        for extent, next_axis in zip(self.spaces[1:], along[1:], strict=True):
            found = _core.add(_core.multiply(found, extent), next_axis)
        return found

    def places(self, offsets):
        return self._numbers(
            [_core.add(self._along(a), i * self.dilation[a]) for a, i in enumerate(offsets)]
        )

    def first(self):
        """The first element of each window that is no padding."""
        along = []
        for axis, step in enumerate(self.dilation):
            begins = self._along(axis)
            before = _core.maximum(_core.negative(begins), 0)
            missed = _core.floor_divide(_core.add(before, step - 1), step)
            along.append(_core.add(begins, _core.multiply(missed, step)))
        return _core.broadcast_to(self._numbers(along), self.outs)


def largest_backward(node, gradient, x, size, stride, padding, dilation, ceil_mode, places):
    """Each gradient goes to the place of the window's largest element."""
    count = len(size)
    lead, shape = x.shape[: x.ndim - count], tuple(node.like.shape)
    rows = math.prod(lead)
    flat = _core.zeros((rows, math.prod(shape[x.ndim - count :])), dtype=gradient.dtype)
    gradient, places = (_core.reshape(a, (rows, -1)) for a in (gradient, places))
    found = indexing.scatter_add(node, flat, 1, places, gradient)
    return _core.reshape(found, shape)


def is_of_floats(node):
    return is_float(node.given[0].dtype) and node.given[0].numel() > 0


def adaptive_pool(node, x, size):
    """Windows that are all alike: their extent is the quotient."""
    count = len(size)
    space = x.shape[x.ndim - count :]
    x = cast(x, computing(node.like.dtype))
    shape = list(x.shape[: x.ndim - count])
    axes = []
    for extent, wanted in zip(space, size, strict=True):
        shape += [wanted, extent // wanted]
        axes.append(len(shape) - 1)
    return cast(_core.mean(_core.reshape(x, tuple(shape)), axis=tuple(axes)), node.like.dtype)


def is_even(node):
    """Whether the windows of an adaptive pooling are all alike."""
    x, size = node.given[0], node.given[1]
    space = x.shape[x.dim() - len(size) :]
    return x.numel() > 0 and all(w > 0 and e % w == 0 for e, w in zip(space, size, strict=True))
