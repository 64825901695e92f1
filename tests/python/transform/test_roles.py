# SPDX-License-Identifier: Apache-2.0
"""explain, export_dot and trace tell what transformations made nodes for."""

import json

import pytest

import joggle as jg

W = jg.array([[0.5, 1.0], [2.0, -1.0]])
X = jg.array([[1.0, 2.0]])


def layer(w):
    return jg.tanh(X @ w)


def roles_of(*arrays):
    """What the lines of the launches tell behind their index spaces."""
    lines = jg.explain(*arrays).splitlines()[:-1]
    parts = [line.split(";")[0].split(": ")[2:] for line in lines]
    return [part[0].split(", the next")[0] if part else "" for part in parts]


@pytest.mark.parametrize("compiled", [False, True])
def test_cotangents_and_what_is_recomputed_are_told(compiled):
    def loss(w):
        return jg.sum(jg.checkpoint(layer)(w))

    value_and_grad = jg.value_and_grad(loss)
    roles = roles_of(*(jg.compile(value_and_grad) if compiled else value_and_grad)(W))
    assert roles[0] == "" and "recomputed" in " ".join(roles) and "cotangents" in roles[-1]
    assert "recomputed" not in " ".join(roles_of(*jg.value_and_grad(lambda w: jg.sum(layer(w)))(W)))


def test_tangents_are_told():
    value, tangent = jg.jvp(layer, [W], [W])
    assert set(roles_of(tangent[0])) >= {"tangents"}
    assert roles_of(value[0]) == [""] * len(roles_of(value[0]))
    second = jg.jvp(jg.grad(lambda w: jg.sum(layer(w))), [W], [W])[1]
    assert "tangents" in " ".join(roles_of(second[0]))


def test_batches_keep_the_roles_of_what_they_are_of():
    batch = jg.vmap(jg.grad(lambda w: jg.sum(jg.sin(w) ** 2)))(jg.ones((3, 2)))
    assert "cotangents" in " ".join(roles_of(batch))


def test_a_drawing_tells_roles_of_nodes():
    text = jg.export_dot(*jg.value_and_grad(lambda w: jg.sum(jg.checkpoint(layer)(w)))(W))
    assert "\\ncotangent" in text and "\\nrecomputed" in text and "\\ntangent" not in text
    assert "cotangent" not in jg.export_dot(jg.sin(W) * 2)


def test_a_trace_tells_roles_of_launches(tmp_path):
    path = tmp_path / "trace.json"
    with jg.trace(str(path)):
        jg.eval(jg.grad(lambda w: jg.sum(layer(w)))(W))
        jg.eval(jg.exp(W) - 3)
    launches = [
        e["args"] for e in json.loads(path.read_text())["traceEvents"] if e.get("cat") == "launch"
    ]
    assert "cotangents" in [args.get("of") for args in launches]
    assert "of" not in launches[-1]


def two_products(w):
    return jg.tanh(X @ w) @ w


def gradient_of(policy):
    return jg.grad(lambda w: jg.sum(jg.checkpoint(two_products, policy=policy)(w) ** 2))


def launches_of(*arrays):
    """The ops of each launch and what they are, without its bytes."""
    return [line.split("; ")[0].split(": ", 1)[1] for line in jg.explain(*arrays).splitlines()[:-1]]


@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_checkpoint_keeps_is_not_told_as_recomputed(compiled):
    wrap = jg.compile if compiled else lambda f: f
    everything = launches_of(wrap(gradient_of(None))(W))
    again = [line for line in everything if "recomputed" in line]
    assert any(line.startswith("matmul") for line in again)
    assert any("tanh" in line for line in again)
    kept = launches_of(wrap(gradient_of("products"))(W))
    again = [line for line in kept if "recomputed" in line]
    assert not any(line.startswith("matmul") for line in again)
    assert any("tanh" in line for line in again)
    assert sum(line.startswith("matmul") for line in everything) == 1 + sum(
        line.startswith("matmul") for line in kept
    )
    plain = jg.grad(lambda w: jg.sum(two_products(w) ** 2))
    assert "recomputed" not in jg.explain(wrap(plain)(W))


def test_each_call_of_a_compiled_gradient_is_explained_alike_and_runs_as_told(tmp_path):
    compiled = jg.compile(gradient_of(None))
    told = launches_of(compiled(W))
    for number in range(3):
        assert launches_of(compiled(W)) == told
        path = tmp_path / f"{number}.json"
        with jg.trace(str(path)):
            jg.eval(compiled(W))
        events = json.loads(path.read_text())["traceEvents"]
        of = {e["args"].get("of", "") for e in events if e.get("cat") == "launch"}
        assert {"", "cotangents"} < of and any("recomputed" in x for x in of)
        assert number == 0 or "walk" not in [e.get("name") for e in events]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_drawing_and_a_trace_tell_tangents(compiled, tmp_path):
    def tangent(w):
        return jg.jvp(lambda w: jg.sum(two_products(w)), [w], [w])[1][0]

    tangent = jg.compile(tangent) if compiled else tangent
    drawn = jg.export_dot(tangent(W))
    assert "\\ntangent" in drawn and "\\ncotangent" not in drawn and "\\nrecomputed" not in drawn
    path = tmp_path / "trace.json"
    with jg.trace(str(path)):
        jg.eval(tangent(W))
    launches = [e for e in json.loads(path.read_text())["traceEvents"] if e.get("cat") == "launch"]
    assert "tangents" in [e["args"].get("of") for e in launches]
