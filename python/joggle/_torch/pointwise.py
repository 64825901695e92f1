# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators as torch has them.

A spelling takes the node that it spells and its arguments, with arrays in the place of tensors.
Most are made by `pointwise`, which computes in the dtype that torch promotes to.
"""

import math

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as Kind
from torch._prims_common import elementwise_dtypes

from joggle import _core
from joggle._torch.dtypes import (
    HALVES,
    OURS,
    cast,
    computing,
    fitting,
    is_float,
    number,
    widened,
)

INT_TO_FLOAT = Kind.INT_TO_FLOAT
BOOL = Kind.ALWAYS_BOOL
DEFAULT = Kind.DEFAULT


def pointwise(fun, kind=DEFAULT, of=None):
    """A spelling of fun, computed in the promoted dtype of the first `of` arguments."""

    def spell(node, *args, **kwargs):
        dtype = promoted(node, kind, of)
        args = [in_dtype(x, dtype) if of is None or i < of else x for i, x in enumerate(args)]
        return cast(fun(*args, **kwargs), node.like.dtype)

    spell.takes = fun
    return spell


def promoted(node, kind, of=None):
    """The dtype that a node's arguments are read in. Halves are computed with in float32."""
    given = [x for x in node.given[:of] if isinstance(x, (torch.Tensor, bool, int, float))]
    return elementwise_dtypes(*given, type_promotion_kind=DEFAULT if kind is BOOL else kind)[1]


def in_dtype(x, dtype):
    """x, an array or a number, as what is computed in a dtype reads it."""
    if isinstance(x, _core.array):
        return widened(x, dtype)
    return number(x, dtype) if isinstance(x, (bool, int, float)) else x


def _is_one(x):
    """Whether an operand is one number for all elements."""
    return not isinstance(x, torch.Tensor) or x.numel() == 1


def _by(node, x, other, dtype):
    """The operands of a product or quotient. A second one that is one number is not rounded to a
    half."""
    is_one = _is_one(node.given[1])
    return in_dtype(x, dtype), in_dtype(other, computing(dtype) if is_one else dtype)


def _fitted(x, dtype):
    """in_dtype, for operators of which torch refuses numbers that the dtype has not."""
    return fitting(x, dtype) if isinstance(x, (bool, int, float)) else in_dtype(x, dtype)


def plain(fun, kind=DEFAULT):
    """A spelling of an op of the table that is the same in torch."""
    return pointwise(lambda *args: fun(*args), kind)


def weighted(fun):
    """A spelling of a sum or difference; the second operand has a weight."""

    def spell(node, x, other, alpha=1):
        dtype = promoted(node, DEFAULT, 2)
        x, other, alpha = (in_dtype(a, dtype) for a in (x, other, alpha))
        return cast(fun(x, other, alpha), node.like.dtype)

    return spell


def _add(x, other, alpha):
    if not _is_bool(x, other):
        return _core.add(x, _times(other, alpha))
    return _core.logical_or(x, other) if alpha else _core.logical_or(x, False)


add = weighted(_add)
subtract = weighted(lambda x, other, alpha: _core.subtract(x, _times(other, alpha)))


def multiply(node, x, other):
    x, other = _by(node, x, other, promoted(node, DEFAULT))
    found = _core.logical_and(x, other) if _is_bool(x, other) else _times(x, other)
    return cast(found, node.like.dtype)


def _is_bool(*operands):
    return all(
        x.dtype == OURS[torch.bool] if isinstance(x, _core.array) else isinstance(x, bool)
        for x in operands
    )


def _times(x, alpha):
    if not isinstance(alpha, _core.array) and alpha == 1:
        return x
    return _core.multiply(x, alpha) if isinstance(x, _core.array) else x * alpha


