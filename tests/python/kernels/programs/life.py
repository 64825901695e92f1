# SPDX-License-Identifier: Apache-2.0
"""The game of life on a torus: integers, functions, two fields that take turns."""

import numpy as np

import joggle.fields as qd

n = 16
alive = qd.field(int, shape=(n, n))
neighbours = qd.field(int, shape=(n, n))


@qd.func
def count(i, j):
    total = 0
    for di, dj in qd.static(qd.ndrange((-1, 2), (-1, 2))):
        if qd.static(di != 0 or dj != 0):
            total += alive[(i + di) % n, (j + dj) % n]
    return total


@qd.kernel
def step():
    for i, j in alive:
        neighbours[i, j] = count(i, j)
    for i, j in alive:
        if alive[i, j] == 1:
            if neighbours[i, j] < 2 or neighbours[i, j] > 3:
                alive[i, j] = 0
        elif neighbours[i, j] == 3:
            alive[i, j] = 1


def run():
    rng = np.random.default_rng(0)
    alive.from_numpy(rng.integers(0, 2, (n, n)).astype(np.int32))
    for _ in range(3):
        step()
    return {"alive": alive.to_numpy(), "neighbours": neighbours.to_numpy()}
