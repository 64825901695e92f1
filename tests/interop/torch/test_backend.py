# SPDX-License-Identifier: Apache-2.0
"""torch.compile(model, backend="joggle") on programs: values, gradients, aliases, shapes."""

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

import joggle as jg
import joggle.torch

torch = pytest.importorskip("torch")

from lowered import compare  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def anew():
    torch._dynamo.reset()
    torch.manual_seed(0)


def both(function, *args, **settings):
    """What eager torch and the backend give; random numbers begin alike."""
    compiled = joggle.torch.compile(function, **settings)
    torch.manual_seed(1)
    wanted = function(*args)
    torch.manual_seed(1)
    return compiled(*args), wanted


def test_the_package_declares_the_name():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    entry = importlib.metadata.EntryPoint(
        "joggle", declared["torch_dynamo_backends"]["joggle"], "torch_dynamo_backends"
    )
    assert entry.load() is joggle.torch.backend


def test_the_name_works():
    if "joggle" not in torch._dynamo.list_backends():
        torch._dynamo.register_backend(joggle.torch.backend, name="joggle")
    x = torch.randn(5)
    compiled = torch.compile(lambda x: torch.exp(x) + 1, backend="joggle")
    torch.testing.assert_close(compiled(x), torch.exp(x) + 1)


