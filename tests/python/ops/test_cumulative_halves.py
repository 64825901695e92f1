# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums and products of halves: carried in double, and rounded where they are written."""

import os
import subprocess
import sys

import pytest

HALVES = """
import ml_dtypes
import numpy as np

import joggle as jg

np.seterr(all="ignore")
rng = np.random.default_rng(3)
CALLS = [(jg.cumulative_sum, np.cumsum), (jg.cumulative_prod, np.cumprod)]
SHAPES = [(1,), (7,), (8,), (63,), (64,), (65,), (1000,), (9, 130), (130, 9), (3, 70, 5), (5, 2)]


def check(x, tolerance=0):
    for axis in range(x.ndim):
        for call, reference in CALLS:
            found = np.asarray(call(jg.asarray(x), axis=axis))
            wanted = reference(x.astype("float64"), axis=axis).astype("float32").astype(x.dtype)
            assert found.dtype == x.dtype
            found, wanted = found.astype("float32"), wanted.astype("float32")
            assert np.allclose(found, wanted, rtol=tolerance, atol=0, equal_nan=True), x.shape
            assert np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(wanted).any()


for dtype, unit in (("float16", 2**-10), (ml_dtypes.bfloat16, 2**-7)):
    for shape in SHAPES:
        for x in (rng.standard_normal(shape), np.exp(rng.standard_normal(shape) / 9)):
            x = x.astype(dtype)
            check(x)
            check(x[::-1])
            check(x.T)
            x.reshape(-1)[0] = -0.0
            check(x)
            x.reshape(-1)[x.size // 2] = 6e-8  # a subnormal float16
            check(x)
            x.reshape(-1)[x.size // 3] = np.inf
            check(x)
            x.reshape(-1)[x.size // 2] = np.nan
            check(x)
    long = np.exp(rng.standard_normal(100_003) / 400).astype(dtype)
    check(long, unit)  # in blocks, whose totals are made in another order
    check(np.stack([long, long[::-1]]), unit)
"""


@pytest.mark.parametrize(("isa", "threads"), [("baseline", "1"), ("avx2", "2"), ("avx512", "2")])
def test_halves_are_carried_in_double_at_every_instruction_set(isa, threads):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    subprocess.run([sys.executable, "-c", HALVES], env=environment, check=True, timeout=120)
