# SPDX-License-Identifier: Apache-2.0
"""The kernels of field_kernels as NumPy expressions, and as loops for Numba; the result comes first
among the arguments and is written in place."""

import numpy as np


def saxpy(z, x, y):
    for i in range(len(x)):
        z[i] = np.float32(2) * x[i] + y[i]


def saxpy_numpy(z, x, y):
    np.multiply(x, np.float32(2), out=z)
    z += y


def stencil(v, u):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def stencil_numpy(v, u):
    v[1:-1, 1:-1] = np.float32(0.25) * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def nbody(pull, place):
    for i in range(len(place)):
        x = y = z = np.float32(0)
        for j in range(len(place)):
            dx = place[j, 0] - place[i, 0]
            dy = place[j, 1] - place[i, 1]
            dz = place[j, 2] - place[i, 2]
            inverse = np.float32(1) / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(1e-3))
            cube = inverse * inverse * inverse
            x += dx * cube
            y += dy * cube
            z += dz * cube
        pull[i, 0], pull[i, 1], pull[i, 2] = x, y, z


def nbody_numpy(pull, place):
    d = place[None] - place[:, None]
    inverse = 1 / np.sqrt((d * d).sum(-1) + np.float32(1e-3))
    pull[:] = np.einsum("ijk,ij->ik", d, inverse**3)


def matmul(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def matmul_numpy(c, a, b):
    np.matmul(a, b, out=c)


def histogram(counts, values):
    counts[:] = 0
    for i in range(len(values)):
        counts[values[i]] += 1


def histogram_numpy(counts, values):
    counts[:] = np.bincount(values, minlength=len(counts))


def total(sum, values):
    s = np.float32(0)
    for i in range(len(values)):
        s += values[i]
    sum[0] = s


def total_numpy(sum, values):
    sum[0] = values.sum()
