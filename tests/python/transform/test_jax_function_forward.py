# SPDX-License-Identifier: Apache-2.0
"""Forward derivatives of functions of arrays inside of JAX, alone and with its other
transformations, beside those of JAX's own functions."""

import functools

import numpy as np
import pytest

import joggle as jg
import joggle.jax

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def ours(x, w):
    y = jg.tanh(x @ w) * jg.sin(x[0])
    return {"y": y, "total": jg.sum(jg.exp(y) * x[1])}


def theirs(x, w):
    y = jnp.tanh(x @ w) * jnp.sin(x[0])
    return {"y": y, "total": jnp.sum(jnp.exp(y) * x[1])}


MINE = joggle.jax.function(ours)


def operands(*shapes):
    generator = np.random.default_rng(0)
    return [jnp.asarray(generator.standard_normal(s)) for s in shapes]


def check(got, want):
    got, want = jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-11, atol=1e-12)


def total(call):
    return lambda x, w: call(x, w)["total"] * jnp.sum(call(x, w)["y"])


def along(call, v):
    """The derivative along v, as a function."""
    return lambda x, w: jax.jvp(lambda x: call(x, w), (x,), (v,))[1]


def of_tangents(call):
    return jax.grad(lambda x, w: jnp.sum(along(call, jnp.ones(3))(x, w)["y"] ** 2), (0, 1))


def of_pullback(call):
    def pulled(x, w):
        _, back = jax.vjp(call, x, w)
        return back({"y": jnp.ones(3), "total": jnp.float64(2)})

    return lambda x, w: jax.jvp(pulled, (x, w), (w[0], jnp.cos(w)))


def linear(call):
    def both(x, w):
        made, push = jax.linearize(call, x, w)
        return made, push(jnp.ones(3), w), jax.vmap(push)(jnp.eye(3), jnp.stack([w] * 3))

    return both


def transposed(call):
    def of(x, w):
        def push(v):
            return along(call, v)(x, w)

        return jax.linear_transpose(push, x)({"y": x, "total": jnp.float64(3)})

    return of


def batched(inside, in_axes):
    """The transformation inside, of batches; both operands are made to batches."""

    def outer(call):
        def of(x, w):
            xs = jnp.stack([x, 2 * x, x - 1], -1) if in_axes[0] == 1 else x
            ws = jnp.stack([w, w * w]) if in_axes[1] == 0 else w
            if in_axes == (1, 0):
                xs = xs[:, :2]
            return jax.vmap(inside(call), in_axes)(xs, ws)

        return of

    return outer


def loop(call):
    """A derivative through a loop of JAX's, forward, whose trips are compiled once."""

    def of(x, w):
        def step(carry, _):
            return call(carry, w)["y"], carry

        return jax.lax.scan(step, x, None, length=3)

    return lambda x, w: (jax.jvp(of, (x, w), (w[0], w)), jax.jacrev(of)(x, w))


def again(call):
    return jax.grad(lambda x, w: total(jax.checkpoint(call))(x, w), (0, 1))


BATCHES = [(1, None), (None, 0), (1, 0)]
TRANSFORMED = {
    "jvp": lambda call: lambda x, w: jax.jvp(call, (x, w), (jnp.ones(3), w)),
    "jvp of one argument": lambda call: along(call, jnp.arange(3.0)),
    "grad": lambda call: jax.grad(total(call), (0, 1)),
    "jacfwd": lambda call: jax.jacfwd(call, (0, 1)),
    "jacrev": lambda call: jax.jacrev(call, (0, 1)),
    "hessian": lambda call: jax.hessian(total(call), (0, 1)),
    "jacrev of jacfwd": lambda call: jax.jacrev(jax.jacfwd(call)),
    "jacfwd of jacfwd": lambda call: jax.jacfwd(jax.jacfwd(call, 1)),
    "jacrev of jacrev": lambda call: jax.jacrev(jax.jacrev(call), 1),
    "three times": lambda call: jax.jacfwd(jax.jacrev(jax.jacfwd(total(call)))),
    "grad of jvp": of_tangents,
    "jvp of vjp": of_pullback,
    "linearize": linear,
    "linear_transpose": transposed,
    "scan": loop,
    "checkpoint": again,
    "grad of jit of vmap": lambda call: jax.grad(
        lambda x, w: jnp.sum(
            jax.jit(jax.vmap(total(call), (0, None)))(jnp.stack([x, x * x]), w) ** 2
        ),
        (0, 1),
    ),
    "jvp of jit": lambda call: lambda x, w: jax.jvp(jax.jit(call), (x, w), (w[0], w)),
    **{f"vmap {axes} of jvp": batched(lambda c: along(c, jnp.ones(3)), axes) for axes in BATCHES},
    **{f"vmap {a} of grad": batched(lambda c: jax.grad(total(c), (0, 1)), a) for a in BATCHES},
    **{
        f"vmap {axes} of hessian": batched(lambda c: jax.hessian(total(c)), axes)
        for axes in BATCHES
    },
}


