# SPDX-License-Identifier: Apache-2.0
"""The heat equation on an image whose conductivity falls where neighbours differ by more than
`edge`, so that noise spreads and edges stay (Perona and Malik, 1990). No heat leaves the image."""

import numpy as np

PLAIN = 1e6  # an edge that no image has: the heat equation itself


def make_step(qd):
    """The kernel step(u, v, dt, edge): v becomes u after a time dt."""
    image = qd.types.ndarray(dtype=qd.f32, ndim=2)

    @qd.func
    def flow(difference, edge):
        ratio = difference / edge
        return difference / (1 + ratio * ratio)

    @qd.kernel
    def step(u: image, v: image, dt: qd.f32, edge: qd.f32):
        rows, columns = u.shape[0], u.shape[1]
        for i, j in qd.ndrange(rows, columns):
            here = u[i, j]
            total = flow(u[max(i - 1, 0), j] - here, edge)
            total += flow(u[min(i + 1, rows - 1), j] - here, edge)
            total += flow(u[i, max(j - 1, 0)] - here, edge)
            total += flow(u[i, min(j + 1, columns - 1)] - here, edge)
            v[i, j] = here + dt * total

    return step


def numpy_step(u, dt, edge):
    """What u is after a time dt, by NumPy."""
    around = np.pad(u, 1, mode="edge")
    total = np.zeros_like(u)
    for neighbour in (
        around[:-2, 1:-1],
        around[2:, 1:-1],
        around[1:-1, :-2],
        around[1:-1, 2:],
    ):
        difference = neighbour - u
        total += difference / (1 + (difference / np.float32(edge)) ** 2)
    return u + np.float32(dt) * total
