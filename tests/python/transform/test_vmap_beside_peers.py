# SPDX-License-Identifier: Apache-2.0
"""vmap beside JAX's and MLX's: values, shapes, where they refuse; and with derivatives."""

import itertools

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest

import joggle as jg

# Of a namespace and arguments (n, 3), (n, 3, 3), (n, 3), of which any may be mapped.
FUNCTIONS = {
    "sum": lambda xp, x, a, y: xp.sum(x * y),
    "affine": lambda xp, x, a, y: a @ x + y,
    "affine_t": lambda xp, x, a, y: x @ a.T - y,
    "quadratic": lambda xp, x, a, y: x @ a @ y,
    "product": lambda xp, x, a, y: a @ (a + x[:, None] * y),
    "softmax": lambda xp, x, a, y: xp.exp(a - xp.max(a, axis=0)) / xp.sum(xp.exp(x + y)),
    "mean": lambda xp, x, a, y: (xp.mean(a, axis=1), xp.var(x), xp.std(a * y, axis=0)),
    "reverse": lambda xp, x, a, y: x[::-1] + a[1:, ::2].sum() * y[0],
    "where": lambda xp, x, a, y: xp.where(x > 0, a, y),
    "clip": lambda xp, x, a, y: xp.clip(a, -0.5, 0.5) + xp.maximum(x, y),
    "cumsum": lambda xp, x, a, y: xp.cumsum(a, axis=0) + xp.cumsum(x),
    "sort": lambda xp, x, a, y: xp.sort(a, axis=0) + xp.sort(x) * y,
    "argsort": lambda xp, x, a, y: xp.argsort(x) + xp.argmax(a, axis=1),
    "stack": lambda xp, x, a, y: xp.stack([x, y, a[0]], axis=1),
    "concat": lambda xp, x, a, y: xp.concatenate([x, y, xp.ravel(a)]),
    "pad": lambda xp, x, a, y: xp.pad(a, ((1, 0), (0, 2))) + 1,
    "roll": lambda xp, x, a, y: xp.roll(a, 1, axis=0) + xp.roll(x, 2),
    "tile": lambda xp, x, a, y: xp.tile(x, 2) * xp.tile(y, 2),
    "repeat": lambda xp, x, a, y: xp.repeat(a, 2, axis=1),
    "take": lambda xp, x, a, y: xp.take(a, xp.asarray([2, 0]), axis=0) + x,
    "take_sorted": lambda xp, x, a, y: xp.take(x, xp.argsort(y)),
    "along": lambda xp, x, a, y: xp.take_along_axis(a, xp.argsort(a, axis=1), axis=1),
    "outer": lambda xp, x, a, y: xp.outer(x, y) + a,
    "einsum": lambda xp, x, a, y: xp.einsum("i,ij,j->", x, a, y),
    "tensordot": lambda xp, x, a, y: xp.tensordot(a, a, axes=1),
    "trace": lambda xp, x, a, y: xp.trace(a) + xp.diagonal(a) * x,
    "tril": lambda xp, x, a, y: xp.tril(a) + xp.triu(a, 1) * y,
    "transpose": lambda xp, x, a, y: xp.transpose(a)[1] + xp.swapaxes(a, 0, 1),
    "reshape": lambda xp, x, a, y: xp.reshape(a.T, (9,))[2:5] * x,
    "expand": lambda xp, x, a, y: xp.expand_dims(x, 0) * a[None],
    "broadcast": lambda xp, x, a, y: xp.broadcast_to(x, (2, 3)) + y,
    "logsumexp": lambda xp, x, a, y: xp.log(xp.sum(xp.exp(a), axis=-1)) + x,
    "compare": lambda xp, x, a, y: (x > y) & (a < 0.5),
    "integers": lambda xp, x, a, y: xp.floor(a * 4).astype(xp.int32) // 3 + 1,
    "inner": lambda xp, x, a, y: xp.inner(a, x) + xp.inner(x, y),
    "flip": lambda xp, x, a, y: xp.flip(a, 1) - xp.flip(y),
    "norm": lambda xp, x, a, y: xp.linalg.norm(x) + xp.linalg.norm(a, axis=1),
    "inverse": lambda xp, x, a, y: xp.linalg.inv(a + 4 * xp.eye(3)) @ x,
    "solve": lambda xp, x, a, y: xp.linalg.solve(a + 4 * xp.eye(3), xp.stack([x, y], axis=1)),
    "cholesky": lambda xp, x, a, y: xp.linalg.cholesky(a @ a.T + xp.eye(3)) @ y,
    "eigh": lambda xp, x, a, y: xp.linalg.eigh(a + a.T)[0] * x,
    "determinant": lambda xp, x, a, y: xp.linalg.det(a) * x + y,
    "fft": lambda xp, x, a, y: xp.abs(xp.fft.fft(x)) + xp.fft.rfft(a, axis=0).real[:1],
}
# MLX has not all of these; its & with an operand that is not mapped differs from its own loop.
MLX_HAS_NOT = {
    *("cholesky", "clip", "compare", "concat", "determinant", "eigh", "fft", "integers"),
    *("inverse", "solve", "tril"),
}
PATTERNS = [p for p in itertools.product((0, None), repeat=3) if any(a == 0 for a in p)]


