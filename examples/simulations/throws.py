# SPDX-License-Identifier: Apache-2.0
"""Balls thrown from the origin against air that moves: where they are after a second."""

import numpy as np

STEPS, GRAVITY, DRAG, WIND = 100, 9.8, 0.1, -4.0
DT = 1 / STEPS


def make_fly(qd):
    """The kernel fly(aim, end): from initial velocities to places, one row for each ball."""
    rows = qd.types.ndarray(dtype=qd.f32, ndim=2)

    @qd.kernel
    def fly(aim: rows, end: rows):
        for i in range(aim.shape[0]):
            x, y, vx, vy = 0.0, 0.0, aim[i, 0], aim[i, 1]
            for _ in range(STEPS):
                ux = vx - WIND
                drag = DRAG * qd.sqrt(ux * ux + vy * vy + 1e-6)
                vx -= DT * drag * ux
                vy -= DT * (drag * vy + GRAVITY)
                x += DT * vx
                y += DT * vy
            end[i, 0] = x
            end[i, 1] = y

    return fly


def fly(xp, aim):
    """The same by operations on whole arrays: the places after each step, by NumPy or by torch."""
    x = y = xp.zeros_like(aim[:, 0])
    vx, vy = aim[:, 0], aim[:, 1]
    path = []
    for _ in range(STEPS):
        ux = vx - WIND
        drag = DRAG * xp.sqrt(ux * ux + vy * vy + 1e-6)
        vx, vy = vx - DT * drag * ux, vy - DT * (drag * vy + GRAVITY)
        x, y = x + DT * vx, y + DT * vy
        path.append(xp.stack((x, y), -1))
    return path


def targets(count):
    """Places that a throw can reach, at random."""
    return np.random.default_rng(0).uniform((2, -2), (8, 4), (count, 2)).astype(np.float32)
