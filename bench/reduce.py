# SPDX-License-Identifier: Apache-2.0
"""Sums, means and maxima of a matrix: over all of it, over its columns and over its rows; and a sum
of rows with weights, as gradients of norms have it."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "reductions"
AXES = {"all": None, "axis 0": 0, "axis 1": 1}


def _torch(op, axis):
    if op == "max":
        return lambda torch, x: torch.amax(x, dim=() if axis is None else axis)
    return lambda torch, x: getattr(torch, op)(x, dim=axis)


def cases(quick):
    extent = 64 if quick else 4096
    x = np.random.default_rng(0).random((extent, extent), np.float32)
    for op in ("sum", "mean", "max"):
        for over, axis in AXES.items():
            reduce = lambda xp, x, op=op, axis=axis: getattr(xp, op)(x, axis=axis)  # noqa: E731
            name = f"{op} {over} {extent}x{extent}"
            # Rounding adds up in those who sum from left to right.
            reference = lambda x=x, f=reduce: f(np, x.astype(np.float64))  # noqa: E731
            own = {"torch": _torch(op, axis)}
            yield Work(
                name, reduce, {"x": x}, (Goal(1.0),), own=own, reference=reference, tolerance=1e-3
            )
    weigh = lambda xp, x, w: (x * w).sum(0)  # noqa: E731
    reference = lambda: (x.astype(np.float64) * w).sum(0)  # noqa: E731
    w = np.random.default_rng(1).random((extent, 1), np.float32)
    name = f"sum of weighted rows {extent}x{extent}"
    yield Work(name, weigh, {"x": x, "w": w}, (Goal(1.0),), reference=reference, tolerance=1e-3)
