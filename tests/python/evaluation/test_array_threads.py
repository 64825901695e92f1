# SPDX-License-Identifier: Apache-2.0
"""Handles shared by threads: no crash, no hang, and only values that somebody wrote."""

import threading

import numpy as np
from fake_producer import FakeProducer, FakeTensor, settle

import joggle as jg


def in_threads(count, function):
    """Runs function(i) in so many threads at once; what they raise is raised here."""
    failures, barrier = [], threading.Barrier(count)

    def run(number):
        barrier.wait()
        try:
            function(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_one_handle_may_be_changed_and_read_by_all():
    x = jg.zeros(64)

    def work(number):
        for step in range(50):
            if number % 2:
                x[step % 64] = number
            else:
                view = np.asarray(x + 0)
                assert view.shape == (64,) and set(view.tolist()) <= {0, 1, 3}

    in_threads(4, work)


def test_overlapping_graphs_are_computed_by_all():
    base = jg.arange(1000) + 1
    shared = base * 2
    results = [None] * 4

    def work(number):
        y = shared
        for _ in range(20):
            y = y + number
        results[number] = y.sum().item()

    in_threads(4, work)
    total = 2 * sum(range(1, 1001))
    assert results == [total + 1000 * 20 * number for number in range(4)]


def test_imports_and_exports_in_all_threads_give_everything_back():
    fakes = [FakeTensor(np.arange(8.0)) for _ in range(4)]

    def work(number):
        x = jg.from_dlpack(FakeProducer(fakes[number]))
        for _ in range(50):
            assert np.from_dlpack(x + number)[3] == 3 + number
            memoryview(x).release()

    in_threads(4, work)
    settle()
    assert [fake.deleted for fake in fakes] == [1] * 4


def test_a_deleter_that_needs_the_interpreter_does_not_hang_who_waits():
    for _ in range(20):
        fakes = [FakeTensor(np.ones(100_000)) for _ in range(4)]
        pending = [jg.from_dlpack(FakeProducer(fake)) * 2 + 1 for fake in fakes]
        jg.async_eval(pending)
        del pending
        settle()
        assert [fake.deleted for fake in fakes] == [1] * 4


def test_other_threads_run_while_one_evaluates():
    started, done = threading.Event(), threading.Event()
    steps = []

    def count():
        started.set()
        while not done.is_set():
            steps.append(len(steps))
            done.wait(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    started.wait()
    x = jg.ones((1200, 1200), dtype="float64")
    before = len(steps)
    for _ in range(6):
        x = x @ x * 1e-3
    jg.eval(x)
    during = len(steps) - before
    done.set()
    counter.join()
    assert during >= 3


def run_together(work, count):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_that_assign_to_rows_of_their_own_lose_none():
    rows = jg.zeros((8, 1000))

    def fill(i):
        for k in range(50):
            rows[i] = jg.ones(1000) * (i + k)

    run_together(fill, 8)
    expected = np.repeat(np.arange(8.0) + 49, 1000).reshape(8, 1000)
    assert np.array_equal(np.asarray(rows), expected)


def test_threads_that_add_to_one_array_lose_nothing():
    counts, total = jg.zeros(4, dtype=jg.int64), jg.zeros((), dtype=jg.int64)

    def count(i):
        nonlocal total
        for _ in range(200):
            counts[i] += 1
            total += 1

    run_together(count, 4)
    assert counts.tolist() == [200] * 4
    assert total.item() == 800
