# SPDX-License-Identifier: Apache-2.0
"""Attention and rotary positions through torch.compile's backend: values, gradients, and that they
are one op of joggle's, or one pass."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")
attend = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(autouse=True)
def anew():
    torch._dynamo.reset()
    torch.manual_seed(0)


MASK = torch.arange(35).view(5, 7) % 3 > 0
MASK[2] = False
NUMBERS = torch.linspace(-1, 1, 70).view(2, 1, 5, 7)


def _heads(x):
    return (a.view(2, 6, 4, 8).transpose(1, 2) for a in x.chunk(3, -1))


_THREE = [(2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 8)]
PROGRAMS = {  # a function, and the shapes of what it takes
    "plain": (attend, _THREE),
    "causal": (lambda q, k, v: attend(q, k, v, is_causal=True), _THREE),
    "causal, square": (lambda q, k, v: attend(q, k, v, is_causal=True), [(2, 4, 5, 8)] * 3),
    "a row without keys": (lambda q, k, v: attend(q, k, v, MASK), _THREE),
    "numbers to add": (
        lambda q, k, v: attend(q, k, v, NUMBERS.to(q.dtype), scale=0.3),
        _THREE,
    ),
    "fewer heads of keys": (
        lambda q, k, v: attend(q, k, v, enable_gqa=True),
        [(2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8)],
    ),
    "three axes": (attend, [(4, 5, 8), (4, 7, 8), (4, 7, 8)]),
    "joint projections": (lambda x: attend(*_heads(x)), [(2, 6, 96)]),
    "positions first again": (
        lambda x: attend(*_heads(x)).transpose(1, 2).reshape(2, 6, 32),
        [(2, 6, 96)],
    ),
}


def _run(function, tensors, dtype, needs):
    given = [x.to(dtype, copy=True).requires_grad_(needs) for x in tensors]
    torch.manual_seed(1)
    found = function(*given)
    if needs:
        weights = torch.linspace(0.5, 1.5, found.numel(), dtype=dtype).view(found.shape)
        (found * weights).sum().backward()
    return [found.detach(), *(x.grad for x in given if needs)], found.stride()


@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_attention_is_eager_torchs(name, needs):
    function, shapes = PROGRAMS[name]
    tensors = [torch.randn(shape) for shape in shapes]
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-9), (torch.bfloat16, 4e-2)):
        torch._dynamo.reset()
        found, strides = _run(joggle.torch.compile(function), tensors, dtype, needs)
        wanted, theirs = _run(function, tensors, dtype, needs)
        torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)
        assert strides == theirs


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_of_attention_is_left_to_torch(name):
    function, shapes = PROGRAMS[name]
    tensors = [torch.randn(shape, requires_grad=True) for shape in shapes]
    told = joggle.torch.explain(function, *tensors)
    assert (told.graphs, told.breaks, told.fallbacks) == (1, [], [])


def test_dropout_of_weights_is_drawn_by_torch():
    tensors = [torch.randn(shape) for shape in _THREE]
    found, _ = _run(
        joggle.torch.compile(lambda *given: attend(*given, dropout_p=0.5)),
        tensors,
        torch.float32,
        True,
    )
    assert all(x.isfinite().all() for x in found)


def _turned(x, dim=-1):
    first, second = x.chunk(2, dim)
    return torch.cat([-second, first], dim)


def _turned_by_slices(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_halves_that_change_places_have_the_bits_of_eager_torch(dtype):
    x = torch.randn(3, 4, 6).to(dtype)
    x[0, 0] = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1.0])
    programs = [
        _turned_by_slices,
        lambda x: _turned(x) * 2 + x,
        lambda x: _turned(x, 1),
        lambda x: _turned(x.transpose(0, 2)),
        lambda x: torch.cat([-x[..., 3:], x[..., 3:]], -1),  # no exchange
        lambda x: torch.cat([-x[..., 2:], x[..., :2]], -1),  # no halves
        lambda x: torch.cat([-x[..., 1::2], x[..., ::2]], -1),  # steps
        lambda x: torch.cat([-x[:, 2:], x[:, :2]], 0),  # another axis
        lambda x: _turned(x.long()),
    ]
    for function in programs:
        given = x.nan_to_num(0.0, 3.0, -3.0) if function is programs[-1] else x
        torch._dynamo.reset()
        found = joggle.torch.compile(function)(given)
        torch.testing.assert_close(found, function(given), rtol=0, atol=0, equal_nan=True)
        if function is _turned_by_slices:
            is_number = ~found.isnan()  # NaN's sign means nothing
            assert (found.signbit() == function(given).signbit())[is_number].all()


def test_gradients_of_halves_that_change_places_are_eager_torchs():
    ours = torch.randn(3, 6, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    for function, x in ((joggle.torch.compile(_turned), ours), (_turned, theirs)):
        (function(x) * torch.arange(18.0).view(3, 6)).sum().backward()
    assert ours.grad.equal(theirs.grad)
