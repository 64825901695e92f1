# SPDX-License-Identifier: Apache-2.0
"""Cases of gathers and scatters, and of what finds places."""

import choices as st
import numpy as np
from drawing import (
    ALL,
    ROWS,
    TAKES,
    Case,
    array_of,
    axis_of,
    flag,
    kind,
    numbers,
    part_of,
    result_dtype,
    shapes,
)


def indices(draw, extent, shape):
    """Integers of some dtype that lie in the extent, perhaps counted from its end."""
    dtype = draw(st.sampled_from(["int64", "int32", "int8", "uint8", "uint32"]))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    low = 0 if dtype[0] == "u" else -extent
    return rng.integers(low, max(extent, low + 1), shape).astype(dtype)


def source(draw, dtypes=ALL, **limits):
    return array_of(draw, dtypes, special=True, least=1, **limits)


def dtype_of_first(args, named):
    return args[0].dtype.name


def gathered(draw):
    """The arrays of indices broadcast together; the axes ascend or not."""
    x = source(draw, min_ndim=1)
    axes = draw(st.lists(st.integers(0, x.ndim - 1), min_size=1, max_size=2, unique=True))
    shape = shapes(draw, max_ndim=2, most=3)
    arrays = [indices(draw, x.shape[axis], part_of(draw, shape)) for axis in axes]
    return (x, arrays, tuple(axes)), {}


def key_of(x, arrays, axes):
    """The axes first, in their order, and the arrays broadcast: NumPy's key for them."""
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    return [*axes, *rest], tuple(np.broadcast_arrays(*(a.astype("i8") for a in arrays)))


def gather(x, arrays, axes):
    order, key = key_of(x, arrays, axes)
    return x.transpose(order)[key]


def scattered(name):
    def draw(draw):
        x, arrays, axes = gathered(draw)[0]
        dtypes = [d for d in TAKES[ROWS[name]["types"]] if d != "bool" or name == "scatter"]
        dtypes = [d for d in dtypes if kind(d) in "fc"] if name == "scatter_divide" else dtypes
        dtype = draw(st.sampled_from(dtypes))
        within = (
            (1, 2) if name in ("scatter_power", "scatter_divide", "scatter_multiply") else (-7, 8)
        )
        x = numbers(draw, dtype, x.shape, within)
        shape = gather(x, arrays, axes).shape
        updates = numbers(draw, dtype, part_of(draw, shape), within)
        return (x, arrays, updates, axes), {}

    return draw


def scatter(function):
    def reference(x, arrays, updates, axes):
        order, key = key_of(x, arrays, axes)
        y = x.transpose(order).copy()
        rows = np.broadcast_to(updates, y[key].shape).reshape(-1, *y.shape[len(key) :])
        for place, row in zip(zip(*(k.ravel() for k in key), strict=True), rows, strict=True):
            y[place] = function(y[place], row)
        return y.transpose(np.argsort(order))

    return reference


def in_floats(function):
    """Quotients are floats; the scattered array is one from the start."""
    return lambda x, arrays, updates, axes: scatter(function)(x * 1.0, arrays, updates, axes)


def taken(draw):
    x = source(draw)
    axis = axis_of(draw, x.ndim) if x.ndim and flag(draw) else None
    extent = x.size if axis is None else x.shape[axis]
    return (x, indices(draw, extent, shapes(draw, max_ndim=2))), {"axis": axis}


def along(draw):
    x = source(draw, min_ndim=1)
    axis = axis_of(draw, x.ndim)
    shape = list(x.shape)
    shape[axis] = draw(st.integers(0, 4))
    return (x, indices(draw, x.shape[axis], shape)), {"axis": axis}


def put(draw):
    """Places that are distinct, as the order of writes is not NumPy's to say."""
    (x, _), named = along(draw)
    axis = named["axis"]
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    order = np.argsort(rng.random(x.shape), axis=axis)
    places = np.take(order, range(draw(st.integers(0, x.shape[axis]))), axis)
    return (x, places, numbers(draw, x.dtype.name, places.shape)), named


def put_along(x, places, values, axis):
    y = x.copy()
    np.put_along_axis(y, places, values, axis)
    return y


def chosen(draw):
    x = source(draw, min_ndim=1)
    axis = axis_of(draw, x.ndim) if flag(draw) else None
    extent = x.size if axis is None else x.shape[axis]
    return (numbers(draw, "bool", (draw(st.integers(0, extent)),)), x), {"axis": axis}


def extracted(draw):
    x = array_of(draw, ALL)
    return (numbers(draw, "bool", x.shape), x), {}


def second(args, named):
    return args[1].dtype.name


def sparse(min_ndim=0):
    return lambda draw: ((array_of(draw, ALL, (-1, 1), True, min_ndim=min_ndim),), {})


SCATTERS = {
    "scatter": lambda old, new: new,
    "scatter_add": np.add,
    "scatter_subtract": np.subtract,
    "scatter_multiply": np.multiply,
    "scatter_divide": np.divide,
    "scatter_power": np.power,
    "scatter_max": np.maximum,
    "scatter_min": np.minimum,
}


def dtype_of_scatter(name):
    return lambda args, named: result_dtype(ROWS[name]["types"], args[0].dtype.name)


CASES = {
    name: Case(scattered(name), scatter(function), dtype=dtype_of_scatter(name), ulps=64)
    for name, function in SCATTERS.items()
}
CASES["scatter_divide"].reference = in_floats(np.divide)
CASES |= {
    "gather": Case(gathered, gather, dtype=dtype_of_first),
    "take": Case(taken, np.take, dtype=dtype_of_first),
    "take_along_axis": Case(
        along, lambda x, i, axis: np.take_along_axis(x, i.astype("i8"), axis), dtype=dtype_of_first
    ),
    "put_along_axis": Case(put, put_along, dtype=dtype_of_first),
    "compress": Case(chosen, np.compress, dtype=second),
    "extract": Case(extracted, np.extract, dtype=second),
    "nonzero": Case(sparse(1), np.nonzero, dtype="int64"),
    "argwhere": Case(sparse(), np.argwhere, dtype="int64"),
    "flatnonzero": Case(sparse(), np.flatnonzero, dtype="int64"),
}
