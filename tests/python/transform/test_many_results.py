# SPDX-License-Identifier: Apache-2.0
"""Calls of recorded functions with more results than a word has bits: all of them evaluated at
once, some of them, some dropped before, and results that other pending work reads."""

import numpy as np
import pytest

import joggle as jg

COUNT = 100


def step(xs, scale):
    return [x * scale + i for i, x in enumerate(xs)], [jg.sum(x) for x in xs]


def arguments(seed):
    rng = np.random.default_rng(seed)
    return [jg.asarray(rng.standard_normal(8 + i % 3, np.float32)) for i in range(COUNT)]


@pytest.fixture
def compiled():
    return jg.compile(step)


def check(xs, got):
    for i, (x, (y, total)) in enumerate(zip(xs, zip(*got, strict=True), strict=True)):
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x) * np.float32(2) + np.float32(i))
        np.testing.assert_allclose(np.asarray(total), np.asarray(x).sum(), rtol=1e-5, atol=1e-6)


def test_all_results_may_be_evaluated_at_once(compiled):
    for seed in range(5):
        xs = arguments(seed)
        got = compiled(xs, 2.0)
        jg.eval(got)
        check(xs, got)


def test_some_results_may_be_evaluated_before_the_others(compiled):
    for seed in range(4):
        xs = arguments(seed)
        got = compiled(xs, 2.0)
        jg.eval(got[0][:70])
        check(xs, got)


def test_a_result_keeps_its_value_when_the_others_are_dropped(compiled):
    for seed in range(4):
        xs = arguments(seed)
        got = compiled(xs, 2.0)
        last = got[0][-1]
        del got
        np.testing.assert_array_equal(np.asarray(last), np.asarray(xs[-1]) * 2 + (COUNT - 1))


def test_arrays_that_are_asked_for_twice_count_once(compiled):
    for seed in range(3):
        xs = arguments(seed)
        got = compiled(xs, 2.0)
        jg.eval([got[0][0]] * (2 * COUNT))
        check(xs, got)
        jg.eval(got, got)


def test_others_read_results(compiled):
    for seed in range(12):
        xs = arguments(seed)
        got = compiled(xs, 2.0)
        sums = [y + 1 for y in got[0]]
        jg.eval(got, sums)
        check(xs, got)
        np.testing.assert_array_equal(np.asarray(sums[5]), np.asarray(got[0][5]) + 1)


def test_an_argument_may_be_given_twice(compiled):
    for seed in range(3):
        xs = arguments(seed)
        xs[3] = xs[6]
        got = compiled(xs, 2.0)
        jg.eval(got)
        check(xs, got)


def test_a_state_is_written_over(compiled):
    """Of a step like an optimizer's: values of a thousand steps, and no memory that grows."""
    state = {"m": arguments(1)}

    def move(xs):
        state["m"] = [0.5 * m + x for m, x in zip(state["m"], xs, strict=True)]
        return [x - 0.1 * m for m, x in zip(state["m"], xs, strict=True)]

    moved = jg.compile(move, inputs=state, outputs=state)
    xs = arguments(2)
    expected, m = [np.asarray(x) for x in xs], [np.asarray(m) for m in state["m"]]
    for i in range(50):
        xs = moved(xs)
        jg.eval(xs, state)
        if i == 10:
            before = jg.get_active_memory()
    assert jg.get_active_memory() <= before
    for _ in range(50):
        m = [np.float32(0.5) * a + b for a, b in zip(m, expected, strict=True)]
        expected = [b - np.float32(0.1) * a for a, b in zip(m, expected, strict=True)]
    for x, y in zip(xs, expected, strict=True):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5, atol=1e-6)