def divide(node, x, other, rounding_mode=None):
    """Integers are divided as floats unless the quotient is rounded."""
    dtype = promoted(node, DEFAULT if rounding_mode else INT_TO_FLOAT, 2)
    x, other = _by(node, x, other, dtype)
    if rounding_mode is None:
        found = _core.divide(x, other)
    elif not is_float(dtype):
        found = (_core.floor_divide if rounding_mode == "floor" else _truncated)(x, other)
    elif dtype in HALVES and not _is_one(node.given[1]):
        found = _half_quotient(x, other, dtype, rounding_mode)
    else:
        found = (
            _floored(x, other) if rounding_mode == "floor" else _core.trunc(_core.divide(x, other))
        )
    return cast(found, node.like.dtype)


def _half_quotient(x, other, dtype, rounding_mode):
    """Of halves, each step of which torch rounds to a half."""
    quotient = _halved(_core.divide(x, other), dtype)
    if rounding_mode == "trunc":
        return _core.trunc(quotient)
    rest = _core.fmod(x, other)
    is_apart = _core.logical_and(_core.isinf(quotient), _core.isfinite(x))
    above = _core.where(is_apart, x, _halved(_core.subtract(x, rest), dtype))
    found = _halved(_core.divide(above, other), dtype)
    is_below = _core.not_equal(_core.less(other, 0), _core.less(rest, 0))
    is_below = _core.logical_and(is_below, _core.not_equal(rest, 0))
    found = _core.where(is_below, _halved(_core.subtract(found, 1.0), dtype), found)
    whole = _core.floor(found)
    is_short = _core.greater(_halved(_core.subtract(found, whole), dtype), 0.5)
    whole = _core.where(is_short, _core.add(whole, 1.0), whole)
    whole = _core.where(_core.equal(found, 0), _core.copysign(0.0, quotient), whole)
    return _core.where(_core.equal(other, 0), quotient, whole)


def _halved(x, dtype):
    """x in float32 with the digits of a half."""
    return cast(cast(x, dtype), torch.float32)


def _floored(x, other):
    """-1, not -0, for what is finite by an infinity of the other sign; NaN for an infinity by
    what is not 0."""
    if not isinstance(other, _core.array):
        other = _core.full((), other, dtype=x.dtype)
    found = _core.floor_divide(x, other)
    is_below = _core.less(_core.multiply(x, _core.sign(other)), 0)
    is_apart = _core.logical_and(_core.isfinite(x), _core.isinf(other))
    found = _core.where(_core.logical_and(is_apart, is_below), -1.0, found)
    is_undefined = _core.logical_and(_core.isinf(x), _core.not_equal(other, 0))
    return _core.where(is_undefined, math.nan, found)


def is_divided(node):
    """Integers by a tensor are torch's: it raises for 0."""
    like = node.like.dtype
    return is_float(like) or (isinstance(node.given[1], (bool, int)) and node.given[1] != 0)


def _remainder(x, other):
    """Of floats 0 has the sign of x, not that of the divisor."""
    if not _core.isdtype(_core.result_type(x, other), "real floating"):
        return _core.remainder(x, other)
    rest = _core.fmod(x, other)
    differs = _core.not_equal(_core.less(other, 0), _core.less(rest, 0))
    differs = _core.logical_and(differs, _core.not_equal(rest, 0))
    return _core.where(differs, _core.add(rest, other), rest)


remainder = plain(_remainder)


def _truncated(x, other):
    quotient = _core.floor_divide(x, other)
    inexact = _core.not_equal(_core.multiply(quotient, other), x)
    below = _core.less(quotient, 0)
    return _core.where(_core.logical_and(inexact, below), _core.add(quotient, 1), quotient)


def negate_bits(x):
    return _core.logical_not(x) if _is_bool(x) else _core.bitwise_invert(x)


def bits(fun, of_bools):
    """A spelling of an operator on bits, which bools have their own op for."""
    return pointwise(lambda x, y: of_bools(x, y) if _is_bool(x, y) else fun(x, y))


