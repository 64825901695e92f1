# SPDX-License-Identifier: Apache-2.0
"""Graphs with sizes and numbers that values of tensors tell, which torch runs."""

import pytest

import joggle.torch
from joggle._torch.backend import Shapes, reporting

torch = pytest.importorskip("torch")

from torch._higher_order_ops import while_loop  # noqa: E402


@pytest.fixture(autouse=True)
def _anew():
    torch._dynamo.reset()
    torch.manual_seed(0)
    late = {"capture_dynamic_output_shape_ops": True, "capture_scalar_outputs": True}
    with torch._dynamo.config.patch(**late):
        yield


def _first(x, n):
    return x[: n.item()] * 2


def _several(x, n):
    y, count = x.exp(), n.item()
    torch._check(count <= x.shape[0])
    return y[:count] * 3, y.sum(), count


def _first_that_are_changed(x, n):
    y = x.clone()
    y[: n.item()].mul_(2)
    return y[1:], y


PROGRAMS = {
    "a number": lambda x, n: x * n.item(),
    "a list": lambda x, n: x * n.reshape(1).tolist()[0],
    "the first": _first,
    "the first that are changed": _first_that_are_changed,
    "several results": _several,
    "a mask": lambda x, n: x[x > 0] * 2,
    "a mask of rows": lambda x, n: x.reshape(-1, 1)[x > 0].sin() + n,
    "places": lambda x, n: x[(x > 0).nonzero()[:, 0]].exp(),
    "repeated": lambda x, n: x.repeat_interleave(torch.stack([n] * x.shape[0])) * 2,
    "repeated alike": lambda x, n: x.repeat_interleave(n.repeat(x.shape[0])).sin(),
    "unique": lambda x, n: x + torch.unique(x.detach().round()).sum(),
}


def _check(function, compiled, x, n):
    mine = [x.detach().clone().requires_grad_(x.requires_grad) for _ in range(2)]
    results = []
    for run, given in zip((compiled, function), mine, strict=True):
        found = run(given, n)
        results.append(found if isinstance(found, tuple) else (found,))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b)
        if isinstance(a, torch.Tensor):
            assert a.stride() == b.stride()
    if x.requires_grad:
        for outputs in results:
            outputs[0].square().sum().backward()
        torch.testing.assert_close(mine[0].grad, mine[1].grad)


@pytest.mark.part(2, of="with_gradients is_dynamic")
@pytest.mark.parametrize("with_gradients", [False, True])
@pytest.mark.parametrize("is_dynamic", [None, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_that_values_tell_are_those_of_eager_torch(name, is_dynamic, with_gradients):
    function = PROGRAMS[name]
    compiled = joggle.torch.compile(function, dynamic=is_dynamic)
    for size, count in ((6, 2), (6, 3), (9, 4), (9, 0), (6, 2)):
        x = torch.randn(size, requires_grad=with_gradients)
        _check(function, compiled, x, torch.tensor(count))


@pytest.mark.parametrize("is_dynamic", [None, True])
def test_loops_run_with_sizes_that_calls_tell(is_dynamic):
    def loop(x, n):
        return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), (n * 0, x))[1] + 1

    compiled = joggle.torch.compile(loop, dynamic=is_dynamic)
    for size, count in ((6, 2), (6, 3), (9, 4), (9, 0)):
        _check(loop, compiled, torch.randn(size), torch.tensor(count))


def test_arguments_are_written_by_sizes_that_values_tell():
    def write(x, n):
        x[: n.item()].mul_(2)
        return x.sum()

    compiled = joggle.torch.compile(write)
    for count in (2, 3, 0):
        mine, theirs = torch.ones(5), torch.ones(5)
        found, wanted = compiled(mine, torch.tensor(count)), write(theirs, torch.tensor(count))
        torch.testing.assert_close((found, mine), (wanted, theirs))


def test_one_graph_is_made_for_all_sizes_and_explained():
    with reporting() as report:
        compiled = joggle.torch.compile(_first, dynamic=True)
        for size in (6, 9, 12):
            compiled(torch.randn(size), torch.tensor(size // 2))
    (shapes,) = report
    assert isinstance(shapes, Shapes) and len(shapes.all()) == 1
    told = joggle.torch.explain(_first, torch.randn(6), torch.tensor(2))
    assert told.parts == 0 and told.graphs == 1
    assert {reason for _, _, reason in told.fallbacks} == {"its graph has sizes that values tell"}
    assert "aten.mul.Tensor" in [operator for _, operator, _ in told.fallbacks]


def test_an_error_names_the_place():
    def take(x, n):
        return x[: n.item()].index_select(0, n.reshape(1))

    with pytest.raises((IndexError, RuntimeError)) as raised:
        joggle.torch.compile(take)(torch.ones(4), torch.tensor(2))
    assert "index_select" in "".join(raised.value.__notes__)