def arguments(pattern, dtype=np.float64):
    random = np.random.default_rng(5)
    shapes = [(3,), (3, 3), (3,)]
    return [
        random.normal(size=(4, *s) if axis == 0 else s).astype(dtype)
        for s, axis in zip(shapes, pattern, strict=True)
    ]


def parts(tree):
    return list(tree) if isinstance(tree, (list, tuple)) else [tree]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_jax(name, in_full):
    """Of each function in every third pattern, begun elsewhere for each, or with --all in all."""
    function = FUNCTIONS[name]
    first = 0 if in_full else list(FUNCTIONS).index(name) % 3
    with jax.enable_x64(True):
        for pattern in PATTERNS[first :: 1 if in_full else 3]:
            given = arguments(pattern)
            got = jg.vmap(lambda *args: function(jg, *args), pattern)(*map(jg.asarray, given))
            # Compiled at once: op by op JAX takes seconds.
            want = jax.jit(jax.vmap(lambda *args: function(jnp, *args), pattern))(*given)
            for ours, theirs in zip(parts(got), parts(want), strict=True):
                assert ours.shape == theirs.shape
                np.testing.assert_allclose(
                    np.asarray(ours), np.asarray(theirs), rtol=1e-10, atol=1e-10
                )


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in MLX_HAS_NOT])
def test_values_are_those_of_mlx(name):
    function = FUNCTIONS[name]
    for pattern in PATTERNS[:3]:
        given = arguments(pattern, np.float32)
        got = jg.vmap(lambda *args: function(jg, *args), pattern)(*map(jg.asarray, given))
        want = mx.vmap(lambda *args: function(mx, *args), pattern)(*map(mx.array, given))
        for ours, theirs in zip(parts(got), parts(want), strict=True):
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(np.asarray(ours), np.array(theirs), rtol=1e-4, atol=1e-5)


def call_both(ours, theirs):
    """Whether each of the two raises an error, and of which class."""
    errors = []
    for call in (ours, theirs):
        try:
            call()
            errors.append(None)
        except Exception as error:
            errors.append(error)
    return errors


@pytest.mark.parametrize(
    "use",
    [
        lambda xp, x, array: xp.vmap(lambda x: x)(1.0),
        lambda xp, x, array: xp.vmap(lambda x: x)(array(1.0)),
        lambda xp, x, array: xp.vmap(lambda x, y: x + y)(x, array([1.0, 2.0, 3.0])),
        lambda xp, x, array: xp.vmap(lambda x, y: x + y, in_axes=(0,))(x, x),
        lambda xp, x, array: xp.vmap(lambda x: x, in_axes=5)(x),
        lambda xp, x, array: xp.vmap(lambda x: None)(x),
        lambda xp, x, array: xp.vmap(3),
        lambda xp, x, array: xp.vmap(lambda x: x, in_axes="a")(x),
        lambda xp, x, array: xp.vmap(lambda x: x.item())(x[0]),
        lambda xp, x, array: xp.vmap(lambda t: t["a"], in_axes=({"b": 0},))({"a": x}),
    ],
)
def test_what_mlx_refuses_is_refused(use):
    host = [[1.0, 2.0], [3.0, 4.0]]
    ours, theirs = call_both(
        lambda: use(jg, jg.array(host), jg.array), lambda: use(mx, mx.array(host), mx.array)
    )
    assert theirs is not None and isinstance(ours, (ValueError, TypeError, IndexError))
    if isinstance(theirs, (TypeError, IndexError)):
        assert isinstance(ours, (TypeError, IndexError, ValueError))


