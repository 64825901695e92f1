# SPDX-License-Identifier: Apache-2.0
"""qd.algorithms: reductions, scans, selections and sorting of one-dimensional fields and ndarrays.

All but parallel_sort and PrefixSumExecutor are functions for kernels, under the parameters that
Quadrants gives them; they are called at the top of a kernel. On the CPU they are passes in order,
so they need little of the scratch memory that a GPU needs, and log256_max_n is ignored.
"""

import joggle as _jg
from joggle._fields.types import i32 as _i32
from joggle._fields.types import is_real as _is_real
from joggle._fields.types import is_signed as _is_signed
from joggle._fields.types import template as _template
from joggle._fields.types import u32 as _u32
from joggle._fields.types import u64 as _u64
from joggle._kernel.kernel import func as _func
from joggle._kernel.value.functions import FUNCTIONS as _functions

__all__ = [
    "PrefixSumExecutor",
    "exclusive_scan_add",
    "exclusive_scan_max",
    "exclusive_scan_min",
    "exclusive_scan_scratch_slots",
    "parallel_sort",
    "reduce_add",
    "reduce_by_key_add",
    "reduce_by_key_scratch_slots",
    "reduce_max",
    "reduce_min",
    "reduce_scratch_slots",
    "select",
    "select_scratch_slots",
    "sort",
    "sort_scratch_slots",
]

_static, _cast, _bit_cast = _functions["static"], _functions["cast"], _functions["bit_cast"]
_max, _min = _functions["max"], _functions["min"]
_DIGITS = 256


def _lowest(dtype):
    if _is_real(dtype):
        return float("-inf")
    return -(2 ** (dtype.bits - 1)) if _is_signed(dtype) else 0


def _highest(dtype):
    if _is_real(dtype):
        return float("inf")
    return 2 ** (dtype.bits - _is_signed(dtype)) - 1


def _zero(dtype):
    return 0.0 if _is_real(dtype) else 0


@_func
def _add(a, b):
    return a + b


@_func
def _start(dtype: _template(), identity: _template()):
    return dtype(identity(dtype))


@_func
def _reduce(
    arr: _template(),
    out: _template(),
    n: _i32,
    dtype: _template(),
    combine: _template(),
    identity: _template(),
):
    total = _start(dtype, identity)
    for _ in range(1):
        for i in range(n):
            total = combine(total, arr[i])
    out[0] = total


