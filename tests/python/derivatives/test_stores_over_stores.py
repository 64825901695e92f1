# SPDX-License-Identifier: Apache-2.0
"""Gradients of loops that store an element again in the same iteration."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def gradient_of(body):
    """V.grad for a gradient of ones of X, of a kernel made of the fields X, V and B."""
    x, v = (qd.field(qd.f64, 6, needs_grad=True) for _ in range(2))
    b = qd.field(qd.i32, 6)
    b.from_numpy(np.array([0, 1, 0, 1, 0, 1], np.int32))
    kernel = body(x, v, b)
    v.from_numpy(np.arange(1.0, 7.0))
    kernel()
    x.grad.fill(1)
    kernel.grad()
    return v.grad.to_numpy().tolist()


def test_a_store_hides_the_one_before():
    def body(x, v, b):
        @qd.kernel
        def kernel():
            for i in range(4):
                x[i] = v[i + 1]
                x[i] = 7.0 * v[i + 2]

        return kernel

    assert gradient_of(body) == [0.0, 0.0, 7.0, 7.0, 7.0, 7.0]


def test_a_boundary_condition_hides_a_stencil():
    def body(x, v, b):
        @qd.kernel
        def kernel():
            for i in range(1, 5):
                x[i] = v[i - 1] + v[i + 1]
                if b[i] == 1:
                    x[i] = 0.0

        return kernel

    assert gradient_of(body) == [0.0, 1.0, 0.0, 2.0, 0.0, 1.0]


def test_a_store_hides_what_was_added_before():
    def body(x, v, b):
        @qd.kernel
        def kernel():
            for i in range(1, 5):
                x[i] += v[i - 1] * 3.0
                if i > 2:
                    x[i] = 2.0 * v[i + 1]

        return kernel

    assert gradient_of(body) == [3.0, 3.0, 0.0, 0.0, 2.0, 2.0]


def test_stores_of_two_branches_both_count():
    def body(x, v, b):
        @qd.kernel
        def kernel():
            for i in range(1, 5):
                if b[i] == 1:
                    x[i] = v[i - 1]
                else:
                    x[i] = 5.0 * v[i + 1]

        return kernel

    assert gradient_of(body) == [1.0, 0.0, 1.0, 5.0, 0.0, 5.0]
