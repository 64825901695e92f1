# SPDX-License-Identifier: Apache-2.0
"""argmax and argmin: the first of equal elements, of any dtype, length and layout."""

import os
import subprocess
import sys

import pytest

PLACES = """
import warnings

import ml_dtypes
import numpy as np

import joggle as jg

warnings.simplefilter("ignore")
rng = np.random.default_rng(2)
WHOLE = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
LENGTHS = [1, 2, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 127, 129, 1000, 8191, 8192, 8193, 8257]


def check(x, *axes):
    for axis in axes or (None, *range(x.ndim)):
        for name in ("argmax", "argmin"):
            found = np.asarray(getattr(jg, name)(jg.asarray(x), axis=axis))
            wide = x.astype("float32") if x.dtype.name == "bfloat16" else x
            wanted = getattr(np, name)(wide, axis=axis)
            assert np.array_equal(found, wanted), (name, x.dtype, x.shape, x.strides, axis)


def limits(dtype):
    if dtype == "bool":
        return [False, True]
    if dtype in FLOATS:
        return [-np.inf, -0.0, 0.0, 1.5, np.inf, np.nan, -np.nan]
    return [np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max]


def some(dtype, shape):
    return rng.integers(0, 2 if dtype == "bool" else 90, shape).astype(dtype)


for dtype in WHOLE + FLOATS:
    for n in LENGTHS:
        check(some(dtype, n))
        for value in limits(dtype):
            x = np.full(n + 1, limits(dtype)[1], "float32").astype(dtype)[1:]
            check(x)
            for place in {0, n // 2, n - 1}:
                y = x.copy()
                y[place] = value
                y[n - 1] = value  # twice: the first counts
                check(y)
    check(some(dtype, 200_003))
    for shape in ((9, 3), (1000, 3), (600, 10), (8, 63), (40, 64), (7, 5), (513, 31), (3, 300)):
        x = some(dtype, shape)
        check(x)
        check(x[::-1, ::-1], 0, 1)
        check(np.repeat(x, 2, axis=1)[:, ::2], 1)
        if dtype in FLOATS:
            x[rng.random(shape) < 0.02] = np.nan
            x[rng.random(shape) < 0.1] = -0.0
            check(x)
    check(some(dtype, (4, 300, 5)))
    check(some(dtype, (4, 300, 5)).transpose(1, 2, 0))
    check(np.broadcast_to(some(dtype, 6), (20, 6)), 0, 1)
x = np.zeros(70_000, "uint8")
x[66_000:] = [2, 255] * 2000  # bools that others have written
assert jg.argmax(jg.asarray(x.view("bool"))).item() == 66_000
assert jg.argmin(jg.asarray(x[66_000:].view("bool"))).item() == 0
"""


@pytest.mark.parametrize(("isa", "threads"), [("baseline", "1"), ("avx2", "2"), ("avx512", "2")])
def test_the_first_extremum_is_found_at_every_instruction_set(isa, threads):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    subprocess.run([sys.executable, "-c", PLACES], env=environment, check=True, timeout=200)
