# SPDX-License-Identifier: Apache-2.0
"""MLX's results where the standard has none and joggle's functions raise: arithmetic of bools, the
order of complex numbers, an array in place of a sequence of arrays. MLX also refuses operations
on the bits of floats, by another error.

Each function here is called with the arguments that were refused, and gives NotImplemented if
MLX refuses, too.
"""

import contextlib
import functools

from joggle import _core
from joggle.mlx.core import _complex

_array = _core.array
_arange = _core._narrowed(_core.arange, "kept", None)


class OperandError(TypeError, ValueError, RuntimeError):
    """Operands of a dtype that a function does not take: MLX raises RuntimeError for some of them,
    ValueError for others, and joggle TypeError."""

    __module__ = "joggle.mlx.core"


def of(name):
    """The function for the one of that name, or None."""
    for rules, call in ((_RULES, _unless_missing), (_ALONE, _alone)):
        for names, make in rules.items():
            if name in names.split():
                return functools.partial(call, make, getattr(_core, name))
    return None


def _unless_missing(make, function, *operands, **options):
    """Leaves it to the function to tell which operand is missing, or was given by which name."""
    code, defaults = make.__code__, make.__defaults__ or ()
    if len(operands) + 1 < code.co_argcount - len(defaults):
        return NotImplemented
    return make(function, *operands, **options)


def _alone(make, function, *operands, stream=None, **options):
    """For rules that compute without the function. It is called with real numbers in the place of
    the operands nevertheless, so that it refuses axes, options and streams as ever."""
    plain = [_plain(x, number == 0) for number, x in enumerate(operands)]
    named = {name: _plain(x, name == "a") for name, x in options.items()}
    given = (*operands, *options.values())
    if all(x is y for x, y in zip((*plain, *named.values()), given, strict=True)):
        return NotImplemented
    function(*plain, **named, stream=stream)
    with contextlib.nullcontext() if stream is None else _core.stream(stream):
        return make(function, *operands, **options)


def _plain(x, is_first):
    """The real part of a complex number, and an integer for a bool; options may be Python's bools,
    so of those only the first operand is one."""
    if _complex.is_complex(x):
        return _core.real(x) if isinstance(x, _array) else x.real
    if _is_bool(x) and (is_first or isinstance(x, _array)):
        return _core.astype(_core.asarray(x), _core.int32)
    return x


def _is_bool(x):
    return isinstance(x, bool) or (isinstance(x, _array) and x.dtype == _core.bool)


def _unchanged(function, a, *rest, **options):
    return _core.astype(a, _core.bool) if _is_bool(a) else NotImplemented


def _zeros(function, a, **options):
    return _core.zeros_like(_core.asarray(a)) if _is_bool(a) else NotImplemented


def _like_bools(a, b):
    """Beside an array of bools NumPy's numbers and arrays are bools."""

    def converted(x, other):
        is_numpys = hasattr(x, "dtype") and not isinstance(x, _array)
        beside_bools = isinstance(other, _array) and other.dtype == _core.bool
        return _core.asarray(x, dtype=_core.bool) if is_numpys and beside_bools else x

    return converted(a, b), converted(b, a)


def _by_bytes(function, a, b, **options):
    """Computes on bools as bytes and compares the result with 0."""
    a, b = _like_bools(a, b)
    if not (_is_bool(a) and _is_bool(b)):
        return NotImplemented
    found = function(*(_core.astype(x, _core.uint8) for x in (a, b)), **options)
    if isinstance(found, tuple):
        return tuple(_core.astype(x, _core.bool) for x in found)
    return _core.astype(found, _core.bool)


def _quotient(function, a, b, **options):
    found = _by_bytes(function, a, b, **options)
    return _complex.of_two(function, a, b) if found is NotImplemented else found


def _is_integer(x):
    if isinstance(x, _array):
        return _core.isdtype(x.dtype, ("bool", "integral"))
    return isinstance(x, int)


def _of_integers(function, *operands, **options):
    """Refuses as the function does, by an error of the kinds of both."""
    try:
        return function(*operands, **options)
    except TypeError as error:
        if not any(isinstance(x, (_array, float, complex)) for x in operands):
            return NotImplemented
        raise OperandError(*error.args) from None


def _shifted(function, a, b, **options):
    """A bool is a byte, or has the dtype of the integer that it meets."""
    a, b = _like_bools(a, b)
    if not (_is_bool(a) or _is_bool(b)):
        return _of_integers(function, a, b, **options)
    if not (_is_integer(a) and _is_integer(b)):
        a, b = (_core.astype(_core.asarray(x), _core.uint8) if _is_bool(x) else x for x in (a, b))
        return _of_integers(function, a, b, **options)
    if _is_bool(a) and _is_bool(b):
        dtypes = [_core.uint8] * 2
    else:
        other = b if _is_bool(a) else a
        dtypes = [other.dtype if isinstance(other, _array) else _core.int32] * 2
    a, b = (_core.asarray(x, dtype=t) for x, t in zip((a, b), dtypes, strict=True))
    return function(a, b, **options)


