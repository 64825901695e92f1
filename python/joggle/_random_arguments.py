# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments of joggle.random: shapes, arrays, parameters of distributions.
Each takes the function's name first, for its messages."""

from joggle import _core, _namespace
from joggle._integers import integer_of

__all__ = ["bounds_within", "chances_of", "extents_of", "number_of", "positive", "slices_of"]


def extents_of(name, shape):
    """A shape, for which one integer may stand, as a tuple."""
    extent = integer_of(shape)
    try:
        return tuple(shape) if extent is None else (extent,)
    except TypeError:
        raise TypeError(
            f"[random_{name}] shape: got {shape!r}, allowed are an int and a tuple of ints"
        ) from None


def slices_of(name, x, stream):
    """x, or for an integer the numbers below it."""
    count = integer_of(x)
    if count is None:
        return x
    if count < 0:
        argument = "a" if name == "choice" else "x"
        raise ValueError(f"[random_{name}] {argument}: got {count}, allowed are numbers from 0 on")
    return _core.arange(count, stream=stream)


def number_of(name, argument, x, default, dtype, stream):
    """A parameter in the dtype that was asked for, to which arrays, too, are cast; None for its
    default. TypeError for complex numbers, unless the dtype is complex."""
    if x is None:
        return None
    if isinstance(x, (int, float)):  # in the dtype at once, which may have more digits
        return None if x == default else _core.asarray(x, dtype=dtype, stream=stream)
    given = _core.asarray(x, stream=stream)
    is_complex = _core.isdtype(given.dtype, "complex floating")
    if is_complex and not _core.isdtype(dtype, "complex floating"):
        raise TypeError(
            f"[random_{name}] {argument}: got {given.dtype.name}, allowed for {dtype.name} are "
            "real numbers"
        )
    return _core.asarray(x, dtype=dtype, stream=stream)


def bounds_within(low, high, dtype, stream):
    """Bounds of integers of which arrays have the nearest numbers that the dtype allows: of low its
    own, of high one more. Words of 64 bits hold all bounds of narrower dtypes."""
    if not isinstance(dtype, _core.dtype) or not _core.isdtype(dtype, "integral"):
        return low, high  # which the op refuses
    limits = _namespace.iinfo(dtype)
    if limits.bits == 64:
        return low, high
    return (
        _nearest(low, limits.min, limits.max, stream),
        _nearest(high, limits.min, limits.max + 1, stream),
    )


def _nearest(x, least, most, stream):
    """x, of which Python's numbers were checked before, and None stands for the dtype's end."""
    if x is None or isinstance(x, int):
        return x
    x = _core.asarray(x, stream=stream)
    if not _core.isdtype(x.dtype, ("integral", "real floating")):
        return x
    if x.dtype == _core.uint64:
        x = _core.minimum(x, most, stream=stream)
    return _core.clip(_core.astype(x, _core.int64, stream=stream), least, most, stream=stream)


def positive(name, argument, x, dtype, stream):
    """A parameter in the dtype of the draws; ValueError for a number that is not above 0. Arrays
    are not looked at."""
    if isinstance(x, (int, float)) and not x > 0:
        raise ValueError(f"[random_{name}] {argument}: got {x}, allowed is more than 0")
    return _core.asarray(x, dtype=dtype, stream=stream)


def chances_of(name, p, count, stream):
    """Weights as an array; ValueError for some that are negative or NaN, or for fewer above 0 than
    count. Arrays are not looked at."""
    if p is None or isinstance(p, _core.array):
        return p
    p = _core.asarray(p, stream=stream)
    possible = _core.sum(p > 0, stream=stream).item()
    if not _core.all(p >= 0, stream=stream).item():
        raise ValueError(f"[random_{name}] p: got {p.tolist()}, allowed are weights from 0 on")
    if possible < count:
        raise ValueError(
            f"[random_{name}] p: got {possible} weights above 0, allowed are {count} and more"
        )
    return p
