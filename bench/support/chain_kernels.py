# SPDX-License-Identifier: Apache-2.0
"""The chains as kernels of Quadrants: each function gives, for the module, a function of arrays."""

import numpy as np

from support.chain_loops import POLYNOMIAL


def _into_new(kernel):
    """Of a Quadrants kernel that writes its first argument, a function that gives a new array."""

    def call(*arrays):
        y = np.empty_like(arrays[0])
        kernel(y, *arrays)
        return y

    return call


def fma(qd):
    x = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(y: x, a: x, b: x, c: x):
        for i in a:
            y[i] = a[i] * b[i] + c[i]

    return _into_new(run)


def gelu(qd):
    x = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(y: x, a: x):
        for i in a:
            inner = 0.7978845608 * (a[i] + 0.044715 * (a[i] * a[i] * a[i]))
            y[i] = 0.5 * a[i] * (1 + qd.tanh(inner))

    return _into_new(run)


def gauss(qd):
    x = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(y: x, a: x, b: x, c: x):
        for i in a:
            d = a[i] - b[i]
            y[i] = qd.exp(-(d * d) / 2) * (1 / (1 + qd.exp(-c[i])))

    return _into_new(run)


def poly16(qd):
    x = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(y: x, a: x):
        for i in a:
            value = 0.31 * a[i] - 0.27
            for p in qd.static(POLYNOMIAL[2:]):
                value = value * a[i] + p
            y[i] = value

    return _into_new(run)


def select(qd):
    x = qd.types.ndarray(dtype=qd.i32, ndim=1)

    @qd.kernel
    def run(y: x, a: x, b: x, c: x):
        for i in a:
            larger = a[i] - b[i]
            if a[i] <= b[i]:
                larger = b[i] - a[i]
            if larger & 1 == 0:
                y[i] = larger + c[i]
            elif c[i] > 0:
                y[i] = larger * 3
            else:
                y[i] = larger ^ c[i]

    return _into_new(run)
