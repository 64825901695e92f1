# SPDX-License-Identifier: Apache-2.0
"""qd.types.quant: the types of numbers of few bits."""

import builtins
import math

from joggle._fields.quant_type import FIXED, FLOAT, INTEGER, QuantType
from joggle._fields.settings import config
from joggle._fields.types import as_dtype, is_real, is_signed, u32, u64


def _checked(name, value, low, high):
    if not isinstance(value, builtins.int) or not low <= value <= high:
        raise ValueError(f"{name}: got {value!r}, allowed are {low} to {high}")
    return value


def _computed(compute, default, real):
    dtype = default if compute is None else as_dtype(compute, "compute")
    if is_real(dtype) is not real:
        kinds = "floats" if real else "integers"
        raise TypeError(f"compute: got {dtype.name}, allowed are {kinds}")
    return dtype


def int(bits, signed=True, compute=None):
    """Whole numbers of bits; of others the low bits are kept. compute: the dtype that they are read
    as, the default integer, or without sign the one as wide."""
    unsigned = {32: u32, 64: u64}[8 * config.default_ip.itemsize]
    dtype = _computed(compute, config.default_ip if signed else unsigned, real=False)
    most = 8 * dtype.itemsize - (is_signed(dtype) and not signed)
    return QuantType(INTEGER, _checked("bits", bits, 1 + bool(signed), most), bool(signed), dtype)


def fixed(bits, signed=True, max_value=1.0, compute=None, scale=None):
    """Numbers in equal steps, of bits: from 0, or with a sign from -max_value, to below max_value;
    or steps of scale."""
    dtype = _computed(compute, config.default_fp, real=True)
    _checked("bits", bits, 1 + bool(signed), 32)
    scale = max_value / 2 ** (bits - bool(signed)) if scale is None else scale
    if not scale > 0 or not math.isfinite(scale):
        raise ValueError(f"scale: got {scale!r}, allowed are positive numbers")
    return QuantType(FIXED, bits, bool(signed), dtype, scale=float_of(scale))


def float(exp, frac, signed=True, compute=None):
    """Numbers with an exponent of exp bits and frac bits, of which one is the sign. Too small ones
    are 0, too large ones the largest."""
    dtype = _computed(compute, config.default_fp, real=True)
    _checked("exp", exp, 2, 8)
    _checked("frac", frac, 1 + bool(signed), 23 + bool(signed))
    return QuantType(FLOAT, frac, bool(signed), dtype, exponent=exp)


float_of = builtins.float
