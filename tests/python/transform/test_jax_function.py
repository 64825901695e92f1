# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays inside of JAX's transformations."""

import numpy as np
import pytest

import joggle as jg
import joggle.jax

jax = pytest.importorskip("jax")
jnp = jax.numpy


def ours(x, w):
    return {"y": jg.tanh(x @ w), "total": jg.sum(x * x)}


def theirs(x, w):
    return {"y": jnp.tanh(x @ w), "total": jnp.sum(x * x)}


def loss(call):
    def of(x, w):
        result = call(x, w)
        return jnp.sum(result["y"] ** 2) * result["total"]

    return of


def operands():
    generator = np.random.default_rng(0)
    return [jnp.asarray(generator.standard_normal(s), jnp.float32) for s in ((4, 3), (3, 2))]


def check(got, want, rtol=2e-5):
    got, want = jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=1e-5)


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
def test_values_and_gradients_are_those_of_jax(jit):
    function = joggle.jax.function(ours)
    x, w = operands()
    check(jit(function)(x, w), theirs(x, w))
    for argnums in (0, 1, (0, 1)):
        got = jit(jax.grad(loss(function), argnums))(x, w)
        check(got, jax.grad(loss(theirs), argnums)(x, w), 1e-4)


def test_gradients_of_gradients_are_those_of_jax():
    x, w = operands()

    def twice(call):
        inner = jax.grad(loss(call))
        return jax.grad(lambda x, w: jnp.sum(inner(x, w) ** 2), (0, 1))(x, w)

    check(twice(joggle.jax.function(ours)), twice(theirs), 1e-3)


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0)])
def test_vmap_batches_by_our_vmap(in_axes):
    function = joggle.jax.function(ours)
    generator = np.random.default_rng(1)
    shapes = [
        ((5,) if axis == 0 else ()) + s for axis, s in zip(in_axes, ((4, 3), (3, 2)), strict=True)
    ]
    x, w = (jnp.asarray(generator.standard_normal(s), jnp.float32) for s in shapes)
    check(jax.vmap(function, in_axes)(x, w), jax.vmap(theirs, in_axes)(x, w))
    got = jax.jit(jax.vmap(jax.grad(loss(function)), in_axes))(x, w)
    check(got, jax.vmap(jax.grad(loss(theirs)), in_axes)(x, w), 1e-3)


def test_vmap_nests_over_a_function():
    function = joggle.jax.function(lambda x: jg.cumulative_sum(x) * x[0])
    x = jnp.arange(24.0).reshape(2, 3, 4)
    check(jax.vmap(jax.vmap(function))(x), jnp.cumsum(x, -1) * x[..., :1])


def test_integers_pass_without_gradient():
    function = joggle.jax.function(lambda x, n: jg.sum(x) * n)
    x = jnp.ones(3)
    assert function(x, jnp.int32(4)) == 12
    check(jax.grad(function)(x, jnp.int32(4)), jnp.full(3, 4.0))


def test_keywords_and_trees_are_arguments_as_of_jax():
    function = joggle.jax.function(lambda p, *, scale: {"y": p["w"] * scale})
    p = {"w": jnp.arange(3.0)}
    check(function(p, scale=jnp.float32(2)), {"y": 2 * p["w"]})
    slope = jax.grad(lambda p, s: function(p, scale=s)["y"].sum(), (0, 1))
    check(jax.jit(slope)(p, jnp.float32(2)), ({"w": jnp.full(3, 2.0)}, jnp.float32(3)))


def test_results_of_64_bits_have_32_where_jax_has():
    function = joggle.jax.function(lambda x: (x.astype(jg.float64) ** 2, jg.argmax(x)))
    x = jnp.asarray([1.0, 3.0, 2.0])
    for call in (function, jax.jit(function)):
        square, place = call(x)
        assert (square.dtype, place.dtype) == (jnp.float32, jnp.int32)
        check((square, place), (x**2, 1))
    slope = jax.grad(lambda x: function(x)[0].sum())(x)
    assert slope.dtype == jnp.float32
    check(slope, 2 * x)
    with jax.enable_x64(True):
        square, place = function(x)
        assert (square.dtype, place.dtype) == (jnp.float64, jnp.int64)


