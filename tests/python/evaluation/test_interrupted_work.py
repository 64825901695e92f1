# SPDX-License-Identifier: Apache-2.0
"""Signals while joggle computes or waits: their handlers run then, and what one raises ends the
call. Arrays go on from where they stopped when they are evaluated again."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

LONG = 60  # seconds in which a signal that is on its way has come


class Stop(BaseException):
    """As KeyboardInterrupt, which pytest would take for its own."""


def stop(number, frame):
    raise Stop


@contextmanager
def signal_after(seconds, handler=stop):
    """The signal comes to the main thread once, within the block or at its end."""
    before = signal.signal(signal.SIGUSR1, handler)
    sent = threading.Event()

    def send():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGUSR1)
        sent.set()

    thread = threading.Thread(target=send)
    try:
        thread.start()
        yield
        sent.wait(LONG)
        for _ in range(100):  # the handler runs between two of these
            pass
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def interrupt(call, seconds=0.05):
    with pytest.raises(Stop), signal_after(seconds):
        call()


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(5).standard_normal(3_000_000)


def chain(x, sin, exp, steps=12):
    for _ in range(steps):
        x = (sin(x) + exp(-x * x)) / 2
    return x


@pytest.fixture(scope="module")
def chained(numbers):
    return chain(numbers, np.sin, np.exp)


def pending(numbers, steps=12):
    return chain(jg.array(numbers), jg.sin, jg.exp, steps)


def test_elementwise_work_goes_on_where_it_was_interrupted(numbers, chained):
    y = pending(numbers)
    interrupt(lambda: jg.eval(y))
    assert np.array_equal(np.asarray(y), np.asarray(pending(numbers)))
    assert np.allclose(np.asarray(y), chained)


def test_products_go_on_where_they_were_interrupted():
    a = np.random.default_rng(3).standard_normal((900, 900)).astype("f4") / 30
    x = jg.array(a)
    y = x @ x @ x @ x @ x @ x + 1
    interrupt(lambda: jg.eval(y))
    assert np.allclose(np.asarray(y), np.linalg.matrix_power(a, 6) + 1, atol=1e-3)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("sort", np.sort),
        ("argsort", lambda a: np.argsort(a, kind="stable")),
        ("cumsum", np.cumsum),
        ("fft", np.fft.fft),
    ],
)
def test_routines_go_on_where_they_were_interrupted(numbers, name, expected):
    x = jg.array(numbers[:1_000_000])
    y = jg.fft.fft(x) if name == "fft" else getattr(jg, name)(x)
    interrupt(lambda: jg.eval(y), 0.01)
    assert np.allclose(np.asarray(y), expected(numbers[:1_000_000]))


def test_memory_that_is_given_on_survives_many_interrupts(numbers):
    """Each step overwrites the one before it."""

    def build():
        y = jg.array(numbers, copy=True)
        for step in range(10):
            y += step
            y = jg.cumsum(jg.sin(y)) / 1e6
            if step % 3 == 0:
                y = jg.sort(y)
        return y

    y = build()
    for trial in range(30):
        with pytest.raises(Stop), signal_after(0.004 * (trial % 7)):
            jg.eval(y)
    assert np.allclose(np.asarray(y), np.asarray(build()), rtol=1e-12)


@pytest.mark.parametrize(
    "use",
    [
        lambda y: jg.sum(y).item(),
        lambda y: np.asarray(y),
        lambda y: memoryview(y),
        lambda y: repr(y),
        lambda y: y.tolist()[:1],
        lambda y: jg.save(os.devnull, y),
        lambda y: y.__dlpack__(),
    ],
    ids=["item", "asarray", "memoryview", "repr", "tolist", "save", "dlpack"],
)
@pytest.mark.parametrize("started", [False, True], ids=["not started", "started"])
def test_whoever_needs_a_value_can_be_interrupted(numbers, use, started):
    y = pending(numbers[:100_000], 100)
    if started:
        jg.async_eval(y)
    interrupt(lambda: use(y), 0.01)
    assert np.array_equal(np.asarray(y), np.asarray(pending(numbers[:100_000], 100)))


def test_synchronize_can_be_interrupted(numbers, chained):
    y = pending(numbers)
    jg.async_eval(y)
    interrupt(jg.synchronize, 0.01)
    jg.synchronize()
    assert np.allclose(np.asarray(y), chained)


def test_a_handler_that_does_not_raise_runs_and_the_work_goes_on(numbers, chained):
    y = pending(numbers)
    calls = []
    with signal_after(0.05, lambda number, frame: calls.append(number)):
        jg.eval(y)
    assert calls == [signal.SIGUSR1]
    assert np.allclose(np.asarray(y), chained)


def test_a_handler_may_evaluate_even_what_it_interrupted(numbers):
    y = pending(numbers)
    seen = []

    def handler(number, frame):
        seen.append((float(jg.sum(jg.arange(10.0) + 1)), np.asarray(y).copy()))

    with signal_after(0.05, handler):
        jg.eval(y)
    assert seen[0][0] == 55
    assert np.array_equal(seen[0][1], np.asarray(y))


def test_another_thread_that_waits_gets_the_value(numbers, chained):
    y = pending(numbers)
    got = []
    begun = threading.Event()

    def use():
        begun.wait()
        got.append(np.asarray(y).copy())

    thread = threading.Thread(target=use)
    thread.start()

    def call():
        begun.set()
        jg.eval(y)

    interrupt(call, 0.05)
    begun.set()  # the signal may have come before
    thread.join()
    assert np.allclose(got[0], chained)


def test_other_threads_are_not_interrupted(numbers, chained):
    y = pending(numbers)
    failures = []

    def use():
        try:
            jg.eval(y)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=use)
    with pytest.raises(Stop), signal_after(0.05):
        thread.start()
        thread.join()
    thread.join()
    assert failures == []
    assert np.allclose(np.asarray(y), chained)


def test_what_was_stopped_and_dropped_frees_its_memory(numbers):
    jg.synchronize()
    before = jg.get_active_memory()
    for _ in range(3):
        y = pending(numbers, 40)
        interrupt(lambda y=y: jg.eval(y), 0.03)
        del y
    for _ in range(1000):  # a chunk may be under way
        if jg.get_active_memory() <= before:
            break
        time.sleep(0.01)
    assert jg.get_active_memory() <= before


def test_graphs_are_built_on_what_was_stopped(numbers):
    y = pending(numbers)
    interrupt(lambda: jg.eval(y), 0.03)
    z = jg.sum(y * 2)
    expected = pending(numbers)
    assert z.item() == jg.sum(expected * 2).item()


def test_a_field_is_written_after_what_was_stopped_has_read_it():
    qd.init()
    f = qd.field(qd.f32, shape=1_000_000)
    f.fill(0.5)
    y = chain(jg.asarray(f), jg.sin, jg.exp, 60)
    interrupt(lambda: jg.eval(y), 0.02)
    f.fill(0.25)
    expected = chain(jg.array(np.full(8, 0.5, "f4")), jg.sin, jg.exp, 60)
    assert np.allclose(np.asarray(y), np.asarray(expected)[0])
    assert f.to_numpy()[0] == 0.25


def test_a_child_of_a_fork_goes_on_with_what_was_stopped(numbers, chained):
    y = pending(numbers)
    interrupt(lambda: jg.eval(y), 0.03)
    for _ in range(100):  # until the last chunk, which would be lost, is done
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if np.allclose(np.asarray(y), chained) else 2
            except RuntimeError:
                code = 3
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 3:
            break
        time.sleep(0.05)
    assert code == 0
    assert np.allclose(np.asarray(y), chained)


# What a shell starts in the background ignores SIGINT, and its children do.
HEEDS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def run(program, folder):
    """Kernels are read from files."""
    path = folder / "program.py"
    path.write_text(HEEDS + program)
    return subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=300, check=False
    )


KERNELS = """
import os, signal, threading, time
import joggle as jg
import joggle.fields as qd
qd.init()
f = qd.field(qd.i32, shape=4)
one = qd.field(qd.i32, shape=())

