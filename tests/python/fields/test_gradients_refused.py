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
