# SPDX-License-Identifier: Apache-2.0
"""grad, value_and_grad, vjp, jvp and jacobians: values beside MLX and JAX, errors by name."""

import collections
import gc
import math
import threading

import mlx.core as mx
import numpy as np
import pytest

import joggle as jg

Pair = collections.namedtuple("Pair", ["w", "b"])


def loss_of(namespace):
    def loss(tree, x):
        hidden = namespace.tanh(x @ tree["first"].w + tree["first"].b)
        return namespace.sum((hidden @ tree["second"][0]) ** 2)

    return loss


def parameters(make):
    generator = np.random.default_rng(0)
    w, b, v = (generator.standard_normal(s).astype(np.float32) for s in ((3, 4), (4,), (4, 2)))
    return {"first": Pair(make(w), make(b)), "second": (make(v),)}


def test_gradients_of_a_tree_are_those_of_mlx():
    x = np.random.default_rng(1).standard_normal((5, 3)).astype(np.float32)
    value, grads = jg.value_and_grad(loss_of(jg))(parameters(jg.asarray), jg.asarray(x))

    def flat(first_w, first_b, second):
        return loss_of(mx)({"first": Pair(first_w, first_b), "second": (second,)}, mx.array(x))

    tree = parameters(mx.array)
    leaves = (*tree["first"], *tree["second"])
    want_value, want = mx.value_and_grad(flat, argnums=(0, 1, 2))(*leaves)
    assert isinstance(grads["first"], Pair)
    got = (*grads["first"], *grads["second"])
    np.testing.assert_allclose(np.asarray(value), np.asarray(want_value), rtol=1e-5)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"argnums": 0},
        {"argnums": [0, 1]},
        {"argnums": (1, 0)},
        {"argnames": "z"},
        {"argnames": ["z"]},
        {"argnums": 1, "argnames": ["z"]},
    ],
)
def test_what_is_given_has_the_form_that_mlx_gives(keywords):
    def shape_of(tree):
        if isinstance(tree, (list, tuple)):
            return type(tree)(shape_of(item) for item in tree)
        if isinstance(tree, dict):
            return {key: shape_of(item) for key, item in tree.items()}
        return None if tree is None else np.asarray(tree).tolist()

    def run(namespace):
        x, y, z = (namespace.array([float(i), 2.0]) for i in range(3))
        fun = lambda x, y, z=None: namespace.sum(x * y * z)  # noqa: E731
        return shape_of(namespace.grad(fun, **keywords)(x, y, z=z))

    assert run(jg) == run(mx)


def test_an_auxiliary_result_passes():
    x = jg.array([1.0, 2.0])
    (value, twice, text), grad = jg.value_and_grad(lambda x: (jg.sum(x), x * 2, "text"))(x)
    assert (value.item(), twice.tolist(), text, grad.tolist()) == (3, [2, 4], "text", [1, 1])
    grad, aux = jg.grad(lambda x: (jg.sum(x * x), "more"), has_aux=True)(x)
    assert (grad.tolist(), aux) == ([2, 4], "more")


def test_an_argument_without_influence_has_zeros():
    x = jg.array([1.0, 2.0])
    assert jg.grad(lambda x: jg.sum(jg.ones(3)))(x).tolist() == [0, 0]
    assert jg.grad(lambda x: jg.sum(jg.astype(x, jg.int32) * 1.0))(x).tolist() == [0, 0]
    assert jg.grad(lambda x: jg.sum(x > 0) * 1.0)(x).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("fun", "keywords", "arguments", "error", "message"),
    [
        (lambda x: x, {}, (jg.ones(2),), ValueError, r"of shape \(2,\), allowed is a scalar"),
        (lambda x: None, {}, (jg.ones(2),), ValueError, "gave NoneType, allowed is a scalar"),
        (lambda x: 3.0, {}, (jg.ones(2),), ValueError, "gave float"),
        (lambda x: [jg.sum(x)], {}, (jg.ones(2),), ValueError, "gave list"),
        (lambda x: jg.sum(x), {"argnums": 1}, (jg.ones(2),), ValueError, "argnums has 1"),
        (lambda x: jg.sum(x), {"argnums": -1}, (jg.ones(2),), ValueError, "argnums: got -1"),
        (lambda x: jg.sum(x), {"argnums": []}, (jg.ones(2),), ValueError, "at least one"),
        (lambda x: jg.sum(x), {"argnums": (0, 0)}, (jg.ones(2),), ValueError, "more than once"),
        (lambda x: jg.sum(x), {"argnums": 0.5}, (jg.ones(2),), TypeError, "argnums: got 0.5"),
        (lambda x: jg.sum(x), {"argnames": "q"}, (jg.ones(2),), ValueError, "argnames has 'q'"),
        (lambda x: jg.sum(x), {}, (jg.arange(3),), TypeError, "argument 0 is int64"),
        (lambda x: jg.sum(x), {}, (3,), TypeError, "argument 0 is int"),
        (lambda d: jg.sum(d["a"]), {}, ({"a": jg.ones(2), "n": None},), TypeError, r"0\['n'\]"),
        (lambda x: jg.sum(x) > 0, {}, (jg.ones(2),), TypeError, "gave bool"),
        (3, {}, (), TypeError, "fun: got int"),
    ],
)
def test_mistakes_are_named(fun, keywords, arguments, error, message):
    with pytest.raises(error, match=rf"\[grad\] .*{message}"):
        jg.grad(fun, **keywords)(*arguments)


