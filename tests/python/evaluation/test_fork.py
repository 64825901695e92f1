# SPDX-License-Identifier: Apache-2.0
"""fork() after use: the child works or raises, and never hangs, whatever other threads do."""

import multiprocessing
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

LARGE = 1 << 18
SECONDS = 60

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def in_child(function):
    """The exit code of the function in a forked child: 0 if it returns true."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        try:
            os._exit(0 if function() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def work(seed=3):
    x = jg.asarray(np.full(LARGE, seed, dtype=np.float32))
    y = jg.add(x * 2, 1, stream=jg.new_stream())
    jg.async_eval(y)
    product = jg.ones((64, 64)) @ jg.ones((64, 64))
    return bool((np.asarray(y) == 2 * seed + 1).all() and product[0, 0].item() == 64)


def test_a_child_works_after_its_parent_has():
    assert work()
    assert in_child(work) == 0


def test_what_was_computed_is_there_in_the_child():
    x = jg.arange(LARGE) + 1
    jg.eval(x)
    lazy = x * 2
    assert in_child(lambda: x[-1].item() == LARGE and lazy[-1].item() == 2 * LARGE) == 0


def test_what_is_under_way_is_computed_or_refused_in_the_child():
    arrays = [(jg.ones((700, 700)) * i) @ jg.ones((700, 700)) for i in range(8)]
    jg.async_eval(arrays)

    def check():
        for i, x in enumerate(arrays):
            try:
                if x[0, 0].item() != 700 * i:
                    return False
            except RuntimeError as error:
                if "forked" not in str(error):
                    return False
        return work()

    assert in_child(check) == 0
    assert [x[0, 0].item() for x in arrays] == [700 * i for i in range(8)]


@pytest.fixture
def load():
    stop = threading.Event()

    def run():
        while not stop.is_set():
            work()

    threads = [threading.Thread(target=run) for _ in range(2)]
    [thread.start() for thread in threads]
    yield
    stop.set()
    [thread.join() for thread in threads]


def test_forks_under_load_do_not_hang(load):
    assert [in_child(work) for _ in range(10)] == [0] * 10


def test_a_pool_of_forked_processes_works(load):
    context = multiprocessing.get_context("fork")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with context.Pool(2) as pool:
            assert pool.map_async(work, range(6)).get(SECONDS) == [True] * 6


def test_a_child_may_fork_again():
    assert in_child(lambda: work() and in_child(work) == 0) == 0


@qd.kernel
def _run_long(x: qd.types.ndarray(), rounds: qd.i32):
    for i in x:
        for _ in range(rounds):
            x[i] = x[i] * 0.5 + 1.0


def test_a_handler_that_forks_while_a_kernel_runs_loses_it_in_the_child_alone():
    x, children = np.zeros(LARGE, np.float32), []
    _run_long(x, 1)

    def fork(*_):
        children.append(os.fork())
        if children[0] == 0:
            signal.alarm(SECONDS)

    before = signal.signal(signal.SIGUSR1, fork), jg.get_num_threads()
    jg.set_num_threads(2)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        while not children:
            _run_long(x, 20000)
    except RuntimeError as error:
        if children[:1] == [0]:
            os._exit(0 if "the process forked while the kernel ran" in str(error) else 1)
        raise
    else:
        if children[0] == 0:  # the signal came between two calls
            os._exit(0)
    finally:
        if children[:1] == [0]:
            os._exit(2)
        signal.signal(signal.SIGUSR1, before[0])
        jg.set_num_threads(before[1])
        timer.join()
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    np.testing.assert_allclose(x, 2, rtol=1e-6)
