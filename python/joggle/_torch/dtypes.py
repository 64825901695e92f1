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


def cast(x, dtype):
    """x in a dtype of torch, itself where it has it. torch's way from floats to uint8 goes by
    int64, so that what is below 0 wraps."""
    ours = OURS[dtype]
    if dtype is torch.uint8 and _core.isdtype(x.dtype, "real floating"):
        x = _core.astype(x, OURS[torch.int64])
    return x if x.dtype == ours else _core.astype(x, ours)


def computing(dtype):
    """The dtype that torch's CPU kernels compute in for a dtype."""
    return torch.float32 if dtype in HALVES else dtype


def number(value, dtype):
    """A Python number as the dtype has it: torch wraps integers and cuts floats."""
    if dtype == torch.bool:
        return bool(value)
    if is_float(dtype):
        return float(value)
    limits = torch.iinfo(dtype)
    size = limits.max - limits.min + 1
    return (int(value) - limits.min) % size + limits.min


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
