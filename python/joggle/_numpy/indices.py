# SPDX-License-Identifier: Apache-2.0
"""Indices as arrays: of grids, of parts of matrices, and between flat and several ones."""

import itertools as _itertools
import math as _math
import operator as _operator

from joggle import _core
from joggle._numpy._arguments import at_least_axes as _at_least_axes
from joggle._numpy._arguments import fitted as _fitted
from joggle._numpy._arguments import in_range as _in_range
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of
from joggle._numpy._arguments import whole as _whole


def _shape_of(extents, name, argument):
    """A tuple of extents, of one of them where no sequence is given."""
    extents = extents if isinstance(extents, (list, tuple)) else (extents,)
    shape = tuple(map(_operator.index, extents))
    if any(extent < 0 for extent in shape):
        raise ValueError(f"[{name}] {argument}: got {shape}, allowed are 0 and above")
    return shape


def _upright(x, axis, ndim):
    """A vector along one of `ndim` axes."""
    return _core.reshape(x, (1,) * axis + (x.size,) + (1,) * (ndim - axis - 1))


@_on_stream
def indices(dimensions, dtype=int, sparse=False, *, stream=None):
    """The indices of an array's elements along each axis, stacked; sparse, a tuple of open ones.

    shape: (n, *dimensions) for n axes; sparse, of each 1 along the axes of the others.
    ValueError for negative dimensions.

    >>> jg.indices((2, 2))[1]
    array([[0, 1],
           [0, 1]], dtype=int64)
    """
    shape = _shape_of(tuple(dimensions), "indices", "dimensions")
    places = [_core.arange(extent, dtype=dtype) for extent in shape]
    upright = [_upright(x, axis, len(shape)) for axis, x in enumerate(places)]
    if sparse:
        return tuple(upright)
    if not shape:
        return _core.zeros((0,), dtype=dtype)
    return _core.stack([_core.broadcast_to(x, shape) for x in upright])


@_on_stream
def ix_(*args, stream=None):
    """Vectors of indices as arrays that broadcast to their grid: x[jg.ix_(rows, columns)].

    A mask means the indices where it is true, and is computed. ValueError for what is no vector.

    >>> jg.array([[1, 2, 3], [4, 5, 6]])[jg.ix_([1, 0], [0, 2])]
    array([[4, 6],
           [1, 3]], dtype=int64)
    """
    vectors = []
    for number, given in enumerate(args):
        x = _core.asarray(given)
        if x.ndim != 1:
            raise ValueError(f"[ix_] args[{number}]: has {x.ndim} axes, allowed is one")
        if x.dtype == _core.bool:
            x = _core.flatnonzero(x)
        elif x.size == 0 and not isinstance(given, _core.array):
            x = x.astype(_core.int64, copy=False)
        vectors.append(x)
    return tuple(_upright(x, axis, len(vectors)) for axis, x in enumerate(vectors))


@_on_stream
def tril_indices(n, k=0, m=None, *, stream=None):
    """The indices of an (n, m) matrix on and below its k-th diagonal: rows, columns. Computes them.

    >>> jg.tril_indices(2)
    (array([0, 1, 1], dtype=int64), array([0, 0, 1], dtype=int64))
    """
    return tuple(_core.nonzero(_core.tri(n, m, k, dtype=_core.bool)))


@_on_stream
def triu_indices(n, k=0, m=None, *, stream=None):
    """The indices of an (n, m) matrix on and above its k-th diagonal: rows, columns. Computes them.

    >>> jg.triu_indices(2)
    (array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))
    """
    below = _core.tri(n, m, k - 1, dtype=_core.bool)
    return tuple(_core.nonzero(_core.logical_not(below)))


def _beside(arr, arrays):
    """The arrays on the device that arr is on."""
    if not isinstance(arr, _core.array):
        return arrays
    return tuple(x.to_device(arr.device) for x in arrays)


def _matrix_shape(arr, name):
    shape = _core.asarray(arr).shape
    if len(shape) != 2:
        raise ValueError(f"[{name}] arr: has {len(shape)} axes, allowed are two")
    return shape


@_on_stream
def tril_indices_from(arr, k=0, *, stream=None):
    """tril_indices of the shape of a matrix. ValueError for what is none.

    >>> jg.tril_indices_from(jg.ones((2, 2)), -1)
    (array([1], dtype=int64), array([0], dtype=int64))
    """
    rows, columns = _matrix_shape(arr, "tril_indices_from")
    return _beside(arr, tril_indices(rows, k, columns))


@_on_stream
def triu_indices_from(arr, k=0, *, stream=None):
    """triu_indices of the shape of a matrix. ValueError for what is none.

    >>> jg.triu_indices_from(jg.ones((2, 2)), 1)
    (array([0], dtype=int64), array([1], dtype=int64))
    """
    rows, columns = _matrix_shape(arr, "triu_indices_from")
    return _beside(arr, triu_indices(rows, k, columns))


@_on_stream
def diag_indices(n, ndim=2, *, stream=None):
    """The indices of the diagonal of an array with ndim axes of extent n, one array for each.

    >>> jg.diag_indices(3)
    (array([0, 1, 2], dtype=int64), array([0, 1, 2], dtype=int64))
    """
    return (_core.arange(n, dtype=_core.int64),) * ndim


