# SPDX-License-Identifier: Apache-2.0
"""Functions that read an argument by a view, a transposed matrix say, run the plan that they have:
the view is made again of each call's argument, wherever in its memory that begins."""

import json

import numpy as np
import pytest

import joggle as jg


def _made(*shape, seed=0):
    x = jg.asarray(np.random.default_rng(seed).standard_normal(shape).astype(np.float32)) * 1
    jg.eval(x)
    return x


def _spans(path, results):
    with jg.trace(str(path)):
        jg.eval(results)
    return [event.get("name") for event in json.loads(path.read_text())["traceEvents"]]


def _loss(w, x):
    return jg.sum(jg.tanh(x @ w) @ w.T)


FUNCTIONS = {
    "transposed": lambda w, x: x @ w.T @ w,
    "gradient": lambda w, x: jg.grad(_loss, argnums=(0, 1))(w, x),
    "reversed": lambda w, x: (w[::-1, 1:] + x[:, :-1] @ w[1:, 1:], jg.sum(w[1]) + w),
    "strided": lambda w, x: w[::2] * 2 + x[1::2],
}


def _flat(results):
    results = results if isinstance(results, (list, tuple)) else [results]
    return [np.asarray(r) for r in results]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_views_of_arguments_are_made_again_at_each_call(name, tmp_path):
    function = FUNCTIONS[name]
    compiled = jg.compile(function)
    for seed in range(4):
        w, x = _made(4, 4, seed=seed), _made(4, 4, seed=seed + 10)
        want = _flat(function(w, x))
        got = compiled(w, x)
        assert ("walk" in _spans(tmp_path / f"{seed}.json", got)) == (seed == 0)
        for a, b in zip(_flat(got), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_may_begin_elsewhere_in_their_memory(name):
    function, whole = FUNCTIONS[name], _made(12, 8)
    compiled = jg.compile(function)
    for first in (0, 3, 1, 8):  # one layout, four offsets
        w, x = whole[first : first + 4, first // 2 : first // 2 + 4], _made(4, 4, seed=first)
        want = _flat(function(w, x))
        for a, b in zip(_flat(compiled(w, x)), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_may_share_memory_in_some_calls(name):
    function, whole = FUNCTIONS[name], _made(9, 4)
    compiled = jg.compile(function)
    apart = (_made(4, 4, seed=1), _made(4, 4, seed=2))
    same = (apart[0], apart[0])
    overlapping = (whole[:4], whole[3:7])
    for arguments in (same, overlapping, apart, same, overlapping, apart):
        want = _flat(function(*arguments))
        for a, b in zip(_flat(compiled(*arguments)), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_an_argument_that_is_read_by_a_view_is_not_written_over_too_early():
    def function(w):
        shifted = w + 1  # could lie in the memory of w, but for the view
        return shifted, shifted @ w.T

    compiled = jg.compile(function)
    for seed in range(5):
        w = _made(64, 64, seed=seed)
        want = _flat(function(w))
        results = compiled(w)
        del w
        jg.eval(results)
        for a, b in zip(_flat(results), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-4)


def test_a_plan_holds_no_memory_of_its_first_arguments():
    compiled = jg.compile(FUNCTIONS["gradient"])
    jg.eval(compiled(_made(4, 4), _made(4, 4)))
    before = jg.get_active_memory()
    w, x = _made(4, 4), _made(4, 4)
    jg.eval(compiled(w, x))
    del w, x
    assert jg.get_active_memory() == before


def test_a_step_of_training_runs_its_plan_and_writes_its_state_in_place(tmp_path):
    state = {"w": _made(8, 8, seed=1), "b": _made(8, seed=2)}

    def step(x, y):
        def loss(state):
            return jg.mean((jg.tanh(x @ state["w"] + state["b"]) @ state["w"].T - y) ** 2)

        value, slopes = jg.value_and_grad(loss)(state)
        for key in state:
            state[key] = state[key] - 0.1 * slopes[key]
        return value

    compiled = jg.compile(step, inputs=state, outputs=state)
    x, y = _made(5, 8, seed=3), _made(5, 8, seed=4)
    start, losses = dict(state), []
    for number in range(6):
        value = compiled(x, y)
        assert ("walk" in _spans(tmp_path / f"{number}.json", [value, state])) == (number == 0)
        losses.append(float(value))
    state.update(start)
    want = []
    for _ in range(6):
        want.append(float(step(x, y)))
    np.testing.assert_allclose(losses, want, rtol=1e-5)
    assert losses[-1] < losses[0]