def _extreme(function, a, axis=None, keepdims=False, *, last, index, **options):
    """The element that is the last or the first in order, or its index."""
    if not _complex.is_complex(a):
        return NotImplemented
    if isinstance(axis, (tuple, list)) and len(axis) != 1:
        return NotImplemented
    flat = axis is None
    ndim = a.ndim
    axis = axis[0] if isinstance(axis, (tuple, list)) else axis
    lined = _core.reshape(a, (-1,)) if flat else a
    places = _core.argsort(lined, axis=0 if flat else axis)
    if last:
        extent = lined.shape[0 if flat else axis]
        place = _core.take(places, _core.asarray([extent - 1]), 0 if flat else axis)
    else:
        place = _core.take(places, _core.asarray([0]), 0 if flat else axis)
    found = place if index else _core.take_along_axis(lined, place, 0 if flat else axis)
    if index:
        found = _core.astype(found, _core.uint32)
    if flat:
        return _core.reshape(found, (1,) * ndim if keepdims else ())
    return found if keepdims else _core.squeeze(found, axis)


def _extremes(function, a, axis=None, keepdims=False, **options):
    found = [
        _extreme(function, a, axis, keepdims, last=last, index=False) for last in (False, True)
    ]
    return NotImplemented if found[0] is NotImplemented else tuple(found)


def _angles(function, a, **options):
    if not _complex.is_complex(a):
        return NotImplemented
    factor = function(_core.asarray(1.0, dtype=_core.float32))
    return _core.multiply(a, factor)


def _infinite(function, a, **options):
    if not _complex.is_complex(a):
        return NotImplemented
    value = float("inf") if function.__name__ == "isposinf" else -float("inf")
    return _core.equal(a, value)


def _rows(function, arrays, *rest, **options):
    if not isinstance(arrays, _array):
        return NotImplemented
    return function(list(arrays), *rest, **options)


def _spread(function, shape, fill_value, dtype=None, *, stream=None, **options):
    """An array of several elements is repeated to the shape."""
    if not isinstance(fill_value, _array) or fill_value.size == 1 or options:
        return NotImplemented
    shape = (shape,) if isinstance(shape, int) else shape
    x = fill_value if dtype is None else _core.astype(fill_value, dtype, stream=stream)
    pairs = zip(x.shape[::-1], shape[::-1], strict=False)
    if x.ndim > len(shape) or any(extent not in (1, to) for extent, to in pairs):
        raise ValueError(
            f"[full] vals: has shape {x.shape}, allowed are those that broadcast to {tuple(shape)}"
        )
    return _core.contiguous(_core.broadcast_to(x, shape, stream=stream), stream=stream)


def _from_zero(function, start=None, stop=None, step=1, dtype=None, **options):
    if start is not None or stop is None:
        return NotImplemented
    return _arange(0, stop, step, dtype, **options)


def _within_axes(function, a, start_axis=0, end_axis=-1, **options):
    """Axes beyond the first and the last are those."""
    ends = start_axis, end_axis
    if not isinstance(a, _array) or not all(isinstance(axis, int) for axis in ends):
        return NotImplemented
    start, end = (axis + a.ndim if axis < 0 else axis for axis in ends)
    nearest = max(start, 0), min(end, a.ndim - 1)
    if nearest == (start, end) or not nearest[0] <= nearest[1]:
        return NotImplemented
    return function(a, *nearest, **options)


_RULES = {
    "full": _spread,
    "arange": _from_zero,
    "flatten": _within_axes,
    "subtract pow power remainder divmod": _by_bytes,
    "left_shift right_shift bitwise_left_shift bitwise_right_shift": _shifted,
    "bitwise_and bitwise_or bitwise_xor bitwise_invert": _of_integers,
    "concatenate concat stack": _rows,
}
_ALONE = {
    "abs ceil conj conjugate floor positive real round sign trunc": _unchanged,
    "imag": _zeros,
    "floor_divide": _quotient,
    "greater greater_equal less less_equal": _complex.compared,
    "maximum minimum logaddexp": _complex.of_two,
    "cummax cummin logcumsumexp": _complex.scan,
    "clip": _complex.clip,
    "median": _complex.median,
    "logsumexp": _complex.logsumexp,
    "softmax": _complex.softmax,
    "max": functools.partial(_extreme, last=True, index=False),
    "min": functools.partial(_extreme, last=False, index=False),
    "argmax": functools.partial(_extreme, last=True, index=True),
    "argmin": functools.partial(_extreme, last=False, index=True),
    "minmax": _extremes,
    "degrees radians": _angles,
    "isposinf isneginf": _infinite,
}
