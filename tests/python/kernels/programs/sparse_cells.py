# SPDX-License-Identifier: Apache-2.0
"""Particles in the cells of a tree in which only cells with particles exist: pointer and bitmasked
nodes, lists of a length of their own, loops over what exists."""

import numpy as np

import joggle.fields as qd

n, particles, steps = 64, 500, 4
x = qd.Vector.field(2, qd.f32, shape=particles)
mass, count = qd.field(qd.f32), qd.field(qd.i32)
block = qd.root.pointer(qd.ij, n // 8)
block.bitmasked(qd.ij, 8).place(mass, count)
seen = qd.field(qd.i32)
row = qd.root.dense(qd.i, n)
row.dynamic(qd.j, particles, chunk_size=16).place(seen)
blocks, cells, total, listed = (qd.field(qd.i32, shape=steps) for _ in range(4))


@qd.kernel
def move(dt: qd.f32):
    for p in x:
        center = qd.Vector([0.5, 0.5])
        away = x[p] - center
        x[p] = center + 0.98 * (away + dt * qd.Vector([-away[1], away[0]]))


@qd.kernel
def scatter():
    for p in x:
        i, j = qd.cast(x[p] * n, int)
        mass[i, j] += 0.5
        count[i, j] += 1


@qd.kernel
def measure(step: qd.i32):
    for _i, _j in block:
        blocks[step] += 1
    for i, j in mass:
        cells[step] += 1
        total[step] += count[i, j]


@qd.kernel
def list_columns(step: qd.i32):
    for i, j in mass:
        qd.append(seen.parent(), i, j)
    for i in range(n):
        listed[step] += qd.length(seen.parent(), i)


def run():
    rng = np.random.default_rng(3)
    x.from_numpy((0.5 + 0.15 * rng.standard_normal((particles, 2))).clip(0.2, 0.8).astype("f4"))
    for step in range(steps):
        block.deactivate_all()
        row.deactivate_all()
        move(0.3)
        scatter()
        measure(step)
        list_columns(step)
    return {
        "x": x.to_numpy(),
        "mass": mass.to_numpy(),
        "blocks": blocks.to_numpy(),
        "cells": cells.to_numpy(),
        "total": total.to_numpy(),
        "listed": listed.to_numpy(),
    }
