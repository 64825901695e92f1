# SPDX-License-Identifier: Apache-2.0
"""A fractal: complex numbers as vectors, a while loop for each pixel."""

import joggle.fields as qd

n = 12
pixels = qd.field(dtype=float, shape=(n * 2, n))


@qd.func
def complex_square(z):
    return qd.Vector([z[0] ** 2 - z[1] ** 2, z[0] * z[1] * 2])


@qd.kernel
def paint(t: float):
    for i, j in pixels:
        c = qd.Vector([-0.8, qd.cos(t) * 0.2])
        z = qd.Vector([i / n - 1, j / n - 0.5]) * 2
        iterations = 0
        while z.norm() < 20 and iterations < 50:
            z = complex_square(z) + c
            iterations += 1
        pixels[i, j] = 1 - iterations * 0.02


def run():
    paint(0.3)
    return {"pixels": pixels.to_numpy()}
