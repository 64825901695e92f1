# SPDX-License-Identifier: Apache-2.0
"""How calls of ops are drawn: hypothesis chooses shapes, dtypes and a seed, and the numbers come
from the seed. An op's case says what its arguments are and what NumPy makes of them."""

from dataclasses import dataclass
from typing import Any

import choices as st
import ml_dtypes
import numpy as np
from elementwise import (
    ALL,
    COMPLEX,
    EPSILON,
    FLOATS,
    INTEGERS,
    REAL,
    ROWS,
    TAKES,
    kind,
    numpy_dtype,
    result_dtype,
    sample,
    wide,
)

import joggle as jg

__all__ = ["ALL", "COMPLEX", "EPSILON", "FLOATS", "INTEGERS", "REAL", "ROWS", "TAKES", "kind"]
__all__ += ["numpy_dtype", "result_dtype", "sample", "wide"]


@dataclass
class Case:
    """What a property needs to know of an op.

    draw(draw) gives the arguments: a tuple, whose NumPy arrays become joggle's, and a dict.
    reference takes the same, with floats wide, and gives NumPy's result, or check(results, args,
    named) looks at the results itself. dtype is the result's, or a function of the common dtype of
    the arrays; without it the type rule of the op's row decides. ulps is the tolerance, in units in
    the last place of the largest number among the results.
    """

    draw: Any
    reference: Any = None
    check: Any = None
    dtype: Any = None
    ulps: float = 4
    exact: bool = False  # the reference gets the arrays as they are


def shapes(draw, min_ndim=0, max_ndim=3, least=0, most=None):
    most = getattr(draw, "most", 4) if most is None else most
    ndim = draw(st.integers(min_ndim, max_ndim))
    return tuple(draw(st.integers(least, most)) for _ in range(ndim))


def numbers(draw, dtype, shape, within=(-7, 8), special=False):
    """An array; with special, perhaps with NaN, infinities and zeros of either sign."""
    size = int(np.prod(shape))
    seed = draw(st.integers(0, 9999))
    values = sample(dtype, size, seed, within)
    if special and kind(dtype) == "f" and draw(st.booleans()):
        rng = np.random.default_rng(seed)
        places = rng.random(size) < 0.3
        chosen = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], size)
        values = np.where(places, chosen.astype(values.dtype), values)
    return values.reshape(shape)


def array_of(draw, dtypes, within=(-7, 8), special=False, **limits):
    return numbers(draw, draw(st.sampled_from(dtypes)), shapes(draw, **limits), within, special)


def part_of(draw, shape):
    """A shape that broadcasts to this one."""
    shape = shape[draw(st.integers(0, len(shape))) :]
    return tuple(n if draw(st.integers(0, 3)) else 1 for n in shape)


def pair_of_shapes(draw, **limits):
    """Two shapes that broadcast together."""
    shape = shapes(draw, **limits)
    both = [shape, part_of(draw, shape)]
    return both if draw(st.booleans()) else both[::-1]


def axis_of(draw, ndim):
    return draw(st.integers(-ndim, ndim - 1))


def axes_of(draw, ndim, least=0, none=True):
    """None, an axis, or a tuple of axes, of either sign."""
    which = draw(st.sampled_from(["none", "one", "several"])) if none else "several"
    if which == "none":
        return None
    if which == "one" and ndim and least < 2:
        return axis_of(draw, ndim)
    chosen = draw(st.lists(st.integers(0, ndim - 1), unique=True, min_size=least)) if ndim else []
    return tuple(axis - ndim if draw(st.booleans()) else axis for axis in chosen)


def flag(draw):
    return draw(st.booleans())


def each(function, thing):
    """The thing with each NumPy array in it replaced by what the function makes of it."""
    if isinstance(thing, np.ndarray):
        return function(thing)
    if isinstance(thing, dict):
        return {key: each(function, value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)) and not hasattr(thing, "_fields"):
        return type(thing)(each(function, item) for item in thing)
    return thing


def to_joggle(a):
    if a.dtype == ml_dtypes.bfloat16:
        return jg.array(a.astype("f4")).astype("bfloat16")
    return jg.array(a)


def to_numpy(x):
    if x.dtype == jg.bfloat16:
        return np.asarray(x.astype("float32")).astype(ml_dtypes.bfloat16)
    return np.asarray(x)


def several(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def function_of(name):
    """An op's function by its name in the table; one of a module, as linalg.pinv."""
    if "." in name:
        module, name = name.split(".")
        return getattr(getattr(jg, module), name)
    return getattr(jg._core, name, None) or getattr(jg, name)


def near(found, expected, ulps):
    """Equal in shape, and in values up to the tolerance; NaN is NaN, infinities are exact."""
    assert found.shape == np.shape(expected), (found.shape, np.shape(expected))
    name = found.dtype.name
    expected = np.asarray(expected)
    with np.errstate(all="ignore"):
        expected = expected.astype(found.dtype)
    if kind(name) in "biu":
        np.testing.assert_array_equal(found, expected)
        return
    finite = np.abs(wide(expected)[np.isfinite(wide(expected))])
    tolerance = ulps * EPSILON[name]
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    np.testing.assert_allclose(
        wide(found), wide(expected), rtol=tolerance, atol=tolerance * scale, equal_nan=True
    )
