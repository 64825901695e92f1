# SPDX-License-Identifier: Apache-2.0
"""A fluid of particles that push each other through a grid: the material point method with moving
least squares (Hu and others, 2018), in two dimensions, in a box of side 1."""

import numpy as np

GRAVITY, STIFFNESS, MARGIN = 9.8, 400.0, 3  # the margin: cells at the walls that hold the fluid


class Constants:
    """What follows from the number of cells along a side."""

    def __init__(self, cells):
        self.cells, self.dx, self.dt = cells, 1 / cells, 0.0256 / cells
        self.mass = (self.dx / 2) ** 2  # the density is 1, and a cell has about four particles
        self.pressure = -4 * self.dt * STIFFNESS * self.mass * cells**2


def initial_places(count):
    """A square of fluid in the lower half of the box."""
    return np.random.default_rng(0).uniform(0.2, 0.6, (count, 2)).astype(np.float32)


def make_fluid(qd, count, cells, layout):
    """A field of particles in that layout, at rest, and the kernel that moves them on by dt."""
    vector, matrix = qd.types.vector(2, qd.f32), qd.types.matrix(2, 2, qd.f32)
    particle = qd.types.struct(x=vector, v=vector, C=matrix, J=qd.f32)
    particles = particle.field(shape=(count,), layout=getattr(qd.Layout, layout))
    momentum = qd.Vector.field(2, qd.f32, shape=(cells, cells))
    mass = qd.field(qd.f32, shape=(cells, cells))
    k = Constants(cells)
    dx, dt, last = k.dx, k.dt, cells - MARGIN

    @qd.func
    def weights(fx):
        return [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]

    @qd.kernel
    def step():
        for i, j in mass:
            momentum[i, j] = [0, 0]
            mass[i, j] = 0
        for p in particles:
            place = particles[p].x / dx
            base = int(place - 0.5)
            fx = place - base
            w = weights(fx)
            pressure = k.pressure * (particles[p].J - 1)
            affine = qd.Matrix([[pressure, 0.0], [0.0, pressure]]) + k.mass * particles[p].C
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                weight = w[i].x * w[j].y
                push = k.mass * particles[p].v + affine @ ((offset - fx) * dx)
                momentum[base + offset] += weight * push
                mass[base + offset] += weight * k.mass
        for i, j in mass:
            if mass[i, j] > 0:
                momentum[i, j] /= mass[i, j]
            momentum[i, j].y -= dt * GRAVITY
            if (i < MARGIN and momentum[i, j].x < 0) or (i > last and momentum[i, j].x > 0):
                momentum[i, j].x = 0
            if (j < MARGIN and momentum[i, j].y < 0) or (j > last and momentum[i, j].y > 0):
                momentum[i, j].y = 0
        for p in particles:
            place = particles[p].x / dx
            base = int(place - 0.5)
            fx = place - base
            w = weights(fx)
            v = qd.Vector([0.0, 0.0])
            C = qd.Matrix([[0.0, 0.0], [0.0, 0.0]])
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                weighted = w[i].x * w[j].y * momentum[base + offset]
                v += weighted
                C += 4 * weighted.outer_product(offset - fx) / dx
            particles[p].v = v
            particles[p].x += dt * v
            particles[p].J *= 1 + dt * C.trace()
            particles[p].C = C

    lift(particles)
    return particles, step


def lift(particles):
    """Puts the fluid where it falls from, at rest."""
    particles.x.from_numpy(initial_places(particles.shape[0]))
    for member, value in (("v", 0), ("C", 0), ("J", 1)):
        getattr(particles, member).fill(value)


def numpy_state(count):
    x = initial_places(count)
    zeros = np.zeros((count, 2, 2), np.float32)
    return {"x": x, "v": np.zeros_like(x), "C": zeros, "J": np.ones(count, np.float32)}


def numpy_step(state, cells):
    """The state after dt, by NumPy."""
    k = Constants(cells)
    x, v, C, J = state["x"], state["v"], state["C"], state["J"]
    place = x * np.float32(cells)
    base = (place - np.float32(0.5)).astype(np.int32)
    fx = place - base
    w = np.float32(0.5) * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - np.float32(0.5)) ** 2
    affine = np.float32(k.mass) * C
    affine[:, [0, 1], [0, 1]] += (np.float32(k.pressure) * (J - 1))[:, None]
    grid, mass = np.zeros((cells, cells, 2), np.float32), np.zeros((cells, cells), np.float32)
    for i, j in np.ndindex(3, 3):
        at = base[:, 0] + i, base[:, 1] + j
        weight = w[i][:, 0] * w[j][:, 1]
        distance = (np.array([i, j], np.float32) - fx) * np.float32(k.dx)
        push = np.float32(k.mass) * v + np.einsum("pij,pj->pi", affine, distance)
        np.add.at(grid, at, weight[:, None] * push)
        np.add.at(mass, at, weight * np.float32(k.mass))
    grid = numpy_walls(grid / np.where(mass > 0, mass, 1)[:, :, None], k)
    v, C = np.zeros_like(v), np.zeros_like(C)
    for i, j in np.ndindex(3, 3):
        weight = w[i][:, 0] * w[j][:, 1]
        weighted = weight[:, None] * grid[base[:, 0] + i, base[:, 1] + j]
        distance = np.array([i, j], np.float32) - fx
        v += weighted
        C += 4 * np.einsum("pi,pj->pij", weighted, distance) * np.float32(cells)
    dt = np.float32(k.dt)
    return {"x": x + dt * v, "v": v, "C": C, "J": J * (1 + dt * np.trace(C, axis1=1, axis2=2))}


def numpy_walls(velocity, k):
    velocity[:, :, 1] -= np.float32(k.dt * GRAVITY)
    for axis in range(2):
        along = np.moveaxis(velocity[:, :, axis], axis, 0)
        np.maximum(along[:MARGIN], 0, out=along[:MARGIN])
        np.minimum(along[k.cells - MARGIN + 1 :], 0, out=along[k.cells - MARGIN + 1 :])
    return velocity
