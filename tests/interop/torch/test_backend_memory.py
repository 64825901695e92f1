# SPDX-License-Identifier: Apache-2.0
"""Backward lets go of what forward has kept, and gives the gradients of one piece."""

import pytest

import joggle
import joggle.torch
from joggle._torch import pieces, run
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
F = torch.nn.functional
LAYERS, ROWS, WIDTH = 6, 512, 64


@pytest.fixture(autouse=True)
def _anew():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _network(x, *weights):
    for weight in weights:
        x = x + torch.sin(F.gelu(F.linear(x, weight)))
    return x.square()


def _arguments():
    shapes = [(ROWS, WIDTH), *[(WIDTH, WIDTH)] * LAYERS]
    made = [torch.linspace(-99, 99, a * b).view(a, b).sin() * 0.1 for a, b in shapes]
    return [x.requires_grad_() for x in made]


def _gradients(function, arguments):
    return torch.autograd.grad(function(*arguments).sum(), arguments)


def _check_close(found, wanted):
    """Sums have another order."""
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)


def _stepped(monkeypatch, least):
    """The gradients of three steps, the backward graph's parts, and the bytes of the last step."""
    monkeypatch.setattr(pieces, "LEAST", least)
    torch._dynamo.reset()
    compiled, arguments = joggle.torch.compile(_network), _arguments()
    with reporting() as report:
        found = [_gradients(compiled, arguments) for _ in range(2)]
    joggle.synchronize()
    joggle.reset_peak_memory()
    before = joggle.get_active_memory()
    found.append(_gradients(compiled, arguments))
    peak = joggle.get_peak_memory() - before
    (backward,) = (graph for made in report for graph in made.all() if graph.name == "backward")
    return found, len(backward.cut.steps), peak


def test_backward_in_pieces_takes_less_memory_for_the_same_gradients(monkeypatch):
    wanted = _gradients(_network, _arguments())
    whole, count, least = _stepped(monkeypatch, 1 << 40)
    assert count == 1
    found, count, peak = _stepped(monkeypatch, 1 << 16)
    assert count > 2 and peak < least - 2 * ROWS * WIDTH
    for gradients in (*whole, *found):
        _check_close(gradients, wanted)


def test_what_is_refused_in_a_piece_is_run_by_torch(monkeypatch):
    """It is found before anything is let go of."""
    from joggle._torch import aten

    def refuse(node, *args):
        raise ValueError("[cos] x: got none, allowed are none")

    monkeypatch.setitem(aten.TABLE, "cos", aten.Row(refuse))
    wanted = _gradients(_network, _arguments())
    found, count, _ = _stepped(monkeypatch, 1 << 16)
    assert count > 2
    for gradients in found:
        _check_close(gradients, wanted)


def test_a_graph_that_is_kept_is_run_twice(monkeypatch):
    monkeypatch.setattr(pieces, "LEAST", 1 << 16)
    arguments = _arguments()
    total = joggle.torch.compile(_network)(*arguments).sum()
    first = torch.autograd.grad(total, arguments, retain_graph=True)
    second = torch.autograd.grad(total, arguments)
    torch.testing.assert_close(first, second)
    _check_close(first, _gradients(_network, _arguments()))


def _normed(x, bias, *weights):
    """What is added up for the bias is needed in the end, so no place is without it."""
    for weight in weights:
        x = torch.sin(F.linear(x, weight) * bias)
    return x.square()


def test_few_bytes_hinder_no_cut(monkeypatch):
    monkeypatch.setattr(pieces, "LEAST", 1 << 16)
    x, *weights = _arguments()
    arguments = [x, torch.ones(WIDTH, requires_grad=True), *weights]
    with reporting() as report:
        found = _gradients(joggle.torch.compile(_normed), arguments)
    (backward,) = (graph for made in report for graph in made.all() if graph.name == "backward")
    assert len(backward.cut.steps) > 2
    _check_close(found, _gradients(_normed, arguments))


def _widths(x, *weights):
    for weight in weights:
        x = torch.sin(F.gelu(F.linear(x, weight)))
    return x.square()


def test_pieces_keep_no_more_than_was_in_use(monkeypatch):
    """Each is given blocks of other sizes, which would else be kept beside those of the others."""
    monkeypatch.setattr(pieces, "LEAST", 1 << 16)
    monkeypatch.setattr(run, "_KEPT", 0)
    shapes = [(ROWS, 64), (160, 64), (96, 160), (224, 96), (128, 224), (192, 128)]
    made = [torch.linspace(-99, 99, a * b).view(a, b).sin() * 0.1 for a, b in shapes]
    arguments = [x.requires_grad_() for x in made]
    wanted = _gradients(_widths, arguments)
    compiled = joggle.torch.compile(_widths)
    joggle.synchronize()
    joggle.clear_cache()
    joggle.reset_peak_memory()
    with reporting() as report:
        for _ in range(3):
            _check_close(_gradients(compiled, arguments), wanted)
            taken = joggle.get_cache_memory() + joggle.get_active_memory()
            assert taken <= joggle.get_peak_memory()
    (backward,) = (graph for made in report for graph in made.all() if graph.name == "backward")
    assert len(backward.cut.steps) > 2


def test_forward_leaves_little_in_the_cache():
    """So that torch can have the memory, which computes the loss."""
    x = torch.ones(1 << 20, requires_grad=True)
    compiled = joggle.torch.compile(lambda x: torch.sin(torch.exp(x)))
    before = joggle.set_cache_limit(1 << 30)
    try:
        for _ in range(2):
            held = [joggle.zeros(1 << 21) + i for i in range(4)]
            joggle.eval(held)
            del held
            assert joggle.get_cache_memory() >= 4 << 23
            result = compiled(x)
            # The run's own block may come back a moment after its result.
            assert joggle.get_cache_memory() <= run._KEPT + x.nbytes
            assert joggle.set_cache_limit(1 << 30) == 1 << 30
            (found,) = torch.autograd.grad(result.sum(), x)
            torch.testing.assert_close(found, torch.cos(torch.exp(x)) * torch.exp(x))
    finally:
        joggle.set_cache_limit(before)
