# SPDX-License-Identifier: Apache-2.0
"""Run by every process that mpirun starts: measures all_sum, as bench/distributed.py asks for it.

Process 0 reads lines of a contestant, a number of bytes and a number of runs, and answers with the
nanoseconds of one run."""

import sys
import time

import numpy as np
from mpi4py import MPI

import joggle as jg

WORLD = MPI.COMM_WORLD


def contestants(nbytes, group):
    """The functions that are measured, on the same memory."""
    x = np.arange(nbytes // 4, dtype=np.float32) % 1000 + WORLD.rank
    total = np.empty_like(x)
    mine = jg.from_dlpack(x)

    def by_joggle():
        jg.eval(jg.distributed.all_sum(mine, group=group))

    def by_mpi4py():
        WORLD.Allreduce(x, total)

    by_mpi4py()
    assert np.array_equal(np.asarray(jg.distributed.all_sum(mine, group=group)), total)
    return {"joggle": by_joggle, "mpi4py": by_mpi4py}


def measure(function, runs):
    function()
    WORLD.Barrier()
    start = time.perf_counter_ns()
    for _ in range(runs):
        function()
    return (time.perf_counter_ns() - start) / runs


def main():
    group = jg.distributed.init(strict=True)
    known = {}
    while True:
        line = WORLD.bcast(sys.stdin.readline().split() if WORLD.rank == 0 else None)
        if not line:
            return
        name, nbytes, runs = line
        if nbytes not in known:
            known = {nbytes: contestants(int(nbytes), group)}
        took = measure(known[nbytes][name], int(runs))
        if WORLD.rank == 0:
            print(took, flush=True)


main()
