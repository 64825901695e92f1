# SPDX-License-Identifier: Apache-2.0
"""Numbers of a kernel's source as values of a dtype: what they are there, and how the text spells
them."""

import math
import struct

from .messages import KernelValueError
from .promotion import integer_range, is_bool, is_float, is_integer


def constant_number(number, dtype):
    """The number that a constant of a dtype is: a truth value, a whole number, or a rounded one."""
    if is_bool(dtype):
        return bool(number)
    if is_integer(dtype):
        return int(number)
    return rounded(float(number), dtype)


def rounded(number, dtype):
    """The nearest float of a dtype."""
    if dtype == "float64" or not math.isfinite(number):
        return number
    form = "e" if dtype == "float16" else "f"
    try:
        (found,) = struct.unpack(form, struct.pack(form, number))
    except OverflowError:
        return math.copysign(math.inf, number)
    if dtype != "bfloat16":
        return found
    # The upper half of a float32, to the nearest, of two to the even one.
    (bits,) = struct.unpack("I", struct.pack("f", found))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("f", struct.pack("I", bits))[0]


def constant_text(number, dtype):
    """How the kernel's text spells a number of a dtype."""
    if is_bool(dtype):
        return "true" if number else "false"
    if is_float(dtype):
        return _float_text(float(number))
    if isinstance(number, float) and not number.is_integer():
        number = int(number)
    low, high = integer_range(dtype)
    if not low <= number <= high:
        raise KernelValueError(
            f"the number {number} is outside of {dtype}; "
            f"give it a wider type, as in i64({number}), or set default_ip in init"
        )
    return str(int(number))


def _float_text(number):
    if number != number:
        return "nan"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    return repr(number)
