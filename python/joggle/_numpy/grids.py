# SPDX-License-Identifier: Apache-2.0
"""Objects that make arrays, or keys for arrays, from what is in their brackets."""

from joggle import _core
from joggle._numpy._arguments import leading_ones as _leading_ones


def _spaced(key, name, dtype=None):
    """The numbers of a slice: from start by step, or as many as an imaginary step says."""
    start, stop, step = key.start or 0, key.stop, 1 if key.step is None else key.step
    if stop is None:
        raise ValueError(f"[{name}] slice: got {key!r}, allowed are slices with a stop")
    if not isinstance(step, complex):
        return _core.arange(start, stop, step, dtype=dtype or _core.result_type(start, stop, step))
    count = int(abs(step))
    dtype = dtype or _core.result_type(start, stop, 0.0)
    return _core.linspace(start, stop, count, dtype=dtype)


class _Grid:
    """The values of several slices, and the axes that they span."""

    def __init__(self, name, sparse, doc):
        self._name = name
        self.__doc__ = doc
        self._sparse = sparse

    def __repr__(self):
        return f"joggle.{self._name}"

    def __reduce__(self):
        return self._name

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _spaced(key, self._name)
        for each in key:
            if not isinstance(each, slice):
                said = type(each).__name__
                raise TypeError(f"[{self._name}] key: got {said}, allowed are slices")
        dtype = _core.result_type(*(_spaced(each, self._name).dtype for each in key))
        vectors = [_spaced(each, self._name, dtype) for each in key]
        ndim = len(vectors)
        upright = tuple(
            _core.reshape(x, (1,) * axis + (x.size,) + (1,) * (ndim - axis - 1))
            for axis, x in enumerate(vectors)
        )
        return upright if self._sparse else _core.stack(_core.broadcast_arrays(*upright))


class _Joiner:
    """Arrays, numbers and slices joined along an axis."""

    def __init__(self, name, axis, ndim, place, doc):
        self._name = name
        self.__doc__ = doc
        self._defaults = (axis, ndim, place)

    def __repr__(self):
        return f"joggle.{self._name}"

    def __reduce__(self):
        return self._name

    def _directive(self, text):
        """(axis, least axes, where a vector's axis goes), as "axis,ndim,place" says."""
        try:
            numbers = [int(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3:
            raise ValueError(
                f'[{self._name}] key: got {text!r}, allowed are "axis", "axis,ndim" and'
                ' "axis,ndim,place"'
            )
        return (*numbers, *self._defaults[len(numbers) :])

    def _item(self, item, ndim, place):
        if isinstance(item, str):
            raise ValueError(f"[{self._name}] key: got {item!r}, allowed is text as first item")
        x = _spaced(item, self._name) if isinstance(item, slice) else _core.asarray(item)
        missing = ndim - x.ndim
        if missing <= 0:
            return x
        number = x.ndim == 0
        x = _leading_ones(x, ndim)
        if number or place == -1:
            return x
        # The position of the first existing axis; the new ones are around them.
        first = place + missing + 1 if place < 0 else place
        axes = list(range(ndim))
        return _core.permute_dims(x, axes[:first] + axes[missing:] + axes[first:missing])

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        axis, ndim, place = self._defaults
        if key and isinstance(key[0], str):
            axis, ndim, place = self._directive(key[0])
            key = key[1:]
        if not key:
            raise ValueError(f"[{self._name}] key: got no arrays, allowed is one or more")
        items = [self._item(item, ndim, place) for item in key]
        weak = (bool, int, float, complex)
        kinds = [g if isinstance(g, weak) else x.dtype for g, x in zip(key, items, strict=True)]
        dtype = _core.result_type(*kinds)
        return _core.concat([x.astype(dtype, copy=False) for x in items], axis)


class _Key:
    """The items in the brackets, unchanged or always as a tuple."""

    def __init__(self, name, always_tuple, doc):
        self._name = name
        self.__doc__ = doc
        self._always_tuple = always_tuple

    def __repr__(self):
        return f"joggle.{self._name}"

    def __reduce__(self):
        return self._name

    def __getitem__(self, key):
        return (key,) if self._always_tuple and not isinstance(key, tuple) else key


mgrid = _Grid(
    "mgrid",
    sparse=False,
    doc="""The grid that slices span, stacked: mgrid[start:stop:step, ...], or of one its values.

    An imaginary step is how many values there are, stop included. TypeError for what is no slice,
    ValueError for one without a stop.

    >>> jg.mgrid[0:2, 0:1:3j][1]
    array([[0. , 0.5, 1. ],
           [0. , 0.5, 1. ]], dtype=float32)
    """,
)
ogrid = _Grid(
    "ogrid",
    sparse=True,
    doc="""The axes of the grid that slices span, a tuple of arrays that broadcast to it; as mgrid.

    >>> jg.ogrid[0:2, 0:3]
    (array([[0],
           [1]], dtype=int64), array([[0, 1, 2]], dtype=int64))
    """,
)
r_ = _Joiner(
    "r_",
    axis=0,
    ndim=1,
    place=-1,
    doc="""Arrays, numbers and slices joined along the first axis: r_[1:4, 0, x].

    A text "axis,ndim,place" as first item says along which axis, how many axes each has at least,
    and which of them the first axis of those with less becomes. Slices are as in mgrid.
    ValueError for other texts, for nothing to join and for shapes that do not fit.

    >>> jg.r_[1:4, 0, jg.array([7, 8])]
    array([1, 2, 3, 0, 7, 8], dtype=int64)
    """,
)
c_ = _Joiner(
    "c_",
    axis=-1,
    ndim=2,
    place=0,
    doc="""Arrays, numbers and slices joined along the last axis, vectors as columns; else as r_.

    >>> jg.c_[1:3, [7, 8]]
    array([[1, 7],
           [2, 8]], dtype=int64)
    """,
)
s_ = _Key(
    "s_",
    always_tuple=False,
    doc="""What stands in the brackets, to be used as a key later.

    >>> jg.s_[1:3, ...]
    (slice(1, 3, None), Ellipsis)
    """,
)
index_exp = _Key(
    "index_exp",
    always_tuple=True,
    doc="""What stands in the brackets, always as a tuple, to be used as a key later.

    >>> jg.index_exp[1:3]
    (slice(1, 3, None),)
    """,
)