def logical(fun):
    """Logical operators take any dtype: what is not 0 is true."""

    def spell(node, *args):
        return fun(*(cast(x, torch.bool) for x in args))

    return spell


def sign(x):
    """0 for NaN, as torch has it."""
    if not _core.isdtype(x.dtype, "real floating"):
        return x if _is_bool(x) else _core.sign(x)
    return _core.where(_core.isnan(x), 0.0, _core.sign(x))


def relu(x):
    return _core.where(_core.less(x, 0), _zero(x), x)


def _zero(x):
    return _core.astype(_core.asarray(0), x.dtype)


def leaky_relu(x, negative_slope=0.01):
    return _core.where(_core.greater(x, 0), x, _core.multiply(x, negative_slope))


def elu(x, alpha=1, scale=1, input_scale=1):
    below = _core.multiply(_core.expm1(_core.multiply(x, float(input_scale))), float(alpha * scale))
    return _core.where(_core.greater(x, 0), _core.multiply(x, float(scale)), below)


def gelu(x, approximate="none"):
    if approximate == "none":
        half = _core.multiply(x, 0.5)
        return _core.multiply(half, _core.add(_core.erf(_core.multiply(x, math.sqrt(0.5))), 1.0))
    cube = _core.multiply(_core.multiply(x, x), x)
    inner = _core.multiply(_core.add(x, _core.multiply(cube, 0.044715)), math.sqrt(2 / math.pi))
    return _core.multiply(_core.multiply(x, 0.5), _core.add(_core.tanh(inner), 1.0))


def lerp(start, end, weight):
    """From the nearer end, as torch goes."""
    way = _core.subtract(end, start)
    if abs(weight) < 0.5:
        return _core.add(start, _core.multiply(way, weight))
    return _core.subtract(end, _core.multiply(way, 1.0 - weight))


def hardtanh(x, min_val=-1, max_val=1):
    return _limited(x, min_val, max_val)


def clamped(x, low=None, high=None):
    """NaN of x, and of bounds, stays."""
    if low is not None:
        x = _core.maximum(x, low)
    return x if high is None else _core.minimum(x, high)


def _limited(x, low, high):
    """By numbers: zeros equal to a bound keep their sign."""
    if low is not None:
        x = _core.where(_core.less(x, low), low, x)
    return x if high is None else _core.where(_core.greater(x, high), high, x)


def _is_number(x):
    return x is None or (isinstance(x, (int, float)) and x == x)


def clamp(node, x, min=None, max=None):
    """The bounds take part in the promotion, as arguments and as keywords."""
    given = [b for b in (*node.given, *node.named.values()) if b is not None]
    dtype = elementwise_dtypes(*given, type_promotion_kind=DEFAULT)[1]
    limit = _limited if _is_number(min) and _is_number(max) else clamped
    x, low, high = (_fitted(b, dtype) for b in (x, min, max))
    return cast(limit(x, low, high), node.like.dtype)


def power(node, x, exponent):
    """Integers to negative powers are those of torch: 1 and -1 have some, others have 0."""
    dtype = promoted(node, DEFAULT)
    x, exponent = in_dtype(x, dtype), in_dtype(exponent, dtype)
    if not is_float(dtype):
        found = _integer_power(x, exponent)
    elif isinstance(exponent, float) and exponent in _POWERS and dtype != torch.float16:
        found = _POWERS[exponent](x, dtype)
    elif isinstance(exponent, float) and exponent in (1.0, 2.0):
        found = _core.multiply(x, x) if exponent == 2 else x
    else:
        found = _core.pow(x, exponent)
    return cast(found, node.like.dtype)


def is_bool(x):
    return x.dtype is torch.bool if isinstance(x, torch.Tensor) else isinstance(x, bool)


def is_power(node):
    """torch refuses integers to a negative number, and has powers of bools of its own."""
    exponent = node.given[1]
    if node.like.dtype is torch.bool or any(map(is_bool, node.given[:2])):
        return False
    return is_float(node.like.dtype) or isinstance(exponent, torch.Tensor) or exponent >= 0


