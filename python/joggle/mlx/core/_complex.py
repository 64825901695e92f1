# SPDX-License-Identifier: Apache-2.0
"""MLX's results for complex numbers where joggle's functions take only real ones: maxima, scans,
medians and sums of exponentials. The order is by real part and then by imaginary part.

The functions are called with the arguments that were refused, like those of _otherwise.py, and
give NotImplemented if MLX refuses, too.
"""

import math

from joggle import _core

_array = _core.array
_COMPLEX = (_core.complex64, _core.complex128)


def is_complex(x):
    return isinstance(x, complex) or (isinstance(x, _array) and x.dtype in _COMPLEX)


def before(a, b):
    """Whether a comes before b: by the real part, by the imaginary one where those are equal."""
    real = _core.less(_core.real(a), _core.real(b))
    tied = _core.equal(_core.real(a), _core.real(b))
    return _core.logical_or(real, _core.logical_and(tied, _core.less(_core.imag(a), _core.imag(b))))


def both_complex(a, b):
    if not (is_complex(a) or is_complex(b)):
        return None
    # Numbers of the other kinds have no imaginary part that could be asked for.
    return [_core.astype(_core.asarray(x), _core.complex64) for x in (a, b)]


def compared(function, a, b, **options):
    pair = both_complex(a, b)
    if pair is None:
        return NotImplemented
    a, b = pair
    if "greater" in function.__name__:
        a, b = b, a
    found = before(a, b)
    if "equal" in function.__name__:
        found = _core.logical_or(found, _core.equal(a, b))
    return found


def _larger(a, b):
    return _core.where(_core.logical_or(before(b, a), _core.not_equal(a, a)), a, b)


def _smaller(a, b):
    return _core.where(_core.logical_or(before(a, b), _core.not_equal(a, a)), a, b)


def _log_of_both(a, b):
    """The logarithm of exp(a) + exp(b), by the larger one, which cannot overflow."""
    top, other = _larger(a, b), _smaller(a, b)
    gap = _core.where(_core.isinf(_core.real(other)), -math.inf, _core.subtract(other, top))
    return _core.add(top, _core.log1p(_core.exp(gap)))


def of_two(function, a, b, **options):
    pair = both_complex(a, b)
    if pair is None:
        return NotImplemented
    ways = {"maximum": _larger, "minimum": _smaller, "logaddexp": _log_of_both}
    return ways.get(function.__name__, _core.divide)(*pair)  # floor_divide does not round them


def _lined(a, axis):
    """The axes in one, the last, and the shape that a reduction with keepdims has."""
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [i + a.ndim if i < 0 else i for i in axes]
    others = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(1 if i in axes else extent for i, extent in enumerate(a.shape))
    moved = _core.permute_dims(a, (*others, *axes)) if a.ndim else a
    outer = [a.shape[i] for i in others]
    return _core.reshape(moved, (*outer, math.prod(a.shape[i] for i in axes))), shape


def _formed(result, shape, keepdims):
    """Without the axes that were reduced, or with extents of 1."""
    return _core.reshape(result, shape) if keepdims else result


def median(function, a, axis=None, keepdims=False, **options):
    if not is_complex(a):
        return NotImplemented
    lines, shape = _lined(a, axis)
    count = lines.shape[-1]
    if count == 0:
        return NotImplemented
    lines = _core.sort(lines, axis=-1)
    middle = _core.add(lines[..., (count - 1) // 2], lines[..., count // 2])
    return _formed(_core.multiply(middle, 0.5), shape, keepdims)


def _largest(lines):
    return _core.sort(lines, axis=-1)[..., -1:]


def logsumexp(function, a, axis=None, keepdims=False, **options):
    if not is_complex(a):
        return NotImplemented
    lines, shape = _lined(a, axis)
    if lines.shape[-1] == 0:
        return NotImplemented
    top = _largest(lines)
    sums = _core.sum(_core.exp(_core.subtract(lines, top)), axis=-1)
    return _formed(_core.add(top[..., 0], _core.log(sums)), shape, keepdims)


def softmax(function, a, axis=None, **options):
    if not is_complex(a):
        return NotImplemented
    lines, shape = _lined(a, axis)
    if lines.shape[-1] == 0:
        return NotImplemented
    top = _core.reshape(_largest(lines), shape)
    powers = _core.exp(_core.subtract(a, top))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else axis
    return _core.divide(powers, _core.sum(powers, axis=axes, keepdims=True))


_SCANS = {
    "cummax": (_larger, complex(-math.inf, -math.inf)),
    "cummin": (_smaller, complex(math.inf, math.inf)),
    "logcumsumexp": (_log_of_both, complex(-math.inf, 0)),
}


def scan(function, a, axis=None, reverse=False, inclusive=True, **options):
    """In steps that double: each element takes in the one that many places before it."""
    if not is_complex(a):
        return NotImplemented
    combine, start = _SCANS[function.__name__]
    if axis is None:
        a, axis = _core.reshape(a, (-1,)), 0
    if reverse:
        a = _core.flip(a, axis=axis)
    extent, step = a.shape[axis], 1
    while step < extent:
        head, tail = _core.split(a, [step], axis=axis)
        earlier, _ = _core.split(a, [extent - step], axis=axis)
        a = _core.concatenate([head, combine(earlier, tail)], axis=axis)
        step *= 2
    if not inclusive and extent:
        kept, last = _core.split(a, [extent - 1], axis=axis)
        a = _core.concatenate([_core.full(last.shape, start, dtype=a.dtype), kept], axis=axis)
    return _core.flip(a, axis=axis) if reverse else a


def clip(function, a, a_min=None, a_max=None, **options):
    limits = [x for x in (a_min, a_max) if x is not None]
    if not any(map(is_complex, (a, *limits))):
        return NotImplemented
    a, *limits = (_core.astype(_core.asarray(x), _core.complex64) for x in (a, *limits))
    if a_min is not None:
        a = _larger(a, limits[0])
    return a if a_max is None else _smaller(a, limits[-1])
