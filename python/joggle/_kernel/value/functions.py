# SPDX-License-Identifier: Apache-2.0
"""The functions of kernels: each works on numbers of Python too, and on vectors item by item.

`Function` ties a name to what it computes of Python's numbers and to what a kernel writes for it. A
handler is called as handler(lowering, args, kwargs) with values and gives a value.
"""

import math
import operator
import random as python_random

from ..ir import arithmetic
from ..ir.arithmetic import bitcast, convert, select
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..ir.promotion import integer_range, is_bool, is_float, is_integer
from ..ir.scalar import Scalar
from ..ir.types import dtype_name
from .compiling import current, write_call
from .linear import cross, determinant, dot, inverse, outer_product
from .signatures import binding, bound, parameters_of, signature_of
from .values import PLACES, Tensor, read


class Function:
    """A function that kernels know. Outside of kernels it computes with Python's numbers, and in a
    plain function that a kernel calls with that kernel's values.

    python: what it is outside, or None where it has no meaning there (RuntimeError). assigns:
    whether it may set a place that it is called with, so that arguments are handed over as places.
    """

    def __init__(self, name, python, handler, assigns=False):
        self.__name__ = self.name = name
        self.__signature__ = signature_of(parameters_of(name.replace(".", "_")))
        self.python, self.assigns = python, assigns
        self.handler = handler
        if not hasattr(handler, "special"):
            self.handler = binding(name, self.__signature__, handler)
        self.__doc__ = python.__doc__ if python else None

    def __call__(self, *args, **kwargs):
        if current(args, kwargs) is not None:
            return write_call(self, args if self.assigns else [*map(read, args)], kwargs)
        if self.python is None:
            raise RuntimeError(f"{self.name} works in kernels only")
        args, kwargs = bound(self.name, self.__signature__, args, kwargs)
        try:
            if any(hasattr(x, "_map") for x in args):
                return _outside_on_matrices(self.python, args)
            return self.python(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {str(error).removeprefix('<lambda>() ')}") from None

    def __repr__(self):
        return f"<function {self.name} of kernels>"


# Matrices have _map; other arguments are the same for each of their items.
def _outside_on_matrices(python, args):
    matrices = [x for x in args if hasattr(x, "_map")]
    items = zip(*(_items_like(x, matrices[0]) for x in args), strict=True)
    return matrices[0]._map(lambda _: python(*next(items)))


def _items_like(x, matrix):
    """The items of a matrix, or another argument as often as the matrix has items."""
    count = len(matrix.entries)
    if not hasattr(x, "_map"):
        return [x] * count
    if x.get_shape() != matrix.get_shape():
        raise TypeError(f"got shapes {matrix.get_shape()} and {x.get_shape()}, allowed is one")
    return x.entries


FUNCTIONS = {}


def _register(name, python, handler, assigns=False):
    FUNCTIONS[name] = Function(name, python, handler, assigns)
    return FUNCTIONS[name]


def _unary(name, instruction, python):
    def handler(lowering, args, kwargs):
        (x,) = args
        return lowering.map(
            lambda item: arithmetic.function(lowering.emitter, instruction, python, item), x
        )

    _register(name, python, handler)


for _name in (
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
):
    _unary(_name, _name, getattr(math, _name))
for _name in ("atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "erf"):
    _unary(_name, _name, getattr(math, _name))


def _rsqrt(lowering, args, kwargs):
    root = FUNCTIONS["sqrt"].handler(lowering, args, kwargs)
    return lowering.map(lambda x: arithmetic.binary(lowering.emitter, "divide", 1.0, x), root)


_register("rsqrt", lambda x: 1.0 / math.sqrt(x), _rsqrt)


def _rounded(emitter, instruction, python, x):
    if not isinstance(x, Scalar):
        return float(python(x))
    return x if not is_float(x.dtype) else emitter.instruct(x.dtype, instruction, x)


def _half_away(emitter, x):
    """The nearest whole number; halves away from zero."""
    # Not trunc(x + 0.5): that sum rounds up what lies just below a half.
    whole = emitter.instruct(x.dtype, "trunc", x)
    far = abs(x - whole) >= 0.5
    one = emitter.instruct(x.dtype, "copysign", emitter.constant(1, x.dtype), x)
    return select(emitter, far, whole + one, whole)


def _rounding(name, instruction, python):
    def handler(lowering, args, kwargs):
        x, *rest = args
        dtype = rest[0] if rest else kwargs.get("dtype")

        def apply(item):
            emitter = lowering.emitter
            if instruction == "away" and isinstance(item, Scalar) and is_float(item.dtype):
                item = _half_away(emitter, item)
            elif instruction != "away" or not isinstance(item, Scalar):
                item = _rounded(emitter, instruction, python, item)
            return (
                item if dtype is None else convert(emitter, item, lowering.types.dtype_name(dtype))
            )

        return lowering.map(apply, x)

    def outside(x, dtype=None):
        result = float(python(x))
        return result if dtype is None else int(result)

    _register(name, outside, handler)


def _python_round(x):
    below = math.floor(abs(x))  # abs(x) + 0.5 may round up to a whole number
    return (below + (abs(x) - below >= 0.5)) * (1 if x >= 0 else -1)


_rounding("floor", "floor", math.floor)
_rounding("ceil", "ceil", math.ceil)
_rounding("trunc", "trunc", math.trunc)
_rounding("round", "away", _python_round)


def _binary(name, instruction, python):
    def handler(lowering, args, kwargs):
        a, b = args
        return lowering.map(
            lambda x, y: arithmetic.binary(lowering.emitter, instruction, x, y), a, b
        )

    _register(name, python, handler)


_binary("atan2", "atan2", math.atan2)
_binary("pow", "power", operator.pow)
_binary("raw_div", "trunc_divide", lambda a, b: math.trunc(a / b))
_binary("raw_mod", "trunc_remainder", math.fmod)


def _shift_without_sign(lowering, args, kwargs):
    a, b = args
    return lowering.map(lambda x, y: arithmetic.logical_shift(lowering.emitter, x, y), a, b)


def _python_shift_without_sign(a, b):
    """A shift in 32 bits, the default dtype of Python's numbers in kernels."""
    shifted = (a & 0xFFFFFFFF) >> b
    return shifted - (1 << 32) if shifted >> 31 else shifted


_register("bit_shr", _python_shift_without_sign, _shift_without_sign)


def _extremum(name, instruction, python):
    def handler(lowering, args, kwargs):
        if len(args) == 1:
            args = lowering.iterate(args[0])
        result = args[0]
        for x in args[1:]:
            result = lowering.map(
                lambda a, b: arithmetic.binary(lowering.emitter, instruction, a, b), result, x
            )
        return result

    _register(name, python, handler)


_extremum("max", "maximum", max)
_extremum("min", "minimum", min)


def _abs(lowering, args, kwargs):
    (x,) = args
    return lowering.map(lambda item: arithmetic.unary(lowering.emitter, "abs", item), x)


_register("abs", abs, _abs)


def _sign(lowering, args, kwargs):
    (x,) = args
    emitter = lowering.emitter
    return lowering.map(lambda item: emitter.instruct(*_with_dtype(emitter, "sign", item)), x)


def _with_dtype(emitter, instruction, x):
    x = emitter.scalar(x)
    return x.dtype, instruction, x


_register("sign", lambda x: (x > 0) - (x < 0), _sign)


def _select(lowering, args, kwargs):
    condition, a, b = args
    return lowering.map(lambda c, x, y: select(lowering.emitter, c, x, y), condition, a, b)


_register("select", lambda c, a, b: a if c else b, _select)


def _cast(lowering, args, kwargs):
    x, dtype = args
    name = lowering.types.dtype_name(dtype)
    emitter = lowering.emitter
    return lowering.map(lambda item: convert(emitter, _low_bits(emitter, item, name), name), x)


def _low_bits(emitter, x, dtype):
    """The low bits that a cast to an integer keeps of a number in the default integer's range, as
    it does of an unknown value; x for other numbers."""
    if not is_integer(dtype) or not isinstance(x, (int, float)) or not math.isfinite(x):
        return x
    low, high = integer_range(emitter.default_ip)
    if not low <= int(x) <= high:
        return x
    low, high = integer_range(dtype)
    return (int(x) - low) % (high - low + 1) + low


def _cast_outside(x, dtype):
    """x in another dtype."""
    name = dtype_name(dtype)
    if is_bool(name):
        return bool(x)
    return int(x) if is_integer(name) else float(x)


_register("cast", _cast_outside, _cast)


def _bit_cast(lowering, args, kwargs):
    x, dtype = args
    name = lowering.types.dtype_name(dtype)
    return lowering.map(lambda item: bitcast(lowering.emitter, item, name), x)


_register("bit_cast", None, _bit_cast)


def _random(lowering, args, kwargs):
    dtype = args[0] if args else kwargs.get("dtype", float)
    return lowering.emitter.random(lowering.types.dtype_name(dtype))


_register("random", lambda dtype=float: python_random.random(), _random)


def _randn(lowering, args, kwargs):
    """A normal number, from two uniform ones (Box and Muller, 1958)."""
    dtype = lowering.types.dtype_name(args[0] if args else kwargs.get("dtype", float))
    emitter = lowering.emitter
    u, v = (emitter.random(dtype) for _ in range(2))
    # u is in [0, 1): 1 - u has a logarithm.
    radius = arithmetic.function(emitter, "sqrt", None, -2.0 * _log(emitter, 1.0 - u))
    return radius * arithmetic.function(emitter, "cos", None, v * (2.0 * math.pi))


def _log(emitter, x):
    return arithmetic.function(emitter, "log", None, x)


_register("randn", lambda dtype=float: python_random.gauss(0, 1), _randn)


def _bits(name, instruction):
    def handler(lowering, args, kwargs):
        (x,) = args
        emitter = lowering.emitter
        return lowering.map(
            lambda item: emitter.instruct(*_with_dtype(emitter, instruction, item)), x
        )

    return _register(name, None, handler)


_bits("popcnt", "popcount")
_bits("clz", "count_leading_zeros")


def _ffs(lowering, args, kwargs):
    """The position of the lowest bit that is set, from 1 on; 0 for 0."""
    (x,) = args
    emitter = lowering.emitter

    def apply(item):
        item = emitter.scalar(item)
        place = emitter.instruct(item.dtype, "count_trailing_zeros", item)
        found = emitter.cast(place, "int32") + 1
        return select(emitter, arithmetic.truth(emitter, item), found, 0)

    return lowering.map(apply, x)


_register("ffs", lambda x: (x & -x).bit_length(), _ffs)


def _tests(name, instruction, python):
    def handler(lowering, args, kwargs):
        (x,) = args
        emitter = lowering.emitter

        def apply(item):
            return emitter.instruct("bool", instruction, emitter.scalar(item))

        return lowering.map(apply, x)

    _register(name, python, handler)


_tests("isnan", "is_nan", math.isnan)
_tests("isinf", "is_infinite", math.isinf)


def _like(name, number):
    """A value like x with every scalar the same number."""

    def handler(lowering, args, kwargs):
        (x,) = args
        emitter = lowering.emitter
        return lowering.map(lambda item: emitter.constant(number, emitter.dtype_of(item)), x)

    _register(name, lambda x: type(x)(number), handler)


_like("zero", 0)
_like("one", 1)


def _hint(name):
    """A hint to Quadrants about memory or indices, which has no effect here."""
    _register(name, lambda x, *rest: x, lambda lowering, args, kwargs: args[0] if args else None)


for _name in ("block_local", "cache_read_only", "no_activate", "assume_in_range", "volatile_load"):
    _hint(_name)


def _stop_grad(lowering, args, kwargs):
    """The field, or array, takes part in this kernel's derivatives as a constant."""
    (x,) = args
    if not hasattr(x, "element_shape"):
        raise KernelTypeError(f"stop_grad: got {describe(x)}, allowed are fields and arrays")
    lowering.stopped.add(x.name)


_register("stop_grad", None, _stop_grad)


def _atomic(name, instruction):
    """Registers an atomic. Of a vector or matrix each item is an atomic by itself."""

    def handler(lowering, args, kwargs):
        place, value = args[0], read(args[1])
        _check_place(name, place)
        if not hasattr(place, "items"):
            return lowering.update(place, instruction, value)
        values = [value] * len(place.items)
        if isinstance(value, (Tensor, list, tuple)):
            value = lowering.as_tensor(value)
            if value.shape != place.shape:
                raise KernelTypeError(
                    f"{name}: got {describe(value)} for {place.kernel_kind()}, allowed are one of "
                    "its shape and a number"
                )
            values = value.items
        pairs = zip(place.items, values, strict=True)
        return Tensor(place.shape, [lowering.update(p, instruction, x) for p, x in pairs])

    _register(name, None, handler, assigns=True)


# Names of what combines numbers in any order, by atomics and by threads of a block (lanes.py), and
# the instructions for it.
COMBINING = {
    "add": "add",
    "mul": "multiply",
    "min": "minimum",
    "max": "maximum",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
for _name, _instruction in {**COMBINING, "sub": "subtract", "exchange": "exchange"}.items():
    _atomic(f"atomic_{_name}", _instruction)


def _check_place(name, place):
    if not isinstance(place, PLACES):
        hint = "; index it, as in x[i]" if hasattr(place, "element_shape") else ""
        raise KernelTypeError(
            f"{name}: got {describe(place)}, allowed is a variable or an element of a field{hint}"
        )


def _compare_exchange(lowering, args, kwargs):
    place, expected, desired = args
    _check_place("atomic_cas", place)
    dtype = getattr(place, "dtype", None)
    if dtype is None or not is_integer(dtype):
        raise KernelTypeError(
            f"atomic_cas: got {describe(place)}, allowed are integers; "
            "keep the bits of a float in an integer, with bit_cast"
        )
    emitter = lowering.emitter
    expected, desired = (convert(emitter, read(x), dtype) for x in (expected, desired))
    return place.compare_exchange(emitter.scalar(expected), emitter.scalar(desired))


_register("atomic_cas", None, _compare_exchange, assigns=True)


def _tensor_function(name, function):
    def handler(lowering, args, kwargs):
        return function(lowering.emitter, *(lowering.as_tensor(x) for x in args), **kwargs)

    _register(name, None, handler)


for _name, _function in {
    "dot": dot,
    "cross": cross,
    "determinant": determinant,
    "inverse": inverse,
    "outer_product": outer_product,
}.items():
    _tensor_function(_name, _function)