def test_options_are_refused():
    with pytest.raises(TypeError, match=r"options: got \['fast'\], allowed are none"):
        joggle.torch.backend(None, [], fast=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_floored_quotients_by_infinities_are_eager_torchs(dtype):
    inf = float("inf")
    values = torch.tensor([-inf, -2.5, -0.0, 0.0, 2.5, inf, float("nan")], dtype=dtype)

    def quotients(x):
        by = [x, 2.5, -2.5, inf, -inf]
        return [torch.div(x[:, None], y, rounding_mode="floor") for y in by]

    for found, wanted in zip(*both(quotients, values), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True)


def test_views_share_memory_and_copies_do_not():
    def function(x):
        y = x * 2
        return y, y.clone(), y.t(), x.clone(), x[1:], x.to(x.dtype, copy=True), y.T.contiguous(), x

    x = torch.randn(3, 4)
    found, wanted = both(function, x)
    compare(found, wanted)
    assert found[-1] is x and found[4].data_ptr() == x[1:].data_ptr()
    found[1].zero_()
    found[3].zero_()
    found[5].zero_()
    found[6].zero_()
    compare([found[0], found[2], x], [wanted[0], wanted[2], wanted[-1]])


def test_constants_are_fresh_at_each_call():
    compiled = joggle.torch.compile(lambda x: (x + 1, torch.full((2,), 3.0)))
    compiled(torch.ones(2))[1].zero_()
    assert compiled(torch.ones(2))[1].tolist() == [3.0, 3.0]


def test_arguments_are_mutated_as_in_eager_torch():
    def function(x, y):
        x.add_(1)
        y.t()[0].mul_(2)
        return x * y, x.view(-1)

    mine, theirs = ([torch.arange(9.0).view(3, 3), torch.ones(3, 3)] for _ in range(2))
    wanted = function(*theirs)
    found = joggle.torch.compile(function)(*mine)
    compare([*found, *mine], [*wanted, *theirs])
    assert found[1].data_ptr() == mine[0].data_ptr()


def test_a_model_runs_while_compile_is_disabled():
    x = torch.randn(3, 4)
    joggle.disable_compile()
    try:
        found, wanted = both(lambda x: (x + 1, x.clone(), x.t() * 2), x)
    finally:
        joggle.enable_compile()
    compare(found, wanted)
    assert found[1].data_ptr() != x.data_ptr()


def test_a_call_on_tensors_gives_tensors_and_refuses_others():
    compiled = joggle.compile(lambda x: (x + 1,))
    x = torch.ones(3, requires_grad=True)
    (found,) = joggle._core._call_on_tensors(compiled, [x], torch.Tensor)
    assert type(found) is torch.Tensor and found.tolist() == [2.0, 2.0, 2.0]
    (found,) = joggle._core._call_on_tensors(compiled, [torch._neg_view(x)], torch.Tensor)
    assert found.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(TypeError, match="type: got <class 'int'>, allowed are types with DLPack's"):
        joggle._core._call_on_tensors(compiled, [x], int)
    with pytest.raises(AttributeError, match="__dlpack_device__"):
        joggle._core._call_on_tensors(compiled, [x, "y"], torch.Tensor)


def test_memory_formats_are_taken():
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    found, wanted = both(lambda x: (x + 1, x.mul(2).permute(0, 2, 3, 1), x.sum(1)), x)
    compare(found, wanted)


def test_sizes_may_change_from_call_to_call():
    compiled = joggle.torch.compile(
        lambda x: (x.softmax(-1) * x.shape[0], x.shape[1]), dynamic=True
    )
    for shape in ((2, 3), (5, 7), (2, 3), (4, 1)):
        x = torch.randn(shape)
        found, size = compiled(x)
        torch.testing.assert_close(found, x.softmax(-1) * shape[0])
        assert size == shape[1]


def test_what_the_table_lacks_is_run_by_torch_and_told():
    def function(x):
        return torch.cumprod(x.exp(), 0).sin() + torch.rand(3)

    x = torch.randn(3)
    compare(*([value] for value in both(function, x)))
    told = joggle.torch.explain(function, x)
    assert (told.graphs, told.breaks, told.parts) == (1, [], 2)
    operators = [operator for _, operator, _ in told.fallbacks]
    assert sorted(operators) == ["aten.cumprod.default", "aten.rand.default"]
    assert "inference: aten.cumprod.default is run by torch: not in the table" in str(told)


def test_threads_follow_torch():
    compiled, x = joggle.torch.compile(lambda x: x.exp() + 1), torch.ones(4)
    compiled(x)
    ours, theirs = jg.get_num_threads(), torch.get_num_threads()
    try:
        for count in (1, 3, 2):
            torch.set_num_threads(count)
            compiled(x)
            assert jg.get_num_threads() == count
        jg.set_num_threads(4)
        compiled(x)
        assert jg.get_num_threads() == 4  # nobody has told torch another since
    finally:
        torch.set_num_threads(theirs)
        compiled(x)
        jg.set_num_threads(ours)


def test_indices_out_of_bounds_raise_torchs_error():
    table = torch.randn(4, 3)
    compiled = joggle.torch.compile(lambda i: torch.nn.functional.embedding(i, table) + 1)
    torch.testing.assert_close(compiled(torch.tensor([3, 0])), table[[3, 0]] + 1)
    with pytest.raises(IndexError, match="index out of range in self"):
        compiled(torch.tensor([4, 0]))


class _Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(5, 3)

    def forward(self, indices, number):
        rows = torch.tanh(self.table(indices)) * 2
        return rows.sum(1).long() // number


def test_a_failure_names_the_module_and_the_line():
    compiled = joggle.torch.compile(_Reader())
    compiled(torch.tensor([0, 4]), torch.tensor([1, 1]))
    with pytest.raises(IndexError) as caught:  # in a part of joggle
        compiled(torch.tensor([0, 5]), torch.tensor([1, 1]))
    (note,) = caught.value.__notes__
    assert "aten.embedding" in note and "table (Embedding)" in note
    assert "rows = torch.tanh(self.table(indices)) * 2" in note and "in forward" in note
    with pytest.raises(RuntimeError) as caught:  # in a node of torch
        compiled(torch.tensor([0, 4]), torch.tensor([1, 0]))
    (note,) = caught.value.__notes__
    assert "aten.div" in note and "return rows.sum(1).long() // number" in note
    compiled(torch.tensor([0, 4]), torch.tensor([1, 1]))


def test_integers_divided_by_zero_raise_torchs_error():
    compiled = joggle.torch.compile(lambda x, y: (x // y, x % 3))
    x, y = torch.tensor([7, -7]), torch.tensor([2, 2])
    compare(compiled(x, y), [x // y, x % 3])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        compiled(x, torch.tensor([2, 0]))


def test_halves_are_computed_as_floats():
    x = torch.randn(50).bfloat16()
    found, wanted = both(lambda x: (x * 0.1 + 3, torch.tanh(x), x.sum()), x)
    compare(found, wanted)


class Block(torch.nn.Module):
    """A block of a residual network, with norms that count batches."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(4)
        self.second = torch.nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.second(torch.relu(self.norm(self.first(x)))))


class Mesh(torch.nn.Module):
    """Down and up again, with what was there before beside it."""

    def __init__(self):
        super().__init__()
        self.down = torch.nn.Conv2d(4, 8, 3, padding=1)
        self.up = torch.nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.last = torch.nn.Conv2d(8, 4, 1)

    def forward(self, x):
        inner = torch.nn.functional.max_pool2d(torch.nn.functional.silu(self.down(x)), 2)
        return self.last(torch.cat([x, self.up(inner)], 1))


class Memory(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTM(6, 5, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0]


MODELS = {
    "mlp": (
        lambda: torch.nn.Sequential(
            torch.nn.Linear(6, 16),
            torch.nn.LayerNorm(16),
            torch.nn.GELU(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(16, 3),
        ),
        (8, 6),
    ),
    "residual block": (Block, (2, 4, 8, 8)),
    "u-net": (Mesh, (2, 4, 8, 8)),
    "lstm": (Memory, (3, 4, 6)),
    "transformer": (
        lambda: torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True),
        (2, 5, 16),
    ),
}


def _train(model, x, steps, compile, optimizer):
    """Losses, parameters and buffers of a model that learns to give one number everywhere."""
    run = joggle.torch.compile(model) if compile else model
    losses = []
    torch.manual_seed(2)
    for _ in range(steps):
        optimizer.zero_grad()
        found = run(x)
        loss = ((found - 0.5) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [torch.stack(losses), *model.state_dict().values()]


def _trained(name, dtype, make_optimizer):
    """Results of 20 steps by the backend and by torch."""
    make, shape = MODELS[name]
    x = torch.randn(shape, dtype=dtype)
    results = []
    for compile in (True, False):
        torch.manual_seed(3)
        model = make().to(dtype)
        results.append(_train(model, x, 20, compile, make_optimizer(model.parameters())))
    return zip(*results, strict=True)


@pytest.mark.parametrize("name", MODELS)
def test_models_train_as_in_torch(name):
    for found, wanted in _trained(
        name, torch.float32, lambda given: torch.optim.SGD(given, lr=0.05, momentum=0.9)
    ):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_adam_trains_a_transformer():
    """In float64: Adam makes whole steps of gradients that are 0 but for rounding, as those of the
    keys' biases are."""
    for found, wanted in _trained(
        "transformer", torch.float64, lambda given: torch.optim.AdamW(given, lr=1e-2)
    ):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