def test_jax_is_given_the_same_callbacks_again(monkeypatch):
    scale, seen, callback = [jg.array(1.0)], [], jax.pure_callback

    def noted(run, *args, **kwargs):
        seen.append(run)
        return callback(run, *args, **kwargs)

    monkeypatch.setattr(jax, "pure_callback", noted)
    function = joggle.jax.function(lambda x, w: ours(x * scale[0], w))
    x, w = operands()
    slope = jax.grad(loss(function), (0, 1))
    for factor in (1.0, 2.0, 3.0):
        scale[0] = jg.array(factor)  # what the function uses besides is read at each call
        check(function(x, w), theirs(x * factor, w))
        slope(x, w)
    # JAX compiles for each callback, and keeps it: one of the values, one of the gradients.
    assert len(seen) == 9 and len(set(seen)) == 2
    function(x[:2], w)
    assert len(set(seen)) == 3


def test_mistakes_are_named():
    with pytest.raises(TypeError, match=r"\[jax.function\] fun: got int"):
        joggle.jax.function(3)
    with pytest.raises(TypeError, match=r"\[jax.function\] <lambda>: result is str"):
        joggle.jax.function(lambda x: "text")(jnp.ones(2))


def test_complex_cotangents_are_those_of_jax():
    z, x = np.array([1 + 2j, 3 - 1j]), np.array([1.0, 2.0])
    weights = np.array([1 + 1j, 2 - 1j])

    def loss(function, xp):
        return lambda z: xp.sum(xp.abs(function(z) * weights + 1) ** 2)

    def power(z):
        return z * z * (2 + 1j)

    with jax.enable_x64(True):
        ours = jg.jax.function(power)
        for point in (z, x):
            got, want = (jax.grad(loss(f, jnp))(point) for f in (ours, power))
            np.testing.assert_allclose(got, want, rtol=1e-13)
        slope = jax.grad(lambda z: ours(z)[0], holomorphic=True)(z)
        np.testing.assert_allclose(slope, [z[0] * (4 + 2j), 0], rtol=1e-13)
        outer = jax.grad(lambda x: jnp.abs(jnp.sum(jax.grad(loss(ours, jnp))(x + 1j * x)) ** 2))
        plain = jax.grad(lambda x: jnp.abs(jnp.sum(jax.grad(loss(power, jnp))(x + 1j * x)) ** 2))
        np.testing.assert_allclose(outer(x), plain(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        *((dtype, 0.5) for dtype in ("bfloat16", "float16", "float32", "complex64")),
        *((dtype, 2) for dtype in ("int8", "uint8", "int32", "float32")),
    ],
)
def test_numbers_do_not_widen_the_arrays_beside_them(dtype, number):
    function = joggle.jax.function(lambda x, s: x * s)
    x = jnp.ones(3, dtype)
    for scaled in (function, jax.jit(function), jax.vmap(function, (0, None))):
        for s in (number, jnp.asarray(number)):  # JAX's array of a number is weak, too
            made = scaled(x, s)
            assert made.dtype == (x * s).dtype
            np.testing.assert_array_equal(np.asarray(made), np.asarray(x * s))
    carried, _ = jax.lax.scan(lambda c, _: (function(c, number), None), x, length=3)
    assert carried.dtype == x.dtype


def test_a_number_that_is_cast_has_a_derivative():
    function = joggle.jax.function(lambda x, s: (x * s).sum())
    x = jnp.arange(3, dtype=jnp.bfloat16)
    assert float(jax.grad(function, argnums=1)(x, 2.0)) == 3.0
