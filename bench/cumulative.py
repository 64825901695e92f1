# SPDX-License-Identifier: Apache-2.0
"""Running sums, of one long vector and along either axis of a matrix."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "cumulative sums"


def _cumsum(axis):
    return Work(
        "",
        lambda xp, x: xp.cumsum(x, axis=axis),
        {},
        (Goal(1.0),),
        own={
            "torch": lambda torch, x: torch.cumsum(x, axis),
        },
        tolerance=1e-3,
    )


def cases(quick):
    rng = np.random.default_rng(0)
    count, extent = (1000, 30) if quick else (2**20, 1024)
    for name, shape, axis in (
        (f"cumsum {count}", (count,), 0),
        (f"cumsum axis 0 {extent}x{extent}", (extent, extent), 0),
        (f"cumsum axis 1 {extent}x{extent}", (extent, extent), 1),
    ):
        work = _cumsum(axis)
        work.name, work.inputs = name, {"x": rng.random(shape, np.float32)}
        yield work
