# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's over vectors, axes, elements and indices of arrays."""

import itertools as _itertools
import re as _re

from joggle import _core
from joggle._numpy._arguments import axis_of as _axis_of
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy.indices import indices as _indices


@_on_stream
def apply_along_axis(func1d, axis, arr, *args, stream=None, **kwargs):
    """The results of a function for each vector of arr along an axis, put together.

    The function is called with a vector, args and kwargs, once for each. shape: that of arr with
    the axis replaced by the axes of the function's result. AxisError for axis, ValueError where
    there are no vectors.

    >>> jg.apply_along_axis(lambda v: v[0] + v[-1], 1, jg.array([[1, 2, 3], [4, 5, 6]]))
    array([4, 10], dtype=int64)
    """
    arr = _core.asarray(arr)
    axis = _axis_of(axis, arr.ndim, "apply_along_axis")
    rows = _core.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ValueError(
            f"[apply_along_axis] arr: has shape {arr.shape}, allowed are vectors along the axis"
        )
    given = [
        _core.asarray(func1d(rows[index], *args, **kwargs))
        for index in _itertools.product(*map(range, outer))
    ]
    inner = given[0].shape
    result = _core.reshape(_core.stack(given), outer + inner)
    sources = range(len(outer), len(outer) + len(inner))
    return _core.moveaxis(result, tuple(sources), tuple(range(axis, axis + len(inner))))


@_on_stream
def apply_over_axes(func, a, axes, *, stream=None):
    """func(a, axis) for one axis after the other; an axis that it takes away is put back as 1.

    AxisError for axes, ValueError for what has another number of axes.

    >>> jg.apply_over_axes(jg.sum, jg.ones((2, 3)), (0, 1))
    array([[6.]], dtype=float32)
    """
    a = _core.asarray(a)
    ndim = a.ndim
    for each in axes if isinstance(axes, (list, tuple)) else (axes,):
        axis = _axis_of(each, ndim, "apply_over_axes", "axes")
        a = _core.asarray(func(a, axis))
        if a.ndim == ndim - 1:
            a = _core.expand_dims(a, axis)
        if a.ndim != ndim:
            raise ValueError(
                f"[apply_over_axes] func: gave {a.ndim} axes, allowed are {ndim - 1} and {ndim}"
            )
    return a


@_on_stream
def fromfunction(function, shape, *, dtype=float, stream=None, **kwargs):
    """The result of a function for the indices along each axis, arrays of that shape and dtype.

    The function is called once, with an array for each axis, and with kwargs.

    >>> jg.fromfunction(lambda i, j: i + 10 * j, (2, 2), dtype=int)
    array([[0, 10],
           [1, 11]], dtype=int64)
    """
    return function(*_indices(shape, dtype), **kwargs)


@_on_stream
def fromiter(iter, dtype, count=-1, *, stream=None):
    """A vector of the numbers that an iterable gives, of the first count or of all if it is -1.

    ValueError for less than count.

    >>> jg.fromiter((i * i for i in range(4)), int)
    array([0, 1, 4, 9], dtype=int64)
    """
    numbers = list(iter if count < 0 else _itertools.islice(iter, count))
    if len(numbers) < count:
        raise ValueError(f"[fromiter] iter: gave {len(numbers)} numbers, allowed are {count}")
    if not numbers:
        return _core.zeros((0,), dtype=dtype)
    x = (
        _core.asarray(numbers).astype(dtype, copy=False)
        if dtype is not None
        else _core.asarray(numbers)
    )
    if x.ndim != 1:
        raise ValueError(f"[fromiter] iter: gave items of shape {x.shape[1:]}, allowed are numbers")
    return x


_CORES = r"\((?:\w+(?:,\w+)*)?\)"
_SIGNATURE = _re.compile(rf"({_CORES}(?:,{_CORES})*|)->({_CORES}(?:,{_CORES})*)")


def _core_axes(signature):
    """The names of the axes of each argument and of each result: "(n),(n)->()"."""
    match = _SIGNATURE.fullmatch(_re.sub(r"\s", "", signature))
    if match is None:
        raise ValueError(
            f'[vectorize] signature: got {signature!r}, allowed are such as "(m,n),(n)->(m)"'
        )
    return [
        [tuple(filter(None, one[1:-1].split(","))) for one in _re.findall(_CORES, side)]
        for side in match.groups()
    ]


