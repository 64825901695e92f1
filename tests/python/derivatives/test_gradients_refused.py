# SPDX-License-Identifier: Apache-2.0
"""What kernel.grad refuses: it names the line."""

import re

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def refuse(kernel, message):
    kernel()
    with pytest.raises(NotImplementedError, match=message):
        kernel.grad()


def line_of(kernel, text):
    import inspect

    lines, first = inspect.getsourcelines(kernel.function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_elements_that_are_needed_and_overwritten_are_refused():
    x = qd.field(qd.f32, 3, needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            x[i] = x[i] * x[i]

    refuse(run, f"line {line_of(run, '* x')}: load: the derivative needs the element of x")


def kernels_over(x, y, total):
    """Kernels whose derivatives need elements of y that they overwrite later, by their names, and
    others that look much like them."""
    count = x.shape[0]

    def square():
        for i in x:
            y[i] = x[i] * x[i]

    def another_loop():
        for i in x:
            total[None] += y[i] * y[i]
        for k in x:
            y[k] = 0.0

    def ranges_that_meet():
        for i in range(count - 1):
            total[None] += y[i] * y[i + 1]
        for i in range(count - 1):
            y[i + 1] = 0.0

    def one_element():
        for i in x:
            total[None] += y[i] * y[i]
        y[0] = 5.0

    def some_are_read():
        for i in range(count):
            if i > 1:
                total[None] += y[i] * y[i]
        for i in range(count):
            y[i] += 1.0

    def next_step():
        qd.loop_config(serialize=True)
        for t in range(3):
            for i in range(count):
                y[i] = x[i] * t
            for i in range(count):
                total[None] += y[i] * y[i]

    def next_step_of_one_loop():
        qd.loop_config(serialize=True)
        for t in range(3):
            for i in range(count):
                y[i] = x[i] * t
                total[None] += y[i] * y[i]

    def other_elements():
        for i in range(2):
            total[None] += y[i] * y[i]
        for i in range(2, count):
            y[i] = 3 * x[i]

    def others_by_condition():
        for i in x:
            if i % 2 == 0:
                total[None] += y[i] * y[i]
        for i in x:
            if i % 2 == 1:
                y[i] = 0.0

    def only_added():
        for i in x:
            total[None] += 2 * y[i]
        for i in x:
            y[i] = 0.0

    def one_step():
        qd.loop_config(serialize=True)
        for t in range(1):
            for i in range(count):
                y[i] = x[i] * (t + 2)
            for i in range(count):
                total[None] += y[i] * y[i]

    def triangle():
        qd.loop_config(serialize=True)
        for i in range(count):
            below = 0.0 * x[i]  # in float64
            for j in range(i):
                below += y[j] * x[j]
            y[i] = x[i] - 0.1 * below
        for i in range(count):
            total[None] += y[i] * y[i]

    return square, locals()


REFUSED = ["another_loop", "ranges_that_meet", "one_element", "some_are_read", "next_step",
           "next_step_of_one_loop"]  # fmt: skip
TAKEN = ["other_elements", "others_by_condition", "only_added", "one_step", "triangle"]


def run_of(name):
    x, y = (qd.field(qd.f64, 4, needs_grad=True) for _ in range(2))
    total = qd.field(qd.f64, (), needs_grad=True)
    square, kernels = kernels_over(x, y, total)
    square, second = qd.kernel(square), qd.kernel(kernels[name])

    def run(values):
        x.from_numpy(np.asarray(values, np.float64))
        y.fill(0)
        total[None] = 0
        with qd.ad.Tape(total):
            square()
            second()
        return total[None], x.grad.to_numpy()

    return run


@pytest.mark.parametrize("name", REFUSED)
def test_elements_that_another_loop_or_a_later_iteration_overwrites_are_refused(name):
    with pytest.raises(NotImplementedError, match=r"needs the element of y .* overwrites it"):
        run_of(name)([1, 2, 3, 4])


@pytest.mark.parametrize("name", TAKEN)
def test_loops_over_other_elements_are_no_obstacle(name):
    run, x, step = run_of(name), np.arange(1.0, 5), 1e-6
    found = run(x)[1]
    for i, e in enumerate(step * np.eye(4)):
        expected = (run(x + e)[0] - run(x - e)[0]) / (2 * step)
        assert found[i] == pytest.approx(expected, rel=1e-6)


def test_a_refusal_names_the_file():
    x = qd.field(qd.f32, 3, needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            x[i] = x[i] * x[i]

    refuse(run, f"^{re.escape(__file__)}: derivative of kernel .*run: line")


def test_random_numbers_that_are_needed_are_refused():
    x = qd.field(qd.f32, 3, needs_grad=True)
    y = qd.field(qd.f32, 3, needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            y[i] = x[i] * qd.random()

    refuse(run, f"line {line_of(run, 'random')}: random: the derivative needs a random number")


def test_atomics_other_than_sums_are_refused_on_what_has_a_gradient():
    x = qd.field(qd.f32, 3, needs_grad=True)
    y = qd.field(qd.f32, (), needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            qd.atomic_max(y[None], x[i])

    refuse(run, "of atomics only add has a derivative, not maximum")


def test_bits_of_what_carries_a_gradient_are_refused():
    x = qd.field(qd.f32, 3, needs_grad=True)
    n = qd.field(qd.i32, 3)

    @qd.kernel
    def run():
        for i in x:
            n[i] = qd.bit_cast(x[i], qd.i32)

    refuse(run, "the bits of a value have no derivative")


ORDERED = "the element of x that is read here is written by another iteration of the parallel loop"


def test_parallel_loops_that_carry_values_are_refused():
    x = qd.field(qd.f32, (6, 4), needs_grad=True)

    @qd.kernel
    def steps():
        for t in range(4):
            for i in range(3):
                x[t + 1, i] = 2 * x[t, i]  # of steps

    @qd.kernel
    def grid(n: int):
        for t, i in qd.ndrange(n, 3):
            x[t + 1, i] = qd.sin(x[t, i])  # of grid

    @qd.kernel
    def backwards():
        for t in range(4):
            x[t, 0] += x[t + 1, 0]  # of backwards

    @qd.kernel
    def neighbours():
        for t in range(1, 5):
            x[t, 0] = x[t - 1, 0] + x[t + 1, 0]  # of neighbours

    refuse(steps, f"line {line_of(steps, '# of steps')}: load: {ORDERED}")
    refuse(backwards, f"line {line_of(backwards, '# of backwards')}: load: {ORDERED}")
    refuse(neighbours, f"line {line_of(neighbours, '# of neighbours')}: load: {ORDERED}")
    with pytest.raises(NotImplementedError, match=f"line {line_of(grid, '# of grid')}.*serialize"):
        grid.grad(4)


def test_loops_that_carry_values_in_order_or_not_at_all_are_not_refused():
    x = qd.field(qd.f32, (6, 4), needs_grad=True)

    def gradient(kernel, *arguments):
        """Of what is in the second row, first column, and further rows, to the first."""
        x.fill(1)
        x.grad.fill(0)
        x.grad[4, 0] = 1
        kernel(*arguments)
        kernel.grad(*arguments)
        return x.grad.to_numpy()[:5, 0].tolist()

    @qd.kernel
    def in_order():
        qd.loop_config(serialize=True)
        for t in range(4):
            x[t + 1, 0] = 2 * x[t, 0]

    @qd.kernel
    def inside():
        for i in range(4):
            for t in range(4):
                x[t + 1, i] = 2 * x[t, i]

    @qd.kernel
    def step(t: int):
        for i in range(4):
            x[t + 1, i] = 2 * x[t, i]

    @qd.kernel
    def every_other():
        for t in range(0, 4, 2):
            x[t + 1, 0] = 2 * x[t, 0]

    @qd.kernel
    def once():
        for t in range(3, 4):
            x[t + 1, 0] = 2 * x[t, 0]

    @qd.kernel
    def far():
        for t in range(2):
            x[t + 3, 0] = 2 * x[t, 0]

    @qd.kernel
    def other_column():
        for t in range(5):
            x[t, 0] = 2 * x[t, 1]

    assert gradient(in_order) == [16, 0, 0, 0, 0]
    assert gradient(inside) == [16, 0, 0, 0, 0]
    assert gradient(step, 3) == [0, 0, 0, 2, 0]
    assert gradient(every_other) == [0, 0, 0, 0, 1]
    assert gradient(once) == [0, 0, 0, 2, 0]
    assert gradient(far) == [0, 2, 0, 0, 0]
    assert gradient(other_column) == [0, 0, 0, 0, 0]