def test_an_exception_in_the_function_passes_and_ends_the_trace():
    def fails(x):
        raise KeyError("mine")

    for _ in range(3):
        with pytest.raises(KeyError, match="mine"):
            jg.grad(fails)(jg.ones(2))
    assert jg.grad(lambda x: jg.sum(x * x))(jg.ones(2)).tolist() == [2, 2]


def test_python_floats_and_arrays_of_others_are_arguments():
    assert jg.grad(lambda x: x * x)(3.0).item() == 6
    assert jg.grad(lambda x: jg.sum(x * x))(np.array([1.0, 2.0])).tolist() == [2, 4]


def test_products_with_the_derivative_are_those_of_mlx():
    def run(namespace):
        x, y = namespace.array([1.0, 2.0]), namespace.array([3.0, 4.0])
        fun = lambda x, y: (x * y, namespace.sin(x))  # noqa: E731
        both = [namespace.vjp(fun, [x, y], [y, x]), namespace.jvp(fun, [x, y], [y, x])]
        return [[np.asarray(a) for a in part] for pair in both for part in pair]

    for got, want in zip(run(jg), run(mx), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_pullback_may_be_used_often_and_late():
    x = jg.array([1.0, 2.0, 3.0])
    result, pull = jg.vjp(lambda x: x * x, [x])
    assert result.tolist() == [1, 4, 9]
    for factor in (1.0, 2.0):
        (got,) = pull([jg.full((3,), factor)])
        assert got.tolist() == [2 * factor, 4 * factor, 6 * factor]
    with pytest.raises(ValueError, match=r"\[vjp\] cotangents: number 0 is of shape \(2,\)"):
        pull([jg.ones(2)])
    with pytest.raises(ValueError, match=r"\[vjp\] cotangents: has 2 arrays"):
        pull([jg.ones(3), jg.ones(3)])


def test_wrong_tangents_are_named():
    x = jg.ones(2)
    with pytest.raises(ValueError, match=r"\[jvp\] tangents: has 0 items"):
        jg.jvp(lambda x: x, [x], [])
    with pytest.raises(ValueError, match=r"\[jvp\] tangents: number 0 is of shape \(3,\)"):
        jg.jvp(lambda x: x, [x], [jg.ones(3)])
    with pytest.raises(TypeError, match=r"\[jvp\] primals: got array"):
        jg.jvp(lambda x: x, x, [x])
    with pytest.raises(TypeError, match=r"\[vjp\] <lambda>: result is int"):
        jg.vjp(lambda x: 3, [x], [x])


def test_jacobians_and_hessians_are_those_of_jax():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    x = np.linspace(0.2, 1.0, 4).astype(np.float32)

    def fun(namespace):
        return lambda x: namespace.sin(x)[1:] * x[0] + x[1] * x[3]

    def energy(namespace):
        return lambda x: namespace.sum(namespace.exp(x) * x[::-1]) ** 2

    for ours, theirs, make in (
        (jg.jacrev, jax.jacrev, fun),
        (jg.jacfwd, jax.jacfwd, fun),
        (jg.hessian, jax.hessian, energy),
    ):
        got, want = ours(make(jg))(jg.asarray(x)), jax.jit(theirs(make(jnp)))(x)
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=2e-5, atol=1e-5)


def test_jacobians_of_trees_are_trees_of_trees():
    arguments = {"a": jg.array([1.0, 2.0]), "b": jg.array(3.0)}

    def fun(t):
        return [t["a"] * t["b"], jg.sum(t["a"])]

    for transform in (jg.jacrev, jg.jacfwd):
        rows = transform(fun)(arguments)
        assert rows[0]["a"].tolist() == [[3, 0], [0, 3]]
        assert rows[0]["b"].tolist() == [1, 2]
        assert rows[1]["a"].tolist() == [1, 1]
        assert rows[1]["b"].tolist() == 0


