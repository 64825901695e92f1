# SPDX-License-Identifier: Apache-2.0
"""Integers that are multiplied by floats in place: the product is rounded, not the float."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_the_product_of_a_variable_is_rounded():
    @qd.kernel
    def scaled(factor: qd.f32) -> qd.i32:
        n = 3
        n *= factor
        return n

    assert [scaled(1.5), scaled(2.0), scaled(-0.5)] == [4, 6, -1]


def test_the_product_of_an_element_is_rounded():
    @qd.kernel
    def scale(x: qd.types.ndarray(dtype=qd.i32, ndim=1), factor: qd.f32):
        x[0] *= factor

    x = np.array([3, 3], np.int32)
    scale(x, 1.5)
    assert x.tolist() == [4, 3]


def test_an_element_that_iterations_may_share_is_refused():
    @qd.kernel
    def scale(x: qd.types.ndarray(dtype=qd.i32, ndim=1), factor: qd.f32):
        for i in range(x.shape[0]):
            x[i] *= factor

    with pytest.raises(qd.KernelTypeError, match=r"allowed is an integer, or x\[i\] = x\[i\] \* y"):
        scale(np.array([3, 3], np.int32), 1.5)
