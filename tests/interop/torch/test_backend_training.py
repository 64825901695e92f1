# SPDX-License-Identifier: Apache-2.0
"""Gradients through the backend where programs do more than a forward and a backward pass, beside
eager torch; and what a first step imports."""

import subprocess
import sys
from operator import getitem

import pytest

import joggle.torch
from joggle._torch.partition import merge_equal

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


def _both(function, make):
    """What (run, tensors) gives of the function compiled and as it is."""
    return [function(run, make()) for run in (joggle.torch.compile(_layer), _layer)]


def _layer(x, w, seen):
    seen.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
    h = F.gelu(x @ w)
    return F.layer_norm(h @ w.t(), (x.shape[-1],)) + seen


def _tensors():
    torch.manual_seed(0)
    x, w = (torch.randn(n, dtype=torch.float64, requires_grad=True) for n in ((5, 4), (4, 3)))
    return x, w, torch.zeros(4, dtype=torch.float64)


def test_a_graph_that_is_retained_gives_its_gradients_again():
    def grads(run, given):
        x, w, seen = given
        loss = run(x, w, seen).square().sum()
        loss.backward(retain_graph=True)
        loss.backward()
        return [x.grad, w.grad, seen]

    torch.testing.assert_close(*_both(grads, _tensors))


def test_gradients_of_two_calls_are_added_up():
    def grads(run, given):
        x, w, seen = given
        first, second = run(x, w, seen), run(x * 2, w, seen)
        (first * second).sum().backward()
        return [x.grad, w.grad, seen]

    torch.testing.assert_close(*_both(grads, _tensors))


def test_gradients_of_gradients_are_refused_by_torch():
    x, w, seen = _tensors()
    loss = joggle.torch.compile(_layer)(x, w, seen).sum()
    (grad,) = torch.autograd.grad(loss, x, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        grad.sum().backward()


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_may_be_around_or_inside_of_a_program(reentrant):
    from torch.utils.checkpoint import checkpoint

    def inner(x, w):
        return F.silu(x @ w) @ w.t()

    def inside(x, w):
        return checkpoint(inner, x, w, use_reentrant=False).sum()

    def grads(run):
        x, w, _ = _tensors()
        run(x, w).backward()
        return [x.grad, w.grad]

    compiled = joggle.torch.compile(inner)

    def around(x, w):
        return checkpoint(compiled, x, w, use_reentrant=reentrant).sum()

    wanted = grads(lambda x, w: inner(x, w).sum())
    torch.testing.assert_close(grads(around), wanted)
    torch.testing.assert_close(grads(joggle.torch.compile(inside)), wanted)


def test_tied_weights_and_parts_of_weights_train_as_in_eager_torch():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(7, 4)
            self.head = torch.nn.Linear(4, 7, bias=False)
            self.head.weight = self.embedding.weight
            self.register_buffer("count", torch.zeros(7))

        def forward(self, x):
            self.count[x] += 1
            with torch.no_grad():
                self.embedding.weight[0].mul_(0.5)
            return self.head(self.embedding(x).tanh())

    states = []
    for compile in (True, False):
        torch.manual_seed(1)
        model, x = Tied(), torch.tensor([1, 3, 0])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = joggle.torch.compile(model) if compile else model
        step = joggle.torch.compile(optimizer.step) if compile else optimizer.step
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(run(x), x).backward()
            step()
        assert model.head.weight is model.embedding.weight
        states.append(model.state_dict())
    torch.testing.assert_close(*states)


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("ceil", [False, True])
def test_pooling_gives_the_places_of_eager_torch(padding, ceil):
    """Equal elements, infinities and NaN in windows that reach beyond the image."""
    x = torch.arange(2 * 3 * 7 * 6.0).remainder(5).view(2, 3, 7, 6)
    x[0, 0, 2:5, 1:4] = -torch.inf
    x[0, 1, 3, 3], x[0, 1, 4, 4], x[1, 0] = torch.nan, torch.nan, -torch.inf

    def function(x):
        found, places = F.max_pool2d(
            x, (3, 2), (2, 1), padding, (1, 2), ceil_mode=ceil, return_indices=True
        )
        return found, places, F.max_pool2d(x[0], 2, return_indices=True)[1]

    for y in (x, x.to(memory_format=torch.channels_last), x.bfloat16(), x.transpose(2, 3)):
        found, wanted = joggle.torch.compile(function)(y), function(y)
        torch.testing.assert_close(found, wanted, equal_nan=True)
        assert joggle.torch.explain(function, y).fallbacks == []


def test_equal_nodes_are_merged_and_draws_are_not():
    aten = torch.ops.aten

    def function(x):
        a, b = aten.sin.default(x), aten.sin.default(x)
        ones = aten.mul.Tensor(x, 1), aten.mul.Tensor(x, 1.0), aten.mul.Tensor(x, True)
        drawn = aten.rand_like.default(x), aten.rand_like.default(x)
        parts = [aten.split.Tensor(x, 1)[i] for i in (0, 0, 1)]
        return sum([a, b, *ones, *drawn, *parts])

    graph = torch.fx.symbolic_trace(function).graph
    before = [node.target for node in graph.nodes]
    merge_equal(graph)
    after = [node.target for node in graph.nodes]
    gone = {target: before.count(target) - after.count(target) for target in set(before)}
    assert {target: n for target, n in gone.items() if n} == {
        aten.sin.default: 1,
        aten.split.Tensor: 2,
        getitem: 1,
    }


def test_a_first_step_imports_no_compiler_of_torchs():
    program = """
import sys, torch
f = torch.compile(lambda x, w: torch.tanh(x @ w).sum(), backend="joggle")
f(torch.ones(3, 3, requires_grad=True), torch.ones(3, 3)).backward()
print([m for m in sys.modules if m.startswith("torch._inductor.") and "lowering" in m])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr
