# SPDX-License-Identifier: Apache-2.0
"""torch's dtypes by joggle's, and casts as torch has them."""

import math

import torch

from joggle import _core

NAMES = {
    torch.bool: "bool",
    torch.uint8: "uint8",
    torch.int8: "int8",
    torch.int16: "int16",
    torch.int32: "int32",
    torch.int64: "int64",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.float32: "float32",
    torch.float64: "float64",
}
OURS = {theirs: _core.dtype(name) for theirs, name in NAMES.items()}
HALVES = (torch.float16, torch.bfloat16)


def is_float(dtype):
    """Whether a dtype of torch is one of real floats."""
    return dtype.is_floating_point


# The integers through which torch converts floats. A number outside their range becomes their least
# value, as with x86's instructions, and so does NaN.
_BY = {
    torch.int8: torch.int32,
    torch.int16: torch.int32,
    torch.int32: torch.int32,
    torch.int64: torch.int64,
    torch.uint8: torch.int64,
}
_IS_LEAST = torch.tensor([math.nan]).to(torch.int32).item() == torch.iinfo(torch.int32).min


def cast(x, dtype, is_within=False):
    """x in a dtype of torch, itself where it has it. is_within: all values are among those of the
    dtype, or NaN where that is 0."""
    ours = OURS[dtype]
    if dtype in _BY and not is_within and _core.isdtype(x.dtype, "real floating"):
        x = _cut(x, _BY[dtype])
    return x if x.dtype == ours else _core.astype(x, ours)


def _cut(x, dtype):
    """Floats as int32 or int64."""
    found, limits = _core.astype(x, OURS[dtype]), torch.iinfo(dtype)
    if not _IS_LEAST:
        return found
    least = _core.full((), limits.min, dtype=OURS[dtype])
    return _core.where(_core.less(x, float(limits.max + 1)), found, least)


def computing(dtype):
    """The dtype that torch's CPU kernels compute in for a dtype."""
    return torch.float32 if dtype in HALVES else dtype


def widened(x, dtype):
    """x as torch's CPU kernels for a dtype read it: rounded to a half, and computed with in
    float32."""
    if dtype not in HALVES or x.dtype == OURS[dtype]:
        return cast(x, computing(dtype))
    return cast(cast(cast(x, torch.float32), dtype), torch.float32)


def number(value, dtype):
    """A Python number as the dtype has it: torch wraps integers, cuts floats and rounds to halves,
    by way of float32."""
    if dtype == torch.bool:
        return bool(value)
    if dtype in HALVES:
        return _rounded(_rounded(float(value), torch.float32), dtype)
    if is_float(dtype):
        return float(value)
    limits = torch.iinfo(dtype)
    size = limits.max - limits.min + 1
    return (int(value) - limits.min) % size + limits.min


def _rounded(value, dtype):
    """The number of a dtype of floats that is nearest, of two the even one."""
    if value == 0 or not math.isfinite(value):
        return value
    limits = torch.finfo(dtype)
    step = limits.eps * max(math.ldexp(1.0, math.frexp(value)[1] - 1), limits.tiny)
    found = round(value / step) * step
    return math.copysign(found if abs(found) <= limits.max else math.inf, value)


def fitting(value, dtype):
    """number(value, dtype), for operators of which torch refuses what the dtype has not."""
    if dtype != torch.bool and not _fits(value, dtype):
        raise ValueError(f"[number] value: got {value}, allowed are those of {dtype}")
    return number(value, dtype)


def _fits(value, dtype):
    """Negative numbers wrap in unsigned dtypes; floats may be infinite."""
    if is_float(dtype):
        return not math.isfinite(value) or abs(value) <= torch.finfo(dtype).max
    limits = torch.iinfo(dtype)
    return (limits.min or -limits.max) <= value <= limits.max
