# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of a kernel's scalars: what dtype an operation has, and which instructions it becomes.

Operands are values, or numbers of the source. Two numbers are computed at once, by Python; a number
takes part with the default dtype of its kind, and is written in the dtype in which it is used.
"""

import contextlib
import math
import operator

from .emit import describe
from .messages import KernelTypeError, as_kernel_error
from .promotion import (
    as_float,
    check_operands,
    integer_range,
    is_bool,
    is_float,
    is_integer,
    kind_of,
    promote,
    result_of,
    width_of,
)
from .scalar import Scalar, install_operators

_PYTHON = {
    "add": ("+", operator.add),
    "subtract": ("-", operator.sub),
    "multiply": ("*", operator.mul),
    "divide": ("/", operator.truediv),
    "floor_divide": ("//", operator.floordiv),
    "remainder": ("%", operator.mod),
    "power": ("**", operator.pow),
    "and": ("&", operator.and_),
    "or": ("|", operator.or_),
    "xor": ("^", operator.xor),
    "shift_left": ("<<", operator.lshift),
    "shift_right": (">>", operator.rshift),
    "less": ("<", operator.lt),
    "less_equal": ("<=", operator.le),
    "greater": (">", operator.gt),
    "greater_equal": (">=", operator.ge),
    "equal": ("==", operator.eq),
    "not_equal": ("!=", operator.ne),
    "maximum": ("max", max),
    "minimum": ("min", min),
    "atan2": ("atan2", math.atan2),
}
SYMBOLS = {name: symbol for name, (symbol, _) in _PYTHON.items()}
SYMBOLS |= {"trunc_divide": "raw_div", "trunc_remainder": "raw_mod"}
COMPARISONS = {
    "less": ("less", False),
    "less_equal": ("less_equal", False),
    "greater": ("less", True),
    "greater_equal": ("less_equal", True),
    "equal": ("equal", False),
    "not_equal": ("not_equal", False),
}
# Operators that take truth values for the numbers 0 and 1.
_COUNTING = frozenset(
    {
        "add",
        "floor_divide",
        "multiply",
        "power",
        "remainder",
        "shift_left",
        "shift_right",
        "subtract",
        "trunc_divide",
        "trunc_remainder",
    }
)
_UNROLLED_POWER = 16  # up to here a constant whole exponent becomes multiplications


def is_number(x):
    """Whether x is a scalar: a value, or a number of the source."""
    return isinstance(x, (Scalar, int, float))


def binary(emitter, name, a, b):
    """The result of an operator of two scalars."""
    for x in (a, b):
        if not is_number(x):
            symbol = SYMBOLS.get(name, name)
            raise KernelTypeError(
                f"operator {symbol}: got {describe(a)} and {describe(b)}, allowed are numbers"
            )
    if not isinstance(a, Scalar) and not isinstance(b, Scalar) and name in _PYTHON:
        known = _of_numbers(name, a, b)
        if known is not None:
            return known
        a, b = emitter.scalar(a), emitter.scalar(b)
    if name in COMPARISONS:
        return _compare(emitter, name, a, b)
    if name == "power":
        return _power(emitter, a, b)
    da, db = emitter.dtype_of(a), emitter.dtype_of(b)
    check_operands(name, SYMBOLS.get(name, name), da, db)
    dtype = result_of(name, da, db, emitter.default_fp)
    dtype = emitter.default_ip if is_bool(dtype) and name in _COUNTING else dtype
    return _apply(emitter, name, dtype, emitter.scalar(a, dtype), emitter.scalar(b, dtype))


def _of_numbers(name, a, b):
    """Python's result for two numbers. None if Python raises where floats give NaN or infinity, as
    they do when the kernel runs."""
    try:
        known = _PYTHON[name][1](a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        if name == "divide" or isinstance(a, float) or isinstance(b, float):
            return None
        raise as_kernel_error(error) from None
    return None if isinstance(known, complex) else known


def logical_shift(emitter, a, b):
    """a shifted to the right by b bits, with zeros from the left also where a is negative."""
    a, b = emitter.scalar(a), emitter.scalar(b)
    check_operands("shift_right", "bit_shr", a.dtype, b.dtype)
    dtype = result_of("shift_right", a.dtype, b.dtype, emitter.default_fp)
    bits = "uint" + dtype.removeprefix("u").removeprefix("int")
    a, b = (emitter.cast(emitter.scalar(x, dtype), bits) for x in (a, b))
    return emitter.cast(_apply(emitter, "shift_right", bits, a, b), dtype)


def _apply(emitter, name, dtype, a, b):
    check_fits(emitter, name, a, b)
    if is_bool(dtype) and name not in ("add", "multiply", "and", "or", "xor"):
        return _of_bools(emitter, name, a, b)
    result = emitter.instruct(dtype, name, a, b)
    if emitter.debug and is_integer(dtype) and name == "shift_left":
        back = emitter.instruct(dtype, "shift_right", result, b)
        _assert_fits(emitter, name, a, b, emitter.instruct("bool", "equal", back, a))
    return result


def _of_bools(emitter, name, a, b):
    """Operators that the IR has for numbers only, in 8 bits."""
    wide = emitter.instruct("uint8", name, emitter.cast(a, "uint8"), emitter.cast(b, "uint8"))
    return emitter.cast(wide, "bool")


def check_fits(emitter, name, a, b):
    """In debug mode: checks that an operator's result of two integers is in range of their
    dtype."""
    if not emitter.debug or not is_integer(a.dtype):
        return
    if name in ("add", "subtract", "multiply"):
        over = emitter.instruct("bool", f"{name}_overflows", a, b)
    elif name in ("floor_divide", "trunc_divide") and kind_of(a.dtype) == "int":
        lowest = emitter.constant(integer_range(a.dtype)[0], a.dtype)
        of_lowest = emitter.instruct("bool", "equal", a, lowest)
        by_minus_one = emitter.instruct("bool", "equal", b, emitter.constant(-1, b.dtype))
        over = emitter.instruct("bool", "and", of_lowest, by_minus_one)
    else:
        return
    _assert_fits(emitter, name, a, b, emitter.instruct("bool", "not", over))


def _check_power_fits(emitter, a, b):
    """The same for a power. In float64 no power of an integer is so close to a limit that its
    rounding error matters, except the limits themselves, which are exact."""
    low, high = integer_range(a.dtype)
    power = emitter.instruct(
        "float64", "power", emitter.cast(a, "float64"), emitter.cast(b, "float64")
    )
    above = emitter.instruct("bool", "less_equal", emitter.constant(float(low), "float64"), power)
    below = emitter.instruct("bool", "less", power, emitter.constant(float(high + 1), "float64"))
    inside = emitter.instruct("bool", "and", above, below)
    trivial = emitter.instruct("bool", "less", b, emitter.constant(2, b.dtype))
    _assert_fits(emitter, "power", a, b, emitter.instruct("bool", "or", trivial, inside))


def _assert_fits(emitter, name, a, b, fits):
    symbol = SYMBOLS.get(name, name)
    emitter.check(fits, f"{a.dtype} {{}} {symbol} {{}} overflows", a, b)


def _compare(emitter, name, a, b):
    dtype = promote(emitter.dtype_of(a), emitter.dtype_of(b))
    a, b = emitter.scalar(a, dtype), emitter.scalar(b, dtype)
    instruction, swapped = COMPARISONS[name]
    return emitter.instruct("bool", instruction, *((b, a) if swapped else (a, b)))


def _power(emitter, a, b):
    dtype = result_of("power", emitter.dtype_of(a), emitter.dtype_of(b), emitter.default_fp)
    dtype = emitter.default_ip if is_bool(dtype) else dtype
    if isinstance(b, Scalar) and b.constant is not None:
        b = b.constant
    whole = isinstance(b, int) or (isinstance(b, float) and b.is_integer())
    if not isinstance(b, Scalar) and whole and abs(b) <= _UNROLLED_POWER:
        return _constant_power(emitter, emitter.scalar(a, dtype), int(b))
    if not isinstance(b, Scalar) and b == 0.5:
        return emitter.instruct(dtype, "sqrt", emitter.scalar(a, dtype))
    a, b = emitter.scalar(a, dtype), emitter.scalar(b, dtype)
    if emitter.debug and is_integer(dtype):
        _check_power_fits(emitter, a, b)
    return emitter.instruct(dtype, "power", a, b)


def _constant_power(emitter, base, exponent):
    """The power by squaring. A negative power of an integer is the IR's, which gives 0 unless |x|
    is 1."""
    if exponent < 0:
        if not is_float(base.dtype):
            operands = base, emitter.constant(exponent, base.dtype)
            return emitter.instruct(base.dtype, "power", *operands)
        one = emitter.constant(1, base.dtype)
        return emitter.instruct(
            base.dtype, "divide", one, _constant_power(emitter, base, -exponent)
        )
    result, square = None, base
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        square = square * square if exponent else square
    return emitter.constant(1, base.dtype) if result is None else result


_UNARY = {"negate": operator.neg, "abs": abs, "not": operator.invert, "copy": operator.pos}


def unary(emitter, name, x):
    """The result of - abs ~ or + of a scalar."""
    if not is_number(x):
        raise KernelTypeError(f"{name}: got {describe(x)}, allowed are numbers")
    if not isinstance(x, Scalar):
        return _UNARY[name](x)
    if is_bool(x.dtype) and name in ("negate", "copy"):
        x = emitter.scalar(x, emitter.default_ip)
    if name == "copy" or (name == "abs" and kind_of(x.dtype) in ("uint", "bool")):
        return x
    if name == "not" and is_float(x.dtype):
        raise KernelTypeError(f"operator ~: got {x.dtype}, allowed are integers and bools")
    if name == "negate":
        check_fits(emitter, "subtract", emitter.constant(0, x.dtype), x)
        return negated(emitter, x)
    result = emitter.instruct(x.dtype, name, x)
    if name == "abs" and emitter.debug and is_integer(x.dtype):
        fits = emitter.instruct("bool", "less_equal", emitter.constant(0, x.dtype), result)
        emitter.check(fits, f"abs of {x.dtype} {{}} overflows", x)
    return result


def negated(emitter, x):
    """-x, which of a whole number may wrap round."""
    return x if is_bool(x.dtype) else emitter.instruct(x.dtype, "negate", x)


def function(emitter, name, python, x):
    """A function of one real number: of an integer in the default floating dtype. python: what it
    is of a number that is known, which stays one, unless Python raises where the function is NaN
    or infinite; not used if x is a value."""
    if not is_number(x):
        raise KernelTypeError(f"{name}: got {describe(x)}, allowed are numbers")
    if not isinstance(x, Scalar):
        with contextlib.suppress(ArithmeticError, ValueError):
            return python(x)
    dtype = as_float(emitter.dtype_of(x), emitter.default_fp)
    return emitter.instruct(dtype, name, emitter.scalar(x, dtype))


def truth(emitter, x):
    """Whether x is not zero: a bool of Python if that is known, else a value."""
    if not is_number(x):
        raise KernelTypeError(f"condition: got {describe(x)}, allowed are numbers and bools")
    if not isinstance(x, Scalar):
        return bool(x)
    if is_bool(x.dtype):
        return x
    return emitter.instruct("bool", "not_equal", x, emitter.constant(0, x.dtype))


def negation(emitter, x):
    """not x."""
    known = truth(emitter, x)
    return not known if isinstance(known, bool) else emitter.instruct("bool", "not", known)


def select(emitter, condition, a, b):
    """a where the condition holds, else b; both are computed. A condition that is known picks one,
    also in the common dtype of the two."""
    known = truth(emitter, condition)
    dtype = promote(emitter.dtype_of(a), emitter.dtype_of(b))
    if isinstance(known, bool):
        return emitter.scalar(a if known else b, dtype)
    return emitter.instruct(
        dtype, "select", known, emitter.scalar(a, dtype), emitter.scalar(b, dtype)
    )


def convert(emitter, x, dtype):
    """x in a dtype; a number stays known at compile time."""
    if not is_number(x):
        raise KernelTypeError(f"cast to {dtype}: got {describe(x)}, allowed are numbers")
    if isinstance(x, Scalar):
        return emitter.scalar(x, dtype)
    if is_integer(dtype):
        x = int(x)
    elif is_bool(dtype):
        x = bool(x)
    return emitter.constant(x, dtype)


def bitcast(emitter, x, dtype):
    """The bits of x as another dtype of the same width."""
    x = emitter.scalar(x)
    if width_of(x.dtype) != width_of(dtype):
        raise KernelTypeError(
            f"bit_cast: got {x.dtype} to {dtype}, allowed are dtypes of the same width"
        )
    return x if x.dtype == dtype else emitter.instruct(dtype, "bitcast", x)


install_operators(binary, unary)
