# SPDX-License-Identifier: Apache-2.0
"""The common dtypes of arguments, and further checks of functions of numbers."""

from joggle import _core


def is_kind(x, *kinds):
    """Whether the dtype is of one of the kinds that isdtype knows by name."""
    return _core.isdtype(x.dtype, kinds)


def common_dtype(*arrays):
    """The common dtype of arrays, lists and Python numbers, which are weak."""
    numbers = (bool, int, float, complex)
    arrays = [x if isinstance(x, numbers) else _core.asarray(x) for x in arrays]
    if all(isinstance(x, numbers) for x in arrays):
        arrays = [_core.asarray(x) for x in arrays]
    return _core.result_type(*arrays)


def as_common(*arrays):
    """Arrays in their common dtype; lists and numbers are converted to it directly."""
    dtype = common_dtype(*arrays)
    return [_core.asarray(x, dtype=dtype) for x in arrays]


def as_floats(*arrays):
    """Likewise, but of bools and integers in the default float."""
    dtype = common_dtype(*arrays)
    if not _core.isdtype(dtype, ("real floating", "complex floating")):
        dtype = _core.result_type(_core.float32, dtype)
    return [_core.asarray(x, dtype=dtype) for x in arrays]


def refuse_complex(name, **arrays):
    for argument, x in arrays.items():
        if is_kind(x, "complex floating"):
            raise TypeError(f"[{name}] {argument}: got {x.dtype.name}, allowed are real numbers")


def vector(name, argument, x):
    """x as an array of one axis, which a number becomes; ValueError for more axes."""
    x = _core.asarray(x)
    if x.ndim > 1:
        raise ValueError(f"[{name}] {argument}: has {x.ndim} axes, allowed is one")
    return _core.ravel(x)


def count_of(name, argument, number, least=0):
    """An int from least on."""
    try:
        number = number.__index__()
    except AttributeError:
        raise TypeError(f"[{name}] {argument}: got {number!r}, allowed is an int") from None
    if number < least:
        raise ValueError(f"[{name}] {argument}: got {number}, allowed is {least} and above")
    return number


def along(axis, start=None, stop=None, step=None):
    """The index of a slice along an axis, from the front, and of all along the others."""
    return (*(slice(None),) * axis, slice(start, stop, step))
