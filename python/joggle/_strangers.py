# SPDX-License-Identifier: Apache-2.0
"""Operators with what other libraries have: sparse matrices, pandas's tables, Dask's arrays."""

import operator

from joggle import _core

_NAMES = {
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "divide": "truediv",
    "equal": "eq",
    "floor_divide": "floordiv",
    "greater": "gt",
    "greater_equal": "ge",
    "left_shift": "lshift",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "not_equal": "ne",
    "power": "pow",
    "remainder": "mod",
    "right_shift": "rshift",
    "subtract": "sub",
}


def introduce_to_dask():
    """Tells Dask that its chunks may be arrays of ours; till then it leaves operators to us."""
    from dask.array import register_chunk_type

    register_chunk_type(_core.array)


def again(name, a, b):
    """The operator once more, after its other side has got to know us."""
    return divmod(a, b) if name == "divmod" else getattr(operator, _NAMES.get(name, name))(a, b)


def by_numpy(name, a, b):
    """The operator of the other side's class and NumPy's view of our array. Arrays in the result
    are ours."""
    from joggle._numpy import _outside

    return _outside.from_numpy(again(name, _outside.to_numpy(a), _outside.to_numpy(b)))
