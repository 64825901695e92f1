# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: the last one never makes the group that the others wait for. The
first argument says which, the second is a folder for marks."""

import os
import signal
import sys
import time

from refusal import raises
from silence import keep_silent

import joggle as jg

# By which MPICH's launcher tells of a process that is gone.
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
how, folder = sys.argv[1:]
seconds = float(os.environ["JOGGLE_DISTRIBUTED_TIMEOUT"])
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"])
size = int(os.environ.get("OMPI_COMM_WORLD_SIZE") or os.environ["PMI_SIZE"])
if how == "split":
    group = jg.distributed.init(strict=True)
if rank == size - 1:
    keep_silent(folder, size - 1, seconds + 4)

start = time.monotonic()
if how == "split":
    with raises(RuntimeError) as raised:
        group.split(0)
    assert f"split in process {rank} of {size}: the other processes" in str(raised.value)
    assert jg.distributed.init() == group
else:
    with raises(RuntimeError) as raised:
        jg.distributed.init()
    assert "[distributed_init]" in str(raised.value) and "init: the other" in str(raised.value)
assert seconds - 0.5 < time.monotonic() - start < seconds + 2, time.monotonic() - start
assert f"within {seconds:.0f} seconds, allowed by JOGGLE_DISTRIBUTED_TIMEOUT" in str(raised.value)
with raises(RuntimeError, match="have ended: "):
    jg.eval(jg.distributed.all_sum(jg.ones((3,))))
assert jg.sum(jg.ones((3,))).item() == 3
with open(os.path.join(folder, f"good{rank}"), "w"):
    pass
# Ends as programs do, with a thread that is still in the library.
