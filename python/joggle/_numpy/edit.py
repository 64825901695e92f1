# SPDX-License-Identifier: Apache-2.0
"""Arrays with elements put in, taken out, or in another order; the results are new arrays."""

import math as _math
import operator as _operator

from joggle import _core, _errors
from joggle._numpy._arguments import at_least_axes as _at_least_axes
from joggle._numpy._arguments import axis_of as _axis_of
from joggle._numpy._arguments import cycled as _cycled
from joggle._numpy._arguments import in_range as _in_range
from joggle._numpy._arguments import leading_ones as _leading_ones
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of
from joggle._numpy._arguments import whole as _whole


def _along(arr, axis, name):
    """arr and the axis to work along: of a vector of all elements, if none is given."""
    arr = _core.asarray(arr)
    if axis is None:
        return _core.ravel(arr), 0
    return arr, _axis_of(axis, arr.ndim, name)


def _part(x, axis, start, stop):
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _places(obj, extent, most, name):
    """The integers that obj means, 0-d if it is one, from 0 on. Computes arrays."""
    if isinstance(obj, slice):
        return _core.arange(*obj.indices(extent), dtype=_core.int64)
    places = _core.asarray(obj)
    if places.ndim > 1:
        raise ValueError(f"[{name}] obj: has {places.ndim} axes, allowed are at most one")
    if places.dtype == _core.bool and places.ndim == 1:
        return _core.nonzero(places)[0]
    places = _whole(obj, name, "obj")
    _in_range(places, -extent, most, name, "obj")
    return _core.where(places < 0, places + extent, places)


@_on_stream
def insert(arr, obj, values, axis=None, *, stream=None):
    """arr with values put in before the indices obj along an axis; without one, into a vector.

    obj is an integer, a sequence of them, a slice or a mask; several indices count in arr as it
    was. values are cast to the dtype of arr. shape: that of arr, longer along the axis.
    AxisError for axis and indices, ValueError for values that do not fit.

    >>> jg.insert(jg.array([1, 2, 3]), [1, 1], [8, 9])
    array([1, 8, 9, 2, 3], dtype=int64)
    """
    arr, axis = _along(arr, axis, "insert")
    extent = arr.shape[axis] if arr.ndim else 1
    places = _places(obj, extent, extent + 1, "insert")
    values = _leading_ones(_core.asarray(values).astype(arr.dtype, copy=False), arr.ndim)
    if places.ndim == 0:
        values = _core.moveaxis(values, 0, axis)
    count = values.shape[axis] if places.size == 1 else places.size
    added = _core.broadcast_to(values, (*arr.shape[:axis], count, *arr.shape[axis + 1 :]))
    if places.size == 1:
        place = places.item()
        return _core.concat(
            [_part(arr, axis, None, place), added, _part(arr, axis, place, None)], axis
        )
    # The sort keeps the order of equal places, so inserted elements come before the old ones.
    order = _core.argsort(_core.concat([places, _core.arange(extent)]))
    return _core.take(_core.concat([added, arr], axis), order, axis)


def _kept(obj, extent):
    """A mask of what is left without the elements that obj says. Computes arrays."""
    mask = _core.asarray(obj) if not isinstance(obj, slice) else None
    if mask is not None and mask.dtype == _core.bool:
        if mask.shape != (extent,):
            raise ValueError(f"[delete] obj: has shape {mask.shape}, allowed is ({extent},)")
        return _core.logical_not(mask)
    places = _core.reshape(_places(obj, extent, extent, "delete"), (-1,))
    kept = _core.ones((extent,), dtype=_core.bool)
    kept[places] = False
    return kept


@_on_stream
def delete(arr, obj, axis=None, *, stream=None):
    """arr without the elements at the indices obj along an axis; without one, of a vector.

    obj is an integer, a sequence of them, a slice or a mask. dtypes: unchanged.
    shape: that of arr, shorter along the axis.
    AxisError for axis, IndexError for indices, ValueError for a mask that does not fit.

    >>> jg.delete(jg.array([[1, 2, 3], [4, 5, 6]]), 1, axis=1)
    array([[1, 3],
           [4, 6]], dtype=int64)
    """
    arr, axis = _along(arr, axis, "delete")
    extent = arr.shape[axis]
    if isinstance(obj, int) and not isinstance(obj, bool):
        place = _place_of(obj, extent)
        return _core.concat(
            [_part(arr, axis, None, place), _part(arr, axis, place + 1, None)], axis
        )
    return _core.compress(_kept(obj, extent), arr, axis)


