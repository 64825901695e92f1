# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays inside of PyTorch's autograd."""

import numpy as np
import pytest

import joggle as jg
import joggle.torch

torch = pytest.importorskip("torch")


def ours(x, w, *, scale=1.0):
    return {"y": jg.tanh(x @ w) * scale, "total": [jg.sum(x * x)]}


def theirs(x, w, *, scale=1.0):
    return {"y": torch.tanh(x @ w) * scale, "total": [torch.sum(x * x)]}


def operands(dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 3, generator=generator, dtype=dtype, requires_grad=True)
    w = torch.randn(3, 2, generator=generator, dtype=dtype, requires_grad=True)
    return x, w


def loss(result):
    return (result["y"] ** 3).sum() + result["total"][0] ** 2


def test_a_function_trains_inside_of_a_torch_model():
    generator = torch.Generator().manual_seed(1)
    data = torch.randn(64, 3, generator=generator)
    target = torch.sin(data.sum(1, keepdim=True))
    layer = joggle.torch.function(lambda x, w, b: jg.maximum(x @ w + b, 0.0))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(2)
            self.first, self.second = torch.nn.Linear(3, 32), torch.nn.Linear(32, 1)

        def forward(self, x):
            return self.second(layer(x, self.first.weight.T, self.first.bias))

    def train(model, forward):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        losses = []
        for _ in range(30):
            optimizer.zero_grad()
            value = ((forward(data) - target) ** 2).mean()
            value.backward()
            optimizer.step()
            losses.append(value.item())
        return losses

    mixed, plain = Model(), Model()
    got = train(mixed, mixed)
    want = train(plain, lambda x: plain.second(torch.relu(plain.first(x))))
    np.testing.assert_allclose(got, want, rtol=1e-4)
    assert got[-1] < 0.8 * got[0]


def test_gradients_are_those_of_torch():
    function = joggle.torch.function(ours)
    for scale in (1.0, 2.5):
        gradients = []
        for call in (function, theirs):
            x, w = operands()
            gradients.append(torch.autograd.grad(loss(call(x, w, scale=scale)), (x, w)))
        for a, b in zip(*gradients, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_gradients_of_gradients_are_those_of_torch():
    function = joggle.torch.function(ours)
    found = []
    for call in (function, theirs):
        x, w = operands()
        first = torch.autograd.grad(loss(call(x, w)), (x, w), create_graph=True)
        found.append(torch.autograd.grad(sum((g**2).sum() for g in first), (x, w)))
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-11)


def test_torchs_gradcheck_accepts_a_function():
    function = joggle.torch.function(lambda x, w: jg.exp(x[::2] * 0.3) @ w)
    x, w = operands()
    assert torch.autograd.gradcheck(function, (x, w))
    assert torch.autograd.gradgradcheck(function, (x, w))


def test_tensors_are_used_in_place():
    seen = []
    function = joggle.torch.function(lambda x: seen.append(x) or x + 1)
    x = torch.arange(6.0).reshape(2, 3)
    y = function(x)
    torch.testing.assert_close(y, x + 1)
    assert torch.from_dlpack(seen[0]).data_ptr() == x.data_ptr()


def test_a_result_in_an_inputs_memory_is_a_copy():
    function = joggle.torch.function(lambda x: x[1:])
    x = torch.arange(4.0)
    y = function(x)
    y += 10
    assert x.tolist() == [0, 1, 2, 3]


def test_only_what_needs_a_gradient_has_one():
    x, w = operands()
    result = joggle.torch.function(ours)(x.detach(), w)
    loss(result).backward()
    assert x.grad is None
    assert w.grad is not None
    with torch.no_grad():
        assert not joggle.torch.function(ours)(x, w)["y"].requires_grad


def test_integers_pass_and_have_no_gradient():
    function = joggle.torch.function(lambda x, i: (x[i], jg.argmax(x)))
    x = torch.tensor([1.0, 3.0, 2.0])
    taken, place = function(x, torch.tensor([2, 0]))
    assert taken.tolist() == [2, 1]
    assert place.item() == 1
    assert not place.requires_grad


def test_an_input_that_was_changed_before_backward_is_an_error_of_torch():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = joggle.torch.function(lambda y: jg.sum(y * y))(y)
    y.data.add_(0)  # unnoticed by torch, and harmless
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_complex_gradients_follow_torch():
    z = torch.tensor([1 + 2j, -0.5 + 1j], dtype=torch.complex128, requires_grad=True)
    found = []
    for call in (
        joggle.torch.function(lambda z: jg.sum(jg.abs(jg.exp(z)))),
        lambda z: z.exp().abs().sum(),
    ):
        found.append(torch.autograd.grad(call(z), z)[0])
    torch.testing.assert_close(*found)


def test_compiled_functions_are_functions_too():
    function = joggle.torch.function(jg.compile(ours))
    for _ in range(2):
        x, w = operands()
        got = torch.autograd.grad(loss(function(x, w)), (x, w))
        want = torch.autograd.grad(loss(theirs(x, w)), (x, w))
        for a, b in zip(got, want, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_derivatives_of_any_order_are_those_of_torch():
    def derivatives(function):
        x = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
        w = torch.tensor([0.5, 3.0], dtype=torch.float64, requires_grad=True)
        found = [function(x, w)]
        for _ in range(4):
            slopes = torch.autograd.grad(found[-1].sum(), (x, w), create_graph=True)
            found.append(slopes[0] + slopes[1] ** 2)
        return found

    ours = joggle.torch.function(lambda x, w: jg.sum(x**4 * w**3))
    theirs = derivatives(lambda x, w: torch.sum(x**4 * w**3))
    for a, b in zip(derivatives(ours), theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="kernel: got int"):
        joggle.torch.function(3)
    with pytest.raises(TypeError, match="outputs, adjoint: allowed for kernels alone"):
        joggle.torch.function(ours, outputs="y")
    with pytest.raises(TypeError, match=r"\[torch.function\] <lambda>: result is str"):
        joggle.torch.function(lambda x: "text")(torch.ones(2))


def test_a_function_is_a_graph_break_where_torch_compiles():
    function = joggle.torch.function(lambda x: jg.sin(x) * 2)

    @torch.compile(backend="eager")
    def whole(x):
        return function(x + 1) * 3

    x = torch.ones(3, requires_grad=True)
    y = whole(x)
    torch.testing.assert_close(y, torch.sin(x + 1) * 6)
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.cos(x.detach() + 1) * 6)


def test_torch_refuses_forward_mode_and_its_own_transformations():
    """As the function's text says: forward mode, and torch.func's transformations."""
    function = joggle.torch.function(lambda x: jg.sin(x))
    with pytest.raises(RuntimeError, match="functorch transforms"):
        torch.func.grad(lambda x: function(x).sum())(torch.ones(3))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(NotImplementedError, match="jvp function"):
            function(dual)


def test_a_result_that_is_changed_before_backward_is_noticed():
    function = joggle.torch.function(lambda x: jg.exp(x))
    x = torch.zeros(2, requires_grad=True)
    y = function(x)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_results_in_one_memory_are_apart():
    def function(x):
        y = x * 2
        return y, y[1:], y

    x = torch.ones(4, requires_grad=True)
    results = joggle.torch.function(function)(x)
    assert len({each.untyped_storage().data_ptr() for each in results}) == 3
    (results[1] ** 2).sum().backward()
    assert x.grad.tolist() == [0.0, 8.0, 8.0, 8.0]
