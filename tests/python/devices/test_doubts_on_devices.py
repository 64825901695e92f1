# SPDX-License-Identifier: Apache-2.0
"""kernel.grad on a device refuses what only the data tell, in its call, before it changes anything.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's."""

import sys
from pathlib import Path

import numpy as np
import pytest
from device_programs import start

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "derivatives"))

import test_gradients_in_doubt as on_cpu

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("quick_builds", "no_fallback")


@pytest.fixture
def world():
    start()
    yield on_cpu.World()
    qd.reset()


@pytest.mark.parametrize(
    "case",
    [
        on_cpu.test_an_element_overwritten_under_a_condition_is_refused_where_that_happens,
        on_cpu.test_a_serial_loop_is_refused_where_it_overwrites_what_it_read,
        on_cpu.test_stores_at_indices_from_memory_are_refused_where_two_meet,
        on_cpu.test_reads_of_what_other_iterations_write_are_refused,
    ],
    ids=lambda case: case.__name__.removeprefix("test_"),
)
def test_gradients_are_right_or_refused_as_on_the_cpu(case, world):
    case(world)


def test_a_refusal_leaves_gradients_and_the_device_as_they_were(world):
    x, y, index = world.x, world.y, world.index

    @qd.kernel
    def run():
        for i in x:
            y[index[i]] = x[i] * x[i]

    for _ in range(2):
        world.refuse(run, on_cpu.TWICE, "two iterations .* one element of y")
        qd.sync()
        np.testing.assert_array_equal(x.grad.to_numpy(), np.zeros(on_cpu.COUNT))
        np.testing.assert_array_equal(y.grad.to_numpy(), np.cos(np.arange(on_cpu.COUNT)))
    world.check(run, on_cpu.TURNED)


def test_what_an_earlier_launch_failed_with_is_no_refusal():
    start(debug=True)
    x, y = (qd.field(qd.f64, 4, needs_grad=True) for _ in range(2))
    index = qd.field(qd.i32, 4)
    index.from_numpy(np.arange(4, dtype=np.int32))

    @qd.kernel
    def fails():
        for i in x:
            assert index[i] < 3, "too large"

    @qd.kernel
    def run():
        for i in x:
            y[index[i]] = x[i] * x[i]

    run()
    fails()
    with pytest.raises(AssertionError, match="too large"):
        run.grad()
        qd.sync()
    x.fill(2)
    x.grad.fill(0)
    y.grad.fill(1)
    run.grad()
    np.testing.assert_array_equal(x.grad.to_numpy(), [4] * 4)
    qd.reset()