@functools.cache
def wanted(name):
    """What JAX gives of its own function: compiled at once, not op by op, which takes seconds."""
    return jax.jit(TRANSFORMED[name](theirs))(*operands(3, (3, 3)))


@pytest.mark.part(2, of="name")
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "jit"])
@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations_give_what_they_do_of_jax_s_functions(name, compiled):
    x, w = operands(3, (3, 3))
    got = TRANSFORMED[name](MINE)
    check((jax.jit(got) if compiled else got)(x, w), wanted(name))


def test_results_without_a_derivative_have_tangents_of_float0():
    function = joggle.jax.function(lambda x, n: (x * n, jg.argmax(x), n + 1))
    x, n = jnp.asarray([1.0, 3.0, 2.0]), jnp.int32(4)
    zero = np.zeros((), jax.dtypes.float0)
    for call in (function, jax.jit(function)):
        (y, at, m), (t, none, nothing) = jax.jvp(call, (x, n), (jnp.ones(3), zero))
        check((y, at, m, t), (4 * x, 1, 5, jnp.full(3, 4.0)))
        assert none.dtype == nothing.dtype == jax.dtypes.float0
    with pytest.raises(TypeError, match=r"float0|integer"):
        jax.grad(lambda x: function(x, n)[1])(x)


def test_a_function_of_integers_alone_has_tangents_of_float0():
    function = joggle.jax.function(lambda n: n * 2)
    zero = np.zeros(3, jax.dtypes.float0)
    made, tangent = jax.jvp(function, (jnp.arange(3),), (zero,))
    check(made, jnp.arange(3) * 2)
    assert tangent.dtype == jax.dtypes.float0


def test_complex_tangents_are_those_of_jax():
    z = jnp.asarray([1 + 2j, 3 - 1j])
    v = jnp.asarray([0.5 - 1j, 2j])

    def of(xp):
        return lambda z: (z * z * (2 + 1j), xp.conj(z) * z, xp.abs(z) * xp.real(z))

    function = joggle.jax.function(of(jg))
    check(jax.jvp(function, (z,), (v,)), jax.jvp(of(jnp), (z,), (v,)))
    for cotangents in [(v, z, jnp.ones(2)), (v * 1j, 0 * z, jnp.arange(2.0))]:
        got, want = (jax.vjp(f, z)[1](cotangents) for f in (function, of(jnp)))
        check(got, want)
    holomorphic = [
        jax.jacfwd(lambda z, f=f: f(z)[0], holomorphic=True)(z) for f in (function, of(jnp))
    ]
    check(*holomorphic)


def test_only_what_is_asked_for_is_computed():
    runs = []

    def noted(x):
        runs.append(x)
        return x * x, x + 1

    function = joggle.jax.function(noted)
    x = jnp.arange(3.0)
    slope = jax.grad(lambda x: jnp.sum(function(x)[0]))
    check(slope(x), 2 * x)
    runs.clear()
    check(slope(x), 2 * x)
    assert len(runs) == 2  # the values, and what is traced for the gradients


def test_jvp_goes_by_a_rule_of_the_function_s_own():
    @jg.custom_function
    def own(x):
        return x * x

    @own.vjp
    def _(primals, cotangents, outputs):
        return 10 * cotangents

    @own.jvp
    def _(primals, tangents):
        return 20 * tangents

    function = joggle.jax.function(own)
    x = jnp.arange(3.0)
    check(jax.jvp(function, (x,), (jnp.ones(3),))[1], jnp.full(3, 20.0))
    check(jax.grad(lambda x: jnp.sum(function(x)))(x), jnp.full(3, 10.0))
