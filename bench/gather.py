# SPDX-License-Identifier: Apache-2.0
"""Reading and adding to a million elements at places that an index array names."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "gather and scatter"
GOALS = (Goal(1.0),)


def _take(axis):
    return lambda xp, x, i: xp.take(x, i, axis=axis)


def _numpy_scatter(np, x, i, v):
    y = x.copy()
    np.add.at(y, i, v)
    return y


def _at(xp, x, i, v):
    return x.at[i].add(v)


def _gathers(rng, count, width):
    rows = rng.standard_normal((4 * count // width, width), np.float32)
    i = rng.integers(0, len(rows), count // width, np.int32)
    select = {"torch": lambda torch, x, i: torch.index_select(x, 0, i)}
    yield Work(
        f"rows of {width}, {count} elements", _take(0), {"x": rows, "i": i}, GOALS, own=select
    )
    x = rng.standard_normal(count, np.float32)
    i = rng.integers(0, count, count, np.int32)
    yield Work(f"single elements, {count}", _take(0), {"x": x, "i": i}, GOALS, own=select)


def _scatters(rng, count):
    scatter = {
        "numpy": _numpy_scatter,
        "torch": lambda torch, x, i, v: torch.index_add(x, 0, i, v),
    }
    x = np.zeros(2**16, np.float32)
    i, v = rng.integers(0, len(x), count, np.int32), rng.random(count, np.float32)
    inputs = {"x": x, "i": i, "v": v}
    yield Work(f"add {count} to {len(x)}", _at, inputs, GOALS, own=scatter, tolerance=1e-3)


def cases(quick):
    rng = np.random.default_rng(0)
    count = 2**10 if quick else 2**20
    yield from _gathers(rng, count, 16 if quick else 64)
    yield from _scatters(rng, count)
