# SPDX-License-Identifier: Apache-2.0
"""Queries about arrays and dtypes, and functions of the core under further names of NumPy's."""

import math as _math
import numbers as _numbers

from joggle import _core
from joggle._numpy._arguments import axis_of as _axis_of
from joggle._numpy._arguments import on_stream as _on_stream


def ndim(a):
    """How many axes a has.

    >>> jg.ndim([[1, 2]])
    2
    """
    return _core.asarray(a).ndim


def shape(a):
    """The extents of a's axes.

    >>> jg.shape([[1, 2]])
    (1, 2)
    """
    return _core.asarray(a).shape


def size(a, axis=None):
    """How many elements a has, or its extent along an axis, or the product of several.

    AxisError for axis.

    >>> jg.size([[1, 2]], 1)
    2
    """
    a = _core.asarray(a)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return _math.prod(a.shape[_axis_of(each, a.ndim, "size")] for each in axes)


def _extreme(a, axis, keepdims, initial, reduce, combine):
    """The extremes along axes, together with an initial value, which stands for no elements."""
    a = _core.asarray(a)
    if isinstance(initial, bool) and a.dtype is not _core.bool:
        raise TypeError(f"[{reduce.__name__}] initial: got {initial}, allowed is a number")
    if initial is None:
        return reduce(a, axis=axis, keepdims=keepdims)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [_axis_of(each, a.ndim, reduce.__name__) for each in axes]
    initial = _core.asarray(initial).astype(a.dtype, copy=False)
    if all(a.shape[each] for each in axes):
        return combine(reduce(a, axis=axis, keepdims=keepdims), initial)
    kept = [1 if each in axes else extent for each, extent in enumerate(a.shape)]
    if not keepdims:
        kept = [extent for each, extent in enumerate(a.shape) if each not in axes]
    return _core.broadcast_to(initial, tuple(kept))


@_on_stream
def amax(a, axis=None, keepdims=False, initial=None, *, stream=None):
    """max: the largest element along axes, or of a and the initial value.

    dtypes: unchanged. TypeError, AxisError for axis, ValueError for no elements and no initial.

    >>> jg.amax([[1, 5], [7, 2]], axis=0)
    array([7, 5], dtype=int64)
    """
    return _extreme(a, axis, keepdims, initial, _core.max, _core.maximum)


@_on_stream
def amin(a, axis=None, keepdims=False, initial=None, *, stream=None):
    """min: the smallest element along axes, or of a and the initial value.

    dtypes: unchanged. TypeError, AxisError for axis, ValueError for no elements and no initial.

    >>> jg.amin([[1, 5], [7, 2]], axis=0)
    array([1, 2], dtype=int64)
    """
    return _extreme(a, axis, keepdims, initial, _core.min, _core.minimum)


@_on_stream
def around(a, decimals=0, *, stream=None):
    """round: the nearest number with that many decimals; halfway, the even neighbour.

    >>> jg.around([0.5, 1.5, 2.345], 2)
    array([0.5 , 1.5 , 2.34], dtype=float32)
    """
    return _core.round(_core.asarray(a), decimals)


@_on_stream
def array_equiv(a1, a2, *, stream=None):
    """Whether two arrays broadcast together and are equal then, as a 0-d array.

    >>> jg.array_equiv([1, 1], [[1], [1]])
    array(True, dtype=bool)
    """
    a1, a2 = _core.asarray(a1), _core.asarray(a2)
    pairs = zip(reversed(a1.shape), reversed(a2.shape), strict=False)
    if any(one != other and 1 not in (one, other) for one, other in pairs):
        return _core.zeros((), dtype=_core.bool)
    return _core.all(_core.equal(a1, a2))


@_on_stream
def asanyarray(a, dtype=None, *, device=None, copy=None, stream=None):
    """asarray: a itself if it is such an array, else an array of it.

    >>> jg.asanyarray([1, 2])
    array([1, 2], dtype=int64)
    """
    return _core.asarray(a, dtype, device=device, copy=copy)


@_on_stream
def asarray_chkfinite(a, dtype=None, *, stream=None):
    """asarray, which computes a: ValueError if it holds infinity or NaN.

    >>> jg.asarray_chkfinite([1.0, 2.0])
    array([1., 2.], dtype=float32)
    """
    a = _core.asarray(a, dtype)
    if _is_inexact(a) and not (finite := _core.isfinite(a)).all().item():
        at = _core.nonzero(~finite.ravel())[0][0].item()
        raise ValueError(
            f"[asarray_chkfinite] a: has {a.ravel()[at].item()} as its element {at}, allowed are "
            "finite numbers"
        )
    return a


