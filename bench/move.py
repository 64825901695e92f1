# SPDX-License-Identifier: Apache-2.0
"""Moving elements: a transposed matrix laid out anew, and a row and a column broadcast over one."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "copies and broadcasts"
GOALS = (Goal(1.0),)
COPY = {
    "numpy": lambda np, x: np.ascontiguousarray(x.T),
    "torch": lambda torch, x: x.T.contiguous(),
    "jax": lambda jnp, x: jnp.transpose(x).copy(),
    "mlx": lambda mx, x: mx.contiguous(mx.transpose(x)),
    "joggle": lambda jg, x: jg.copy(x.T),
}


def add(xp, x, y):
    return x + y


def cases(quick):
    rng = np.random.default_rng(0)
    for extent in (32,) if quick else (512, 4096):
        size = f"{extent}x{extent}"
        x = rng.standard_normal((extent, extent), np.float32)
        yield Work(f"transpose copy {size}", None, {"x": x}, GOALS, own=COPY)
        for name, shape in (("row", (extent,)), ("column", (extent, 1))):
            y = rng.standard_normal(shape, np.float32)
            yield Work(f"{size} + {name}", add, {"x": x, "y": y}, GOALS)