def test_trees_and_axes_of_results_are_those_of_mlx():
    def function(tree):
        return tree["a"] + tree["b"][0], {"s": tree["a"].sum()}

    host = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    results = []
    for xp, array in ((jg, jg.asarray), (mx, mx.array)):
        mapped = xp.vmap(function, in_axes={"a": 1, "b": [None]}, out_axes=(1, 0))
        results.append(mapped({"a": array(host), "b": [array(host[:, 0])]}))
    ours, theirs = results
    np.testing.assert_array_equal(np.asarray(ours[0]), np.array(theirs[0]))
    np.testing.assert_array_equal(np.asarray(ours[1]["s"]), np.array(theirs[1]["s"]))


W = np.random.default_rng(9).normal(size=(3, 3))


def bowl(xp, x):
    w = xp.asarray(W)
    return xp.sum(xp.tanh(x @ w) * x[::-1]) + xp.sum(xp.exp(-x * x))


def close(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-11, atol=1e-11)


DERIVATIVES = {
    "vmap of grad": lambda m, f, x, t: m.vmap(m.grad(f))(x),
    "vmap of grad along another axis": lambda m, f, x, t: m.vmap(m.grad(f), 1, 1)(x.T),
    "grad of vmap": lambda m, f, x, t: m.grad(lambda x: m.vmap(f)(x * x).sum())(x),
    "vmap of hessian": lambda m, f, x, t: m.vmap(m.hessian(f))(x),
    "hessian of vmap": lambda m, f, x, t: m.hessian(lambda x: m.vmap(f)(x).sum())(x[:2]),
    "jacrev of vmap": lambda m, f, x, t: m.jacrev(lambda x: m.vmap(f)(x))(x),
    "jacfwd of vmap of grad": lambda m, f, x, t: m.jacfwd(m.vmap(m.grad(f)))(x),
    "vmap of vmap of grad": lambda m, f, x, t: m.vmap(m.vmap(m.grad(f)))(x[None] + t[:, None]),
    "grad of vmap of grad": lambda m, f, x, t: m.grad(lambda x: (m.vmap(m.grad(f))(x) ** 2).sum())(
        x
    ),
    "grad of a nested batch": lambda m, f, x, t: m.grad(
        lambda x: m.vmap(lambda u: m.vmap(lambda v: f(u * v))(x))(x).sum()
    )(x),
    "grad where one is not mapped": lambda m, f, x, t: m.grad(
        lambda y: m.vmap(lambda u, v: f(u * v), (0, None))(x, y).sum()
    )(t[0]),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_batches_and_derivatives_compose_as_in_jax(name):
    random = np.random.default_rng(2)
    x, t = random.normal(size=(4, 3)), random.normal(size=(4, 3))
    use = DERIVATIVES[name]
    with jax.enable_x64(True):
        want = jax.jit(lambda x, t: use(jax, lambda x: bowl(jnp, x), x, t))(x, t)
        close(use(jg, lambda x: bowl(jg, x), jg.asarray(x), jg.asarray(t)), want)


def test_a_jvp_of_a_batch_and_a_batch_of_jvps_agree():
    random = np.random.default_rng(2)
    x, t = jg.asarray(random.normal(size=(4, 3))), jg.asarray(random.normal(size=(4, 3)))

    def function(x):
        return bowl(jg, x)

    _, whole = jg.jvp(jg.vmap(function), [x], [t])
    each = jg.vmap(lambda x, t: jg.jvp(function, [x], [t])[1][0])(x, t)
    close(whole[0], each)


def test_a_compiled_function_is_batched_and_a_batch_is_compiled():
    x = jg.asarray(np.random.default_rng(2).normal(size=(4, 3)))
    inner = jg.vmap(jg.compile(lambda x: bowl(jg, x)))
    outer = jg.compile(jg.vmap(lambda x: bowl(jg, x)))
    want = jg.vmap(lambda x: bowl(jg, x))(x)
    for function in (inner, outer):
        for _ in range(3):
            close(function(x), want)


def test_asking_for_a_value_beside_a_batch_leaves_derivatives_whole():
    """An evaluation inside of grad zeroed gradients elsewhere."""
    x = jg.asarray(np.random.default_rng(2).normal(size=(4, 3)))

    def function(x):
        y = jg.vmap(lambda x: jg.sum(x * x))(x)
        jg.eval(y)
        assert y[0].item() > 0
        return jg.sum(y * y)

    host = np.asarray(x)
    close(jg.grad(function)(x), 4 * host * (host * host).sum(1, keepdims=True))
