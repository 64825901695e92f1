# SPDX-License-Identifier: Apache-2.0
"""Calls that go straight to joggle, without what AOTAutograd has around a graph, and those that
need it."""

import pytest

import joggle as jg
import joggle.torch

torch = pytest.importorskip("torch")

from joggle import _core  # noqa: E402
from joggle._torch.run import Graph  # noqa: E402


@pytest.fixture(autouse=True)
def anew():
    torch._dynamo.reset()


@pytest.fixture
def graph_calls(monkeypatch):
    """A list that grows with each call that goes by a graph."""
    calls = []
    by_graph = Graph.__call__

    def counted(self, inputs):
        calls.append(self.name)
        return by_graph(self, inputs)

    monkeypatch.setattr(Graph, "__call__", counted)
    return calls


def test_later_calls_go_straight_to_joggle(graph_calls):
    compiled = joggle.torch.compile(lambda x, y: (x * y, (x + y).sum(0)))
    x, y = torch.randn(3, 5), torch.randn(3, 5)
    for _ in range(4):
        for found, wanted in zip(compiled(x, y), (x * y, (x + y).sum(0)), strict=True):
            torch.testing.assert_close(found, wanted)
            assert not found.requires_grad and found.stride() == wanted.stride()
    assert graph_calls == ["inference"]


def test_parameters_need_no_gradient_without_grad(graph_calls):
    model = torch.nn.Linear(4, 3)
    compiled = joggle.torch.compile(model)
    for _ in range(3):
        x = torch.randn(2, 4)
        with torch.no_grad():
            found = compiled(x)
        torch.testing.assert_close(found, model(x).detach())
        assert not found.requires_grad
    assert graph_calls == ["inference"]


def test_a_call_that_fails_raises_torchs_error_and_the_next_one_works():
    compiled = joggle.torch.compile(lambda x, at: torch.index_select(x, 0, at) * 2)
    x, at = torch.arange(4.0), torch.tensor([1, 3])
    for _ in range(2):
        torch.testing.assert_close(compiled(x, at), torch.tensor([2.0, 6.0]))
    with pytest.raises(IndexError) as caught:
        compiled(x, torch.tensor([1, 4]))
    assert "aten.index_select.default" in caught.value.__notes__[0]
    for _ in range(2):
        torch.testing.assert_close(compiled(x, at), torch.tensor([2.0, 6.0]))


def test_a_size_of_one_may_have_any_stride(graph_calls):
    """Guards leave them open; each kind has a record."""
    compiled = joggle.torch.compile(lambda x: torch.exp(x) + 1, dynamic=False)
    for x in (torch.randn(1, 6), torch.randn(6, 1).T, torch.randn(1, 6)[:, :6]):
        torch.testing.assert_close(compiled(x), torch.exp(x) + 1)


def test_threads_follow_torch(graph_calls):
    compiled = joggle.torch.compile(lambda x: torch.exp(x))
    x, before, ours = torch.randn(9), torch.get_num_threads(), jg.get_num_threads()
    try:
        for count in (1, 2, 1):
            torch.set_num_threads(count)
            torch.testing.assert_close(compiled(x), torch.exp(x))
            assert jg.get_num_threads() == min(count, _core._max_threads)
    finally:
        torch.set_num_threads(before)
        jg.set_num_threads(ours)


def changed(x):
    x.mul_(2)
    return x + 1


NOT_ALONE = {
    "an argument that is changed": changed,
    "a result that is a view": lambda x: (x + 1, x[1:]),
    "an argument that is given back": lambda x: (x, x + 1),
}


@pytest.mark.parametrize("name", NOT_ALONE)
def test_aliases_and_changes_are_those_of_torch(name):
    function = NOT_ALONE[name]
    compiled = joggle.torch.compile(function)
    for _ in range(3):
        x = torch.randn(4)
        theirs = x.clone()
        found, wanted = compiled(x), function(theirs)
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(x, theirs)
        pairs = (found, wanted) if isinstance(wanted, tuple) else ((found,), (wanted,))
        for ours, others in zip(*pairs, strict=True):
            assert (ours._base is None) == (others._base is None)
            is_ours = ours.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
            is_theirs = others.untyped_storage().data_ptr() == theirs.untyped_storage().data_ptr()
            assert is_ours == is_theirs


def test_autocast_goes_by_torch():
    compiled = joggle.torch.compile(lambda x, y: x @ y + 1)
    x, y = torch.randn(4, 4), torch.randn(4, 4)
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            found, wanted = compiled(x, y), x @ y + 1
        torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)
        assert found.dtype == wanted.dtype


def test_lists_and_tuples_of_tensors_are_taken():
    function = _core._Compiled(lambda x: (x + 1,), None, None, (), lambda *given: None)
    with pytest.raises(TypeError, match="tensors: got dict, allowed are lists and tuples"):
        _core._call_on_tensors(function, {}, torch.Tensor)


class Shortens:
    """A tensor that takes all others off their list when it is asked for its memory."""

    def __init__(self, tensors):
        self.tensors, self.memory = tensors, torch.ones(3)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.tensors.clear()
        return self.memory.__dlpack__(**keywords)


def test_a_list_that_becomes_shorter_meanwhile_is_taken_as_it_was():
    tensors = []
    tensors += [Shortens(tensors), *(torch.full((3,), float(n)) for n in range(2000))]
    function = jg.compile(lambda *given: (given[0] + given[-1],))
    (found,) = _core._call_on_tensors(function, tensors, torch.Tensor)
    assert tensors == [] and found.tolist() == [2000.0] * 3

    tensors = [torch.ones(3), torch.ones(3)]

    def forgets(x, y):
        tensors.clear()
        return (x + y,)

    first = tensors[0]
    assert _core._call_on_tensors(jg.compile(forgets), tensors, torch.Tensor, (0,)) == []
    assert tensors == [] and first.tolist() == [2.0] * 3
