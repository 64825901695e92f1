# SPDX-License-Identifier: Apache-2.0
"""Heat that spreads over a plate, in Dask: blocks with a border of their neighbours' cells, eight
steps in each, and figures of the whole plate."""

import dask
import dask.array as da
import numpy as np
from measure import measure

SIDE, BLOCK, STEPS, ROUNDS = 2048, 1024, 8, 3


def spread(u):
    """STEPS steps in a block, whose border of as many cells they use up."""
    for _ in range(STEPS):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u = inner + 0.2 * (around - 4 * inner)
    return u


def prepare(xp):
    random = np.random.default_rng(0)
    plate = xp.asarray(random.standard_normal((SIDE, SIDE)))

    def run():
        u = da.from_array(plate, chunks=BLOCK, asarray=False)
        for _ in range(ROUNDS):
            u = da.map_overlap(
                spread, u, depth=STEPS, boundary="periodic", trim=False, dtype=u.dtype, meta=u._meta
            )
        figures = {
            "corner": u[:64, :64],
            "mean": u.mean(),
            "deviation": u.std(axis=0),
            "largest": u.max(axis=1),
            "warm": (u > 0.1).sum(axis=0),
        }
        return dict(zip(figures, dask.compute(*figures.values(), scheduler="threads"), strict=True))

    return run


if __name__ == "__main__":
    measure(prepare, "dask")
