# SPDX-License-Identifier: Apache-2.0
"""Attention that a program spells in other operators, through torch.compile's backend: one node
where nothing else reads what is between, with eager torch's values (2e-6 of values below 4)."""

import math
import re
from pathlib import Path

import pytest

import joggle.torch
from joggle._torch import composed
from joggle._torch.backend import reporting
from joggle._torch.composed import attend

torch = pytest.importorskip("torch")

B, H, T, S, D = 2, 4, 128, 160, 64
inf = math.inf


def _scores(q, k):
    return q @ k.transpose(-2, -1) / 8.0


def _softmax(x):
    return torch.softmax(x, -1)


def _seen():
    return torch.ones(T, S, dtype=torch.bool).tril(8)


def _repeated(x, heads=2):
    x = x[:, :heads]
    return x[:, :, None].expand(B, heads, H // heads, S, D).reshape(B, H, S, D)


def _flat(x):
    return x.reshape(B * H, -1, D)


def _padded(q, k, v):
    few = torch.arange(S) < torch.tensor([S, 90])[:, None, None, None]
    return _softmax(_scores(q, k).masked_fill(~few, -inf)) @ v


ONE = {
    "plain": lambda q, k, v: _softmax(_scores(q, k)) @ v,
    "no scale": lambda q, k, v: _softmax(q * 0.125 @ k.mT) @ v,
    "scaled twice": lambda q, k, v: _softmax(q @ k.mT * 0.5 / 4) @ v,
    "a negative scale": lambda q, k, v: (
        _softmax((q @ k.mT * -0.125).masked_fill(~_seen(), -inf)) @ v
    ),
    "masked_fill": lambda q, k, v: _softmax(_scores(q, k).masked_fill(~_seen(), -inf)) @ v,
    "where": lambda q, k, v: _softmax(torch.where(_seen(), _scores(q, k), -inf)) @ v,
    "the lowest number": lambda q, k, v: (
        _softmax(_scores(q, k).masked_fill(~_seen(), torch.finfo(q.dtype).min)) @ v
    ),
    "where, turned": lambda q, k, v: _softmax(torch.where(~_seen(), -inf, _scores(q, k))) @ v,
    "tril == 0": lambda q, k, v: (
        _softmax(_scores(q, k).masked_fill(torch.ones(T, S).tril() == 0, -inf)) @ v
    ),
    "keys of each batch": _padded,
    "one row of keys": lambda q, k, v: (
        _softmax(torch.where(torch.arange(S) < 100, _scores(q, k), -inf)) @ v
    ),
    "added": lambda q, k, v: _softmax(_scores(q, k) + torch.linspace(-1, 1, S)) @ v,
    "added from the left": lambda q, k, v: _softmax(q[0, 0, :, :1] + _scores(q, k)) @ v,
    "three axes": lambda q, k, v: torch.bmm(
        _softmax(torch.where(_seen(), torch.bmm(_flat(q), _flat(k).mT) * 0.125, -inf)), _flat(v)
    ),
    "einsum": lambda q, k, v: torch.einsum(
        "bhts,bhsd->bhtd", _softmax(torch.einsum("bhtd,bhsd->bhts", q, k) * 0.125), v
    ),
    "heads transposed": lambda q, k, v: (
        (
            _softmax(
                _scores(q.view(B, T, H, D).transpose(1, 2), k.view(B, S, H, D).transpose(1, 2))
            )
            @ v.view(B, S, H, D).transpose(1, 2)
        )
        .transpose(1, 2)
        .reshape(B, T, H * D)
    ),
    "shared heads": lambda q, k, v: _softmax(_scores(q, _repeated(k))) @ _repeated(v),
    "repeated heads": lambda q, k, v: (
        _softmax(_scores(q, k[:, :2].repeat_interleave(2, 1))) @ v[:, :2].repeat_interleave(2, 1)
    ),
    "one head shared": lambda q, k, v: _softmax(_scores(q, _repeated(k, 1))) @ _repeated(v, 1),
    "keys shared alone": lambda q, k, v: _softmax(_scores(q, _repeated(k))) @ v,
    "shared differently": lambda q, k, v: _softmax(_scores(q, _repeated(k, 1))) @ _repeated(v),
    "heads side by side": lambda q, k, v: (
        _softmax(_scores(q, k[:, :2].repeat(1, 2, 1, 1))) @ v[:, :2].repeat(1, 2, 1, 1)
    ),
    "read in place": lambda q, k, v: (_softmax(_scores(q, k)) @ v).add_(q).mul_(0.5),
}


def _weights_too(q, k, v):
    weights = _softmax(_scores(q, k))
    return weights @ v, weights


def _scores_too(q, k, v):
    scores = _scores(q, k)
    return _softmax(scores) @ v, scores.amax(-1)


OTHERS = {
    "weights are read": _weights_too,
    "scores are read": _scores_too,
    "another fill": lambda q, k, v: _softmax(_scores(q, k).masked_fill(~_seen(), -1e9)) @ v,
    "a bool is added": lambda q, k, v: _softmax(_scores(q, k) + _seen()) @ v,
    "another axis": lambda q, k, v: torch.softmax(_scores(q, k), -2) @ v,
    "scaled behind the mask": lambda q, k, v: (
        _softmax((q @ k.mT + torch.linspace(-1, 1, S)) * 0.1) @ v
    ),
    "a weighted mask": lambda q, k, v: (
        _softmax(torch.add(_scores(q, k), torch.linspace(-1, 1, S), alpha=2)) @ v
    ),
    "transposed weights": lambda q, k, v: _softmax(_scores(q, k)[..., :T]).mT @ v[..., :T, :],
    "few rows": lambda q, k, v: _softmax(_scores(q[:, :, :1], k)) @ v,
    "bfloat16": lambda q, k, v: (
        torch.softmax(_scores(q.bfloat16(), k.bfloat16()), -1, torch.float32) @ v
    ),
    "weights that are cast": lambda q, k, v: _softmax(_scores(q.half(), k.half())).float() @ v,
    "float64": lambda q, k, v: _softmax(_scores(q.double(), k.double())) @ v.double(),
}


def _given():
    generator = torch.Generator().manual_seed(2)
    return [torch.randn(B, H, n, D, generator=generator) for n in (T, S, S)]


def _found(program, given):
    torch._dynamo.reset()
    with reporting() as report, torch.no_grad():
        found = joggle.torch.compile(program)(*given)
    graphs = [graph for made in report for graph in made.all()]
    assert all(graph.cut.reasons == {} for graph in graphs)
    nodes = [node for graph in graphs for node in graph.module.graph.nodes]
    return found, nodes


@pytest.mark.parametrize("name", ONE)
def test_spelled_attention_is_one_node(name):
    given = _given()
    found, nodes = _found(ONE[name], given)
    torch.testing.assert_close(found, ONE[name](*given), rtol=0, atol=2e-6)
    assert found.stride() == ONE[name](*given).stride()
    targets = [node.target for node in nodes]
    assert targets.count(attend) == 1 and torch.ops.aten.bmm.default not in targets


HALVES = {
    "as it is": lambda q, k, v, m: _softmax(_scores(q, k)) @ v,
    "float32's softmax": lambda q, k, v, m: (
        torch.softmax(_scores(q, k), -1, dtype=torch.float32).to(q.dtype) @ v
    ),
    "-inf": lambda q, k, v, m: _softmax(_scores(q, k).masked_fill(~_seen(), -inf)) @ v,
    "the lowest number": lambda q, k, v, m: (
        _softmax(_scores(q, k).masked_fill(~m, torch.finfo(q.dtype).min)) @ v
    ),
    "float32's lowest number": lambda q, k, v, m: (
        _softmax(_scores(q, k).float().masked_fill(~m, torch.finfo(torch.float32).min)).to(q.dtype)
        @ v
    ),
    "added": lambda q, k, v, m: (
        torch.softmax(_scores(q, k) + torch.linspace(-1, 1, S).to(q.dtype), -1, torch.float32).to(
            q.dtype
        )
        @ v
    ),
}


@pytest.mark.parametrize("name", HALVES)
def test_halves_are_one_node_that_is_nearer_to_the_truth(name):
    seen = _seen()
    seen[::9] = False  # rows that may attend to nothing: all keys have one share then
    given = [*(x.half() for x in _given()), seen]
    found, nodes = _found(HALVES[name], given)
    assert found.dtype == torch.float16 and [node.target for node in nodes].count(attend) == 1
    wide = HALVES[name](*(x.double() if x.is_floating_point() else x for x in given))
    errors = [(x.double() - wide).abs().max() for x in (found, HALVES[name](*given))]
    assert errors[0] <= errors[1] <= 0.004


def test_keys_that_are_masked_by_the_lowest_number_may_have_a_share():
    """Of rows that may attend to nothing, and of those whose other scores are all -inf."""
    program = HALVES["the lowest number"]
    q, k, v = _given()
    seen = _seen()
    seen[::9] = False
    q[0, 1, 3], k[:, :, :8] = -inf, k[:, :, :8].abs()
    k[0, 2, 5], k[1, 0, S - 1] = math.nan, inf
    found, nodes = _found(program, (q, k, v, seen))
    wanted = program(q, k, v, seen)
    assert attend in [node.target for node in nodes] and wanted.isnan().any()
    torch.testing.assert_close(found, wanted, rtol=0, atol=2e-6, equal_nan=True)


@pytest.mark.parametrize("name", ["shared heads", "repeated heads", "one head shared"])
def test_shared_heads_are_not_repeated(name):
    _, nodes = _found(ONE[name], _given())
    (node,) = (node for node in nodes if node.target is attend)
    heads = 1 if name == "one head shared" else 2
    assert [node.args[i].meta["val"].shape[1] for i in (1, 2)] == [heads, heads]


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_are_as_they_were(name):
    given = _given()
    found, nodes = _found(OTHERS[name], given)
    # Scores or weights that lie between two numbers of 16 bits are rounded either way.
    few = 1e-4 if name in ("bfloat16", "weights that are cast") else 2e-6
    torch.testing.assert_close(found, OTHERS[name](*given), rtol=1e-5, atol=few)
    assert attend not in [node.target for node in nodes]


@pytest.mark.parametrize("is_added", [False, True])
def test_rows_that_may_attend_to_nothing_are_nan(is_added):
    def program(q, k, v):
        seen = torch.arange(T)[:, None] % 7 > 0
        if is_added:
            return _softmax(_scores(q, k) + torch.where(seen, 0.0, -inf)) @ v
        return _softmax(torch.where(seen, _scores(q, k), -inf)) @ v

    given = _given()
    found, nodes = _found(program, given)
    wanted = program(*given)
    assert wanted[:, :, ::7].isnan().all()
    torch.testing.assert_close(found, wanted, rtol=0, atol=2e-6, equal_nan=True)
    assert attend in [node.target for node in nodes]


@pytest.mark.part(2, of="value")
@pytest.mark.parametrize("value", [inf, -inf, math.nan])
@pytest.mark.parametrize("name", ["masked_fill", "where, turned", "keys of each batch", "causal"])
@pytest.mark.parametrize("where", ["a query", "a key", "all keys", "a masked key"])
def test_scores_that_are_not_finite_are_as_in_eager_torch(where, name, value):
    """Values are finite: joggle reads none of keys that come later."""

    def causal(q, k, v):
        return _softmax(_scores(q, k).masked_fill(~torch.ones(T, S).bool().tril(S - T), -inf)) @ v

    program = causal if name == "causal" else ONE[name]
    given = _given()
    changed = {
        "a query": given[0][0, 1, 7],
        "a key": given[1][0, 1, 0],
        "all keys": given[1][0, 1].T,
        "a masked key": given[1][0, 1, S - 1],
    }
    changed[where][3] = value
    found, nodes = _found(program, given)
    wanted = program(*given)
    assert attend in [node.target for node in nodes]
    assert where == "a masked key" or wanted.isnan().any()
    torch.testing.assert_close(found, wanted, rtol=0, atol=2e-6, equal_nan=True)


def test_torch_computes_the_node_alike():
    """As it does to tell of an error."""
    q, k, v = _given()
    for mask in (None, _seen(), torch.linspace(-1, 1, S), "causal"):
        is_causal = isinstance(mask, str)
        given = None if is_causal else mask
        found = attend(q, k[:, :2], v[:, :2], given, 0.125, is_causal)
        mask = torch.ones(T, S, dtype=torch.bool).tril(S - T) if is_causal else mask
        scores = _scores(q, k[:, :2].repeat_interleave(2, 1))
        if mask is not None:
            scores = torch.where(mask, scores, -inf) if mask.dtype == torch.bool else scores + mask
        torch.testing.assert_close(found, _softmax(scores) @ v[:, :2].repeat_interleave(2, 1))


CAUSAL = {
    "tril": lambda q, k, v: torch.where(torch.ones(T, S).bool().tril(S - T), _scores(q, k), -inf),
    "triu": lambda q, k, v: _scores(q, k).masked_fill(
        torch.triu(torch.ones(T, S), S - T + 1).bool(), -inf
    ),
    "places": lambda q, k, v: torch.where(
        torch.arange(S - T, S)[:, None] >= torch.arange(S), _scores(q, k), -inf
    ),
    "places of one range": lambda q, k, v: torch.where(
        _before(torch.arange(S)), _scores(q, k), -inf
    ),
}


def _before(places):
    return places <= places[S - T :, None]


@pytest.mark.filterwarnings("error:.*already erased")
@pytest.mark.parametrize("name", CAUSAL)
def test_a_causal_mask_is_known(name):
    def program(q, k, v):
        return _softmax(CAUSAL[name](q, k, v)) @ v

    given = _given()
    found, nodes = _found(program, given)
    torch.testing.assert_close(found, program(*given), rtol=0, atol=2e-6)
    (node,) = (node for node in nodes if node.target is attend)
    assert node.args[3] is None and node.args[5]


@pytest.mark.parametrize("name", ["masked_fill", "keys of each batch", "one row of keys"])
def test_other_masks_are_read(name):
    _, nodes = _found(ONE[name], _given())
    (node,) = (node for node in nodes if node.target is attend)
    assert node.args[3] is not None and not node.args[5]


def test_a_step_of_training_keeps_its_weights():
    given = [x.requires_grad_() for x in _given()]
    torch._dynamo.reset()
    gradients = []
    for program in (ONE["where"], joggle.torch.compile(ONE["where"])):
        gradients.append(torch.autograd.grad(program(*given).square().sum(), given))
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_other_sizes_are_other_graphs():
    compiled = joggle.torch.compile(ONE["masked_fill"], dynamic=True)
    torch._dynamo.reset()
    with torch.no_grad():
        for width in (D, 32):
            given = [x[..., :width].contiguous() for x in _given()]
            torch.testing.assert_close(compiled(*given), ONE["masked_fill"](*given))


def test_an_attention_is_worth_it_from_the_same_sizes_on_as_where_joggle_finds_it():
    found = Path(__file__).parents[3] / "src/plan/group/attention.c"
    (line,) = re.findall(r"^enum \{ (LEAST_ROWS = .*) \};$", found.read_text(), re.M)
    assert line == (
        f"LEAST_ROWS = {composed._LEAST_ROWS}, LEAST_KEYS = {composed._LEAST_KEYS}, "
        f"MOST_WIDTH = {composed._MOST_WIDTH}, "
        f"LEAST_TERMS = 1 << {composed._LEAST_TERMS.bit_length() - 1}"
    )
