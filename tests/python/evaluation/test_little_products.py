# SPDX-License-Identifier: Apache-2.0
"""Products of little matrices: right at every instruction set, of all shapes around those
of vectors and tiles, whatever the operands' strides."""

import os
import subprocess
import sys

import pytest

CODE = """
import itertools, numpy as np, joggle as jg
rng = np.random.default_rng(0)
memory = {d: rng.standard_normal(1 << 16).astype(d) for d in (np.float32, np.float64)}


def matrices(dtype, count, rows, columns, kind):
    if kind == "turned":
        return matrices(dtype, count, columns, rows, "dense").transpose(0, 2, 1)
    gap = {"dense": 0, "gaps": 3}[kind]
    start = int(rng.integers(8))
    some = memory[dtype][start : start + rows * (columns + gap) * count]
    return some.reshape(count, rows, columns + gap)[:, :, :columns]


extents = (1, 2, 3, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23, 31, 33, 48, 63, 64, 65)
for m, n in itertools.product(extents, extents):
    k, dtype = int(rng.choice(extents)), rng.choice((np.float32, np.float64))
    kinds = [str(kind) for kind in rng.choice(("dense", "gaps", "turned"), 2)]
    a, b = matrices(dtype, 3, m, k, kinds[0]), matrices(dtype, 3, k, n, kinds[1])
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    most = np.finfo(dtype).eps * (k + 1) * (np.abs(a) @ np.abs(b))
    x, y = jg.asarray(a), jg.asarray(b)
    for found in (x @ y, jg.stack([x[i] @ y[i] for i in range(3)])):
        assert (np.abs(np.asarray(found) - exact) <= most).all(), (m, n, k, kinds)
    one = np.asarray(x @ y[1])
    assert (np.abs(one[1] - exact[1]) <= most[1]).all(), (m, n, k, kinds)
    followed = np.asarray(jg.maximum(x @ y + 1, 0))
    wrong = np.abs(followed - np.maximum(exact + 1, 0)) > most + np.finfo(dtype).eps
    assert not wrong.any(), (m, n, k, kinds)
x = jg.asarray(np.full((4, 4), np.inf, np.float32))
assert np.isnan(np.asarray(x @ jg.zeros((4, 4)))).all()
"""


@pytest.mark.parametrize("isa", ["baseline", "avx2", ""])
def test_products_of_little_matrices_are_right_whatever_their_strides(isa):
    env = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", CODE], check=True, env=env)
