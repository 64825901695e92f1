# SPDX-License-Identifier: Apache-2.0
"""Whatever call or return an interrupt comes at while a function is traced, the state that it was
given has the values afterwards that it had before, or those that the whole call gives."""

import numpy as np
import pytest
from interrupting import run_until

import joggle as jg
from joggle import nn, optimizers
from joggle.utils import tree_flatten

STRIDE = 29
X = np.arange(12, dtype=np.float32).reshape(4, 3) / 8


def values(tree):
    return {path: np.array(x) for path, x in tree_flatten(tree)}


def are_equal(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def made():
    jg.random.seed(3)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm(4), nn.Linear(4, 2, bias=False))
    optimizer = optimizers.Adam(0.1)
    optimizer.init(model.trainable_parameters())
    jg.eval(model, optimizer.state)
    return model, optimizer


def of_gradients():
    model, _ = made()
    function = nn.value_and_grad(model, lambda x: jg.mean(jg.square(model(x))))
    # What the function sets stays: the statistics of the BatchNorm, in both.
    return lambda: jg.eval(function(jg.asarray(X))), lambda: model.trainable_parameters()


def of_a_compiled_step():
    model, optimizer = made()
    gradients = nn.value_and_grad(model, lambda x: jg.mean(jg.square(model(x))))

    def step(x):
        loss, slopes = gradients(x)
        optimizer.update(model, slopes)
        return loss

    state = [model.state, optimizer.state]
    compiled = jg.compile(step, inputs=state, outputs=state)
    return lambda: compiled(jg.asarray(X)), lambda: [model.parameters(), optimizer.state]


def of_a_compiled_list():
    state = [jg.asarray(X), {"a": [jg.asarray(X) + 1], "b": jg.array(2.0)}]

    def step():
        state[0] = state[0] * state[1]["b"]
        state[1]["a"].append(state[1]["a"][-1] + 1)

    compiled = jg.compile(step, inputs=state, outputs=state)
    return compiled, lambda: state


def of_a_checkpoint():
    model, _ = made()
    run = nn.utils.checkpoint(model.layers[0])
    slopes = jg.grad(lambda x: jg.sum(jg.square(run(x))))
    return lambda: jg.eval(slopes(jg.asarray(X))), lambda: model.parameters()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in generators
@pytest.mark.parametrize(
    "program", [of_gradients, of_a_compiled_step, of_a_compiled_list, of_a_checkpoint]
)
def test_an_interrupt_while_tracing_leaves_state_as_it_was_or_as_it_becomes(program):
    run, state = program()
    before = values(state())
    count = run_until(None, run)
    after = values(state())
    assert count > 20
    # The last ones are where state is put back; nested functions do that at any place.
    for number in {*range(1, 20), *range(1, count, STRIDE), *range(count - 150, count + 1)}:
        run, state = program()
        run_until(number, run)
        found = values(state())
        assert are_equal(found, before) or are_equal(found, after), number
