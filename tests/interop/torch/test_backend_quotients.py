# SPDX-License-Identifier: Apache-2.0
"""Quotients of steps like Adam's through torch.compile's backend: one division for each element,
values within a few units in the last place of float64's, and what is of another form stays.
Quotients by norms, which are products with an inverse. What is multiplied by one, which has memory
of its own nevertheless."""

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")

STEPS = {
    "s": lambda x, v, s, t, e: x / (v.sqrt() / s + 1e-8),
    "s and t": lambda x, v, s, t, e: x / ((v.sqrt() / s + 1e-8) / t),
    "e is a tensor": lambda x, v, s, t, e: x / (v.sqrt() / s + e),
    "s and e have t": lambda x, v, s, t, e: x / (v.sqrt() / (s * t) + e * t.reciprocal()),
    "s is negative": lambda x, v, s, t, e: x / (v.sqrt() / -s + e / -t),
}
OTHERS = {
    "no root": lambda x, v, s, t, e: x / (v / s + e),
    "a weight of e": lambda x, v, s, t, e: x / torch.add(v.sqrt() / s, e, alpha=2),
    "rows": lambda x, v, s, t, e: x / (v.sqrt() / v[:, :1] + e),
    "wider": lambda x, v, s, t, e: x[None] / (v[0].sqrt() / s + e),
    "bfloat16": lambda x, v, s, t, e: x.bfloat16() / (v.bfloat16().sqrt() / s.bfloat16() + 1e-3),
}


def _given(dtype):
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(37, 41, generator=generator, dtype=torch.float64)
    v = torch.rand(37, 41, generator=generator, dtype=torch.float64)
    v[0], v[1], x[2], v[3] = 0.0, 1e-12, 0.0, 1e30
    numbers = [torch.tensor(value, dtype=torch.float64) for value in (0.0316, 0.01, 1e-3)]
    return [a.to(dtype) for a in (x, v, *numbers)]


def _divisions(report):
    graphs = [graph for made in report for graph in made.all()]
    return sum(
        node.target is torch.ops.aten.div.Tensor and node.meta["val"].numel() > 1
        for graph in graphs
        for node in graph.module.graph.nodes
    )


def _found(step, given):
    torch._dynamo.reset()
    with reporting() as report, torch.no_grad():
        found = joggle.torch.compile(step)(*given)
    return found, _divisions(report)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", STEPS)
def test_one_division_is_left(name, dtype):
    given = _given(dtype)
    found, count = _found(STEPS[name], given)
    wanted = STEPS[name](*(x.double() for x in given))
    few = 4 * torch.finfo(dtype).eps if dtype == torch.float32 else 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(found.double(), wanted, rtol=few, atol=0)
    assert count == 1


@pytest.mark.parametrize("name", OTHERS)
def test_other_quotients_are_as_they_were(name):
    given = _given(torch.float32)
    found, count = _found(OTHERS[name], given)
    torch.testing.assert_close(found, OTHERS[name](*given), equal_nan=True)
    assert count == 2


def test_a_divisor_that_is_read_again_stays():
    def step(x, v, s, t, e):
        below = v.sqrt() / s + 1e-8
        return x / below, below

    given = _given(torch.float32)
    found, count = _found(step, given)
    torch.testing.assert_close(found, step(*given), rtol=1e-6, atol=0)
    assert count == 2


def test_what_is_not_finite_is_as_in_eager_torch():
    x = torch.tensor([0.0, 1.0, -1.0, float("inf"), float("inf"), float("nan"), 2.0])
    v = torch.tensor([0.0, 0.0, float("inf"), 1.0, float("inf"), 1.0, float("nan")])
    s, t, e = (torch.tensor(value) for value in (0.5, 0.25, 0.0))
    for step in STEPS.values():
        found, _ = _found(step, (x, v, s, t, e))
        torch.testing.assert_close(found, step(x, v, s, t, e), equal_nan=True, rtol=1e-6, atol=0)


