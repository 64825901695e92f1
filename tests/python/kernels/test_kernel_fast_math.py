# SPDX-License-Identifier: Apache-2.0
"""Sums are in the order in which they are written, unless fast_math lets them be reassociated."""

import numpy as np
import pytest

import joggle.fields as qd

VALUES = np.random.default_rng(3).standard_normal(50_001).astype(np.float32) * np.float32(1000)


def sums(kernel):
    """What a kernel sums up VALUES to."""

    @kernel
    def total(x: qd.types.ndarray()) -> qd.f32:
        s = 0.0
        qd.loop_config(serialize=True)
        for i in range(x.shape[0]):
            s = s + x[i]
        return s

    return np.float32(total(VALUES))


def in_order():
    return np.add.accumulate(VALUES)[-1]


def test_sums_keep_their_order_without_fast_math(compiler):
    assert sums(qd.kernel(fast_math=False)) == in_order()
    qd.init(fast_math=False)
    assert sums(qd.kernel) == in_order()


def test_sums_are_vector_code_with_fast_math_and_round_otherwise(compiler):
    """Were it lost on the way to the compiler, the last bits would be those of the order."""
    exact = VALUES.astype(np.float64).sum()
    for kernel in (qd.kernel(fast_math=True), qd.kernel):
        qd.init(fast_math=True)
        found = sums(kernel)
        assert found == pytest.approx(exact, rel=1e-2, abs=1)
        assert found != in_order()


def test_a_kernel_says_otherwise_than_init(compiler):
    qd.init(fast_math=True)
    assert sums(qd.kernel(fast_math=False)) == in_order()