@_func
def reduce_add(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[0] = the sum of arr[0:n]."""
    _reduce(arr, out, n, dtype, _add, _zero)


@_func
def reduce_min(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[0] = the least of arr[0:n]."""
    _reduce(arr, out, n, dtype, _min, _highest)


@_func
def reduce_max(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[0] = the greatest of arr[0:n]."""
    _reduce(arr, out, n, dtype, _max, _lowest)


def reduce_scratch_slots(n, log256_max_n=None):
    """How long the scratch of reduce_add, reduce_min and reduce_max must be."""
    return 1


@_func
def _scan(
    arr: _template(),
    out: _template(),
    n: _i32,
    dtype: _template(),
    combine: _template(),
    identity: _template(),
):
    total = _start(dtype, identity)
    for _ in range(1):
        for i in range(n):
            item = arr[i]
            out[i] = total
            total = combine(total, item)


@_func
def exclusive_scan_add(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[i] = the sum of arr[0:i]."""
    _scan(arr, out, n, dtype, _add, _zero)


@_func
def exclusive_scan_min(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[i] = the least of arr[0:i]; of none the greatest number of the dtype."""
    _scan(arr, out, n, dtype, _min, _highest)


@_func
def exclusive_scan_max(
    arr: _template(),
    out: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    log256_max_n: _template(),
):
    """out[i] = the greatest of arr[0:i]; of none the least number of the dtype."""
    _scan(arr, out, n, dtype, _max, _lowest)


def exclusive_scan_scratch_slots(n, log256_max_n=None):
    """How long the scratch of the exclusive scans must be."""
    return 1


@_func
def select(
    arr: _template(),
    flags: _template(),
    out: _template(),
    num_out: _template(),
    scratch: _template(),
    n: _i32,
    log256_max_n: _template(),
):
    """The elements of arr whose flag is not 0 into out, in order; how many into num_out[0]."""
    count = 0
    for _ in range(1):
        for i in range(n):
            if flags[i] != 0:
                out[count] = arr[i]
                count = count + 1
    num_out[0] = count


def select_scratch_slots(n):
    """How long the scratch of select must be."""
    return 1


@_func
def reduce_by_key_add(
    keys_in: _template(),
    values_in: _template(),
    keys_out: _template(),
    values_out: _template(),
    num_runs: _template(),
    scratch: _template(),
    n: _i32,
    value_dtype: _template(),
    log256_max_n: _template(),
):
    """The key and the sum of values of each run of equal keys; how many into num_runs[0]."""
    runs = 0
    total = value_dtype(0)
    for _ in range(1):
        for i in range(n):
            total = total + values_in[i]
            ends = i + 1 == n
            if not ends:
                ends = keys_in[i + 1] != keys_in[i]
            if ends:
                keys_out[runs] = keys_in[i]
                values_out[runs] = total
                runs = runs + 1
                total = 0
    num_runs[0] = runs


def reduce_by_key_scratch_slots(n):
    """How long the scratch of reduce_by_key_add must be."""
    return 1


def _bits_of(dtype):
    return _u32 if dtype.bits == 32 else _u64


@_func
def _ordered(key, dtype: _template()):
    """The bits of a key as an unsigned integer with the order of the keys."""
    bits_type = _static(_bits_of(dtype))
    top = _static(bits_type)(_static(1 << (dtype.bits - 1)))
    bits = _bit_cast(key, bits_type)
    if _static(_is_real(dtype)):
        bits = ~bits if (bits & top) != 0 else bits | top
    elif _static(_is_signed(dtype)):
        bits = bits ^ top
    return bits


@_func
def _pass(
    keys: _template(),
    values: _template(),
    to_keys: _template(),
    to_values: _template(),
    scratch: _template(),
    n: _i32,
    dtype: _template(),
    has_values: _template(),
    shift: _template(),
):
    """The keys ordered by one digit, equal ones as they were."""
    for _ in range(1):
        for digit in range(_DIGITS):
            scratch[digit] = 0
        for i in range(n):
            scratch[_cast((_ordered(keys[i], dtype) >> shift) & 255, _i32)] += 1
        before = _u32(0)
        for digit in range(_DIGITS):
            count = scratch[digit]
            scratch[digit] = before
            before = before + _cast(count, _u32)
        for i in range(n):
            digit = _cast((_ordered(keys[i], dtype) >> shift) & 255, _i32)
            place = _cast(scratch[digit], _i32)
            scratch[digit] += 1
            to_keys[place] = keys[i]
            if _static(has_values):
                to_values[place] = values[i]


@_func
def sort(
    keys: _template(),
    tmp_keys: _template(),
    values: _template(),
    tmp_values: _template(),
    scratch: _template(),
    n: _template(),
    key_dtype: _template(),
    has_values: _template(),
    end_bit: _template(),
    log256_max_n: _template(),
):
    """Sorts the first n[()] keys, and values along with them, by the keys' low end_bit bits."""
    count = n[None]
    for shift in _static(range(0, end_bit, 16)):
        _pass(keys, values, tmp_keys, tmp_values, scratch, count, key_dtype, has_values, shift)
        _pass(tmp_keys, tmp_values, keys, values, scratch, count, key_dtype, has_values, shift + 8)


def sort_scratch_slots(n, log256_max_n=None):
    """How long the scratch of sort must be."""
    return _DIGITS


def parallel_sort(keys, values=None):
    """Sorts a one-dimensional field or ndarray, and values along with it."""
    order = _jg.argsort(keys.to_array(copy=False), stable=True)
    for x in (keys,) if values is None else (keys, values):
        if len(x.shape) != 1:
            raise ValueError(f"parallel_sort: got shape {x.shape}, allowed is one axis")
        if x.shape != keys.shape:
            raise ValueError(f"values: got shape {x.shape}, allowed is that of keys, {keys.shape}")
    for x in (keys,) if values is None else (keys, values):
        x.from_array(_jg.take(x.to_array(copy=True), order, axis=0))


class PrefixSumExecutor:
    """Inclusive sums of the first length elements of a field or ndarray, in its place."""

    def __init__(self, length):
        self.length = int(length)

    def run(self, input_arr):
        if input_arr.dtype != _i32:
            raise RuntimeError(f"input_arr: got {input_arr.dtype.name}, allowed is int32")
        shared = input_arr._home() == "cpu"
        values = input_arr.to_numpy(copy=not shared)
        part = values[: self.length]
        part.cumsum(out=part)
        if not shared:
            input_arr.from_numpy(values)
