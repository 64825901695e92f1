# SPDX-License-Identifier: Apache-2.0
"""Launches of kernels that go on when their call returns: their order with all else that uses the
fields, and where what they fail with is raised.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from device_programs import DEVICE, KIND, start

import joggle as jg
import joggle.fields as qd


@pytest.fixture(autouse=True)
def ending(no_fallback):
    yield
    qd.reset()


@qd.kernel
def spin(x: qd.template(), turns: qd.i32):
    for i in range(1):
        v = x[i]
        for _ in range(turns):
            v = v * 1664525 + 1013904223
        x[i] = v


def spun(value, turns):
    """What spin makes of a value: the step is an affine map, composed by squaring."""
    a, c, scale, shift = 1664525, 1013904223, 1, 0
    while turns:
        if turns & 1:
            scale, shift = scale * a % 2**32, (shift * a + c) % 2**32
        a, c = a * a % 2**32, (a + 1) * c % 2**32
        turns >>= 1
    return (value * scale + shift) % 2**32


def timed(x, turns):
    begin = time.perf_counter()
    spin(x, turns)
    qd.sync()
    return time.perf_counter() - begin


def long_turns(x, seconds):
    """So many turns that a launch takes about as long, and at least half of that. The first launch
    is compiled, and others of the machine may hold one up: the shorter of two counts."""
    turns = 1 << 16
    while True:
        took = min(timed(x, turns) for _ in range(2))
        if took > seconds / 2:
            return turns
        turns = int(turns * max(2, min(16, seconds / max(took, 1e-6))))


def test_a_call_returns_before_the_device_has_run():
    start()
    x = qd.field(qd.u32, shape=4)
    turns = long_turns(x, 0.4)
    x.fill(0)
    begin = time.perf_counter()
    spin(x, turns)
    returned = time.perf_counter() - begin
    assert x[0] == spun(0, turns)
    took = time.perf_counter() - begin
    assert returned < took / 2, (returned, took)


def test_reads_writes_and_launches_come_in_order():
    start()
    x = qd.field(qd.u32, shape=3)
    turns = long_turns(x, 0.05)
    x.fill(1)
    spin(x, turns)
    spin(x, turns + 1)
    assert x.to_numpy().tolist() == [spun(spun(1, turns), turns + 1), 1, 1]
    spin(x, turns)
    x[0] = 5
    assert x[0] == 5
    spin(x, turns)
    x.from_numpy(np.array([7, 8, 9], "u4"))
    spin(x, turns)
    assert x.to_numpy().tolist() == [spun(7, turns), 8, 9]
    y = qd.field(qd.u32, shape=3)
    spin(x, turns)
    y.copy_from(x)
    assert y[0] == spun(spun(7, turns), turns)


def test_arrays_see_what_was_launched_before_them_alone():
    start()
    x = qd.field(qd.u32, shape=3)
    turns = long_turns(x, 0.05)
    x.fill(1)
    spin(x, turns)
    first = jg.asarray(x) + 1
    spin(x, turns)
    second = jg.asarray(x) + 1
    with jg.stream(jg.new_stream(DEVICE)):
        third = jg.asarray(x) + 2
        jg.async_eval(third)
    spin(x, turns)
    once = spun(1, turns)
    assert second.tolist() == [(spun(once, turns) + 1) % 2**32, 2, 2]
    assert first.tolist() == [(once + 1) % 2**32, 2, 2]
    assert third.tolist() == [(spun(once, turns) + 2) % 2**32, 3, 3]


def test_results_and_prints_are_waited_for(capfd):
    start()
    x = qd.field(qd.u32, shape=3)

    @qd.kernel
    def total() -> qd.u32:
        s = qd.u32(0)
        for i in x:
            s += x[i]
        return s

    @qd.kernel
    def show():
        print("first", x[0])

    turns = long_turns(x, 0.05)
    x.fill(1)
    spin(x, turns)
    show()
    assert capfd.readouterr().out == f"first {spun(1, turns)}\n"
    spin(x, turns)
    assert total() == (spun(spun(1, turns), turns) + 2) % 2**32


def test_a_failure_is_raised_by_the_next_wait_and_once():
    start(debug=True)
    x = qd.field(qd.i32, shape=3)

    @qd.kernel
    def check_all(most: qd.i32):
        for i in x:
            assert x[i] < most, f"{x[i]} of {most}"

    waits = [qd.sync, jg.synchronize, lambda: x[0], x.to_numpy]
    if KIND == "opencl":  # where streams order an export, it does not wait
        waits.append(x.__dlpack__)
    for wait in waits:
        x.fill(4)
        check_all(3)
        with pytest.raises(AssertionError, match="4 of 3"):
            wait()
        wait()
    x.fill(5)
    check_all(5)
    check_all(4)
    with pytest.raises(AssertionError, match="5 of 5"):
        qd.sync()
    qd.sync()
    check_all(5)
    end = time.perf_counter() + 30
    with pytest.raises(AssertionError, match=r"^\[check_all\].*5 of 5"):
        while time.perf_counter() < end:  # none is of the kernel's, but one is its next wait
            jg.nonzero(jg.ones(3))
    check_all(1)
    start(debug=True)
    qd.sync()


def test_a_failure_that_an_argument_tells_of_ends_the_call():
    """An argument that is not computed yet is computed by the call, which may tell of an earlier
    one's failure: also where the call is known and takes its arguments without Python."""
    start(debug=True)
    x = qd.field(qd.i32, shape=3)

    @qd.kernel
    def check_all(most: qd.i32):
        for i in x:
            assert x[i] < most, f"{x[i]} of {most}"

    @qd.kernel
    def set_all(a: qd.types.ndarray(qd.i32, 1)):
        for i in a:
            x[i] = a[i]

    def made(value):
        return jg.zeros(3, dtype=jg.int32, device=DEVICE) + value

    for value in range(4, 8):  # from the second turn on the call is known
        x.fill(value)
        check_all(3)
        with pytest.raises(AssertionError, match=f"{value} of 3"):
            for _ in range(10000):
                set_all(made(value))
        set_all(made(1))
        assert x.to_numpy().tolist() == [1, 1, 1]


