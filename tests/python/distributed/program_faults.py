# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: what happens when a process does not answer. The first argument
says what the last process does, the second is a folder where the others leave marks."""

import os
import signal
import sys
import time

from refusal import raises
from silence import keep_silent

import joggle as jg

# By which MPICH's launcher tells of a process that is gone.
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
how = sys.argv[1]
seconds = float(os.environ["JOGGLE_DISTRIBUTED_TIMEOUT"])
assert jg.distributed.all_sum(jg.array(1)).item() == size

if rank == size - 1:
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exits":
        os._exit(3)
    keep_silent(sys.argv[2], size - 1, seconds + 4)

start = time.monotonic()
x = jg.ones((1000,))
with raises(
    RuntimeError, match=r"distributed_all_sum\] .* have ended: all_sum in process"
) as raised:
    jg.eval(jg.distributed.all_sum(x))
assert time.monotonic() - start < seconds + 3, time.monotonic() - start
if how == "silent":
    assert "JOGGLE_DISTRIBUTED_TIMEOUT" in str(raised.value)
    assert f"process {rank} of {size}" in str(raised.value)
# Later messages fail at once, and the process computes on.
start = time.monotonic()
with raises(RuntimeError, match=r"distributed_all_gather\] .* have ended"):
    jg.eval(jg.distributed.all_gather(x))
with raises(RuntimeError, match="have ended"):
    group.split(0)
assert time.monotonic() - start < 1
assert jg.sum(x).item() == 1000
# MPICH's launcher ends with a process that is killed, and then nobody reads what others print.
with open(os.path.join(sys.argv[2], f"good{rank}"), "w"):
    pass
os._exit(0)
