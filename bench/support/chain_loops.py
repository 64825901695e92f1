# SPDX-License-Identifier: Apache-2.0
"""The chains as loops that somebody would write by hand for numba.njit."""

import math

import numpy as np

POLYNOMIAL = (0.31, -0.27, 0.54, -0.13, 0.42, -0.61, 0.23, -0.35, 0.5)


def fma(a, b, c):
    y = np.empty_like(a)
    for i in range(a.size):
        y[i] = a[i] * b[i] + c[i]
    return y


def gelu(a):
    y = np.empty_like(a)
    for i in range(a.size):
        x = a[i]
        inner = np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)
        y[i] = np.float32(0.5) * x * (np.float32(1) + np.float32(math.tanh(inner)))
    return y


def gauss(a, b, c):
    y = np.empty_like(a)
    one = np.float32(1)
    for i in range(a.size):
        d = a[i] - b[i]
        y[i] = math.exp(-d * d * np.float32(0.5)) * (one / (one + np.float32(math.exp(-c[i]))))
    return y


def poly16(a):
    y = np.empty_like(a)
    for i in range(a.size):
        x = a[i]
        value = np.float32(POLYNOMIAL[0])
        for p in POLYNOMIAL[1:]:
            value = value * x + np.float32(p)
        y[i] = value
    return y


def select(a, b, c):
    y = np.empty_like(a)
    for i in range(a.size):
        larger = a[i] - b[i] if a[i] > b[i] else b[i] - a[i]
        if larger & 1 == 0:
            y[i] = larger + c[i]
        else:
            y[i] = larger * 3 if c[i] > 0 else larger ^ c[i]
    return y
