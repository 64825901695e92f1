# SPDX-License-Identifier: Apache-2.0
"""Cases of views, of what joins and repeats arrays, and of what makes them of numbers alone."""

import choices as st
import numpy as np
from drawing import (
    ALL,
    COMPLEX,
    INTEGERS,
    Case,
    array_of,
    axes_of,
    axis_of,
    flag,
    numbers,
    part_of,
    shapes,
)


def anything(draw, **limits):
    return array_of(draw, ALL, special=True, **limits)


def plain(**limits):
    return lambda draw: ((anything(draw, **limits),), {})


def factors(draw, size):
    """A shape of so many elements."""
    shape = []
    while size > 1 and len(shape) < 4:
        part = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
        shape.append(part)
        size //= part
    return (*shape, size) if size != 1 or not shape or flag(draw) else tuple(shape)


def reshaped(draw):
    x = anything(draw)
    shape = list(factors(draw, x.size))
    if x.size and flag(draw):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return (x, tuple(shape)), {}


def broadcast(draw):
    shape = shapes(draw)
    return (numbers(draw, draw(st.sampled_from(ALL)), part_of(draw, shape)), shape), {}


def permuted(draw):
    x = anything(draw)
    order = draw(st.permutations(range(x.ndim)))
    return (x, tuple(a - x.ndim if flag(draw) else a for a in order)), {}


def squeezed(draw):
    x = anything(draw, least=1, most=2)
    ones = [axis for axis, extent in enumerate(x.shape) if extent == 1]
    axes = draw(st.lists(st.sampled_from(ones), unique=True)) if ones else []
    return (x, draw(st.sampled_from([tuple(axes), None]))), {}


def widened(draw):
    x = anything(draw)
    return (x, axes_of(draw, x.ndim + 2, least=2, none=False)[:2]), {}


def swapped(draw):
    x = anything(draw, min_ndim=1)
    return (x, axis_of(draw, x.ndim), axis_of(draw, x.ndim)), {}


def moved(draw):
    x = anything(draw)
    source = axes_of(draw, x.ndim, none=False)
    places = draw(st.permutations(range(x.ndim)))
    return (x, source, tuple(places[: len(source)])), {}


def flipped(draw):
    x = anything(draw)
    return (x, axes_of(draw, x.ndim)), {}


def turned(draw):
    x = anything(draw, min_ndim=2)
    axes = axes_of(draw, x.ndim, least=2, none=False)[:2]
    return (x, draw(st.integers(-5, 5)), axes), {}


def flattened(draw):
    x = anything(draw)
    if not x.ndim:
        return (x,), {}
    first, last = sorted(draw(st.integers(0, x.ndim - 1)) for _ in range(2))
    return (x, first, last - x.ndim), {}


def flatten(x, first=0, last=-1):
    if not x.ndim:
        return x.reshape(1)
    last %= x.ndim
    return x.reshape(
        *x.shape[:first], int(np.prod(x.shape[first : last + 1])), *x.shape[last + 1 :]
    )


def unflattened(draw):
    x = anything(draw, min_ndim=1)
    axis = axis_of(draw, x.ndim)
    return (x, axis, factors(draw, x.shape[axis])), {}


def unflatten(x, axis, shape):
    axis %= x.ndim
    return x.reshape(*x.shape[:axis], *shape, *x.shape[axis + 1 :])


def diagonal(draw):
    x = anything(draw, min_ndim=2)
    return (x, draw(st.integers(-4, 4)), *axes_of(draw, x.ndim, least=2, none=False)[:2]), {}


def traced(draw):
    return diagonal(draw)


