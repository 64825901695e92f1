# SPDX-License-Identifier: Apache-2.0
"""Products of a few vectors: right at every instruction set; halves are not cast as a whole."""

import os
import subprocess
import sys

import numpy as np
import pytest

import joggle as jg

CODE = """
import numpy as np, joggle as jg
rng = np.random.default_rng(0)
for dtype, ulp in (("float16", 2**-10), ("bfloat16", 2**-7)):
    for m, n, k in ((1, 300, 129), (3, 1100, 64), (8, 65, 31), (65, 5, 200), (1, 1, 50), (9, 1, 7)):
        a = jg.array(rng.standard_normal((m, k)), dtype=dtype)
        b = jg.array(rng.standard_normal((k, n)), dtype=dtype)
        bt = jg.array(np.ascontiguousarray(np.asarray(b.astype("float32")).T), dtype=dtype)
        exact = np.asarray(a.astype("float64")) @ np.asarray(b.astype("float64"))
        scale = np.abs(np.asarray(a.astype("float64"))) @ np.abs(np.asarray(b.astype("float64")))
        for y in (a @ b, a @ bt.T, (b.T @ a.T).T, a[::-1][::-1] @ b):
            assert y.dtype == a.dtype
            found = np.asarray(y.astype("float64"))
            wrong = np.abs(found - exact) > ulp * np.abs(exact) + 1e-6 * scale
            assert not wrong.any(), (dtype, m, n, k)
"""

ANY_ADDRESS = """
import numpy as np, joggle as jg
rng = np.random.default_rng(0)
memory = rng.standard_normal(1 << 18, np.float32)
shapes = (1040, 65, 0), (1023, 70, 1), (2064, 33, 16), (5000, 14, 0), (17, 4001, 15), (5, 14000, 3)
for n, k, gap in shapes:
    for shift in (0, 1, 4, 8, 15):
        W = memory[shift : shift + k * (n + gap)].reshape(k, n + gap)[:, :n]
        for rows in (1, 2, 3, 4, 7):
            for w in (W, W.T):
                x = rng.standard_normal((rows, w.shape[0]), np.float32)
                exact = x.astype(np.float64) @ w.astype(np.float64)
                most = 4e-6 * (np.abs(x).astype(np.float64) @ np.abs(w).astype(np.float64))
                found = np.asarray(jg.asarray(x) @ jg.asarray(w))
                assert (np.abs(found - exact) <= most).all(), (n, k, gap, shift, rows)
"""

# Rows whose last vector is read from before its end: what was added already must not be met again.
ROW_ENDS = """
import numpy as np, joggle as jg
rng = np.random.default_rng(1)
for k in (3, 8, 15, 16, 17, 31, 33, 50, 100, 129, 511, 513):
    n = 70_000 // k
    for rows in (1, 2, 3, 4, 7, 8):
        x, w = rng.standard_normal((rows, k), np.float32), rng.standard_normal((n, k), np.float32)
        w[5, -2], w[6, 0], w[7, k // 2], w[8, -1] = np.inf, -np.inf, np.nan, 0
        x[0, -1] = 0
        for a in (x, np.where(np.arange(k) == k - 3, np.float32(np.inf), x)):
            with np.errstate(invalid="ignore"):
                exact = a.astype(np.float64) @ w.T.astype(np.float64)
                most = 4e-6 * (np.abs(a).astype(np.float64) @ np.abs(w.T).astype(np.float64))
            found = np.asarray(jg.asarray(a) @ jg.asarray(w).T)
            finite = np.isfinite(exact)
            assert (np.abs(found - exact)[finite] <= most[finite]).all(), (k, rows)
            assert (np.isnan(found) == np.isnan(exact)).all(), (k, rows)
            assert (found[np.isinf(exact)] == exact[np.isinf(exact)]).all(), (k, rows)
"""


@pytest.mark.parametrize(
    "code", [CODE, ANY_ADDRESS, ROW_ENDS], ids=["halves", "any address", "row ends"]
)
@pytest.mark.parametrize(("isa", "threads"), [("baseline", "1"), ("avx2", "3"), ("avx512", "2")])
def test_products_of_few_vectors_are_rounded_once_at_every_instruction_set(isa, threads, code):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)


@pytest.mark.parametrize("dtype", [jg.float16, jg.bfloat16])
def test_a_large_matrix_is_not_copied_for_a_vector(dtype):
    matrix = jg.ones((4096, 512), dtype=dtype)
    x = jg.ones((1, 512), dtype=dtype)
    jg.eval(matrix, x)
    jg.synchronize()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    jg.eval(x @ matrix.T)
    assert jg.get_peak_memory() - before < matrix.nbytes / 4


@pytest.mark.parametrize("dtype", [jg.float16, jg.bfloat16])
def test_products_of_few_vectors_have_derivatives_and_batches(dtype):
    rng = np.random.default_rng(1)
    w = jg.array(rng.standard_normal((20, 30)), dtype=dtype)
    x = jg.array(rng.standard_normal((2, 30)), dtype=dtype)
    slope = jg.grad(lambda x: jg.sum(jg.sin((x @ w.T).astype(jg.float32))))(x)
    wide = jg.grad(lambda x: jg.sum(jg.sin(x @ w.T.astype(jg.float32))))(x.astype(jg.float32))
    assert slope.dtype == dtype
    np.testing.assert_allclose(
        np.asarray(slope.astype(jg.float32)), np.asarray(wide), rtol=0.05, atol=0.15
    )
    rows = jg.vmap(lambda row: w @ row)(x)
    expected = np.asarray((x @ w.T).astype(jg.float32))
    np.testing.assert_allclose(np.asarray(rows.astype(jg.float32)), expected, atol=1e-2, rtol=1e-2)
    nothing = jg.ones((1, 0), dtype=dtype) @ jg.ones((0, 3), dtype=dtype)
    assert nothing.astype(jg.float32).tolist() == [[0.0, 0.0, 0.0]]
