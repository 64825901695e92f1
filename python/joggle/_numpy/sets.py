# SPDX-License-Identifier: Apache-2.0
"""Vectors as sets of their elements, and orders by several keys.

How many elements a set has depends on their values, which are computed at the call. NaN equals
nothing, itself included, as in the standard's unique_values.
"""

from joggle import _core
from joggle._numpy._arguments import axis_of, on_stream


def _elements(x, distinct):
    """The elements in one axis; the distinct ones in ascending order, unless they are so."""
    x = _core.asarray(x)
    return _core.ravel(x) if distinct else _core.unique_values(x)


@on_stream
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, stream=None):
    """The distinct elements that are in both arrays, in ascending order. Computes both.

    With return_indices also the flat indices of their first occurrence in each.
    assume_unique promises that neither array holds an element twice.

    dtypes: promoted.
    shape: one axis.
    raises: TypeError.

    >>> jg.intersect1d(jg.array([1, 3, 4, 3]), jg.array([3, 1, 2, 1]))
    array([1, 3], dtype=int64)
    """
    ar1, ar2 = _core.asarray(ar1), _core.asarray(ar2)
    if return_indices and not assume_unique:
        first, first_places, *_ = _core.unique_all(ar1)
        second, second_places, *_ = _core.unique_all(ar2)
    else:
        first, second = _elements(ar1, assume_unique), _elements(ar2, assume_unique)
        first_places, second_places = _core.arange(first.size), _core.arange(second.size)
    both = _core.concat([first, second])
    if not return_indices:
        both = _core.sort(both)
        return both[:-1][_core.equal(both[1:], both[:-1])]
    order = _core.argsort(both)
    both = _core.take(both, order)
    twice = _core.equal(both[1:], both[:-1])
    in_first, in_second = order[:-1][twice], order[1:][twice] - first.size
    places = _core.take(first_places, in_first), _core.take(second_places, in_second)
    return both[:-1][twice], *places


@on_stream
def union1d(ar1, ar2, *, stream=None):
    """The distinct elements of both arrays, in ascending order. Computes both.

    dtypes: promoted.
    shape: one axis.
    raises: TypeError.

    >>> jg.union1d(jg.array([3, 1]), jg.array([1, 2]))
    array([1, 2, 3], dtype=int64)
    """
    return _core.unique_values(_core.concat([_elements(ar1, True), _elements(ar2, True)]))


@on_stream
def setdiff1d(ar1, ar2, assume_unique=False, *, stream=None):
    """The distinct elements of ar1 that are not in ar2, in ascending order. Computes both.

    With assume_unique, which promises that neither holds an element twice, in the order of ar1.

    dtypes: that of ar1.
    shape: one axis.
    raises: TypeError.

    >>> jg.setdiff1d(jg.array([3, 2, 4, 1]), jg.array([2, 5]))
    array([1, 3, 4], dtype=int64)
    """
    ar1, ar2 = _elements(ar1, assume_unique), _elements(ar2, True)
    return ar1[_core.logical_not(_core.isin(ar1, ar2))]


@on_stream
def setxor1d(ar1, ar2, assume_unique=False, *, stream=None):
    """The distinct elements that are in one array only, in ascending order. Computes both.

    assume_unique promises that neither array holds an element twice.

    dtypes: promoted.
    shape: one axis.
    raises: TypeError.

    >>> jg.setxor1d(jg.array([1, 2, 3]), jg.array([2, 3, 5]))
    array([1, 5], dtype=int64)
    """
    ar1, ar2 = _elements(ar1, assume_unique), _elements(ar2, assume_unique)
    both = _core.sort(_core.concat([ar1, ar2]))
    if both.size == 0:
        return both
    end = _core.ones((1,), dtype=bool)
    differs = _core.concat([end, _core.not_equal(both[1:], both[:-1]), end])
    return both[_core.logical_and(differs[1:], differs[:-1])]


@on_stream
def sort_complex(a, *, stream=None):
    """The elements in order along the last axis, by real and then by imaginary part, as complex.

    dtypes: complex64, or complex128 of float64.
    shape: that of a.
    raises: TypeError, AxisError for an array without axes.

    >>> jg.sort_complex(jg.array([2 + 1j, 1 + 0j, 2 - 1j]))
    array([1.+0.j, 2.-1.j, 2.+1.j], dtype=complex64)
    """
    a = _core.asarray(a)
    return _core.astype(_core.sort(a), _core.result_type(a.dtype, _core.complex64), copy=False)


@on_stream
def lexsort(keys, axis=-1, *, stream=None):
    """The order of the indices along an axis by the last key, and of equal ones by the key before
    it.

    keys is a sequence of arrays of one shape, or an array whose first axis goes over them. Indices
    that are equal in all keys stay in order.

    dtypes: int64.
    shape: that of a key.
    raises: TypeError without keys, AxisError for axis, ValueError for keys that differ in shape.

    >>> jg.lexsort((jg.array([3, 1, 2]), jg.array([0, 1, 0])))
    array([2, 0, 1], dtype=int64)
    """
    if getattr(keys, "ndim", 1) == 0 or len(keys) == 0:
        raise TypeError("[lexsort] keys: got none, allowed are 1 and more")
    keys = [_core.asarray(key) for key in keys]
    shape = keys[0].shape
    for at, key in enumerate(keys):
        if key.shape != shape:
            raise ValueError(f"[lexsort] keys[{at}]: has shape {key.shape}, allowed is {shape}")
    if shape == ():
        return _core.zeros((), dtype=_core.int64)
    axis = axis_of(axis, len(shape), "lexsort")
    order = _core.argsort(keys[0], axis)
    for key in keys[1:]:
        then = _core.argsort(_core.take_along_axis(key, order, axis), axis)
        order = _core.take_along_axis(order, then, axis)
    return order