def as_strided(draw):
    x = anything(draw)
    shape = shapes(draw, 1, 3) if x.size else (0, 2)
    room = max(x.size - 1, 0)
    strides, reach = [], 0
    for extent in shape:
        step = draw(st.integers(0, max(0, (room - reach) // max(extent - 1, 1))))
        strides.append(step)
        reach += step * max(extent - 1, 0)
    offset = draw(st.integers(0, max(room - reach, 0))) if x.size else 0
    return (x, shape, tuple(strides), offset), {}


def strided(x, shape, strides, offset):
    flat = np.ascontiguousarray(x).ravel()[offset:]
    steps = tuple(step * x.itemsize for step in strides)
    return np.lib.stride_tricks.as_strided(flat, shape, steps).copy()


SAME_SIZE = {1: ["int8", "uint8"], 2: ["float16", "uint16"], 4: ["float32", "int32"]}
SAME_SIZE |= {8: ["uint64", "float64"], 16: ["complex128"]}


def bitcast(draw):
    x = array_of(draw, [*INTEGERS, "float32", "float64", *COMPLEX], min_ndim=1)
    sizes = [size for size in SAME_SIZE if size <= x.itemsize]
    return (x, draw(st.sampled_from(SAME_SIZE[draw(st.sampled_from(sizes))]))), {}


def cut(equal):
    def draw(draw):
        x = anything(draw, min_ndim=1)
        axis = axis_of(draw, x.ndim)
        extent = x.shape[axis]
        if flag(draw):
            parts = sorted(draw(st.lists(st.integers(0, extent), max_size=3)))
        else:
            allowed = [n for n in range(1, 6) if not equal or extent % n == 0]
            parts = draw(st.sampled_from(allowed))
        return (x, parts, axis), {}

    return draw


def several_of(draw, count, shape_of):
    dtype = draw(st.sampled_from(ALL))
    return [numbers(draw, dtype, shape_of()) for _ in range(count)]


def broadcast_several(draw):
    shape = shapes(draw)
    return tuple(several_of(draw, draw(st.integers(1, 3)), lambda: part_of(draw, shape))), {}


def least_several(draw):
    return tuple(several_of(draw, draw(st.integers(1, 2)), lambda: shapes(draw))), {}


def at_least(function):
    def reference(*arrays):
        found = function(*arrays)
        return found if len(arrays) == 1 else tuple(found)

    return reference


def grid(draw):
    vectors = several_of(draw, draw(st.integers(1, 3)), lambda: shapes(draw, 1, 1))
    return tuple(vectors), {"indexing": draw(st.sampled_from(["xy", "ij"])), "sparse": flag(draw)}


def joined(draw):
    shape = list(shapes(draw, 1))
    axis = axis_of(draw, len(shape))

    def another():
        shape[axis] = draw(st.integers(0, 3))
        return tuple(shape)

    arrays = several_of(draw, draw(st.integers(1, 3)), another)
    return (arrays, draw(st.sampled_from([axis, axis, None]))), {}


def stacked(draw):
    shape = shapes(draw)
    arrays = several_of(draw, draw(st.integers(1, 3)), lambda: shape)
    return (arrays, axis_of(draw, len(shape) + 1)), {}


def stacked_plain(draw):
    (arrays, _), _ = stacked(draw)
    return (arrays,), {}


def padded(draw):
    x = anything(draw, min_ndim=1)
    widths = tuple((draw(st.integers(0, 3)), draw(st.integers(0, 3))) for _ in x.shape)
    mode = draw(st.sampled_from(["constant", "edge"] if 0 not in x.shape else ["constant"]))
    return (x, widths, mode), {}


def rolled(draw):
    x = anything(draw)
    axes = axes_of(draw, x.ndim, none=False)
    if flag(draw) or not axes:
        return (x, draw(st.integers(-9, 9))), {}
    return (x, tuple(draw(st.integers(-9, 9)) for _ in axes), axes), {}


def tiled(draw):
    x = anything(draw)
    return (x, tuple(draw(st.integers(0, 3)) for _ in range(draw(st.integers(1, 4))))), {}


def repeated(draw):
    x = anything(draw)
    axis = axis_of(draw, x.ndim) if x.ndim and flag(draw) else None
    extent = x.size if axis is None else x.shape[axis]
    repeats = draw(st.integers(0, 3))
    if flag(draw):
        repeats = np.array([draw(st.integers(0, 3)) for _ in range(extent)], "int64")
    return (x, repeats), {"axis": axis}


def triangle(min_ndim, max_ndim=3):
    def draw(draw):
        return (anything(draw, min_ndim=min_ndim, max_ndim=max_ndim), draw(st.integers(-4, 4))), {}

    return draw


def eye(draw):
    rows, columns = draw(st.integers(0, 5)), draw(st.none() | st.integers(0, 5))
    return (rows, columns, draw(st.integers(-6, 6))), {"dtype": draw(st.sampled_from(ALL))}


def identity(draw):
    return (draw(st.integers(0, 5)),), {"dtype": draw(st.sampled_from(ALL))}


def spaced(draw):
    ends = draw(st.integers(-3, 3)), draw(st.integers(-3, 3))
    named = {"endpoint": flag(draw), "dtype": draw(st.sampled_from(["float32", "float64"]))}
    return (*ends, draw(st.integers(0, 6))), named


def vander(draw):
    x = array_of(draw, ALL, (-3, 3), min_ndim=1, max_ndim=1)
    return (x, draw(st.none() | st.integers(0, 4))), {"increasing": flag(draw)}


def vandermonde(x, count, increasing):
    x = x.astype("int64") if x.dtype == bool else x
    return np.vander(x, count, increasing)


def unstacked(draw):
    x = anything(draw, min_ndim=1)
    return (x, axis_of(draw, x.ndim)), {}


def named_dtype(args, named):
    return named["dtype"]


def dtype_of_first(args, named):
    return args[0].dtype.name


def window(draw):
    return (draw(st.integers(0, 9)),), {}


def floats_of(function):
    return lambda *args, dtype, **named: function(*args, **named)


CASES = {
    "reshape": Case(reshaped, np.reshape),
    "broadcast_to": Case(broadcast, np.broadcast_to),
    "permute_dims": Case(permuted, np.transpose),
    "squeeze": Case(squeezed, np.squeeze),
    "expand_dims": Case(widened, np.expand_dims),
    "matrix_transpose": Case(plain(min_ndim=2), lambda x: np.swapaxes(x, -1, -2)),
    "swapaxes": Case(swapped, np.swapaxes),
    "moveaxis": Case(moved, np.moveaxis),
    "flip": Case(flipped, np.flip),
    "rot90": Case(turned, np.rot90),
    "flatten": Case(flattened, flatten),
    "unflatten": Case(unflattened, unflatten),
    "ravel": Case(plain(), np.ravel),
    "contiguous": Case(plain(), lambda x: x),
    "copy": Case(plain(), np.copy),
    "diagonal": Case(diagonal, np.diagonal),
    "trace": Case(traced, np.trace, ulps=16),
    "as_strided": Case(as_strided, strided, exact=True),
    "bitcast": Case(
        bitcast, lambda x, t: np.ascontiguousarray(x).view(t), dtype=lambda a, n: a[1], exact=True
    ),
    "split": Case(cut(True), np.split),
    "array_split": Case(cut(False), np.array_split),
    "unstack": Case(unstacked, lambda x, axis: list(np.moveaxis(x, axis, 0))),
    "broadcast_arrays": Case(broadcast_several, lambda *a: tuple(np.broadcast_arrays(*a))),
    "atleast_1d": Case(least_several, at_least(np.atleast_1d)),
    "atleast_2d": Case(least_several, at_least(np.atleast_2d)),
    "atleast_3d": Case(least_several, at_least(np.atleast_3d)),
    "meshgrid": Case(grid, np.meshgrid),
    "concat": Case(joined, np.concatenate),
    "stack": Case(stacked, np.stack),
    "hstack": Case(stacked_plain, np.hstack),
    "vstack": Case(stacked_plain, np.vstack),
    "pad": Case(padded, np.pad),
    "roll": Case(rolled, np.roll),
    "tile": Case(tiled, np.tile),
    "repeat": Case(repeated, np.repeat, dtype=dtype_of_first),
    "tril": Case(triangle(2), np.tril),
    "triu": Case(triangle(2), np.triu),
    "diag": Case(triangle(1, 2), np.diag),
    "eye": Case(eye, np.eye, dtype=named_dtype),
    "tri": Case(eye, np.tri, dtype=named_dtype),
    "identity": Case(identity, np.identity, dtype=named_dtype),
    "linspace": Case(spaced, floats_of(np.linspace), dtype=named_dtype),
    "logspace": Case(spaced, floats_of(np.logspace), dtype=named_dtype, ulps=64),
    "vander": Case(vander, vandermonde),
    "hanning": Case(window, np.hanning, dtype="float32"),
    "hamming": Case(window, np.hamming, dtype="float32"),
    "blackman": Case(window, np.blackman, dtype="float32"),
    "bartlett": Case(window, np.bartlett, dtype="float32"),
}
