# SPDX-License-Identifier: Apache-2.0
"""Small evaluations keep the interpreter's lock, longer ones let it go: nothing waits for ever, and
other threads go on."""

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np

import joggle as jg


def test_other_threads_go_on_while_much_is_computed():
    x = jg.array(np.full((2000, 2000), 0.5, np.float32))
    jg.eval(x, x @ x)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        spans = []
        for _ in range(5):
            start = time.perf_counter()
            jg.eval(x @ x)
            spans.append((start, time.perf_counter()))
    finally:
        stop.set()
        ticker.join()
    # In the middle of an evaluation, so it was not between two of them.
    assert any(
        start + (end - start) / 4 < at < end - (end - start) / 4
        for start, end in spans
        for at in ticks
    )


# Memory of NumPy's goes while threads evaluate: each release needs the interpreter's lock.
MANY_THREADS = """
import threading
import numpy as np
import joggle as jg

def work(number):
    rng = np.random.default_rng(number)
    total = jg.array(np.zeros(16, np.float32))
    expected = np.zeros(16, np.float64)
    for step in range(1500):
        size = 1 << 18 if step % 100 == 99 else 16
        block = rng.integers(0, 8, size).astype(np.float32)
        x = jg.from_dlpack(block)
        part = (x * 2 + 1)[:16]
        expected += block[:16] * 2.0 + 1
        total = total + part
        if step % 3 == 0:
            jg.eval(total)
        elif step % 3 == 1:
            jg.async_eval(total)
        else:
            float(total[0])
        del x, block, part
    assert (np.asarray(total) == expected).all()

threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
jg.synchronize()
print("done")
"""


def test_threads_that_evaluate_and_release_memory_of_numpy_end():
    command = [sys.executable, "-c", textwrap.dedent(MANY_THREADS)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert result.stdout == "done\n", result.stderr


def test_a_finalizer_that_evaluates_runs_inside_of_an_evaluation():
    """The memory of a's goes when the evaluation has run, with the lock held."""
    seen = []

    class Owner:
        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__

        def __del__(self):
            seen.append(float(jg.sum(jg.array([1.0, 2.0]) * 3)))

    for _ in range(3):
        x = jg.from_dlpack(np.asarray(Owner(np.arange(4, dtype=np.float32))))
        y = x + 1
        del x
        jg.eval(y)
        assert y.tolist() == [1.0, 2.0, 3.0, 4.0]
        del y
    jg.synchronize()
    deadline = time.monotonic() + 10
    while len(seen) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen == [9.0] * 3
