# SPDX-License-Identifier: Apache-2.0
"""What is computed again goes to the fake driver as graphs: with the values that launches one by
one give, for ops of each kind, in functions that are compiled, and while arrays are
differentiated.

test_cuda.py and test_rocm.py run this file."""

import numpy as np
import pytest
from check_exchange import DEVICE, counts

import joggle as jg


@pytest.fixture
def least():
    """Sets how many kernels in a row are worth a graph, for the test."""
    before = jg.get_option("device_graphs")
    yield lambda number: jg.set_option("device_graphs", str(number))
    jg.set_option("device_graphs", before)


def numbers(seed, *shape):
    x = jg.asarray(np.random.default_rng(seed).standard_normal(shape).astype("f4"), device=DEVICE)
    jg.eval(x)
    return x


CHAINS = {
    "elementwise": lambda x: jg.exp(jg.sum(x * 2, axis=1, keepdims=True) * 0.01) + x,
    "rows": lambda x: jg.softmax(jg.softmax(x, axis=1) @ x[:16, :16] + 1, axis=0),
    "running sums": lambda x: jg.cumulative_sum(jg.flip(jg.cumulative_sum(x, axis=0)), axis=1),
    "orders": lambda x: jg.sort(jg.sort(x, axis=0) - x, axis=1),
    "chosen elements": lambda x: jg.sort(jg.sort(x, axis=0)[jg.arange(16) % 5], axis=0) + 1,
    "pieces": lambda x: jg.concat([jg.sort(x, axis=1), jg.softmax(x, axis=1)], axis=0),
    "the host's part": lambda x: jg.sort(jg.linalg.svdvals(jg.sort(x, axis=0)), axis=0) + x[0],
    "what is left out": lambda x: jg.sort(x[1:, 3:], axis=0) + jg.softmax(x, axis=1)[1:, 3:],
}


@pytest.mark.parametrize("name", CHAINS)
def test_values_are_those_of_launches_one_by_one(least, name):
    least(0)
    inputs = [numbers(seed, 16, 16) for seed in range(4)]
    expected = [np.asarray(CHAINS[name](x)) for x in inputs]
    least(1)
    before = counts()
    for _ in range(2):
        for x, wanted in zip(inputs, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(CHAINS[name](x)), wanted)
    assert counts().graph_makes > before.graph_makes


def test_a_compiled_function_is_one_submission(least):
    @jg.compile
    def f(x):
        for _ in range(18):
            x = jg.softmax(x + 1, axis=1)
        return x

    least(16)
    wanted = None
    for turn in range(5):
        x = numbers(turn % 2, 16, 16)
        before = counts()
        y = f(x)
        jg.eval(y)
        jg.synchronize()
        given = counts().submissions - before.submissions
        if turn > 2:
            assert given == 1
        if turn % 2 == 0:
            got = np.asarray(y)
            wanted = got if wanted is None else wanted
            np.testing.assert_array_equal(got, wanted)


def test_steps_of_gradient_descent_are_the_same(least):
    def loss(w, x):
        for _ in range(6):
            x = jg.softmax(x @ w, axis=1) + x
        return jg.sum(x * x)

    def train():
        w, x = numbers(0, 16, 16), numbers(1, 8, 16)
        for _ in range(5):
            w = w - 0.01 * jg.grad(loss)(w, x)
            jg.eval(w)
        return np.asarray(w)

    least(0)
    wanted = train()
    least(2)
    before = counts()
    np.testing.assert_array_equal(train(), wanted)
    after = counts()
    assert after.graph_makes > before.graph_makes
    assert after.submissions - before.submissions < after.launches - before.launches
    assert after.graph_ends_early == 0