def _square(x, dtype):
    """Rounded to bfloat16 where torch goes on with that."""
    found = _core.multiply(x, x)
    return _halved(found, dtype) if dtype in HALVES else found


_POWERS = {  # float16 has powers of its own
    0.5: lambda x, dtype: _core.sqrt(x),
    1.0: lambda x, dtype: x,
    2.0: lambda x, dtype: _core.multiply(x, x),
    3.0: lambda x, dtype: _core.multiply(_square(x, dtype), x),
    -0.5: lambda x, dtype: _core.divide(1.0, _core.sqrt(x)),
    -1.0: lambda x, dtype: _core.divide(1.0, x),
    -2.0: lambda x, dtype: _core.divide(1.0, _square(x, dtype)),
}


def _integer_power(x, exponent):
    negative = _core.less(exponent, 0)
    found = _core.pow(x, _core.where(negative, 0, exponent))
    odd = _core.not_equal(_core.remainder(exponent, 2), 0)
    minus = _core.where(odd, -1, 1)
    of_one = _core.where(_core.equal(x, 1), 1, _core.where(_core.equal(x, -1), minus, 0))
    return _core.where(negative, of_one, found)


def where(node, condition, x, other):
    dtype = node.like.dtype
    x, other = (
        cast(a, dtype) if isinstance(a, _core.array) else fitting(a, dtype) for a in (x, other)
    )
    return _core.where(cast(condition, torch.bool), x, other)


def is_special(fun):
    """isnan and isinf, which integers never are."""

    def spell(node, x):
        if is_float(node.given[0].dtype):
            return fun(x)
        return _core.full(x.shape, False, dtype="bool")

    return spell


def rounding(fun):
    """floor, ceil, trunc and round, which integers are left as by."""

    def spell(node, x, **kwargs):
        if not is_float(node.like.dtype):
            return x
        return pointwise(fun)(node, x)

    return spell


def convert(node, x, *args, **kwargs):
    """A cast. What was clamped before it needs no care."""
    return cast(x, node.like.dtype, _is_within(node.args[0], node.like.dtype))


def _is_within(source, dtype):
    """Whether all values of a node, but NaN, are among those of a small integer dtype."""
    if dtype not in (torch.int8, torch.int16, torch.uint8) or not isinstance(source, torch.fx.Node):
        return False
    bounds = source.args[1:] if source.target is torch.ops.aten.clamp.default else ()
    limits = torch.iinfo(dtype)
    numbers = len(bounds) == 2 and all(isinstance(x, (int, float)) for x in bounds)
    return numbers and limits.min <= bounds[0] <= bounds[1] <= limits.max


def same(node, x, *args, **kwargs):
    return x


def filled(node, x, value, **kwargs):
    return constant(node, value)


def copied(node, x, source, *rest):
    """source, an array or a number, in the dtype and shape of x."""
    if not isinstance(source, _core.array):
        return constant(node, source)
    return _core.broadcast_to(cast(source, node.like.dtype), tuple(node.like.shape))


def constant(node, value):
    """value in the node's dtype and shape."""
    dtype = node.like.dtype
    value = fitting(value, dtype)
    return _core.full(tuple(node.like.shape), value, dtype=OURS[dtype])


def full(node, size, value, **kwargs):
    return constant(node, value)


def zeros(node, *args, **kwargs):
    return constant(node, 0)


def scalar(node, value, **kwargs):
    return constant(node, value)


def arange(node, start, end, step=1, **kwargs):
    """Each element is start plus a multiple of step."""
    dtype = node.like.dtype
    count = node.like.shape[0]
    wide = torch.float64 if is_float(dtype) else torch.int64
    places = _core.astype(_core.arange(count), OURS[wide])
    start, step = number(start, wide), number(step, wide)
    return cast(_core.add(_core.multiply(places, step), start), dtype)
