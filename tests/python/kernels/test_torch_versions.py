# SPDX-License-Identifier: Apache-2.0
"""Kernels that write tensors of torch tell autograd, which notices by a tensor's version."""

import pytest
import torch

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("compiler")

Array = qd.types.ndarray()


@qd.kernel
def scale(x: Array, factor: float):
    for i in range(x.shape[0]):
        x[i] = x[i] * factor


@pytest.mark.parametrize("calls", [1, 2, 3])  # the first one compiles, the others are known
def test_autograd_refuses_values_that_a_kernel_has_overwritten(calls):
    w = torch.ones(3, requires_grad=True)
    inner = w * 2
    loss = (inner * inner).sum()
    for _ in range(calls):
        before = inner._version
        scale(inner.detach(), 3.0)
        assert inner._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_kernel_that_reads_a_tensor_leaves_its_version():
    @qd.kernel
    def total(x: Array) -> float:
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
        return s

    x = torch.ones(3)
    assert [total(x), total(x), x._version] == [3.0, 3.0, 0]


def test_a_tensor_of_inference_mode_is_written_though_it_has_no_version():
    with torch.inference_mode():
        x = torch.ones(3)
    scale(x, 2.0)
    scale(x, 2.0)
    assert x.tolist() == [4.0, 4.0, 4.0]


def test_the_gradients_that_a_kernel_adds_to_count_as_written():
    @qd.kernel
    def double(x: Array, y: Array):
        for i in range(x.shape[0]):
            y[i] = 2.0 * x[i]

    x, y = torch.ones(3, requires_grad=True), torch.zeros(3, requires_grad=True)
    x.grad, y.grad = torch.zeros(3), torch.ones(3)
    before = x.grad._version
    double.grad(x, y)
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert x.grad._version > before
