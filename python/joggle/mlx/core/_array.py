# SPDX-License-Identifier: Apache-2.0
"""`array` as MLX has it: a type for isinstance and annotations whose calls make joggle's arrays,
with MLX's dtypes. Every array of joggle's is an instance of it."""

from joggle import _core

__all__ = ["ArrayAt", "ArrayIterator", "ArrayLike", "array", "asarray"]

_array = _core.array
_make = _core._narrowed(_core.array, "kept", None)
_join = _core._narrowed(_core.stack, "kept", None)
_NARROWER = {_core.float64: _core.float32, _core.complex128: _core.complex64}
_NUMBERS = (bool, int, float, complex)


class _ArrayType(type):
    """The type of `array`, which stands for joggle's own array type."""

    def __call__(cls, val, dtype=None):
        kind = type(val)
        if kind is int or kind is float:  # the common case, which skips the calls below
            try:
                return _make(val, dtype)
            except OverflowError:
                return _of_numbers(val, dtype)
        if kind is _array:
            return _core.copy(val) if dtype is None else _core.astype(val, dtype)
        if isinstance(val, _NUMBERS):
            return _of_numbers(val, dtype)
        if isinstance(val, (list, tuple)):
            return _of_sequence(val, dtype)
        made = _make(val, dtype, copy=True)
        if dtype is None and made.dtype in _NARROWER:
            return _core.astype(made, _NARROWER[made.dtype])
        return made

    def __instancecheck__(cls, instance):
        return isinstance(instance, _array)

    def __subclasscheck__(cls, subclass):
        return subclass is cls or issubclass(subclass, _array)

    def __getattr__(cls, name):
        return getattr(_array, name)

    def __dir__(cls):
        return dir(_array)

    def __eq__(cls, other):
        return other is cls or other is _array

    def __hash__(cls):
        return hash(_array)


class array(metaclass=_ArrayType):
    """array(val, dtype=None): a new array of a number, of nested sequences of numbers and arrays,
    or of what another library has, whose memory is copied.

    Without a dtype ints are int32 (int64 where one of them needs it), floats float32, complex
    numbers complex64, and what is given in float64 or complex128 has half as many bits.

    >>> mx.array([1, 2])
    array([1, 2], dtype=int32)
    """

    __module__ = "joggle.mlx.core"
    __slots__ = ()


def asarray(a, dtype=None, *, copy=None, stream=None):
    """The array itself where it has the dtype, and copy is not True; else array(a, dtype). With
    copy=False what would have to be copied raises CopyError.

    >>> mx.asarray([1, 2])
    array([1, 2], dtype=int32)
    """
    if stream is not None:
        with _core.stream(stream):
            return asarray(a, dtype, copy=copy)
    if type(a) is _array or copy is False:
        return _core.asarray(a, dtype, copy=copy)
    return array(a, dtype)


def _of_numbers(values, dtype):
    """Converts what does not fit: low bits of ints, real part of complex numbers."""
    try:
        return _make(values, dtype)
    except OverflowError:
        return _core.astype(_make(values), dtype)
    except TypeError:
        if dtype is None or not isinstance(values, complex):
            raise
        return _make(values.real, dtype)


def _has_array(values):
    return any(
        type(v) is _array or (isinstance(v, (list, tuple)) and _has_array(v)) for v in values
    )


def _of_sequence(values, dtype):
    """Arrays among the numbers are joined, and not computed for it."""
    if not _has_array(values):
        return _of_numbers(values, dtype)
    made = _join([_of_item(v) for v in values])
    return made if dtype is None or made.dtype == dtype else _core.astype(made, dtype)


def _of_item(value):
    if isinstance(value, (list, tuple)):
        return _of_sequence(value, None)
    return value


ArrayAt = type(_core.zeros((1,)).at[0])
ArrayIterator = type(iter(_core.zeros((1,))))


class _ArrayLike(type):
    def __instancecheck__(cls, instance):
        return hasattr(type(instance), "__mlx_array__")


class ArrayLike(metaclass=_ArrayLike):
    """Any object with a method __mlx_array__ that gives an array."""
