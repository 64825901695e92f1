# SPDX-License-Identifier: Apache-2.0
"""joggle.torch.function: kernels as functions of torch's autograd."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import joggle.fields as qd
import joggle.torch

pytestmark = pytest.mark.usefixtures("tier")

Array = qd.types.ndarray()


def random(*shape):
    values = np.random.default_rng(0).uniform(0.5, 1.5, shape)
    return torch.tensor(values, requires_grad=True)


def test_gradcheck_holds_for_a_generated_adjoint():
    @qd.kernel
    def mix(x: Array, w: Array, k: float, y: Array):
        for i, j in qd.ndrange(x.shape[0], w.shape[1]):
            s = qd.f64(0)
            for n in range(x.shape[1]):
                s += x[i, n] * w[n, j]
            y[i, j] = k * qd.tanh(s)

    f = joggle.torch.function(mix, outputs={"y": lambda x, w, k: x.new_empty(3, 2)})
    assert torch.autograd.gradcheck(lambda x, w: f(x, w, 0.5), (random(3, 4), random(4, 2)))
    x, w = random(3, 4), random(4, 2)
    torch.testing.assert_close(f(x, w, k=2.0), 2.0 * torch.tanh(x @ w))


def test_gradcheck_holds_for_strided_tensors_and_several_outputs():
    @qd.kernel
    def both(x: Array, y: Array, total: Array):
        for i, j in qd.ndrange(x.shape[0], x.shape[1]):
            y[i, j] = qd.sin(x[i, j])
            total[0] += x[i, j] * x[i, j]

    f = joggle.torch.function(both, outputs={"y": "x", "total": (1,)})
    assert torch.autograd.gradcheck(lambda x: f(x.T[::2]), (random(3, 4),))
    x = random(2, 2)
    total = f(x)[1]
    total.backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_tensors_that_need_no_gradient_get_none():
    @qd.kernel
    def scaled(x: Array, k: Array, y: Array):
        for i in range(x.shape[0]):
            y[i] = x[i] * k[i]

    f = joggle.torch.function(scaled, outputs="y")
    x, k = random(3), torch.arange(3)
    f(x, k).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 2.0]
    assert f(x.detach(), k).requires_grad is False


def test_kernels_that_only_add_start_from_zero():
    @qd.kernel
    def count(x: Array, y: Array):
        for i in range(x.shape[0]):
            y[i // 2] += x[i]

    f = joggle.torch.function(count, outputs="y")
    assert f(torch.ones(4)).tolist() == [2, 2, 0, 0]


@qd.kernel
def forward_kernel(t: Array, o: Array):
    for i in range(32):
        o[i] = t[i] * t[i]


@qd.kernel
def backward_kernel(t_grad: Array, t: Array, o_grad: Array):
    for i in range(32):
        t_grad[i] = 2 * t[i] * o_grad[i]


def test_an_adjoint_may_be_given():
    square = joggle.torch.function(forward_kernel, outputs="o", adjoint=backward_kernel)
    x = random(32)
    square(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())
    assert torch.autograd.gradcheck(square, (random(32),))


def test_the_hand_written_autograd_function_works():
    class Sqr(torch.autograd.Function):
        @staticmethod
        def forward(ctx, inp):
            outp = torch.zeros_like(inp)
            ctx.save_for_backward(inp)
            forward_kernel(inp, outp)
            return outp

        @staticmethod
        def backward(ctx, outp_grad):
            inp_grad = torch.zeros_like(outp_grad)
            (inp,) = ctx.saved_tensors
            backward_kernel(inp_grad, inp, outp_grad)
            return inp_grad

    x = torch.tensor([2.0] * 32, requires_grad=True)
    Sqr.apply(x).sum().backward()
    assert x.grad.tolist() == [4.0] * 32


def test_what_is_no_parameter_is_named():
    with pytest.raises(ValueError, match="outputs: got 'q', allowed are"):
        joggle.torch.function(forward_kernel, outputs="q")
    with pytest.raises(TypeError, match="outputs, adjoint: allowed for kernels alone"):
        joggle.torch.function(lambda x: x, outputs="x")
    with pytest.raises(TypeError, match="outputs: got None"):
        joggle.torch.function(forward_kernel)
    with pytest.raises(ValueError, match="adjoint: got parameter 'p'"):
        joggle.torch.function(forward_kernel, outputs="o", adjoint=lambda p: None)


@pytest.mark.parametrize("module", ["joggle.torch", "joggle._kernel.kernel", "joggle.fields.ad"])
def test_each_part_may_be_imported_first(module):
    run = [sys.executable, "-c", f"import {module}, sys; print('torch' in sys.modules)"]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"


@qd.kernel
def through_scratch(x: Array, scratch: Array, y: Array):
    for i in range(x.shape[0]):
        scratch[i] = x[i] * x[i]
    for i in range(x.shape[0]):
        y[i] = scratch[i] * 3.0


def test_a_written_tensor_that_is_no_output_is_refused_before_the_launch():
    x, scratch = torch.ones(3, requires_grad=True), torch.zeros(3)
    f = joggle.torch.function(through_scratch, outputs="y")
    with pytest.raises(ValueError, match=r"writes 'scratch', .* allowed are floats among outputs"):
        f(x, scratch)
    assert scratch.tolist() == [0.0, 0.0, 0.0]
    joggle.torch.function(through_scratch, outputs=["scratch", "y"])(x)[1].sum().backward()
    assert x.grad.tolist() == [6.0, 6.0, 6.0]


def test_a_written_field_that_is_captured_is_refused():
    total = qd.field(qd.f32, shape=(), needs_grad=True)

    @qd.kernel
    def through_field(x: Array, y: Array):
        total[None] = x[0] * 2.0
        y[0] = total[None]

    with pytest.raises(ValueError, match="no gradient; allowed are floats among outputs"):
        joggle.torch.function(through_field, outputs="y")(torch.ones(3, requires_grad=True))


def test_a_counter_that_the_kernel_writes_may_be_an_input():
    @qd.kernel
    def counted(x: Array, count: qd.types.ndarray(dtype=qd.i32), y: Array):
        for i in range(x.shape[0]):
            y[i] = 2.0 * x[i]
            count[0] += 1

    x, count = torch.ones(3, requires_grad=True), torch.zeros(1, dtype=torch.int32)
    joggle.torch.function(counted, outputs="y")(x, count).sum().backward()
    assert (x.grad.tolist(), count.tolist()) == ([2.0, 2.0, 2.0], [3])


@qd.kernel
def scaled_square(x: Array, s: float, y: Array):
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i] * s


def test_a_second_derivative_is_refused_when_it_is_asked_for():
    f = joggle.torch.function(scaled_square, outputs="y")
    x = torch.ones(2, requires_grad=True)
    (first,) = torch.autograd.grad(f(x, 1.0).sum() + (x**3).sum(), x, create_graph=True)
    assert first.tolist() == [5.0, 5.0]
    with pytest.raises(NotImplementedError, match="scaled_square: kernels have first derivatives"):
        torch.autograd.grad(first.sum(), x)


def test_a_number_of_the_kernel_that_requires_a_gradient_is_refused():
    f = joggle.torch.function(scaled_square, outputs="y")
    x, s = torch.ones(2, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"argument s is a number .* allowed are s\.detach\(\)"):
        f(x, s)
    f(x, s.detach()).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]
