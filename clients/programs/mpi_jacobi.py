# SPDX-License-Identifier: Apache-2.0
"""Jacobi's method for Poisson's equation, by mpi4py: each process has some rows, and its neighbours
send it the rows beside them before each step."""

import numpy as np
from measure import measure_together
from mpi4py import MPI

SIDE, STEPS = 1024, 40
world = MPI.COMM_WORLD
above = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
below = world.rank + 1 if world.rank + 1 < world.size else MPI.PROC_NULL


def rows_beside(u):
    """The neighbours' rows; zeros at the edges."""
    first, last = np.zeros((1, SIDE)), np.zeros((1, SIDE))
    world.Sendrecv(np.ascontiguousarray(u[:1]), above, recvbuf=last, source=below)
    world.Sendrecv(np.ascontiguousarray(u[-1:]), below, recvbuf=first, source=above)
    return first, last


def prepare(xp):
    rows = SIDE // world.size
    whole = np.random.default_rng(0).standard_normal((SIDE, SIDE))
    source = xp.asarray(whole[rows * world.rank : rows * (world.rank + 1)])

    def run():
        u = xp.zeros_like(source)
        for _ in range(STEPS):
            first, last = map(xp.asarray, rows_beside(u))
            tall = xp.concat([first, u, last])
            wide = xp.pad(u, ((0, 0), (1, 1)))
            around = tall[:-2] + tall[2:] + wide[:, :-2] + wide[:, 2:]
            new = 0.25 * (around + source)
            change = xp.sum((new - u) ** 2)
            u = new
        norms = np.array([float(change), float(xp.sum(u * u))])
        world.Allreduce(MPI.IN_PLACE, norms)
        solution = np.empty((SIDE, SIDE)) if world.rank == 0 else None
        world.Gather(np.ascontiguousarray(u), solution)
        return {"norms": norms} if solution is None else {"norms": norms, "solution": solution}

    return run


if __name__ == "__main__":
    measure_together(prepare, "mpi4py", world)
