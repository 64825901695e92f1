# SPDX-License-Identifier: Apache-2.0
"""What kernel.grad refuses: it names the line."""

import re

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
