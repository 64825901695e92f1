# SPDX-License-Identifier: Apache-2.0
"""kernel.grad of one array as several arguments, whose gradients meet in iterations on several
threads: no addition is lost."""

import numpy as np
import pytest
import torch

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("compiler")

VECTOR = qd.types.ndarray(dtype=qd.f64, ndim=1)
MATRIX = qd.types.ndarray(dtype=qd.f64, ndim=2)


@pytest.mark.parametrize("side", [5, 700])
def test_gradients_that_meet_in_other_iterations_lose_nothing(side, threads):
    """Row i of one gradient is column i of the other: each is its iteration's own, both are not."""

    @qd.kernel
    def run(a: MATRIX, b: MATRIX, total: VECTOR):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                total[0] += a[i, j] * b[j, i]

    x = torch.ones((side, side), dtype=torch.float64, requires_grad=True)
    total = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    total.grad = torch.zeros_like(total)
    for _ in range(5):
        x.grad = torch.zeros_like(x)
        total.grad[0] = 1.0
        run.grad(x, x, total)
        assert (x.grad == 2).all()


def test_gradients_that_meet_at_the_ends_of_chunks_lose_nothing(threads):
    count = 100_003
    x, total = qd.field(qd.f64, count + 2, needs_grad=True), qd.field(qd.f64, (), needs_grad=True)
    x.fill(1)

    @qd.kernel
    def run(a: qd.template(), b: qd.template(), c: qd.template()):
        for i in range(count):
            total[None] += a[i] * b[i + 1] + c[i + 2] * c[i]

    for _ in range(5):
        x.grad.fill(0)
        total.grad[None] = 1
        run.grad(x, x, x)
        expected = np.zeros(count + 2)
        for start in (0, 1, 2, 0):
            expected[start : start + count] += 1
        assert x.grad.to_numpy().tolist() == expected.tolist()
