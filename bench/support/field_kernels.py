# SPDX-License-Identifier: Apache-2.0
"""Kernels that Quadrants and joggle.fields both compile: each function takes the module."""

from dataclasses import make_dataclass


def saxpy(qd, a=2.0):
    x = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(z: x, x: x, y: x):
        for i in range(x.shape[0]):
            z[i] = a * x[i] + y[i]

    return run


def stencil(qd):
    """The mean of the four neighbours, inside."""
    image = qd.types.ndarray(dtype=qd.f32, ndim=2)

    @qd.kernel
    def run(v: image, u: image):
        for i, j in qd.ndrange((1, u.shape[0] - 1), (1, u.shape[1] - 1)):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    return run


def nbody(qd):
    """The pull of all bodies on each of them; places and pulls are rows of three."""
    rows = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)

    @qd.kernel
    def run(pull: rows, place: rows):
        for i in range(place.shape[0]):
            here = place[i]
            total = qd.Vector([0.0, 0.0, 0.0])
            for j in range(place.shape[0]):
                d = place[j] - here
                inverse = 1 / qd.sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-3)
                total += d * (inverse * inverse * inverse)
            pull[i] = total

    return run


def matmul(qd):
    matrix = qd.types.ndarray(dtype=qd.f32, ndim=2)

    @qd.kernel
    def run(c: matrix, a: matrix, b: matrix):
        for i, j in qd.ndrange(a.shape[0], b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    return run


def histogram(qd):
    """Adds to the counts; the values name the bins."""
    integers = qd.types.ndarray(dtype=qd.i32, ndim=1)

    @qd.kernel
    def run(counts: integers, values: integers):
        for i in range(counts.shape[0]):
            counts[i] = 0
        for i in range(values.shape[0]):
            counts[values[i]] += 1

    return run


def total(qd):
    array = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def run(sum: array, values: array):
        sum[0] = 0.0
        for i in range(values.shape[0]):
            sum[0] += values[i]

    return run


def held(qd, count):
    """A kernel of one element and its arguments: count arrays in nested frozen dataclasses, of
    which it reads eight, and the result, an array beside them."""
    array = qd.types.ndarray(dtype=qd.f32, ndim=1)
    one = make_dataclass("One", [(f"a{i}", array) for i in range(8)], frozen=True)
    names = [f"m{k}" for k in range(count // 8)]
    some = make_dataclass("Some", [(name, one) for name in names], frozen=True)

    @qd.kernel
    def alone(out: array):
        for i in range(out.shape[0]):
            out[i] = 36.0

    @qd.kernel
    def run(x: some, out: array):
        for i in range(out.shape[0]):
            left = x.m0.a0[i] + x.m0.a1[i] + x.m0.a2[i] + x.m0.a3[i]
            out[i] = left + x.m0.a4[i] + x.m0.a5[i] + x.m0.a6[i] + x.m0.a7[i]

    def filled(value):
        x = qd.ndarray(qd.f32, (1,))
        x.fill(value)
        return x

    arrays = [one(*(filled(i + 1) for i in range(8))) for _ in names]
    return (run, [some(*arrays), filled(0)]) if names else (alone, [filled(0)])
