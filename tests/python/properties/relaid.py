# SPDX-License-Identifier: Apache-2.0
"""Arrays of the same values that lie otherwise in memory, and that are computed with others."""

import ml_dtypes
import numpy as np
from drawing import to_joggle, to_numpy

import joggle as jg


def transposed(a):
    return a.T.copy(), lambda x: jg.permute_dims(x, tuple(range(a.ndim))[::-1])


def reverse(a):
    return np.flip(a).copy(), jg.flip


def with_gaps(a):
    wide = a
    for axis in range(a.ndim):
        wide = np.repeat(wide, 3, axis)
    return wide, lambda x: x[(slice(1, None, 3),) * a.ndim]


def window(a):
    """Rows that are dense, in wider ones: nothing is aligned."""
    wide = np.zeros(tuple(extent + 3 for extent in a.shape), a.dtype)
    inside = tuple(slice(1, extent + 1) for extent in a.shape)
    wide[inside] = a
    return wide, lambda x: x[inside]


def reverse_with_gaps(a):
    wide = np.flip(a)
    for axis in range(a.ndim):
        wide = np.repeat(wide, 2, axis)
    return wide, lambda x: x[(slice(None, None, -2),) * a.ndim]


def rolled(a):
    """The last axis is the first in memory, and runs backwards."""
    if a.ndim < 2:
        return reverse(a)
    return np.moveaxis(a, -1, 0)[::-1].copy(), lambda x: jg.moveaxis(x[::-1], 0, -1)


def spread(a):
    """Strides of 0, along the axes whose elements are all alike."""
    small = a
    for axis in range(a.ndim):
        first = small.take([0], axis) if small.shape[axis] else small
        alike = np.broadcast_to(first, small.shape)
        small = first if small.tobytes() == alike.tobytes() else small
    return small.copy(), lambda x: jg.broadcast_to(x, a.shape)


def in_memory(base, view):
    x = to_joggle(base)
    jg.eval(x)
    return view(x)


def of_pending(base, view):
    x = to_joggle(base)
    return view(jg.where(True, x, x))


def before_work(base, view):
    x = in_memory(base, view)
    return jg.where(True, x, x)


def of_numpy(base, view):
    x = jg.asarray(base, copy=False if base.dtype != ml_dtypes.bfloat16 else None)
    return view(x)


LAYOUTS = (transposed, reverse, with_gaps, window, reverse_with_gaps, rolled, spread)
COMPUTED = (in_memory, of_pending, before_work, of_numpy)


def alike(a, rng):
    """a with the first of its elements all along some axes, so that these can be spread."""
    for axis in range(a.ndim):
        if a.shape[axis] and rng.integers(2):
            a = np.broadcast_to(a.take([0], axis), a.shape).copy()
    return a


def used(x, how):
    """x as it is, or what a neighbour makes of it that can be told back."""
    if how == 0 or not isinstance(x, jg.array):
        return x
    return jg.where(True, x, x) if how == 1 else jg.where(True, jg.flip(x), jg.flip(x))


def untold(found, how):
    return np.flip(found) if how == 2 else found


def values(x, how=0):
    return untold(to_numpy(x), how) if isinstance(x, jg.array) else x
