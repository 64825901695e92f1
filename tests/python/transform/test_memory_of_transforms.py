# SPDX-License-Identifier: Apache-2.0
"""Memory that does not grow from step to step."""

import gc

import numpy as np

import joggle as jg


def test_steps_of_changing_shapes_leave_nothing():
    random = np.random.default_rng(0)
    weights = jg.asarray(random.normal(size=(32, 32)) * 0.1)
    step = jg.value_and_grad(lambda w, x: jg.mean(jg.tanh(x @ w) ** 2))
    recorded, kept = jg.compile(step), []
    for turn in range(1000):
        x = jg.asarray(random.normal(size=(1 + turn % 97, 32)))
        value, slope = (recorded if turn % 2 else step)(weights, x)
        weights = weights - 0.1 * slope
        jg.eval(weights, value)
        if turn in (200, 999):
            del value, slope, x
            gc.collect()
            jg.synchronize()
            kept.append(jg.get_active_memory())
    assert kept[1] <= kept[0] + 64 * 1024, kept


def test_a_trace_keeps_no_parameter_alive_that_the_step_replaced():
    state = {"weights": [jg.ones((512, 512)), jg.ones((512, 512))]}
    jg.eval(state)

    def step(x):
        slopes = jg.grad(lambda a, b: jg.sum((a * b * x) ** 2), argnums=(0, 1))(*state["weights"])
        state["weights"] = [w - 0.1 * g for w, g in zip(state["weights"], slopes, strict=True)]
        return x * 2

    compiled, x = jg.compile(step, inputs=state, outputs=state), jg.array(2.0)
    gc.collect()
    gc.disable()
    try:
        before = jg.get_active_memory()
        jg.eval(compiled(x), state)
        jg.synchronize()
        assert jg.get_active_memory() <= before + 64 * 1024
    finally:
        gc.enable()
