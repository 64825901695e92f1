# SPDX-License-Identifier: Apache-2.0
"""Functions that write into their first argument, as x[key] = value does: other references keep the
old value."""

from joggle import _core
from joggle._numpy._arguments import cycled as _cycled
from joggle._numpy._arguments import fitted as _fitted
from joggle._numpy._arguments import whole as _whole


def _target(x, name, argument):
    if not isinstance(x, _core.array):
        raise TypeError(f"[{name}] {argument}: got {type(x).__name__}, allowed is an array")
    return x


def _mask_for(x, mask, name):
    mask = _core.asarray(mask)
    if mask.size != x.size:
        raise ValueError(f"[{name}] mask: has {mask.size} elements, allowed are {x.size}")
    return _core.reshape(mask.astype(_core.bool, copy=False), x.shape)


def copyto(dst, src, *, where=True):
    """Writes src, broadcast and cast, into dst, where the condition holds.

    TypeError for a dst that is no array, ValueError for shapes that do not fit.

    >>> x = jg.array([1, 2, 3])
    >>> jg.copyto(x, 9, where=[True, False, True])
    >>> x
    array([9, 2, 9], dtype=int64)
    """
    dst = _target(dst, "copyto", "dst")
    if where is True:
        dst[...] = src
        return
    src = _core.broadcast_to(_core.asarray(src).astype(dst.dtype, copy=False), dst.shape)
    where = _core.broadcast_to(_core.asarray(where).astype(_core.bool, copy=False), dst.shape)
    dst[...] = _core.where(where, src, dst)


def put(a, ind, v, mode="raise"):
    """Writes v, over and over, to the indices ind of all elements of a; of equal ones the last.

    mode "raise" refuses indices that are outside and computes ind, "wrap" takes them modulo the
    size, "clip" takes the first or the last index for them. TypeError for an a that is no array and
    indices that are not whole, IndexError, ValueError.

    >>> x = jg.array([1, 2, 3])
    >>> jg.put(x, [0, -1], [8, 9])
    >>> x
    array([8, 2, 9], dtype=int64)
    """
    flat = _core.ravel(_target(a, "put", "a"))
    ind = _core.ravel(_whole(ind, "put", "ind"))
    ind = _fitted(ind, flat.size, mode, "put", "ind", -flat.size, IndexError)
    v = _core.asarray(v)
    if ind.size == 0 or v.size == 0:
        return
    if flat.size == 0:
        raise IndexError(f"[put] ind: has {ind.size} elements, allowed are none as a has none")
    flat[ind] = _cycled(v, ind.size).astype(flat.dtype, copy=False)
    a[...] = _core.reshape(flat, a.shape)


def place(arr, mask, vals):
    """Writes vals, one after the other and over and over, to where the mask holds.

    TypeError for an arr that is no array, ValueError for a mask of another size, and for no vals
    where the mask holds somewhere.

    >>> x = jg.array([1, 2, 3])
    >>> jg.place(x, x > 1, [8, 9])
    >>> x
    array([1, 8, 9], dtype=int64)
    """
    mask = _mask_for(_target(arr, "place", "arr"), mask, "place")
    vals = _core.ravel(_core.asarray(vals)).astype(arr.dtype, copy=False)
    if vals.size == 0:
        if _core.any(mask).item():
            raise ValueError("[place] vals: got none, allowed is one or more")
        return
    order = _core.cumsum(_core.ravel(mask).astype(_core.int64, copy=False)) - 1
    chosen = _core.take(vals, _core.remainder(order, vals.size))
    arr[...] = _core.where(mask, _core.reshape(chosen, arr.shape), arr)


def putmask(a, /, mask, values):
    """Writes values[i], over and over, to those elements a[i] where the mask holds.

    TypeError for an a that is no array, ValueError for a mask of another size.

    >>> x = jg.array([1, 2, 3])
    >>> jg.putmask(x, x > 1, [7, 8, 9])
    >>> x
    array([1, 8, 9], dtype=int64)
    """
    mask = _mask_for(_target(a, "putmask", "a"), mask, "putmask")
    values = _core.asarray(values).astype(a.dtype, copy=False)
    if values.size and a.size:
        a[...] = _core.where(mask, _core.reshape(_cycled(values, a.size), a.shape), a)


def fill_diagonal(a, val, wrap=False):
    """Writes val, an element or several over and over, to the diagonal of a; nothing if empty.

    With wrap, of a tall matrix also to the diagonals below. More than two axes must have the
    same extent. TypeError for an a that is no array, ValueError for its shape.

    >>> x = jg.zeros((2, 2))
    >>> jg.fill_diagonal(x, 5)
    >>> x
    array([[5., 0.],
           [0., 5.]], dtype=float32)
    """
    shape = _target(a, "fill_diagonal", "a").shape
    if a.ndim < 2:
        raise ValueError(f"[fill_diagonal] a: has {a.ndim} axes, allowed are 2 and more")
    if a.ndim > 2 and len(set(shape)) > 1:
        raise ValueError(f"[fill_diagonal] a: has shape {shape}, allowed are equal extents")
    stop = a.size
    if a.ndim == 2:
        step = shape[1] + 1
        stop = stop if wrap else min(stop, shape[1] * shape[1])
    else:
        step = sum(shape[0] ** power for power in range(a.ndim))
    count = len(range(0, stop, step))
    values = _core.asarray(val).astype(a.dtype, copy=False)
    if count and values.size:
        flat = _core.ravel(a)
        flat[:stop:step] = _cycled(values, count)
        a[...] = _core.reshape(flat, shape)
