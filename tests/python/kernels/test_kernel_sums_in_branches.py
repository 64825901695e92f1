# SPDX-License-Identifier: Apache-2.0
"""Sums of floats under conditions, which are brought together behind the branch."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_sums_that_are_used_between_branches_are_up_to_date():
    @qd.kernel
    def run(x: qd.types.ndarray()) -> qd.f64:
        s, c = qd.f64(0), qd.f64(1)
        for i in range(x.shape[0]):
            if x[i, 0] > 3:
                s += x[i, 0]
                c -= s
            if x[i, 1] > 2:
                s -= x[i, 1]
            s += 1
        return s + 100 * c

    x = np.random.default_rng(1).integers(0, 9, (50, 2)).astype(np.float64)
    s, c = 0.0, 1.0
    for a, b in x:
        if a > 3:
            s += a
            c -= s
        if b > 2:
            s -= b
        s += 1
    assert run(x) == s + 100 * c


def test_rows_that_run_side_by_side_have_sums_of_their_own():
    @qd.kernel
    def run(x: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in range(x.shape[0]):
            v = qd.Vector([0.0, 0.0])
            for j in range(x.shape[1]):
                if x[i, j] > 4:
                    v[0] += x[i, j]
                    v.y -= 1
                elif x[i, j] > 2:
                    v += qd.Vector([0.5, 0.25])
            out[i, 0], out[i, 1] = v.x, v.y

    x = np.random.default_rng(2).integers(0, 9, (37, 33)).astype(np.float32)
    out = np.zeros((37, 2), np.float32)
    run(x, out)
    first = np.where(x > 4, x, np.where(x > 2, 0.5, 0)).sum(1)
    second = np.where(x > 4, -1, np.where(x > 2, 0.25, 0)).sum(1)
    np.testing.assert_allclose(out, np.stack([first, second], 1))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint64])
def test_atomics_under_conditions_add_what_the_branches_say(dtype):
    w = (np.arange(1000) % 7).astype(dtype)

    @qd.kernel
    def run(x: qd.types.ndarray(), w: qd.types.ndarray()):
        for i in w:
            if w[i] > 2:
                x[1] += 1
            elif w[i] < 1:
                x[2] -= 1
            else:
                if i % 2 == 0:
                    x[0] += 2

    x = np.zeros(3, dtype)
    run(x, w)
    even = np.arange(1000) % 2 == 0
    middle = (w >= 1) & (w <= 2) & even
    expected = [2 * int(middle.sum()), int((w > 2).sum()), -int((w < 1).sum())]
    assert x.tolist() == np.array(expected).astype(dtype).tolist()
