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