def _place_of(obj, extent):
    """The place counted from the beginning of an axis of `extent` elements."""
    if -extent <= obj < extent:
        return obj % extent
    among = f"is {-extent} to {extent - 1}" if extent else "are none"
    raise IndexError(f"[delete] obj: got {obj}, allowed for {extent} elements {among}")


@_on_stream
def resize(a, new_shape, *, stream=None):
    """An array of that shape with the elements of a, over and over or as many as fit.

    dtypes: unchanged. An a without elements gives zeros. ValueError for negative extents.

    >>> jg.resize(jg.array([1, 2, 3]), (2, 2))
    array([[1, 2],
           [3, 1]], dtype=int64)
    """
    a = _core.asarray(a)
    shape = new_shape if isinstance(new_shape, (list, tuple)) else (new_shape,)
    shape = tuple(map(_operator.index, shape))
    if any(extent < 0 for extent in shape):
        raise ValueError(f"[resize] new_shape: got {shape}, allowed are 0 and above")
    if a.size == 0:
        return _core.zeros(shape, dtype=a.dtype)
    return _core.copy(_core.reshape(_cycled(a, _math.prod(shape)), shape))


@_on_stream
def trim_zeros(filt, trim="fb", axis=None, *, stream=None):
    """filt without the zeros at its front ("f"), its back ("b") or both. Computes filt.

    Of several axes, without those slices of the axes given, or of all of them, that are zero.
    AxisError for axis, ValueError for trim.

    >>> jg.trim_zeros(jg.array([0, 1, 0, 2, 0]))
    array([1, 0, 2], dtype=int64)
    """
    filt = _core.asarray(filt)
    trim = _one_of(trim.lower(), ("fb", "bf", "f", "b"), "trim_zeros", "trim")
    axes = range(filt.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = {_axis_of(each, filt.ndim, "trim_zeros") for each in axes}
    key = [slice(None)] * filt.ndim
    for each, places in enumerate(_core.nonzero(_core.atleast_1d(filt))[: filt.ndim]):
        if each in axes and places.size == 0:
            key[each] = slice(0, 0)
        elif each in axes:
            first = _core.min(places).item() if "f" in trim else None
            last = _core.max(places).item() + 1 if "b" in trim else None
            key[each] = slice(first, last)
    return filt[tuple(key)]


@_on_stream
def rollaxis(a, axis, start=0, *, stream=None):
    """A view of a with an axis moved to before the axis start. AxisError for either.

    >>> jg.rollaxis(jg.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = _core.asarray(a)
    axis = _axis_of(axis, a.ndim, "rollaxis")
    start = _operator.index(start)
    if not -a.ndim <= start <= a.ndim:
        raise _errors.axis_error(
            f"[rollaxis] start: got {start}, allowed for {a.ndim} axes is {-a.ndim} to {a.ndim}"
        )
    start += a.ndim if start < 0 else 0
    return _core.moveaxis(a, axis, start - 1 if axis < start else start)


@_on_stream
def fliplr(m, *, stream=None):
    """A view of m in reverse along its second axis. ValueError for less than two axes.

    >>> jg.fliplr(jg.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]], dtype=int64)
    """
    return _at_least_axes(m, 2, "fliplr", "m")[:, ::-1]


@_on_stream
def flipud(m, *, stream=None):
    """A view of m in reverse along its first axis. ValueError for a scalar.

    >>> jg.flipud(jg.array([[1, 2], [3, 4]]))
    array([[3, 4],
           [1, 2]], dtype=int64)
    """
    return _at_least_axes(m, 1, "flipud", "m")[::-1]


@_on_stream
def diagflat(v, k=0, *, stream=None):
    """A matrix with the elements of v, in their order, on its k-th diagonal. dtypes: unchanged.

    >>> jg.diagflat([[1, 2]], 1)
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int64)
    """
    return _core.diag(_core.ravel(_core.asarray(v)), k)