def test_linearize_gives_a_function_that_is_traced_no_more():
    runs = []

    def fun(x, y):
        runs.append(1)
        return jg.sin(x) * y

    value, slope = jg.linearize(fun, jg.array([0.5]), jg.array([2.0]))
    assert value.item() == pytest.approx(2 * np.sin(0.5))
    for tangent in (1.0, -2.0):
        got = slope(jg.array([tangent]), jg.array([1.0])).item()
        assert got == pytest.approx(tangent * 2 * np.cos(0.5) + np.sin(0.5))
    assert len(runs) == 1


@pytest.mark.parametrize(
    "fun", ["exp", "sqrt", "sin", "log", "abs", "conj", "real", "imag", "sign"]
)
def test_complex_cotangents_follow_the_convention_of_pytorch(fun):
    torch = pytest.importorskip("torch")
    z = np.array([1 + 2j, -0.5 + 0.3j, 2 - 1j])
    g = np.array([0.3 - 1j, 2 + 1j, -1 + 0.5j])
    x = torch.tensor(z, requires_grad=True)
    name = {"conj": "conj_physical", "sign": "sgn"}.get(fun, fun)
    y = getattr(x, name) if name in ("real", "imag") else getattr(torch, name)(x)
    cotangent = g if y.is_complex() else g.real
    y.backward(torch.tensor(cotangent))
    _, (got,) = jg.vjp(getattr(jg, fun), [jg.asarray(z)], [jg.asarray(cotangent)])
    np.testing.assert_allclose(np.asarray(got), x.grad.numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.full
def test_the_gradient_of_a_million_ops_needs_no_deep_stack():
    def chain(x):
        for _ in range(1_000_000):
            x = jg.sin(x)
        return x

    found = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(
            target=lambda: found.append(float(jg.grad(chain)(jg.array(0.5, dtype=jg.float64))))
        )
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    value, slope = 0.5, 1.0
    for _ in range(1_000_000):
        value, slope = math.sin(value), slope * math.cos(value)
    np.testing.assert_allclose(found, [slope], rtol=1e-9)


def test_a_thousand_derivatives_leave_no_memory():
    x = jg.asarray(np.ones(1000))
    slope = jg.grad(lambda x: jg.sum(jg.tanh(x) * x))
    jg.eval(slope(x))
    gc.collect()
    before = jg.get_active_memory()
    for _ in range(1000):
        jg.eval(slope(x))
    gc.collect()
    assert jg.get_active_memory() == before


def test_trees_are_those_of_mlx_utils():
    import mlx.utils as theirs

    ours = jg.utils
    tree = {"a": 1, "b": [2, (3, {"c": 4})], "d": {}, "e": []}
    other = {"a": 10, "b": [20, (30, {"c": 40})], "d": {}, "e": []}
    cases = [
        lambda u: u.tree_flatten(tree),
        lambda u: u.tree_flatten(tree, prefix=".p"),
        lambda u: u.tree_flatten(tree, is_leaf=lambda x: isinstance(x, tuple)),
        lambda u: u.tree_flatten(tree, destination={}),
        lambda u: u.tree_unflatten(u.tree_flatten(tree)),
        lambda u: u.tree_unflatten([("a.0", 1), ("a.2", 3), ("b", 2)]),
        lambda u: u.tree_unflatten({"x": 1}),
        lambda u: u.tree_unflatten([("", 3)]),
        lambda u: u.tree_map(lambda a, b: a + b, tree, other),
        lambda u: u.tree_map(lambda a: 0, tree, is_leaf=lambda x: isinstance(x, list)),
        lambda u: u.tree_map_with_path(lambda path, a: (path, a), tree),
        lambda u: u.tree_reduce(lambda total, a: total + a, tree, 100),
        lambda u: u.tree_reduce(lambda total, a: total + a, tree),
        lambda u: u.tree_merge({"a": 1, "b": {"x": 1}}, {"b": {"y": 2}}),
        lambda u: u.tree_merge([1, 2], [3, 4, 5], lambda a, b: a + b),
        lambda u: u.tree_merge({}, {"b": {"y": 2}}),
        lambda u: u.tree_merge({"a": None}, {"a": None}, lambda a, b: [a, b]),
        lambda u: u.tree_merge({}, {}),
        lambda u: u.tree_merge({"l": [{}, {}]}, {"l": [{}, 1]}),
        lambda u: u.tree_unflatten([]),
        lambda u: u.tree_unflatten({}),
        lambda u: u.tree_unflatten([("1", 1), ("01", 2)]),
        lambda u: u.tree_unflatten([("01", 2)]),
    ]
    for case in cases:
        assert case(ours) == case(theirs)
    with pytest.raises(ValueError, match="merge_fn"):
        ours.tree_merge({"a": 1}, {"a": 2})
    with pytest.raises(ValueError, match="an empty list where tree_a has dict"):
        ours.tree_merge({"a": {}}, {"a": []})
    with pytest.raises(ValueError, match="destination"):
        ours.tree_flatten(tree, destination=3)


@pytest.mark.parametrize("rest", [{"b": 1}, 3.0, []], ids=["keys", "leaf", "list"])
def test_trees_of_other_places_are_refused_by_name(rest):
    with pytest.raises(ValueError, match=r"\[tree_map\] rest\[1\]: has no 'a' where tree has one"):
        jg.utils.tree_map(lambda *leaves: leaves, {"a": 1}, {"a": 2}, rest)
    with pytest.raises(ValueError, match=r"\[tree_map_with_path\] rest\[0\]: has no 'a'"):
        jg.utils.tree_map_with_path(lambda *leaves: leaves, {"a": 1}, rest)
    with pytest.raises(ValueError, match=r"\[tree_map\] rest\[0\]: has no 1 where tree has one"):
        jg.utils.tree_map(lambda *leaves: leaves, [1, 2], [1])


def _times(x, a):
    return x * a


def _times_what_is_pending(x, a):
    return x * (a * 2 - a)


def _times_by_rule(x, a):
    times = jg.custom_function(lambda x, a: x * a)
    times.vjp(lambda primals, cotangent, output: (cotangent * primals[1], cotangent * primals[0]))
    return times(x, a)


def _times_again(x, a):
    return jg.checkpoint(lambda x, a: x * a)(x, a)


@pytest.mark.parametrize("times", [_times, _times_what_is_pending, _times_by_rule, _times_again])
@pytest.mark.parametrize("size", [4, 100_000])
def test_what_a_derivative_reads_is_not_written_over(times, size):
    """Nobody but the graph holds the factor when the product is computed."""

    def f(x):
        a = jg.full((size,), 3.0) * jg.ones(size)
        jg.eval(a)
        y = times(x, a)
        del a
        jg.eval(y)
        return jg.sum(y)

    x = jg.arange(size, dtype=jg.float32)
    value, slope = jg.value_and_grad(f)(x)
    assert value.item() == pytest.approx(3.0 * size * (size - 1) / 2, rel=1e-5)
    assert np.array_equal(np.asarray(slope), np.full(size, 3, np.float32))
    (_, shares) = jg.vjp(f, [x], [jg.array(2.0)])
    assert np.array_equal(np.asarray(shares[0]), np.full(size, 6, np.float32))


@pytest.mark.parametrize("point", [[0.0, 5.0], [5.0, 0.0], [0.0, 0.0], [2.0, 3.0]])
def test_second_derivatives_of_products_by_index_pass_zeros(point):
    place = jg.array([0, 0])
    v = jg.array(point)
    by_index = jg.hessian(lambda v: jg.sum(jg.array([3.0]).at[place].multiply(v)))(v)
    assert by_index.tolist() == jg.hessian(lambda v: 3 * v[0] * v[1])(v).tolist()


@pytest.mark.parametrize("base", [0.0, 2.0])
@pytest.mark.parametrize("exponent", [0.0, 1.0, 3.0])
def test_powers_by_index_have_the_derivatives_of_powers(base, exponent):
    place = jg.array([0])
    x, u = jg.array([base]), jg.array([exponent])
    found = jg.grad(lambda x, u: jg.sum(x.at[place].power(u)), argnums=(0, 1))(x, u)
    wanted = jg.grad(lambda x, u: jg.sum(x**u), argnums=(0, 1))(x, u)
    assert [each.tolist() for each in found] == [each.tolist() for each in wanted]


def test_powers_of_several_updates_have_derivatives_by_each():
    def by_index(x, u):
        return jg.sum(x.at[jg.array([0, 0, 0])].power(u))

    x, u = jg.array([2.0]), jg.array([1.5, 0.0, 2.0])
    found = jg.grad(by_index, argnums=(0, 1))(x, u)
    wanted = jg.grad(lambda x, u: jg.sum(x ** jg.prod(u)), argnums=(0, 1))(x, u)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6)