@_on_stream
def diag_indices_from(arr, *, stream=None):
    """diag_indices of the shape of an array. ValueError unless it has two equal extents or more.

    >>> jg.diag_indices_from(jg.ones((2, 2)))
    (array([0, 1], dtype=int64), array([0, 1], dtype=int64))
    """
    arr = _at_least_axes(arr, 2, "diag_indices_from", "arr")
    if len(set(arr.shape)) != 1:
        raise ValueError(
            f"[diag_indices_from] arr: has shape {arr.shape}, allowed are equal extents"
        )
    return _beside(arr, diag_indices(arr.shape[0], arr.ndim))


@_on_stream
def mask_indices(n, mask_func, k=0, *, stream=None):
    """The indices where mask_func, such as triu, of an (n, n) matrix of ones and k is not 0.

    >>> jg.mask_indices(2, jg.triu, 1)
    (array([0], dtype=int64), array([1], dtype=int64))
    """
    ones = _core.ones((n, n), dtype=_core.int64)
    return tuple(_core.nonzero(_core.not_equal(mask_func(ones, k), 0)))


def _in_order(axes, order, name):
    """Axes from the one whose index changes most quickly on."""
    _one_of(order, ("C", "F"), name, "order")
    return reversed(axes) if order == "C" else axes


@_on_stream
def unravel_index(indices, shape, order="C", *, stream=None):
    """A tuple of the indices along each axis of the elements with those flat indices.

    order "C" counts row by row, "F" column by column. Computes the indices.
    TypeError for indices that are not whole, ValueError for those outside.

    >>> jg.unravel_index([1, 5], (2, 3))
    (array([0, 1], dtype=int64), array([1, 2], dtype=int64))
    """
    shape = _shape_of(shape, "unravel_index", "shape")
    rest = _whole(indices, "unravel_index", "indices")
    _in_range(rest, 0, _math.prod(shape), "unravel_index", "indices", ValueError)
    found = [None] * len(shape)
    for axis in _in_order(range(len(shape)), order, "unravel_index"):
        found[axis] = _core.remainder(rest, shape[axis])
        rest = _core.floor_divide(rest, shape[axis])
    return tuple(found)


@_on_stream
def ravel_multi_index(multi_index, dims, mode="raise", order="C", *, stream=None):
    """The flat indices, in an array of shape dims, of elements with those indices along each axis.

    mode, one or one for each axis: "raise" refuses indices outside and computes them, "wrap" takes
    them modulo the extent, "clip" takes the nearest. order "C" counts row by row, "F" by columns.
    TypeError for indices that are not whole, ValueError for those outside.

    >>> jg.ravel_multi_index(([0, 1], [1, 2]), (2, 3))
    array([1, 5], dtype=int64)
    """
    dims = _shape_of(dims, "ravel_multi_index", "dims")
    if not dims:
        raise ValueError("[ravel_multi_index] dims: got none, allowed is one or more")
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    if not len(multi_index) == len(dims) == len(modes):
        raise ValueError(
            f"[ravel_multi_index] multi_index: has {len(multi_index)} items and mode {len(modes)},"
            f" allowed are {len(dims)}, as many as dims"
        )
    result, step = None, 1
    for axis in _in_order(range(len(dims)), order, "ravel_multi_index"):
        said = f"multi_index[{axis}]"
        index = _whole(multi_index[axis], "ravel_multi_index", said)
        index = _fitted(index, dims[axis], modes[axis], "ravel_multi_index", said) * step
        result = index if result is None else result + index
        step *= dims[axis]
    return result


_BLOCK = 1 << 12  # numbers that an iterator takes at once


def _indices(extents):
    """An iterator over all indices, row by row."""
    if max(extents, default=0) <= _BLOCK:
        return _itertools.product(*map(range, extents))  # which first makes a tuple of each range
    return _indices_one_by_one(extents)


def _indices_one_by_one(extents):
    *outer, last = extents
    for index in _indices(outer):
        for i in range(last):
            yield (*index, i)


def _blocks(x):
    """The array's elements as lists of Python numbers, row by row."""
    inner, axis = 1, x.ndim
    while axis > 0 and inner * x.shape[axis - 1] <= _BLOCK:
        axis -= 1
        inner *= x.shape[axis]
    if axis == 0:
        yield _core.ravel(x).tolist()
        return
    step = max(_BLOCK // max(inner, 1), 1)
    for index in _indices(x.shape[: axis - 1]):
        for start in range(0, x.shape[axis - 1], step):
            yield _core.ravel(x[(*index, slice(start, start + step))]).tolist()


class ndindex:
    """An iterator over the indices of an array of that shape, row by row.

    >>> list(jg.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
            shape = shape[0]
        self._indices = _indices(_shape_of(tuple(shape), "ndindex", "shape"))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._indices)


class ndenumerate:
    """An iterator over an array's elements, row by row: (index, Python number). Computes the array,
    and takes few elements at once.

    >>> list(jg.ndenumerate([[1, 2]]))
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr):
        x = _core.asarray(arr)[...]  # a handle of its own: arr may be given other numbers
        _core.eval(x)
        self._pairs = zip(
            _indices(x.shape), _itertools.chain.from_iterable(_blocks(x)), strict=True
        )

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)
