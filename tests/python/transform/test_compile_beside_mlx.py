# SPDX-License-Identifier: Apache-2.0
"""compile does what MLX's does: the same programs, run by both."""

import numpy as np
import pytest

import joggle as jg

mx = pytest.importorskip("mlx.core")


def new_signatures(xp):
    """A trace for each dtype, and each shape or number that was not there before."""
    runs = []

    def program(x, c, k=1):
        runs.append(1)
        return xp.max(x * c + k, axis=0)

    compiled = xp.compile(program)
    calls = [((2, 3), "float32", 2), ((4, 3), "float32", 2), ((2, 3), "float32", 2)]
    calls += [((2, 3), "int32", 2), ((2, 3), "float16", 2), ((3,), "float32", 3)]
    calls += [((3,), "float32", 2), ((3,), "float32", 3)]
    results = [compiled(xp.ones(s, dtype=getattr(xp, d)), c) for s, d, c in calls]
    results.append(compiled(xp.ones((3,)), 2, k=5))
    told = [(y.shape, str(y.dtype).rpartition(".")[2], y.tolist()) for y in results]
    return told, len(runs)


def constants(xp):
    """What is used without being given keeps its value; what is in inputs is read again."""
    kept, read = [xp.array(2.0)], [xp.array(2.0)]
    compiled = xp.compile(lambda x: (x * kept[0], x * read[0]), inputs=read)
    before = compiled(xp.array(3.0))
    kept[0] = read[0] = xp.array(5.0)
    return [x.item() for x in (*before, *compiled(xp.array(3.0)))]


def state(xp):
    places, named = [xp.array(1.0)], {"n": xp.array(0.0)}

    def step(x):
        places[0] = places[0] + x
        named["n"] = named["n"] + 1
        return places[0] * named["n"]

    compiled = xp.compile(step, inputs=[places, named], outputs=[places, named])
    results = [compiled(xp.array(float(i))).item() for i in range(4)]
    places[0] = xp.array(100.0)
    return results, compiled(xp.array(1.0)).item(), places[0].item(), named["n"].item()


def nested(xp):
    inner = xp.compile(lambda x: xp.sin(x) * 2)
    outer = xp.compile(lambda x: inner(x) + inner(x * x))
    return outer(xp.array([0.1, 0.2])).tolist(), outer(xp.array(0.5)).item()


def derivatives(xp):
    compiled = xp.compile(lambda x: xp.sum(xp.exp(x) * x))
    slope = xp.grad(compiled)
    x = xp.array([0.1, 0.2])
    curve = xp.grad(xp.compile(lambda x: xp.sum(xp.compile(slope)(x))))
    found = [slope(x), xp.compile(slope)(x), curve(x), xp.vmap(compiled)(xp.stack([x, x]))]
    found += xp.vjp(compiled, [x], [xp.array(3.0)])[1] + xp.jvp(compiled, [x], [x])[1]
    return [y.tolist() for y in found]


def trees(xp):
    compiled = xp.compile(lambda t: {"a": t["p"][0] + t["q"], "b": (t["q"], [t["p"][1], "text"])})
    found = compiled({"p": [xp.array(1.0), xp.array(2.0)], "q": xp.array(3.0)})
    value, (text_of, rest) = found["a"].item(), found["b"]
    return value, text_of.item(), rest[0].item(), rest[1], xp.compile(lambda x: None)(xp.ones(2))


def same(got, want):
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            same(a, b)
    elif isinstance(want, float):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    else:
        assert got == want


@pytest.mark.parametrize(
    "program",
    [new_signatures, constants, state, nested, derivatives, trees],
    ids=lambda p: p.__name__,
)
def test_a_program_does_the_same_in_both(program):
    same(program(jg), program(mx))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x.item(),
        lambda x: x if x > 0 else -x,
        lambda x: {}["absent"],
        lambda x: x.reshape(7),
        lambda x: x @ x[:2],
        3,
    ],
)
def test_mistakes_raise_the_same_in_both(function):
    def error(xp):
        try:
            xp.compile(function)(xp.ones((3,)))
        except Exception as caught:
            return type(caught)
        return None

    assert error(jg) is error(mx) is not None