def test_memory_of_a_field_that_is_dropped_stays_until_the_launch_has_run():
    start()
    x = qd.field(qd.u32, shape=1 << 20)
    turns = long_turns(x, 0.2)
    before = jg.get_active_memory(DEVICE)
    spin(x, turns)
    del x
    qd.reset()
    gc.collect()
    jg.synchronize()
    assert jg.get_active_memory(DEVICE) <= before - (4 << 20)


def test_a_thousand_launches_all_count():
    start()
    x = qd.field(qd.i32, shape=100)

    @qd.kernel
    def add():
        for i in x:
            x[i] += i

    for _ in range(1000):
        add()
    np.testing.assert_array_equal(x.to_numpy(), 1000 * np.arange(100))


def test_threads_launch_and_read():
    start()
    fields = [qd.field(qd.i32, shape=50) for _ in range(4)]

    @qd.kernel
    def add(x: qd.template()):
        for i in x:
            x[i] += i

    told = []

    def work(x):
        for turn in range(30):
            add(x)
            if turn % 7 == 3 and x[9] != 9 * (turn + 1):
                told.append((turn, x[9]))

    threads = [threading.Thread(target=work, args=(x,)) for x in fields]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == []
    for x in fields:
        np.testing.assert_array_equal(x.to_numpy(), 30 * np.arange(50))


PRINTING = """
import threading
from device_programs import start
import joggle.fields as qd

start()
x = qd.field(qd.i32, shape=3)
y = qd.field(qd.i32, shape=3)

@qd.kernel
def show():
    print("y is", y[0])

@qd.kernel
def add():
    for i in x:
        x[i] += 1

def print_often():
    for _ in range(150):
        show()

show()
printing = threading.Thread(target=print_often)
printing.start()
for turn in range(1500):
    add()
    assert x[0] == turn + 1
printing.join()
"""


def test_a_thread_that_reads_leaves_the_interpreter_to_one_that_prints(tmp_path):
    """In a process of its own, as two threads that wait for each other end no other way."""
    program = tmp_path / "printing.py"
    program.write_text(PRINTING)
    told = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout == "y is 0\n" * 151


def is_wait_interrupted():
    """Whether a signal comes while a wait for launches lasts: not if they end before it."""
    has_waited = False
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        qd.sync()
        has_waited = True
        timer.join()
        time.sleep(1)  # the signal comes here at the latest
    except KeyboardInterrupt:
        timer.join()
    return not has_waited


@pytest.fixture
def heeds_signals():
    """What a shell starts in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_wait_is_interrupted_and_the_launch_goes_on(heeds_signals):
    start()
    x = qd.field(qd.u32, shape=4)
    turns = long_turns(x, 0.8)
    lasted = []
    for launches in 1, 4:
        x.fill(3)
        for _ in range(launches):
            spin(x, turns)
        begin = time.perf_counter()
        if is_wait_interrupted():
            break
        # Other work held the device up when its speed was measured.
        lasted.append(time.perf_counter() - begin)
    else:
        pytest.fail(f"no wait was interrupted: {turns} turns, {lasted} seconds with the signal")
    interrupted = time.perf_counter() - begin
    assert x[0] == spun(3, turns * launches)
    took = time.perf_counter() - begin
    # The fake driver of CUDA answers no question while it runs a kernel.
    assert interrupted < 0.8 * took or KIND != "opencl", (interrupted, took)


def test_what_memory_and_device_refuse_is_told_with_names():
    start()
    with pytest.raises(MemoryError, match=rf"\[field big\] out of memory: .*{DEVICE}"):
        qd.field(qd.f32, shape=1 << 45, name="big").fill(1)
    x = qd.field(qd.u32, shape=4)
    spin(x, 1)
    assert x[0] == spun(0, 1)
    child = os.fork()
    if child == 0:
        with pytest.raises(BufferError, match=rf"\[spin\] {DEVICE}: this process was forked"):
            spin(x, 1)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_child_of_a_fork_does_not_wait_for_its_parents_launches():
    start()
    x = qd.field(qd.u32, shape=4)
    turns = long_turns(x, 0.3)
    x.fill(3)
    spin(x, turns)
    child = os.fork()
    if child == 0:
        qd.sync()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert x[0] == spun(3, turns)
