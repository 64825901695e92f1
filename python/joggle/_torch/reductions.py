# SPDX-License-Identifier: Apache-2.0
"""Reductions, running sums and orders as torch has them."""

import torch

from joggle import _core
from joggle._torch.dtypes import cast, computing


def axes_of(x, dim):
    """The axes that a reduction goes over; none named are all."""
    if dim is None or dim == []:
        return tuple(range(x.ndim))
    dims = [dim] if isinstance(dim, int) else dim
    return tuple(d % x.ndim if x.ndim else 0 for d in dims) if x.ndim else ()


def reduction(fun):
    """Computed in the dtype of the result; 0-d arrays have no axes."""

    def spell(node, x, dim=None, keepdim=False, dtype=None):
        x = cast(x, computing(node.like.dtype))
        return cast(fun(x, axes_of(x, dim), keepdim), node.like.dtype)

    return spell


def total(x, axes, keepdim):
    return _core.sum(x, axis=axes, keepdims=keepdim)


def product(x, axes, keepdim):
    return _core.prod(x, axis=axes, keepdims=keepdim)


def mean(x, axes, keepdim):
    return _core.mean(x, axis=axes, keepdims=keepdim)


def largest(x, axes, keepdim):
    return _core.max(x, axis=axes, keepdims=keepdim) if axes else x


def smallest(x, axes, keepdim):
    return _core.min(x, axis=axes, keepdims=keepdim) if axes else x


def any_of(node, x, dim=None, keepdim=False):
    found = _core.any(cast(x, torch.bool), axis=axes_of(x, dim), keepdims=keepdim)
    return cast(found, node.like.dtype)


def variance(node, x, dim=None, unbiased=True, keepdim=False, correction=None):
    return _variance(node, x, dim, keepdim, 1 if unbiased is True else 0)


def variance_corrected(node, x, dim=None, correction=None, keepdim=False):
    return _variance(node, x, dim, keepdim, 1 if correction is None else correction)


def variance_and_mean(node, x, dim=None, correction=None, keepdim=False):
    like = node.like[0].dtype
    correction = 1 if correction is None else correction
    found = _spread(cast(x, computing(like)), dim, keepdim, correction)
    middle = mean(cast(x, computing(like)), axes_of(x, dim), keepdim)
    return cast(found, like), cast(middle, like)


def _variance(node, x, dim, keepdim, correction):
    x = cast(x, computing(node.like.dtype))
    return cast(_spread(x, dim, keepdim, correction), node.like.dtype)


def _spread(x, dim, keepdim, correction):
    """The divisor is at least 0, so too few elements give NaN or infinity."""
    axes = axes_of(x, dim)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    deviation = _core.subtract(x, _core.mean(x, axis=axes, keepdims=True))
    squares = _core.sum(_core.multiply(deviation, deviation), axis=axes, keepdims=keepdim)
    return _core.divide(squares, float(max(count - correction, 0)))


def vector_norm(node, x, ord=2, dim=None, keepdim=False, dtype=None):
    x = cast(x, computing(node.like.dtype))
    found = _core.linalg_vector_norm(x, axis=axes_of(x, dim), keepdims=keepdim, ord=float(ord))
    return cast(found, node.like.dtype)


def place_of(fun):
    """argmax and argmin: the first of equals, NaN before all."""

    def spell(node, x, dim=None, keepdim=False):
        return _place(fun, x, dim, keepdim)

    return spell


def _place(fun, x, dim, keepdim):
    x = cast(x, torch.uint8) if x.dtype == _core.dtype("bool") else x
    if x.ndim == 0:
        return _core.full((), 0, dtype="int64")
    return _core.astype(fun(x, axis=dim, keepdims=keepdim), _core.dtype("int64"))


def extremum(fun, place):
    """max and min along an axis, with the place of each."""

    def spell(node, x, dim, keepdim=False):
        if x.ndim == 0:
            return x, _core.full((), 0, dtype="int64")
        return fun(x, axis=dim, keepdims=keepdim), _place(place, x, dim, keepdim)

    return spell


def running_sum(node, x, dim, dtype=None):
    """torch begins with 0, so that no sum of negative zeros is one."""
    x = cast(x, computing(node.like.dtype))
    found = _core.cumsum(x, axis=dim) if x.ndim else x
    is_float = node.like.dtype.is_floating_point
    return cast(_core.add(found, 0.0) if is_float else found, node.like.dtype)


def sort(node, x, dim=-1, descending=False):
    if x.ndim == 0:
        return x, _core.full((), 0, dtype="int64")
    order = _core.argsort(x, axis=dim, descending=descending)
    return _core.take_along_axis(x, order, axis=dim), _core.astype(order, _core.dtype("int64"))


def sort_stable(node, x, stable=None, dim=-1, descending=False):
    return sort(node, x, dim, descending)


def is_stable(node):
    """torch leaves equal bools in another order where it is not told otherwise."""
    return node.given[0].dtype is not torch.bool


def has_elements(node):
    """Reductions without a first element need elements."""
    return node.given[0].numel() > 0


def has_order(node):
    """torch refuses places of bools."""
    return has_elements(node) and node.given[0].dtype is not torch.bool