@pytest.mark.parametrize("how", [dict(foreach=True), dict(foreach=False), dict(amsgrad=True)])
def test_steps_of_adam_are_near_those_in_float64(how):
    def stepped(compile, dtype):
        torch.manual_seed(4)
        parameters = [torch.nn.Parameter(torch.randn(33, 7).to(dtype)) for _ in range(2)]
        optimizer = torch.optim.Adam(parameters, lr=1e-2, weight_decay=0.1, **how)
        step = joggle.torch.compile(optimizer.step) if compile else optimizer.step
        for _ in range(5):
            for p in parameters:
                p.grad = p.detach().sin()
            step()
        return [p.detach().double() for p in parameters]

    torch._dynamo.reset()
    wanted = stepped(False, torch.float64)
    torch.testing.assert_close(stepped(True, torch.float32), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
@pytest.mark.parametrize("how", [dict(foreach=True), dict(foreach=False), dict(amsgrad=True)])
def test_a_learning_rate_of_zero_moves_nothing(kind, how):
    """As where a schedule begins with it; rows without a gradient have a root of 0."""
    torch.manual_seed(4)
    parameter = torch.nn.Parameter(torch.randn(33, 7))
    begin = parameter.detach().clone()
    optimizer = kind([parameter], lr=0.0, **how)
    torch._dynamo.reset()
    step = joggle.torch.compile(optimizer.step)
    for _ in range(2):
        parameter.grad = begin.sin()
        parameter.grad[::3] = 0
        step()
        assert torch.equal(parameter.detach(), begin)
    optimizer.param_groups[0]["lr"] = 1e-2
    parameter.grad = begin.sin()
    step()
    assert parameter.isfinite().all() and not torch.equal(parameter.detach()[1], begin[1])


CORNERS = [
    dict(foreach=True, lr=0.0, eps=0.0),
    dict(foreach=False, lr=0.0, eps=0.0),
    dict(foreach=False, lr=torch.tensor(0.0), eps=0.0, maximize=True),
    dict(foreach=False, lr=0.0, eps=0.0, amsgrad=True, weight_decay=0.1),
    dict(foreach=False, lr=0.0, eps=1e-8, maximize=True),
    dict(foreach=False, lr=1e-2, eps=0.0, amsgrad=True),
    dict(foreach=True, lr=1e-2, eps=0.0, weight_decay=0.1, maximize=True),
]


@pytest.mark.parametrize("how", CORNERS, ids=str)
def test_corners_of_adam_are_nan_where_they_are_in_eager_torch(how):
    """Gradients that are 0, as are their squares, and large ones; where nothing moves, not a bit
    differs."""

    def stepped(compile):
        parameter = torch.nn.Parameter(torch.arange(1.0, 8.0))
        optimizer = torch.optim.Adam([parameter], **how)
        step = joggle.torch.compile(optimizer.step) if compile else optimizer.step
        for times in (1.0, -0.5, 0.25):
            parameter.grad = times * torch.tensor([0.0, -0.0, 1e-30, 1e-15, 1.0, -1.0, 1e10])
            step()
        return parameter.detach()

    torch._dynamo.reset()
    wanted = stepped(False)
    close = dict(rtol=0, atol=0) if not float(how["lr"]) else dict(rtol=1e-6, atol=0)
    torch.testing.assert_close(stepped(True), wanted, equal_nan=True, **close)


_functional = torch.nn.functional
NORMS = {
    "cosine": lambda x, y: _functional.cosine_similarity(x, y, -1),
    "normalize": lambda x, y: _functional.normalize(x, dim=-1),
    "columns": lambda x, y: _functional.normalize(y, dim=0, p=1.0),
    "all": lambda x, y: x / torch.linalg.vector_norm(y, dim=(0, 1), keepdim=True).clamp(min=1e-6),
}


@pytest.mark.parametrize("name", NORMS)
def test_norms_are_inverted_once_for_each_row(name):
    generator = torch.Generator().manual_seed(5)
    given = [torch.randn(33, 65, generator=generator) for _ in range(2)]
    given[0][3], given[0][4], given[1][5] = 0.0, 1e-20, 1e15
    found, count = _found(NORMS[name], given)
    wanted = NORMS[name](*(x.double() for x in given))
    torch.testing.assert_close(found.double(), wanted, rtol=2e-6, atol=2e-7)
    assert count == 0


def test_norms_that_are_not_finite_are_as_in_eager_torch():
    x = torch.ones(4, 8)
    x[0, 1], x[1, 0], x[2] = float("inf"), float("nan"), 0.0
    for program in (NORMS["cosine"], NORMS["normalize"]):
        found, _ = _found(program, (x, x))
        torch.testing.assert_close(found, program(x, x), equal_nan=True)


def test_other_bounds_divide():
    programs = (
        lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=1e-38),
        lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True),
        lambda x: torch.round(x / x.abs().amax(-1, keepdim=True).clamp(min=1e-8) * 127),
    )
    x = torch.randn(33, 65, generator=torch.Generator().manual_seed(6))
    for program in programs:
        found, count = _found(program, (x,))
        torch.testing.assert_close(found, program(x))
        assert count == 1


def test_what_is_multiplied_by_one_has_memory_of_its_own():
    def run(x, y):
        once = x * 1
        y.mul_(1.0)
        return once, once * 1, x * 1.0 + 1, y / 1, torch.arange(3) * 1, x.int() * 1.0

    torch._dynamo.reset()
    x, y = torch.tensor([1.0, -0.0, float("nan")]), torch.ones(2)
    found = joggle.torch.compile(run)(x, y)
    for ours, theirs in zip(found, run(x, y), strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True, rtol=0, atol=0)
    assert found[0].signbit()[1]
    assert len({a.data_ptr() for a in (x, y, *found)}) == len(found) + 2


def test_a_full_tensor_times_one_costs_no_memory():
    """As the weights of torch's own lerp of lists are, in a step of Adam."""

    def run(x):
        return torch.full_like(x, 0.25) * 1 * x

    torch._dynamo.reset()
    x = torch.rand(1 << 20)
    before = joggle.get_active_memory()
    found = joggle.torch.compile(run)(x)
    torch.testing.assert_close(found, run(x), rtol=0, atol=0)
    del found
    assert joggle.get_active_memory() - before < x.nbytes
