# SPDX-License-Identifier: Apache-2.0
"""Run by two processes that do not call the same: the first argument says what differs. The second
is a folder for marks."""

import os
import sys
import time

from refusal import raises

import joggle as jg

how, folder = sys.argv[1:]
group = jg.distributed.init(strict=True)
rank = group.rank()
all_sum, all_gather = jg.distributed.all_sum, jg.distributed.all_gather
assert all_sum(jg.ones((3,)))[0].item() == group.size()
assert all_gather(jg.array(rank)).tolist() == [0, 1]
CALLS = {
    "shape": [lambda: all_sum(jg.ones((3,))), lambda: all_sum(jg.ones((5,)))],
    "dtype": [lambda: all_sum(jg.ones((4,))), lambda: all_sum(jg.ones((4,), dtype=jg.int64))],
    "function": [lambda: all_sum(jg.ones((2,))), lambda: all_gather(jg.ones((2,)))],
    "order": [
        lambda: all_sum(jg.ones((2,))) + all_sum(jg.ones(())),
        lambda: all_sum(jg.ones(())) + all_sum(jg.ones((2,))),
    ],
}
MESSAGES = {
    "shape": "one all_sum of 3 float32, another one all_sum of 5 float32",
    "dtype": "one all_sum of 4 int64, another one all_sum of 4 float32",
    "function": "one all_sum of 2 float32, another one all_gather of 2 float32",
    "order": "one all_sum of 1 float32, another one all_sum of 2 float32",
    "fewer": "recv in process 1 of 2, from process 0: it has sent 12 bytes, allowed are 20",
    "more": "recv in process 1 of 2, from process 0: MPI_Test: .*runcate",
}
if how in CALLS:
    with raises(RuntimeError, match=MESSAGES[how]):
        jg.eval(CALLS[how][rank]())
elif rank == 0:
    jg.eval(jg.distributed.send(jg.ones((3 if how == "fewer" else 8,)), 1))
else:
    with raises(RuntimeError, match=MESSAGES[how]):
        jg.eval(jg.distributed.recv((5,), jg.float32, 0))
with open(os.path.join(folder, f"good{rank}"), "w"):
    pass
other = os.path.join(folder, f"good{1 - rank}")
until = time.monotonic() + 10
while not os.path.exists(other) and time.monotonic() < until:
    time.sleep(0.05)
os._exit(0)
