# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch through the backend: what wraps a model, and how its parameters are held."""

import contextlib
import copy

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
nn = torch.nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 20, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, x):
        return self.out(torch.relu(self.embedding(x)))


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        inner = torch.utils.checkpoint.checkpoint(
            lambda y: torch.tanh(self.first(y)), x, use_reentrant=False
        )
        return self.second(inner)


def _mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))


def _images():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))


def _autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def _rows():
    return torch.randn(4, 8)


# A model, its input, a tolerance, and what is entered around the call.
PROGRAMS = {
    "tied": (Tied, lambda: torch.randint(0, 20, (3, 4)), 1e-5, contextlib.nullcontext),
    "checkpoint": (Checkpointed, _rows, 1e-5, contextlib.nullcontext),
    "autocast": (_mlp, _rows, 2e-2, _autocast),
    "bfloat16": (
        lambda: _mlp().bfloat16(),
        lambda: _rows().bfloat16(),
        3e-2,
        contextlib.nullcontext,
    ),
    "dropout": (
        lambda: nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5)),
        _rows,
        1e-5,
        contextlib.nullcontext,
    ),
    "batch norm": (_images, lambda: torch.randn(2, 3, 8, 8), 1e-4, contextlib.nullcontext),
    "channels last": (
        lambda: _images().to(memory_format=torch.channels_last),
        lambda: torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last),
        1e-4,
        contextlib.nullcontext,
    ),
}


def _close(ours, theirs, tolerance):
    assert ours.dtype == theirs.dtype and ours.stride() == theirs.stride()
    torch.testing.assert_close(ours.float(), theirs.float(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_gradients_are_eager_torchs(name):
    make, give, tolerance, around = PROGRAMS[name]
    torch.manual_seed(0)
    theirs = make()
    ours, x = copy.deepcopy(theirs), give()
    compiled, results = joggle.torch.compile(ours), []
    for model in (compiled, theirs):
        torch.manual_seed(1)
        with around():
            results.append(model(x))
        results[-1].float().sum().backward()
    _close(*results, tolerance)
    for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        _close(own.grad, other.grad, 10 * tolerance)
    for own, other in zip(ours.buffers(), theirs.buffers(), strict=True):
        _close(own, other, tolerance)


@pytest.mark.parametrize(
    ("inside", "outside", "groups"), [(4, 4, 1), (4, 3, 1), (4, 2, 2), (4, 4, 2), (6, 5, 3)]
)
def test_transposed_convolutions_are_joggles(inside, outside, groups):
    torch._dynamo.reset()
    torch.manual_seed(0)
    theirs = nn.ConvTranspose2d(inside, outside * groups, 3, 2, 1, 1, groups)
    ours, x = copy.deepcopy(theirs), torch.randn(2, inside, 5, 4)
    with reporting() as report:
        found, wanted = joggle.torch.compile(ours)(x), theirs(x)
        _close(found, wanted, 1e-5)
        found.square().sum().backward()
        wanted.square().sum().backward()
    for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        _close(own.grad, other.grad, 1e-4)
    assert [graph.cut.reasons for made in report for graph in made.all()] == [{}, {}]


def test_a_model_runs_in_inference_mode():
    model, x = _mlp(), _rows()
    compiled = joggle.torch.compile(model)
    with torch.inference_mode():
        _close(compiled(x), model(x), 1e-5)


def test_a_tied_weight_is_one_parameter_after_training():
    torch.manual_seed(0)
    model, x = Tied(), torch.randint(0, 20, (3, 4))
    optimizer, compiled = torch.optim.SGD(model.parameters(), 0.1), joggle.torch.compile(model)
    before = model.embedding.weight.detach().clone()
    compiled(x).square().mean().backward()
    optimizer.step()
    assert model.out.weight is model.embedding.weight
    assert not torch.equal(before, model.out.weight)


def test_more_shapes_than_are_kept_are_computed():
    double = torch.compile(lambda x: (x * 2).sum(0), backend=joggle.torch.backend, dynamic=True)
    for rows in [*range(1, 90), 1, 50]:
        assert torch.equal(double(torch.ones(rows, 3)), torch.full((3,), 2.0 * rows))
