# SPDX-License-Identifier: Apache-2.0
"""Common code of this package's modules: streams of whole functions, and checks of arguments.

Messages name the function, the argument, what it was and what is allowed.
"""

import functools
import operator

from joggle import _core, _errors


def on_stream(function):
    """The function, with all that it builds on the stream that it is given by that keyword.

    So its body may use operators and indexing, which build on the default stream.
    """

    @functools.wraps(function)
    def call(*args, **kwargs):
        stream = kwargs.pop("stream", None)
        if stream is None:
            return function(*args, **kwargs)
        with _core.stream(stream):
            return function(*args, **kwargs)

    return call


def axis_of(axis, ndim, name, argument="axis"):
    """The axis counted from the first; AxisError if there is none."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise _errors.axis_error(
            f"[{name}] {argument}: got {axis}, allowed for {ndim} axes is {-ndim} to {ndim - 1}"
        )
    return axis % ndim


def whole(x, name, argument):
    """x as an array of int64, of any integers; an empty list is one of them."""
    given = x
    x = _core.asarray(x)
    if x.size == 0 and not isinstance(given, _core.array):
        x = x.astype(_core.int64, copy=False)
    if not _core.isdtype(x.dtype, "integral"):
        raise TypeError(f"[{name}] {argument}: got {x.dtype.name}, allowed are integers")
    return x.astype(_core.int64, copy=False)


def at_least_axes(x, least, name, argument):
    """x as an array that has at least that many axes."""
    x = _core.asarray(x)
    if x.ndim < least:
        raise ValueError(f"[{name}] {argument}: has {x.ndim} axes, allowed are {least} and more")
    return x


def one_of(value, allowed, name, argument):
    """The value; ValueError if it is none of the allowed ones."""
    if value not in allowed:
        said = ", ".join(map(repr, allowed))
        raise ValueError(f"[{name}] {argument}: got {value!r}, allowed are {said}")
    return value


def flag_of(value, name, argument):
    """True or False, of Python or NumPy; None is False. TypeError for anything else."""
    is_numpys = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
    if not (value is None or isinstance(value, int) or is_numpys) or value not in (None, 0, 1):
        raise TypeError(f"[{name}] {argument}: got {value!r}, allowed are True and False")
    return bool(value)


def in_range(x, low, high, name, argument, error=IndexError):
    """Computes x; the error if an element is not from low to high, high excluded."""
    if x.size == 0:
        return
    least, most = _core.min(x).item(), _core.max(x).item()
    if least < low or most >= high:
        bad = least if least < low else most
        raise error(f"[{name}] {argument}: has {bad}, allowed is {low} to {high - 1}")


def fitted(indices, extent, mode, name, argument, lowest=0, error=ValueError):
    """Indices from 0 on for an axis of that extent, as the mode says; "raise" computes them."""
    one_of(mode, ("raise", "wrap", "clip"), name, "mode")
    if mode == "raise":
        in_range(indices, lowest, extent, name, argument, error)
    if mode == "clip":
        return _core.clip(indices, 0, max(extent - 1, 0))
    return _core.remainder(indices, max(extent, 1))


def leading_ones(x, ndim):
    """x with axes of extent 1 in front, up to ndim of them."""
    return _core.reshape(x, (1,) * (ndim - x.ndim) + x.shape) if x.ndim < ndim else x


def cycled(x, size):
    """A vector of that size with the elements of x, at least one, repeated."""
    x = _core.ravel(x)
    return _core.tile(x, -(-size // x.size))[:size] if x.size < size else x[:size]
