# SPDX-License-Identifier: Apache-2.0
"""Fits an implicit curve, the zeros of a polynomial, to noisy points by Newton's method: products
with the Hessian are jvp of grad. A distance is |f| / |grad f|: a gradient inside of the loss.

Writes demo/implicit_curve.png. Fails if the points are further away than their noise.
"""

from pathlib import Path

import numpy as np
from simulations import pictures

import joggle as jg

COUNT, DEGREE, NOISE, OUT = 400, 6, 0.01, Path("demo/implicit_curve.png")
POWERS = [(i, n - i) for n in range(1, DEGREE + 1) for i in range(n + 1)]


def polynomial(weights, point):
    return sum(weights[k] * point[0] ** i * point[1] ** j for k, (i, j) in enumerate(POWERS)) - 1


def distance(weights, point):
    value, slope = jg.value_and_grad(polynomial, argnums=1)(weights, point)
    return value / jg.sqrt(jg.sum(slope * slope) + 1e-6)


def loss(weights, points):
    distances = jg.vmap(distance, (None, 0))(weights, points)
    return jg.mean(distances**2) + 1e-9 * jg.sum(weights**2)


@jg.compile  # the Hessian at the weights, times the direction
def product(weights, points, direction):
    return jg.jvp(lambda w: jg.grad(loss)(w, points), [weights], [direction])[1][0]


def solve(weights, points, residual, damping):
    """Conjugate gradients for (H + damping) step = residual."""
    step, search = jg.zeros_like(residual), residual
    for _ in range(3 * len(POWERS)):
        image = product(weights, points, search) + damping * search
        curvature, before = jg.sum(search * image), jg.sum(residual * residual)
        if min(float(curvature), float(before) - 1e-24) <= 0:
            break
        size = before / curvature
        step, residual = step + size * search, residual - size * image
        search = residual + jg.sum(residual * residual) / before * search
    return step


def fit(points, steps=40):
    gradient = jg.compile(jg.value_and_grad(loss))
    weights = jg.asarray(np.array([float(i + j == 2 and i != 1) for i, j in POWERS]))
    damping, losses = 1e-2, []
    value, slope = gradient(weights, points)
    for _ in range(steps):
        moved = weights - solve(weights, points, slope, damping)
        after = gradient(moved, points)
        damping *= 0.2 if float(after[0]) < float(value) else 8
        if float(after[0]) < float(value):
            weights, (value, slope) = moved, after
        losses.append(float(value) ** 0.5)
    return weights, losses


def main():
    t = np.linspace(0, 2 * np.pi, COUNT)
    radius = 1 + 0.25 * np.cos(3 * t) + 0.1 * np.sin(2 * t)
    points = (radius * np.array([np.cos(t), np.sin(t)])).T
    points += NOISE * np.random.default_rng(0).normal(size=(COUNT, 2))
    weights, losses = fit(jg.asarray(points))
    print(f"mean distance {losses[0]:.4f} after a step, {losses[-1]:.4f} at the end: {OUT}")
    grid = jg.stack(jg.meshgrid(*[jg.linspace(-1.7, 1.7, 300)] * 2))
    pictures.save_curve(OUT, losses, points, grid, polynomial(weights, grid))
    assert losses[-1] < 1.5 * NOISE, "the curve does not go through the points"


if __name__ == "__main__":
    main()
