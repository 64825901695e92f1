# SPDX-License-Identifier: Apache-2.0
"""Kernels that tests make functions of arrays of, and what they are given."""

import numpy as np

import joggle.fields as qd


@qd.kernel
def scale_square(x: qd.types.ndarray(), factor: float, y: qd.types.ndarray()):
    for i in x:
        y[i] = factor * x[i] * x[i]


@qd.kernel
def pairs(
    a: qd.types.ndarray(),
    b: qd.types.ndarray(),
    at: qd.types.ndarray(),
    total: qd.types.ndarray(),
    each: qd.types.ndarray(),
):
    for i in a:
        each[i] = qd.sin(a[i]) * b[at[i]]
        total[0] += a[i] * b[i]


def function_of_square():
    return qd.function(scale_square, outputs="y")


def function_of_pairs():
    return qd.function(pairs, outputs={"total": lambda a, b, at: (1, a.dtype), "each": None})


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6, atol=1e-9)


X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 2.0, -1.0])
AT = np.array([2, 0, 0])
