# SPDX-License-Identifier: Apache-2.0
"""Calls of compiled functions that draw random numbers run the plan that the function has.

The key is drawn at the call and is a number of the plan: after the same seed a compiled function
gives the bits that its body gives by itself, whatever is evaluated first or never.
"""

import json
import threading

import numpy as np
import pytest

import joggle as jg
from joggle import nn


def _dropped(x):
    """Two draws, one of which is also in a total."""
    kept = jg.where(jg.random.uniform(0, 1, x.shape) < 0.5, x * 2, jg.zeros_like(x))
    noise = jg.random.normal(x.shape)
    return kept + 0.1 * noise, jg.sum(noise)


def _values(function, x, count, seed=5):
    jg.random.seed(seed)
    return [[np.asarray(r) for r in function(x)] for _ in range(count)]


def _spans(path, function, *arrays):
    with jg.trace(str(path)):
        jg.eval(*function(*arrays))
    return [event.get("name") for event in json.loads(path.read_text())["traceEvents"]]


@pytest.mark.parametrize("shape", [(3, 4), (70, 1000), (0,)])
def test_compiled_draws_are_those_of_the_function(shape):
    x = jg.arange(int(np.prod(shape)), dtype=jg.float32).reshape(shape)
    x = jg.asarray(np.asarray(x))
    compiled = jg.compile(_dropped)
    want, got = _values(_dropped, x, 5), _values(compiled, x, 5)
    np.testing.assert_array_equal(
        np.concatenate([np.ravel(r) for call in got for r in call]),
        np.concatenate([np.ravel(r) for call in want for r in call]),
    )
    if shape[0]:
        assert not np.array_equal(got[0][0], got[1][0])


def test_a_call_that_draws_runs_the_plan_of_its_function(tmp_path):
    compiled, x = jg.compile(_dropped), jg.exp(jg.zeros((4, 5)))
    jg.eval(x)
    assert "walk" in _spans(tmp_path / "first.json", compiled, x)
    later = _spans(tmp_path / "later.json", compiled, x)
    assert "walk" not in later and "find plan" in later


def test_keys_are_drawn_by_calls_and_not_by_evaluations():
    x = jg.asarray(np.ones(6, np.float32))
    compiled = jg.compile(_dropped)
    want = _values(_dropped, x, 4)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2]):
        jg.random.seed(5)
        calls = [compiled(x) for _ in range(4)]
        for i in order:
            jg.eval(*calls[i])
            for a, b in zip(calls[i], want[i], strict=True):
                np.testing.assert_array_equal(np.asarray(a), b)


def test_results_apart_and_in_other_work_have_the_key_of_their_call():
    x = jg.asarray(np.ones(6, np.float32))
    compiled = jg.compile(_dropped)
    want = _values(_dropped, x, 6)
    jg.random.seed(5)
    for i in range(6):
        kept, total = compiled(x)
        if i % 3 == 0:
            jg.eval(total)
        elif i % 3 == 1:
            np.testing.assert_array_equal(np.asarray(kept * 2), want[i][0] * 2)
        else:
            total = None
        np.testing.assert_array_equal(np.asarray(kept), want[i][0])
        assert total is None or np.asarray(total) == want[i][1]


def test_a_function_may_draw_without_arguments_and_give_a_key_away():
    def draws():
        return jg.random.uniform(0, 1, (3,)), jg.random.normal((2, 2))

    def keys(x):
        key = jg.random.split(jg.random.key(1))[0]
        return key, jg.random.uniform(0, 1, (3,), key=key) * x

    compiled = jg.compile(draws)
    jg.random.seed(2)
    want = [[np.asarray(r) for r in draws()] for _ in range(3)]
    jg.random.seed(2)
    for call in want:
        for a, b in zip(compiled(), call, strict=True):
            np.testing.assert_array_equal(np.asarray(a), b)
    x = jg.asarray(np.ones(3, np.float32))
    for a, b in zip(jg.compile(keys)(x), keys(x), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_compiled_within_compiled_grad_and_vmap_takes_the_keys_of_the_outer_call():
    inner = jg.compile(lambda x: x * jg.random.uniform(0, 1, x.shape))
    constant = jg.asarray(np.ones(4, np.float32))
    x = jg.asarray(np.arange(4, dtype=np.float32))
    inner(constant)  # has a record before it is called in other functions

    def outer(x):
        return inner(constant) + x * inner(x)

    compiled = jg.compile(outer)
    jg.random.seed(9)
    want = [np.asarray(outer(x)) for _ in range(3)]
    jg.random.seed(9)
    got = [np.asarray(compiled(x)) for _ in range(3)]
    np.testing.assert_array_equal(got, want)
    assert not np.array_equal(got[0], got[1])
    jg.random.seed(9)
    want = [np.asarray(jg.grad(lambda x: jg.sum(outer(x)))(x)) for _ in range(2)]
    jg.random.seed(9)
    gradient = jg.compile(jg.grad(lambda x: jg.sum(outer(x))))
    np.testing.assert_array_equal([np.asarray(gradient(x)) for _ in range(2)], want)
    rows = jg.vmap(inner, randomness="different")(jg.ones((3, 4)))
    assert len(np.unique(np.asarray(rows))) == 12


def test_training_with_dropout_is_that_of_the_plain_step():
    def trained(compiled):
        jg.random.seed(11)
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 4))
        x, y = jg.random.normal((32, 8)), jg.random.normal((32, 4))
        jg.eval(model.parameters(), x, y)

        def step(parameters, x, y):
            def loss(parameters):
                model.update(parameters)
                return jg.mean((model(x) - y) ** 2)

            value, slopes = jg.value_and_grad(loss)(parameters)
            return value, jg.utils.tree_map(lambda p, g: p - 0.1 * g, parameters, slopes)

        step = jg.compile(step) if compiled else step
        parameters, losses = model.parameters(), []
        for _ in range(5):
            value, parameters = step(parameters, x, y)
            jg.eval(value, parameters)
            losses.append(float(value))
        return losses

    plain, got = trained(False), trained(True)
    np.testing.assert_allclose(got, plain, rtol=1e-5)
    assert len(set(got)) == 5


def test_threads_that_call_and_seed_get_draws_of_some_seed():
    x = jg.asarray(np.ones(5, np.float32))
    compiled, faults = jg.compile(_dropped), []
    jg.eval(*compiled(x))

    def call():
        for _ in range(200):
            kept, total = compiled(x)
            jg.eval(kept, total)
            if not np.isfinite(np.asarray(total)):
                faults.append(total)
            jg.random.seed(1)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    want, got = _values(_dropped, x, 2), _values(compiled, x, 2)
    np.testing.assert_array_equal(got[1][0], want[1][0])
