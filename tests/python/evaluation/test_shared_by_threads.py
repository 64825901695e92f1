# SPDX-License-Identifier: Apache-2.0
"""Compiled functions, kernels, lists and dicts that threads share: each gets its own results, and
nothing breaks, with Python's interpreter lock and without it."""

import sys
import sysconfig
import threading

import numpy as np
import pytest
from test_array_threads import in_threads

import joggle as jg
import joggle.fields as qd


def test_importing_leaves_a_free_threaded_interpreter_without_its_lock():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this interpreter always has its lock")
    assert not sys._is_gil_enabled()


def test_a_compiled_function_is_called_and_cleared_by_all():
    @jg.compile
    def scale(x, tree, factor):
        return {"y": x * factor + tree["a"][0], "n": tree["a"][1]}

    def work(number):
        rng = np.random.default_rng(number)
        for step in range(60):
            length = 1 + (step * 7 + number) % 5
            values = rng.standard_normal(length)
            x, more = jg.asarray(values), jg.asarray(values + 1)
            got = scale(x, {"a": [more, jg.asarray(number)]}, float(step % 3))
            np.testing.assert_allclose(np.asarray(got["y"]), values * (step % 3) + values + 1)
            assert int(got["n"]) == number
            if step % 20 == 19:
                scale.cache_clear()

    in_threads(8, work)


def test_a_kernel_is_called_with_arrays_of_many_kinds_by_all():
    qd.init(arch=qd.cpu)

    @qd.kernel
    def add(x: qd.types.ndarray(), amount: qd.f64, twice: qd.template()) -> qd.f64:
        total = 0.0
        for i in range(x.shape[0]):
            x[i] += amount * (2 if twice else 1)
            total += x[i]
        return total

    kinds = [np.float32, np.float64, np.int32, np.int64]

    def work(number):
        for step in range(40):
            dtype = kinds[(number + step) % len(kinds)]
            values = np.arange(10, dtype=dtype)
            total = add(values, amount=float(number), twice=step % 2 == 0)
            expected = np.arange(10) + number * (2 if step % 2 == 0 else 1)
            assert values.tolist() == expected.tolist()
            assert total == expected.sum()

    in_threads(6, work)


def test_containers_change_while_they_are_read():
    numbers, tree = [1.0] * 50, {"a": jg.ones(3), "b": [jg.ones(3)] * 10}
    done, one = threading.Event(), jg.ones(())
    total = jg.compile(lambda tree: sum(jg.sum(x) for x in tree["b"]))

    def change():
        while not done.is_set():
            numbers.append(1.0)
            tree["b"].append(jg.ones(3))
            tree["c"] = jg.ones(3)
            numbers.pop()
            tree["b"].pop()
            del tree["c"]

    def work(_):
        for _ in range(30):
            try:
                found = jg.array(numbers)
                assert set(found.tolist()) == {1.0} and found.size in (50, 51, 52)
            except RuntimeError as error:
                assert "changed meanwhile" in str(error)
            jg.eval(tree)
            assert float(total({"b": tree["b"]})) % 3 == 0
            gradient = jg.grad(lambda x: sum(jg.sum(y * y) for y in x["b"]))(tree)
            assert all(row.tolist() == [2, 2, 2] for row in gradient["b"])
            _, (pulled,) = jg.vjp(lambda x: sum(jg.sum(y * y) for y in x), [tree["b"]], [one])
            assert all(row.tolist() == [2, 2, 2] for row in pulled)
            doubled = jg.vmap(lambda x: {"b": [2 * y for y in x["b"]]})(tree)
            assert all(row.tolist() == [2, 2, 2] for row in doubled["b"])
            traced = jg.compile(lambda x: [2 * y for y in x["b"]])(tree)
            assert all(row.tolist() == [2, 2, 2] for row in traced)

    other = threading.Thread(target=change)
    other.start()
    try:
        in_threads(3, work)
    finally:
        done.set()
        other.join()


def test_options_of_printing_change_while_others_print():
    x = jg.asarray([0.123456789, 2.0])

    def work(number):
        for step in range(100):
            if number == 0:
                jg.set_printoptions(precision=3 + 2 * (step % 2))
            else:
                assert repr(x).startswith(("array([0.123,", "array([0.12346,")), repr(x)

    before = jg.get_printoptions()
    jg.set_printoptions(precision=3)
    try:
        in_threads(4, work)
    finally:
        jg.set_printoptions(precision=before.precision)


def test_memory_that_is_lent_stays_while_others_write():
    x = jg.arange(16, dtype=jg.float64)

    def work(number):
        for step in range(100):
            view = memoryview(x)
            assert view.nbytes == 128
            x[step % 16] = number
            assert set(view.tolist()) <= set(range(16))

    in_threads(4, work)
