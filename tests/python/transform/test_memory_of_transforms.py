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
    for turn in range(600):
        x = jg.asarray(random.normal(size=(1 + turn % 97, 32)))
        value, slope = (recorded if turn % 2 else step)(weights, x)
        weights = weights - 0.1 * slope
        jg.eval(weights, value)
        if turn in (200, 599):
            del value, slope, x
            gc.collect()
            jg.synchronize()
            kept.append(jg.get_active_memory())
    assert kept[1] <= kept[0] + 64 * 1024, kept
