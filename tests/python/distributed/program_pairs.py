# SPDX-License-Identifier: Apache-2.0
"""Run by four processes: the last one answers no more, and each of the others waits for it in a
function of its own. The first argument says whether the last one is killed or sleeps, the second
which three functions these are, the third is a folder for marks."""

import os
import signal
import sys
import time

from silence import keep_silent

import joggle as jg

how, functions, folder = sys.argv[1:]
distributed = jg.distributed
group = distributed.init(strict=True)
rank, size = group.rank(), group.size()
seconds = float(os.environ["JOGGLE_DISTRIBUTED_TIMEOUT"])
assert size == 4
# Of each process and the last one, whose rank in it is 1.
pairs = [group.split(0 if rank in (of, 3) else 1) for of in range(3)]
distributed.barrier()
if rank == 3:
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    keep_silent(folder, size - 1, seconds + 4)

pair, x = pairs[rank], jg.ones((6,))


def send_on():
    """What is sent waits for its receiver, but the sender does not."""
    until = time.monotonic() + seconds + 2
    while time.monotonic() < until:
        jg.eval(distributed.send(jg.ones((1 << 18,)), 1, group=pair))
        time.sleep(0.1)


FUNCTIONS = {
    "all_sum": lambda: jg.eval(distributed.all_sum(x, group=pair)),
    "all_max": lambda: jg.eval(distributed.all_max(x, group=pair)),
    "all_min": lambda: jg.eval(distributed.all_min(x, group=pair)),
    "all_gather": lambda: jg.eval(distributed.all_gather(x, group=pair)),
    "sum_scatter": lambda: jg.eval(distributed.sum_scatter(x, group=pair)),
    "recv": lambda: jg.eval(distributed.recv((6,), jg.float32, 1, group=pair)),
    "recv_like": lambda: jg.eval(distributed.recv_like(x, 1, group=pair)),
    "send": send_on,
    "barrier": lambda: distributed.barrier(group=pair),
    "split": lambda: pair.split(0),
    "average_gradients": lambda: jg.eval(jg.nn.average_gradients({"w": x}, group=pair)),
    "compiled": lambda: jg.eval(jg.compile(lambda x: distributed.all_sum(x, group=pair))(x)),
}
name = functions.split(",")[rank]
start = time.monotonic()
try:
    FUNCTIONS[name]()
    text = "no error"
except RuntimeError as error:
    text = str(error)
took = time.monotonic() - start
with open(os.path.join(folder, f"{name}.txt"), "w") as file:
    file.write(f"{took < seconds + 3} {text}")
os._exit(0)
