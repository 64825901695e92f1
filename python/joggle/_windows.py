# SPDX-License-Identifier: Apache-2.0
"""Slices of arrays whose starts are an array: mlx.core.slice and slice_update."""

from joggle import _core, _errors

__all__ = ["slice", "slice_update"]


def slice(a, start_indices, axes, slice_size, *, stream=None):
    """slice_size elements of a, from start_indices on along axes and from 0 along the others.

    start_indices has an index for each of axes, negative ones from the end; it may be the result of
    other ops, and is looked at while running. Raises IndexError then for a window that is not whole
    inside of a.

    >>> jg.slice(jg.arange(6), jg.array([2]), [0], [3])
    array([2, 3, 4], dtype=int64)
    """
    if len(slice_size) != a.ndim:
        raise ValueError(f"[slice] slice_size: got {len(slice_size)}, allowed are {a.ndim}")
    with _core.stream(_core.default_stream() if stream is None else stream):
        return a[_places(a, start_indices, axes, slice_size, "slice")]


def slice_update(a, update, start_indices, axes, *, stream=None):
    """a with update in place of the window slice(a, start_indices, axes, update.shape).

    >>> jg.slice_update(jg.zeros((4,)), jg.ones((2,)), jg.array([1]), [0])
    array([0., 1., 1., 0.], dtype=float32)
    """
    if update.ndim != a.ndim:
        raise ValueError(f"[slice_update] update: has {update.ndim} axes, allowed are {a.ndim}")
    with _core.stream(_core.default_stream() if stream is None else stream):
        places = _places(a, start_indices, axes, update.shape, "slice_update")
        return a.at[places].set(update) if a.ndim else _core.astype(update, a.dtype)


def _places(a, start_indices, axes, extents, name):
    """An index of arrays that broadcast to the window's shape."""
    starts = _core.reshape(_core.asarray(start_indices), (-1,))
    axes = [_axis(axis, a.ndim, name) for axis in axes]
    if len(set(axes)) < len(axes):
        raise ValueError(f"[{name}] axes: got {axes}, allowed is each axis once")
    if starts.size != len(axes):
        raise ValueError(f"[{name}] start_indices: got {starts.size}, allowed are {len(axes)}")
    places = []
    for axis, extent in enumerate(extents):
        if not 0 <= extent <= a.shape[axis]:
            raise ValueError(
                f"[{name}] a window of {extent} along axis {axis}, allowed is 0 to {a.shape[axis]}"
            )
        place = _core.arange(extent)
        if axis in axes:
            place = _core.add(place, _from_front(starts[axes.index(axis)], a.shape[axis]))
        places.append(_core.reshape(place, (-1,) + (1,) * (a.ndim - 1 - axis)))
    return tuple(places)


def _from_front(start, extent):
    """A start that may be negative, as a number from 0 on: a window of indices below 0 and above
    would be in two pieces. A start before the first element is put past the last."""
    if not _core.isdtype(start.dtype, "signed integer"):
        return start
    start = _core.astype(start, _core.int64, copy=False)
    inside = _core.greater_equal(start, -extent)
    from_end = _core.where(inside, _core.add(start, extent), extent)
    return _core.where(_core.less(start, 0), from_end, start)


def _axis(axis, ndim, name):
    if not -ndim <= axis < ndim:
        raise _errors.axis_error(f"[{name}] axes: got {axis}, allowed is {-ndim} to {ndim - 1}")
    return axis % ndim
