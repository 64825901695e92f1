# SPDX-License-Identifier: Apache-2.0
"""Run by every process: groups of communicators that mpi4py has made, which initializes MPI."""

import numpy as np
from mpi4py import MPI

import joggle as jg

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
group = jg.distributed.init(strict=True)
assert (group.rank(), group.size()) == (rank, size)
assert jg.distributed.all_sum(jg.array(rank)).item() == sum(range(size))

backwards = world.Split(0, size - rank)
turned = jg.distributed.init(comm=backwards)
assert (turned.rank(), turned.size()) == (backwards.rank, size)
assert jg.distributed.all_gather(jg.array(rank), group=turned).tolist() == list(range(size))[::-1]

# Its messages and ours do not meet, also at the same time.
x = np.full(5, rank, np.float32)
total = jg.distributed.all_sum(jg.asarray(x) * 2, group=turned)
jg.async_eval(total)
other = np.empty_like(x)
world.Allreduce(x, other)
assert other.tolist() == [sum(range(size))] * 5 and total.tolist() == [2 * sum(range(size))] * 5
print(f"rank {rank}: good", flush=True)