@qd.kernel
def serial():
    while f[0] == 0:
        f[1] += 1

@qd.kernel
def parallel():
    for i in range(64):
        while f[0] == 0:
            f[1] += 1

@qd.kernel
def inner(n: qd.i64) -> qd.f32:
    s = 0.0
    for _ in range(1):
        for i in range(n):
            for j in range(100):
                s += qd.sin(i * 1.0 + j)
    return s

@qd.kernel
def one_long_loop(n: qd.i64):
    for _ in range(1):
        for j in range(n):
            f[1] += f[0] + 1

@qd.kernel
def many_indices(n: qd.i64):
    for i in range(n):
        f[1] += i % 3

@qd.kernel
def set_one():
    one[None] += 1

def send(begun):
    begun.wait()
    time.sleep(0.2)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

for call in CALLS:
    sent, begun = [], threading.Event()
    threading.Thread(target=send, args=(begun,)).start()
    try:
        begun.set()
        call()
        print("came back")
    except KeyboardInterrupt:
        late = time.monotonic() - sent[0]
        print("interrupted" if late < 5 else f"after {late} seconds")
    set_one()
print("then", one[None], inner(0) == 0, (jg.arange(3) + 1).tolist())
"""


def test_kernels_that_do_not_end_are_interrupted(tmp_path):
    calls = (
        "serial, parallel, lambda: inner(10**15), lambda: one_long_loop(10**18), "
        "lambda: many_indices(10**15)"
    )
    result = run(KERNELS.replace("CALLS", f"[{calls}]"), tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:-1] == ["interrupted"] * 5 + ["then 5 True [1, 2, 3]"]


GRAPHS = """
import os, signal, threading, time
import numpy as np
import joggle as jg