class vectorize:
    """A function of numbers made one of arrays, which calls it once for each element.

    otypes are the dtypes of the results, taken from what the first call gives if there are none.
    Arguments that excluded names, or whose positions it has, are passed as they are. With a
    signature, "(n),(n)->()", the function takes and gives arrays with those axes. doc is the doc
    string, that of the function if there is none. A call takes a stream. Without otypes or a
    signature there must be elements: ValueError.

    >>> jg.vectorize(lambda a, b: a if a > b else b)([1, 5], 3)
    array([3, 5], dtype=int64)
    """

    def __init__(
        self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None
    ):
        self.pyfunc = None
        self.otypes = None if otypes is None else [_core.dtype(each) for each in otypes]
        self.excluded = set(excluded or ())
        self.cache = cache  # the first call counts anyway; there is no other one to learn from
        self.signature = signature
        self._axes = None if signature is None else _core_axes(signature)
        self.__doc__ = doc
        if pyfunc is not None:
            self._take(pyfunc)

    def _take(self, pyfunc):
        if not callable(pyfunc):
            raise TypeError(
                f"[vectorize] pyfunc: got {type(pyfunc).__name__}, allowed are functions"
            )
        self.pyfunc = pyfunc
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")
        self.__doc__ = self.__doc__ or getattr(pyfunc, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:  # a decorator with parameters
            self._take(*args)
            return self
        return _call(self, *args, **kwargs)


@_on_stream
def _call(self, *args, stream=None, **kwargs):
    """The function's result for each element of the arguments broadcast together."""
    names = [*(i for i in range(len(args)) if i not in self.excluded)]
    names += [name for name in kwargs if name not in self.excluded]
    arrays = [_core.asarray(args[n] if isinstance(n, int) else kwargs[n]) for n in names]
    if self._axes is None:
        inner = [0] * len(arrays)
    else:
        inner = list(map(len, self._axes[0]))
        _check_axes(arrays, self._axes[0])
    loops = [x.shape[: x.ndim - n] for x, n in zip(arrays, inner, strict=True)]
    shape = _broadcast(loops)
    rows = [_rows(x, shape, n, self._axes) for x, n in zip(arrays, inner, strict=True)]

    def call(values):
        given, named = list(args), dict(kwargs)
        for name, value in zip(names, values, strict=True):
            (given if isinstance(name, int) else named)[name] = value
        return self.pyfunc(*given, **named)

    results = [call(values) for values in zip(*rows, strict=True)] if rows else [call(())]
    return _assembled(self, results, shape)


def _broadcast(shapes):
    arrays = [_core.broadcast_to(_core.zeros(()), shape) for shape in shapes]
    return _core.broadcast_arrays(*arrays)[0].shape if arrays else ()


def _check_axes(arrays, axes):
    """ValueError unless axes of the same name have the same extent."""
    if len(arrays) != len(axes):
        raise ValueError(f"[vectorize] args: got {len(arrays)}, allowed are {len(axes)}")
    extents = {}
    for number, (x, names) in enumerate(zip(arrays, axes, strict=True)):
        if x.ndim < len(names):
            raise ValueError(
                f"[vectorize] args[{number}]: has {x.ndim} axes, allowed are {len(names)} and more"
            )
        for name, extent in zip(names, x.shape[x.ndim - len(names) :], strict=True):
            if extents.setdefault(name, extent) != extent:
                raise ValueError(
                    f"[vectorize] args[{number}]: axis {name} has extent {extent},"
                    f" allowed is {extents[name]}"
                )


def _rows(x, shape, inner, axes):
    """The Python numbers of x broadcast to the shape, or with a signature the arrays in it."""
    x = _core.broadcast_to(x, shape + x.shape[x.ndim - inner :])
    if axes is None:
        return _core.ravel(x).tolist()
    return [x[index] for index in _itertools.product(*map(range, shape))]


def _assembled(self, results, shape):
    several = isinstance(results[0], tuple) if results else self.otypes and len(self.otypes) > 1
    if not results and self.otypes is None:
        raise ValueError(
            "[vectorize] otypes: got None, allowed are dtypes where there are no elements"
        )
    columns = list(zip(*results, strict=True)) if several else [results]
    if not results:
        columns = [()] * len(self.otypes)
    if self.otypes is not None and len(self.otypes) != len(columns):
        raise ValueError(f"[vectorize] otypes: got {len(self.otypes)}, allowed are {len(columns)}")
    arrays = []
    for number, column in enumerate(columns):
        parts = [_core.asarray(each) for each in column]
        dtype = self.otypes[number] if self.otypes else parts[0].dtype
        joined = _core.stack(parts) if parts else _core.zeros((0,), dtype=dtype)
        arrays.append(_core.reshape(joined.astype(dtype, copy=False), shape + joined.shape[1:]))
    return tuple(arrays) if several else arrays[0]
