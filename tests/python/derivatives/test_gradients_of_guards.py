# SPDX-License-Identifier: Apache-2.0
"""Derivatives of ternaries that keep a function away from numbers at which its derivative is not
finite: the side that is not chosen adds nothing, not 0 times infinity."""

import numpy as np
import pytest
import torch

import joggle as jg
import joggle.fields as qd
import joggle.torch

pytestmark = pytest.mark.usefixtures("tier")

X = np.array([-1.0, 0.0, 0.3, 4.0])


@qd.func
def guarded_log(t):
    return qd.log(t) if t > 0.1 else 0.0


@qd.func
def guard(t, which: qd.template()):
    result = t
    if qd.static(which == "sqrt"):
        result = qd.sqrt(t) if t > 0.1 else t
    elif qd.static(which == "divide"):
        result = 1 / t if t > 0 else 0.0
    elif qd.static(which == "log"):
        result = guarded_log(t)
    elif qd.static(which == "power"):
        result = t**1.5 if t > 0 else -t
    elif qd.static(which == "nested"):
        result = (qd.sqrt(t) if t > 0 else 0.0) * 2 if t > -0.5 else t * t
    elif qd.static(which == "exp"):
        result = t if t > -0.5 else qd.exp(t)
    elif qd.static(which == "line"):
        result = 2 * t if t > 0 else -t
    elif qd.static(which == "or"):
        result = t * 3 if t < 0.1 or 1 / t > 1 else t
    return result


SLOPES = {
    "sqrt": [1, 1, 0.5 / 0.3**0.5, 0.25],
    "divide": [0, 0, -1 / 0.09, -1 / 16],
    "log": [0, 0, 1 / 0.3, 0.25],
    "power": [-1, -1, 1.5 * 0.3**0.5, 3],
    "nested": [-2, 0, 1 / 0.3**0.5, 0.5],
    "exp": [np.exp(-1), 1, 1, 1],
    "line": [-1, -1, 2, 2],
    "or": [3, 3, 3, 1],
}


def kernel_of(which):
    @qd.kernel
    def run(x: qd.types.ndarray(dtype=qd.f64, ndim=1), y: qd.types.ndarray(dtype=qd.f64, ndim=1)):
        for i in x:
            t = x[i]
            y[i] = guard(t, which)

    return run


@pytest.mark.parametrize("which", SLOPES)
def test_a_tape_is_finite(which):
    x = qd.field(qd.f64, 4, needs_grad=True)
    loss = qd.field(qd.f64, (), needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            t = x[i]
            loss[None] += guard(t, which)

    x.from_numpy(X)
    with qd.ad.Tape(loss=loss):
        run()
    np.testing.assert_allclose(x.grad.to_numpy(), SLOPES[which], rtol=1e-12)
    for at in range(4):
        with qd.ad.FwdMode(loss=loss, param=x, seed=[float(i == at) for i in range(4)]):
            run()
        np.testing.assert_allclose(loss.dual[None], SLOPES[which][at], rtol=1e-12)


@pytest.mark.parametrize("which", SLOPES)
def test_torch_gets_finite_gradients(which):
    function = joggle.torch.function(kernel_of(which), outputs="y")
    x = torch.tensor(X, requires_grad=True)
    y = function(x)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), SLOPES[which], rtol=1e-12)


@pytest.mark.parametrize("which", SLOPES)
def test_grad_and_jvp_agree(which):
    function = qd.function(kernel_of(which), outputs="y")

    def total(x):
        return jg.sum(function(x))

    x = jg.asarray(X)
    np.testing.assert_allclose(jg.grad(total)(x).tolist(), SLOPES[which], rtol=1e-12)
    _, (slope,) = jg.jvp(total, (x,), (jg.ones(4, dtype=jg.float64),))
    np.testing.assert_allclose(slope.item(), sum(SLOPES[which]), rtol=1e-12)


@qd.kernel
def decide(
    x: qd.types.ndarray(), b: qd.types.ndarray(), p: qd.types.ndarray(), y: qd.types.ndarray()
):
    for i in range(x.shape[0]):
        s = x[i]
        total = 0.0
        for k in range(3):
            product = s * b[i]
            if product - p[i] != 0:  # not if the product is rounded before
                for _ in range(2):
                    s = s * s * (1.5 + k)
            total += qd.sin(product)
        y[i] = total


def decided(x, b, taken):
    s, total = x, 0
    for k in range(3):
        total = total + torch.sin(s * b)
        s = (s * s * (1.5 + k)) ** 2 * (1.5 + k) if taken else s
    return total


def test_a_branch_that_rounding_decides_is_the_same_in_both_sweeps():
    draw = np.random.default_rng(0)
    x, b = (torch.tensor(draw.uniform(0.5, 0.9, 64)) for _ in range(2))
    gradients = []
    function = joggle.torch.function(decide, outputs={"y": "x"})
    for compute in (
        lambda x: function(x, b, (x * b).detach()),
        lambda x: decided(x, b, taken=True),
        lambda x: decided(x, b, taken=False),
    ):
        x = x.detach().requires_grad_()
        compute(x).sum().backward()
        gradients.append(x.grad.numpy())
    found, taken, passed_by = gradients
    assert np.all(np.isclose(found, taken) | np.isclose(found, passed_by))


@qd.kernel
def pick(
    x: qd.types.ndarray(), b: qd.types.ndarray(), p: qd.types.ndarray(), y: qd.types.ndarray()
):
    for i in range(x.shape[0]):
        parts = qd.Vector([1.0, 2.0], dt=qd.f64)
        for _ in range(3):
            product = x[i] * b[i]
            at = min(int(abs(product - p[i]) * 1e20), 1)  # 0 if the product is rounded before
            parts[at] = parts[at] * parts[at] * x[i] + product
        y[i] = parts[0] + 3 * parts[1]


def picked(x, b, at):
    parts = [torch.ones_like(x), 2 * torch.ones_like(x)]
    for _ in range(3):
        parts[at] = parts[at] * parts[at] * x + x * b
    return parts[0] + 3 * parts[1]


def test_an_index_that_rounding_decides_is_the_same_in_both_sweeps():
    draw = np.random.default_rng(0)
    x, b = (torch.tensor(draw.uniform(0.5, 0.9, 64)) for _ in range(2))
    gradients = []
    function = joggle.torch.function(pick, outputs={"y": "x"})
    for compute in (
        lambda x: function(x, b, (x * b).detach()),
        lambda x: picked(x, b, 0),
        lambda x: picked(x, b, 1),
    ):
        x = x.detach().requires_grad_()
        compute(x).sum().backward()
        gradients.append(x.grad.numpy())
    found, first, second = gradients
    assert np.all(np.isclose(found, first) | np.isclose(found, second))
