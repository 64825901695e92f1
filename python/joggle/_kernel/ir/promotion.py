# SPDX-License-Identifier: Apache-2.0
"""Which dtype an operation of a kernel computes in.

Dtypes are the names of the kernel IR ("int32", "float64"). Two integers meet in the wider one, of
equal width in the unsigned one; an integer that meets a float becomes that float; two floats meet
in the wider one. A bool meets another dtype in that dtype. A dtype is its name here.
"""

from functools import cache

from .messages import KernelTypeError

_WIDTHS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}
_KINDS = {f"{kind}{bits}": (kind, bits) for kind, widths in _WIDTHS.items() for bits in widths}
_KINDS |= {"bool": ("bool", 1), "bfloat16": ("float", 16)}  # kind and bits by name


def kind_of(dtype):
    """One of "bool", "int", "uint" and "float"."""
    return _KINDS[dtype][0]


def width_of(dtype):
    """Bits of a value; a bool counts as one."""
    return _KINDS[dtype][1]


def is_float(dtype):
    return _KINDS[dtype][0] == "float"


def is_integer(dtype):
    return _KINDS[dtype][0] in ("int", "uint")


def is_bool(dtype):
    return dtype == "bool"


def integer_range(dtype):
    """The least and the greatest value of an integer dtype."""
    bits = width_of(dtype)
    if kind_of(dtype) == "int":
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


@cache
def promote(a, b):
    """The dtype in which values of two dtypes meet."""
    if a == b or is_bool(b):
        return a
    if is_bool(a):
        return b
    if is_float(a) or is_float(b):
        return _meet_float(a, b)
    if width_of(a) != width_of(b):
        return a if width_of(a) > width_of(b) else b
    return a if kind_of(a) == "uint" else b


def _meet_float(a, b):
    if not (is_float(a) and is_float(b)):
        return a if is_float(a) else b
    if width_of(a) == width_of(b):
        return "float32"  # float16 and bfloat16: neither holds the other
    return a if width_of(a) > width_of(b) else b


def as_float(dtype, default_fp):
    """The dtype in which a function of real numbers computes: that of a float, else the default."""
    return dtype if is_float(dtype) else default_fp


def result_of(operator, a, b, default_fp):
    """The dtype in which the operator is applied to values of dtypes a and b."""
    if operator in ("divide", "atan2"):
        return promote(as_float(a, default_fp), as_float(b, default_fp))
    if operator in ("shift_left", "shift_right"):
        return a
    if operator == "power" and not is_float(b):
        return a  # x ** 2 of a float32 stays one, whatever the default integer
    return promote(a, b)


_WHOLE = ("and", "or", "xor", "shift_left", "shift_right")


def check_operands(operator, symbol, a, b):
    """Refuses dtypes that the operator has no meaning for."""
    if operator in _WHOLE and (is_float(a) or is_float(b)):
        raise KernelTypeError(
            f"operator {symbol}: got {a} and {b}, allowed are integers and bools; "
            "cast to an integer first, or take the bits with bit_cast"
        )
