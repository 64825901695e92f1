# SPDX-License-Identifier: Apache-2.0
"""Products of which two extents are small, their batches, and products of integers: as NumPy's at
every instruction set, whatever the operands' strides and addresses."""

import os
import subprocess
import sys

import numpy as np
import pytest
from thread_counts import with_threads

import joggle as jg

FLOATS = """
import itertools, numpy as np, joggle as jg
rng = np.random.default_rng(0)
memory = rng.standard_normal(1 << 20)


def operand(shape, dtype, kind):
    count, rows, columns = shape
    if kind == "turned":
        return operand((count, columns, rows), dtype, "plain").transpose(0, 2, 1)
    gap, start = (2, 3) if kind == "gaps" else (0, 1)
    size = count * rows * (columns + gap)
    x = memory[start : start + size].astype(dtype).reshape(count, rows, columns + gap)
    return x[:, ::-1, :columns] if kind == "backwards" else x[:, :, :columns]


def check(a, b, found):
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    scale = np.abs(a).astype(float) @ np.abs(b).astype(float)
    eps = np.finfo(a.dtype).eps
    assert found.dtype == a.dtype and found.shape == exact.shape
    wrong = np.abs(found - exact) > eps * min(a.shape[-1] + 1, 40) * scale
    assert not wrong.any(), (a.shape, a.strides, b.shape, b.strides)


kinds = ("plain", "turned", "gaps", "backwards")
sides, terms = (1, 2, 3, 4, 7, 8, 9), (1, 3, 4, 7, 8, 9, 40)
for m, n, k in itertools.product(sides, sides, terms):
    dtype, left, right = rng.choice(("f4", "f8")), *rng.choice(kinds, 2)
    a, b = operand((6, m, k), dtype, left), operand((6, k, n), dtype, right)
    x, y = jg.asarray(a), jg.asarray(b)
    check(a, b, np.asarray(x @ y))
    check(a[:, None], b[None, :2], np.asarray(x[:, None] @ y[None, :2]))
    check(a, b[:1], np.asarray(x @ y[:1]))
    check(a[:1], b, np.asarray(x[:1] @ y))
    check(a[0], b[0], np.asarray(x[0] @ y[0]))
long = (20011, 3, 3), (20011, 1, 8), (3, 20011, 3), (5, 3, 20011), (1, 3, 9001), (1, 1, 200003)
for m, n, k in long:
    for dtype, left, right in itertools.product(("f4", "f8"), kinds, kinds):
        a, b = operand((1, m, k), dtype, left)[0], operand((1, k, n), dtype, right)[0]
        check(a, b, np.asarray(jg.asarray(a) @ jg.asarray(b)))
"""

NANS = """
import numpy as np, joggle as jg
rng = np.random.default_rng(1)
for dtype in ("f4", "f8"):
    for m, n, k in ((3, 3, 3), (3, 1, 3), (2, 5, 7), (3, 3, 50), (5, 2, 50), (1, 1, 37), (1, 1, 7)):
        for _ in range(20):
            a = rng.standard_normal((9, m, k)).astype(dtype)
            b = rng.standard_normal((9, k, n)).astype(dtype)
            a.flat[rng.integers(a.size, size=2)] = np.inf, np.nan
            b.flat[rng.integers(b.size, size=2)] = 0, -np.inf
            with np.errstate(invalid="ignore"):
                numpys = a @ b
            found = np.asarray(jg.asarray(a) @ jg.asarray(b))
            assert (np.isnan(found) == np.isnan(numpys)).all(), (m, n, k)
            assert (np.isinf(found) == np.isinf(numpys)).all(), (m, n, k)
            np.testing.assert_allclose(found, numpys, rtol=2e-5, atol=1e-5)
"""

INTEGERS = """
import itertools, numpy as np, joggle as jg
rng = np.random.default_rng(2)
shapes = [*itertools.product((1, 2, 5, 33), (1, 2, 17, 65, 130), (1, 3, 64, 129))]
shapes += [(1, 1, 5000), (1030, 1, 7), (1, 1030, 2050), (300, 2, 2)]
for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
    limits = np.iinfo(dtype)
    for m, n, k in shapes:
        a = rng.integers(limits.min, limits.max, (m, k), dtype, endpoint=True)
        b = rng.integers(limits.min, limits.max, (k, n), dtype, endpoint=True)
        x, y = jg.asarray(a), jg.asarray(b)
        turned = jg.asarray(np.ascontiguousarray(a.T)), jg.asarray(np.ascontiguousarray(b.T))
        for found in (x @ y, turned[0].T @ y, x @ turned[1].T, turned[0].T @ turned[1].T):
            assert found.dtype == x.dtype
            assert (np.asarray(found) == a @ b).all(), (dtype, m, n, k)
        assert (np.asarray(x[::-1, ::-1] @ y[::-1]) == a[::-1, ::-1] @ b[::-1]).all()
"""


@pytest.mark.parametrize(
    "code", [FLOATS, NANS, INTEGERS], ids=["strides", "numbers that are not finite", "integers"]
)
@pytest.mark.parametrize(("isa", "threads"), [("baseline", "2"), ("avx2", "1"), ("avx512", "2")])
def test_products_with_small_extents_and_of_integers_are_numpys(isa, threads, code):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)


@pytest.mark.parametrize("k", [65_535, 65_536, 65_537, 69_632, 200_003, 1_000_000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_of_two_long_vectors_has_the_bits_of_one_in_a_batch_on_any_threads(dtype, k):
    rng = np.random.default_rng(k)
    x, y = (rng.standard_normal(k + 1).astype(dtype)[1:] for _ in range(2))
    a, b = jg.asarray(x), jg.asarray(y)
    batch = jg.matmul(jg.stack([a, a]).reshape(2, 1, k), jg.stack([b, b]).reshape(2, k, 1))
    expected = np.asarray(batch)[1, 0, 0].tobytes()
    exact = (x.astype(np.longdouble) * y).sum()
    for threads in (1, 2, 3):
        with with_threads(threads):
            for got in (jg.dot(a, b), a @ b, jg.reshape(a, (1, k)) @ jg.reshape(b, (k, 1))):
                assert np.asarray(got).tobytes() == expected
            followed = np.asarray(jg.dot(a, b) * 2 + a[:3])
            np.testing.assert_array_equal(followed, np.asarray(jg.dot(a, b)) * 2 + x[:3])
            for other in (jg.dot(a[::2], b[::2]), jg.dot(a[::-1], b[::-1])):
                jg.eval(other)
    error = abs(np.frombuffer(expected, dtype).astype(np.longdouble) - exact)
    assert error <= 16 * np.finfo(dtype).eps * np.sqrt((x.astype("f8") ** 2 * y**2).sum())


def test_infinities_and_nans_of_one_part_reach_the_product_of_long_vectors():
    x, y = np.ones(300_000, "float32"), np.ones(300_000, "float32")
    x[200_000] = np.inf
    assert np.asarray(jg.dot(jg.asarray(x), jg.asarray(y))) == np.inf
    y[200_000] = 0
    assert np.isnan(np.asarray(jg.dot(jg.asarray(x), jg.asarray(y))))