@_on_stream
def ascontiguousarray(a, dtype=None, *, stream=None):
    """a with one axis or more, its elements beside each other in memory row by row.

    >>> jg.ascontiguousarray(jg.ones((2, 3)).T).strides
    (8, 4)
    """
    return _core.contiguous(_core.atleast_1d(_core.asarray(a, dtype)))


def _is_inexact(a):
    return _core.isdtype(a.dtype, ("real floating", "complex floating"))


def isscalar(element):
    """Whether element is a number or a text, not an array.

    >>> jg.isscalar(3.0), jg.isscalar(jg.array(3.0))
    (True, False)
    """
    return isinstance(element, (_numbers.Number, str, bytes))


def iscomplexobj(x):
    """Whether x has a complex dtype.

    >>> jg.iscomplexobj([1j, 0])
    True
    """
    return _core.isdtype(_core.asarray(x).dtype, "complex floating")


def isrealobj(x):
    """Whether x has no complex dtype.

    >>> jg.isrealobj([1j, 0])
    False
    """
    return not iscomplexobj(x)


@_on_stream
def iscomplex(x, *, stream=None):
    """For each element whether its imaginary part is not zero.

    >>> jg.iscomplex([1j, 2])
    array([ True, False], dtype=bool)
    """
    x = _core.asarray(x)
    if not iscomplexobj(x):
        return _core.zeros_like(x, dtype=_core.bool)
    return _core.not_equal(_core.imag(x), 0)


@_on_stream
def isreal(x, *, stream=None):
    """For each element whether its imaginary part is zero.

    >>> jg.isreal([1j, 2])
    array([False,  True], dtype=bool)
    """
    return _core.logical_not(iscomplex(x))


@_on_stream
def real_if_close(a, tol=100, *, stream=None):
    """The real part of a complex a if all imaginary parts are near zero, else a. Computes a.

    tol counts in steps between 1 and the next number if it is above 1, else it is absolute.

    >>> jg.real_if_close([2 + 1e-9j])
    array([2.], dtype=float32)
    """
    a = _core.asarray(a)
    if not iscomplexobj(a):
        return a
    if tol > 1:
        _, _, _, step, *_ = _core._float_limits(a.dtype)
        tol *= step
    near = _core.all(_core.less(_core.abs(_core.imag(a)), tol)).item()
    return _core.real(a) if near else a


def promote_types(type1, type2, /):
    """The dtype that two are cast to before an op computes.

    >>> jg.promote_types(jg.float16, jg.float32)
    joggle.float32
    """
    return _core.result_type(_core.dtype(type1), _core.dtype(type2))


def min_scalar_type(a, /):
    """The smallest dtype that holds a number; of an array that is not 0-d, its own. Computes it.

    >>> jg.min_scalar_type(-200)
    joggle.int16
    """
    x = _core.asarray(a)
    if x.ndim:
        return x.dtype
    value = a if isinstance(a, (bool, int, float, complex)) else x.item()
    if isinstance(value, bool):
        return _core.bool
    if isinstance(value, int):
        return _smallest_integer(value)
    if isinstance(value, float):
        return _smallest((_core.float16, _core.float32), (value,), _core.float64)
    return _smallest((_core.complex64,), (value.real, value.imag), _core.complex128)


def _smallest_integer(value):
    low, kind = (0, "uint") if value >= 0 else (1, "int")
    for bits in (8, 16, 32, 64):
        if -(2 ** (bits - 1)) <= value if low else value < 2**bits:
            return _core.dtype(f"{kind}{bits}")
    raise ValueError(f"[min_scalar_type] a: got {value}, allowed are numbers of 64 bits")


# Bounds below which a number rounds to a finite one: those of NumPy.
_BOUNDS = {"float16": 65000.0, "float32": 3.4e38, "complex64": 3.4e38}


def _smallest(dtypes, parts, largest):
    for dtype in dtypes:
        if all(not _math.isfinite(part) or abs(part) < _BOUNDS[dtype.name] for part in parts):
            return dtype
    return largest
