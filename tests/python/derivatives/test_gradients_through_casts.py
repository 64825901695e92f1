# SPDX-License-Identifier: Apache-2.0
"""Gradients of kernels that cast indices to integers that do not hold them."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_indices_through_casts_that_wrap_are_checked():
    """300 iterations store 256 elements, 44 of them twice."""
    count = 300
    x, y = (qd.field(qd.f64, count, needs_grad=True) for _ in range(2))
    total = qd.field(qd.f64, (), needs_grad=True)
    start = np.linspace(0.1, 1, count)

    @qd.kernel
    def stores(last: int):
        for i in range(last):
            y[qd.cast(qd.cast(i, qd.i8), qd.i32) + 128] = x[i] * x[i]

    @qd.kernel
    def overwrites(last: int):
        qd.loop_config(serialize=True)
        for i in range(last):
            total[None] += x[i] * x[i]
            x[qd.cast(qd.cast(i + 1, qd.i8), qd.i32) + 128] = 0.5

    @qd.kernel
    def narrows(last: int):
        for i in range(last):
            y[qd.cast(qd.cast(i, qd.i64) + 1, qd.i32)] = x[i]

    def gradient(kernel, last):
        x.from_numpy(start)
        kernel(last)
        x.grad.fill(0)
        y.grad.fill(1)
        total.grad[None] = 1
        kernel.grad(last)
        return x.grad.to_numpy()

    expected = np.where(np.arange(count) < 256, 2 * start, 0)
    np.testing.assert_allclose(gradient(stores, 256), expected, rtol=1e-15)
    expected = np.where(np.arange(count) < 20, 2 * start, 0)
    expected[129:149] = 0  # stored, and not read
    np.testing.assert_allclose(gradient(overwrites, 20), expected, rtol=1e-15)
    np.testing.assert_array_equal(gradient(narrows, count - 1), [1] * (count - 1) + [0])
    with pytest.raises(NotImplementedError, match=r"two iterations .* one element of y"):
        gradient(stores, count)
    with pytest.raises(NotImplementedError, match="an element of x that the derivative needs"):
        gradient(overwrites, count - 1)