x = jg.array(np.random.default_rng(0).standard_normal((6000, 6000)).astype("f4"))
v = jg.array(np.random.default_rng(0).standard_normal(10_000_000))

def send():
    time.sleep(0.2)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

works = [x @ x @ x @ x, jg.linalg.qr(x)[0], jg.sort(jg.concat([v] * 4))]
for y in works:
    sent = []
    thread = threading.Thread(target=send)
    try:
        thread.start()  # which may take longer than until the signal
        jg.eval(y)
        time.sleep(60)
    except KeyboardInterrupt:
        late = time.monotonic() - sent[0]
        print("interrupted" if late < 5 else f"after {late} seconds", flush=True)
os._exit(0)
"""


def test_the_wait_for_long_work_ends_at_once_whatever_the_work_is(tmp_path):
    """Factorisations are no exception, though the library's call goes on by itself to its end."""
    result = run(GRAPHS, tmp_path)
    assert result.stdout.split("\n")[:-1] == ["interrupted"] * 3, result.stderr


def sines(numbers, count=300):
    x = jg.asarray(numbers)
    for _ in range(count):
        x = jg.sin(x)
    return x


def check_available(x, seconds=LONG):
    """Nobody waits for the value."""
    end = time.monotonic() + seconds
    while x.status != "available" and time.monotonic() < end:
        time.sleep(0.01)
    assert x.status == "available"


def test_what_was_interrupted_goes_on_asynchronously(numbers):
    x = sines(numbers)
    interrupt(lambda: jg.eval(x))
    jg.async_eval(x)
    check_available(x)
    assert float(jg.max(jg.abs(x - sines(numbers)))) == 0


def test_what_another_thread_asked_for_goes_on_when_the_wait_for_it_is_interrupted(numbers):
    x = sines(numbers)

    def ask():
        while x.status == "unscheduled":
            time.sleep(0.001)
        jg.async_eval(x)

    thread = threading.Thread(target=ask)
    thread.start()
    interrupt(lambda: jg.eval(x), 0.1)
    thread.join()
    check_available(x)


def test_a_kernel_that_was_interrupted_keeps_what_it_wrote_and_runs_again():
    qd.init()
    f = qd.field(qd.i32, shape=1000)
    sums = qd.field(qd.f64, shape=())

    @qd.kernel
    def write(n: qd.i64):
        for i in f:
            for _j in range(n):
                sums[None] += 1e-9
            f[i] += 1

    write(1)
    interrupt(lambda: write(10**15))
    assert set(f.to_numpy().tolist()) <= {1, 2}
    before = f.to_numpy()
    write(2)
    assert (f.to_numpy() - before == 1).all()


def test_a_handler_that_does_not_raise_leaves_a_kernel_alone():
    qd.init()
    f = qd.field(qd.i64, shape=())
    calls = []

    @qd.kernel
    def count(n: qd.i64):
        for _ in range(1):
            for i in range(n):
                f[None] += i % 7

    n = 30_000_000
    with signal_after(0.02, lambda number, frame: calls.append(number)):
        count(n)
    assert calls == [signal.SIGUSR1]
    assert f[None] == n // 7 * 21 + sum(range(n % 7))


def test_a_wait_for_a_device_ends_before_the_device_does():
    for n in (1500, 3000, 6000):  # until the signal comes while it works
        x = jg.ones((n, n), device="opencl:0")
        jg.eval(x[:1] @ x)  # compiled before
        product = x @ x
        try:
            with signal_after(0.1):
                jg.eval(product)
        except Stop:
            if product.status != "available":
                break
    else:
        pytest.fail("no wait was interrupted")
    jg.eval(product)
    assert product.device == "opencl:0" and product[::n, ::7].tolist() == [
        [n] * len(range(0, n, 7))
    ]
