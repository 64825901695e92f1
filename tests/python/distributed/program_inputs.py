# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: messages whose input fails. The first argument says where:
everywhere, in process 1 alone, or when that sends; the second one is the message, and the third one
a folder for marks."""

import contextlib
import os
import sys
import time

from refusal import raises

import joggle as jg

where, name, folder = sys.argv[1:]
group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
right, left = (rank + 1) % size, (rank - 1) % size
compares = os.environ.get("JOGGLE_DISTRIBUTED_CHECK") == "1"
all_sum = jg.distributed.all_sum
MESSAGES = {
    "all_sum": all_sum,
    "all_max": jg.distributed.all_max,
    "all_gather": jg.distributed.all_gather,
    "sum_scatter": jg.distributed.sum_scatter,
    "send": lambda x: jg.distributed.send(x, right),
}


def taken(fails, count):
    """count elements, all at 0; those of an index that there is not where it fails."""
    return jg.arange(3, dtype=jg.float32)[jg.full((count,), 7 if fails else 0)]


def check_everywhere():
    """Small work fails before a message is scheduled, large work while it waits."""
    for count in (4 * size, size << 17):
        for _ in range(3):
            lost = MESSAGES[name](taken(True, count))
            with raises(IndexError):
                jg.eval(lost)
            if rank == 1:  # asked again
                with raises(IndexError):
                    jg.eval(lost)
        with raises(IndexError):
            jg.eval(MESSAGES[name](taken(True, count)), all_sum(taken(True, count)))
        assert all_sum(jg.ones((3,))).tolist() == [size] * 3
        assert jg.distributed.all_gather(jg.array(rank)).tolist() == list(range(size))
        sent, received = (
            jg.distributed.send(jg.array(rank), right),
            jg.distributed.recv_like(3, left),
        )
        jg.eval(sent, received)
        assert received.item() == left and received.dtype == jg.int64


def check_alone():
    """The processes are at different messages, and none takes the values of one for another's."""
    count = 3 * size
    for _ in range(2):
        try:
            jg.eval(MESSAGES[name](taken(rank == 1, count)))
            raise AssertionError("nothing was raised")
        except IndexError:
            assert rank == 1
        except RuntimeError as error:
            found = "are at messages" if compares else "or its input"
            assert rank != 1 and found in str(error), error
    with raises(RuntimeError) as raised:
        jg.eval(MESSAGES[name](jg.ones((count,))))
    found = "are at messages" if compares else "the input of an earlier message has failed here"
    assert rank != 1 or found in str(raised.value), raised.value


def check_send():
    """What process 1 sends later is not received in the place of what it has failed to send."""
    for value in range(2):
        if rank == 1:
            with raises(IndexError) if value == 0 else raises_nothing():
                jg.eval(MESSAGES["send"](taken(value == 0, 3)))
        elif rank == right_of_failed and value == 0:
            with raises(RuntimeError, match="recv in .*, from process 1: it has not answered"):
                jg.eval(jg.distributed.recv((3,), jg.float32, 1))


right_of_failed = 2 % size
raises_nothing = contextlib.nullcontext
CHECKS = {"everywhere": check_everywhere, "alone": check_alone, "send": check_send}
CHECKS[where]()
print(f"rank {rank}: good", flush=True)
if where != "everywhere":
    # A process that leaves ends what the others still wait for.
    with open(os.path.join(folder, f"good{rank}"), "w"):
        pass
    until = time.monotonic() + 10
    while len(os.listdir(folder)) < size and time.monotonic() < until:
        time.sleep(0.05)
    os._exit(0)
