# SPDX-License-Identifier: Apache-2.0
"""A fluid of particles on a grid (the material point method): matrices, scattered atomics."""

import numpy as np

import joggle.fields as qd

particles, grid = 24, 12
dx, dt = 1 / grid, 2e-4
mass = (dx * 0.5) ** 2
stiffness, gravity, margin = 400.0, 9.8, 2

x = qd.Vector.field(2, qd.f32, shape=particles)
v = qd.Vector.field(2, qd.f32, shape=particles)
C = qd.Matrix.field(2, 2, qd.f32, shape=particles)
J = qd.field(qd.f32, shape=particles)
grid_v = qd.Vector.field(2, qd.f32, shape=(grid, grid))
grid_m = qd.field(qd.f32, shape=(grid, grid))


@qd.kernel
def substep():
    for i, j in grid_m:
        grid_v[i, j] = [0, 0]
        grid_m[i, j] = 0
    for p in x:
        place = x[p] / dx
        base = int(place - 0.5)
        fx = place - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
        stress = -dt * 4 * stiffness * mass * (J[p] - 1) / dx**2
        affine = qd.Matrix([[stress, 0.0], [0.0, stress]]) + mass * C[p]
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            dpos = (offset - fx) * dx
            weight = w[i].x * w[j].y
            grid_v[base + offset] += weight * (mass * v[p] + affine @ dpos)
            grid_m[base + offset] += weight * mass
    for i, j in grid_m:
        if grid_m[i, j] > 0:
            grid_v[i, j] /= grid_m[i, j]
        grid_v[i, j].y -= dt * gravity
        if i < margin and grid_v[i, j].x < 0:
            grid_v[i, j].x = 0
        if i > grid - margin and grid_v[i, j].x > 0:
            grid_v[i, j].x = 0
        if j < margin and grid_v[i, j].y < 0:
            grid_v[i, j].y = 0
    for p in x:
        place = x[p] / dx
        base = int(place - 0.5)
        fx = place - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
        new_v = qd.Vector.zero(qd.f32, 2)
        new_C = qd.Matrix.zero(qd.f32, 2, 2)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            dpos = (offset - fx) * dx
            weight = w[i].x * w[j].y
            g_v = grid_v[base + offset]
            new_v += weight * g_v
            new_C += 4 * weight * g_v.outer_product(dpos) / dx**2
        v[p] = new_v
        x[p] += dt * v[p]
        J[p] *= 1 + dt * new_C.trace()
        C[p] = new_C


def run():
    rng = np.random.default_rng(1)
    x.from_numpy((rng.random((particles, 2)) * 0.4 + 0.3).astype(np.float32))
    v.fill(0)
    C.fill(0)
    J.fill(1)
    for _ in range(3):
        substep()
    return {"x": x.to_numpy(), "v": v.to_numpy(), "C": C.to_numpy(), "J": J.to_numpy()}
