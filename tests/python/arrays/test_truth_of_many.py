# SPDX-License-Identifier: Apache-2.0
"""any, all and count_nonzero of many bools, whose bytes others may have written."""

import os
import subprocess
import sys

import pytest

TRUTHS = """
import numpy as np

import joggle as jg

LENGTHS = [0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 1023, 1024, 1025, 16_320, 70_001, 300_007]
rng = np.random.default_rng(1)


def check(x):
    '''x: bytes, of which all but 0 are true'''
    truth = x != 0
    for axis in (None, *range(x.ndim)):
        for name in ("any", "all", "count_nonzero"):
            result = getattr(jg, name)(jg.asarray(x.view("bool")), axis=axis)
            wanted = getattr(np, name)(truth, axis=axis)
            assert np.array_equal(np.asarray(result), wanted), (name, x.shape, axis)
            if name != "count_nonzero":
                assert np.asarray(result).tobytes() == wanted.tobytes()


for n in LENGTHS:
    for byte in (1, 2, 128, 255):
        x = np.zeros(n + 1, "uint8")[1:]
        check(x)
        for place in sorted({0, n // 2, n - 1} & set(range(n))):
            x[place] = byte
            check(x)
            x[place] = 0
        full = np.full(n, byte, "uint8")
        check(full)
        full[n // 3 : n // 3 + 1] = 0
        check(full)
    check(rng.integers(0, 3, n).astype("uint8"))
    check(rng.integers(0, 256, (2, n)).astype("uint8")[:, ::2])
for shape in ((1000, 3), (3, 1000), (37, 257), (2, 70_001), (300, 300), (5, 4, 1025)):
    x = (rng.random(shape) < 0.01).astype("uint8") * rng.integers(1, 256, shape).astype("uint8")
    check(x)
    check((x == 0).astype("uint8"))
    check(x[..., ::-1])
floats = rng.standard_normal(100_003).astype("float32")
for bound in (-9, 0, 9):
    assert bool(jg.any(jg.array(floats) > bound)) == (floats > bound).any()
    assert bool(jg.all(jg.array(floats) > bound)) == (floats > bound).all()
    assert int(jg.count_nonzero(jg.array(floats) > bound)) == (floats > bound).sum()
    for jit in ("0", "1"):
        jg.set_option("jit", jit)
        for n in (1, 63, 1025, 70_003):
            y = jg.array(floats[:n]) > bound
            once, twice = jg.sum(y), jg.sum(y.astype("int64") + y.astype("int64"))
            wide = y.astype("int64")
            total = jg.sum(wide)
            jg.eval(y, once, twice, wide, total)
            counted = int((floats[:n] > bound).sum())
            assert [int(once), int(twice), int(total)] == [counted, 2 * counted, counted]
            assert int(np.asarray(y).sum()) == int(np.asarray(wide).sum()) == counted
"""


@pytest.mark.parametrize(("isa", "threads"), [("baseline", "1"), ("avx2", "2"), ("avx512", "1")])
def test_any_byte_but_0_is_true_at_every_instruction_set(isa, threads):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    environment["JOGGLE_JIT_CACHE"] = "none"
    subprocess.run([sys.executable, "-c", TRUTHS], env=environment, check=True, timeout=120)
