# SPDX-License-Identifier: Apache-2.0
"""Run by two processes: interrupts, forks, and a trace of messages beside computing. The first
argument is a folder."""

import json
import os
import signal
import sys
import threading
import time

from refusal import raises

import joggle as jg

# By which MPICH's launcher tells of a process that is gone.
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
assert size == 2
folder = sys.argv[1]


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def check_interrupt():
    """A wait that is interrupted may be repeated: nothing is lost."""
    if rank == 1:
        time.sleep(1)
        jg.eval(jg.distributed.send(jg.arange(5), 0))
        return
    x = jg.distributed.recv((5,), jg.int64, 1)
    interrupt_after(0.3)
    start = time.monotonic()
    with raises(KeyboardInterrupt):
        jg.eval(x)
    assert time.monotonic() - start < 0.8
    assert x.tolist() == [0, 1, 2, 3, 4]


def check_fork():
    child = os.fork()
    if child == 0:
        try:
            jg.eval(jg.distributed.all_sum(jg.ones((3,))))
        except RuntimeError as error:
            os._exit(0 if "was forked" in str(error) else 4)
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert jg.distributed.all_sum(jg.array(1)).item() == 2


def spans(path, name):
    with open(path) as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    found = [each for each in events if name in each.get("name", "") and "dur" in each]
    return [(each["ts"], each["ts"] + each["dur"], each["tid"]) for each in found]


def check_overlap():
    """While the message waits for the other process, this one multiplies matrices."""
    a = jg.ones((700, 700))
    x = jg.ones((1 << 20,)) * (rank + 1)
    jg.eval(a, x)
    jg.distributed.barrier()
    path = os.path.join(folder, f"trace{rank}.json")
    if rank == 1:
        time.sleep(0.3)
    with jg.trace(path):
        total, product = jg.distributed.all_sum(x), a @ a
        jg.eval(total, product)
    assert total[0].item() == 3 and product[0, 0].item() == 700
    if rank == 1:
        return
    # A wait that goes on on another thread is more than one span.
    messages, products = spans(path, "distributed_all_sum"), spans(path, "matmul")
    shared = sum(
        max(0, min(end, until) - max(start, since))
        for start, end, thread in messages
        for since, until, other in products
        if thread != other
    )
    assert shared > 100, (messages, products)
    print(f"overlap of {shared:.0f} us", flush=True)


def check_drop():
    """What was interrupted and dropped ends the messages of the process."""
    jg.distributed.barrier()
    if rank == 1:
        return
    x = jg.distributed.recv((1 << 16,), jg.float32, 1)
    interrupt_after(0.3)
    with raises(KeyboardInterrupt):
        jg.eval(x)
    del x
    with raises(RuntimeError, match="interrupted and its array dropped"):
        jg.eval(jg.distributed.recv((2,), jg.float32, 1))


def check_split():
    """So does a group that is interrupted while it is made."""
    jg.distributed.barrier()
    if rank == 1:
        time.sleep(1.5)
        return
    interrupt_after(0.3)
    with raises(KeyboardInterrupt):
        group.split(0)
    with raises(RuntimeError, match="split in process 0 of 2: it was interrupted"):
        jg.eval(jg.distributed.all_sum(jg.ones((2,))))


check_interrupt()
check_fork()
check_overlap()
if len(sys.argv) > 2:
    {"drop": check_drop, "split": check_split}[sys.argv[2]]()
    print(f"rank {rank}: good", flush=True)
    os._exit(0)
jg.distributed.barrier()
print(f"rank {rank}: good", flush=True)
