# SPDX-License-Identifier: Apache-2.0
"""Functions with rules of their own, in every transformation and in one another."""

import gc
import weakref

import numpy as np
import pytest

import joggle as jg


def close(got, want, rtol=1e-6):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol, atol=1e-6)


X = np.array([0.5, -1.5, 2.0])
Y = np.array([1.0, 2.0, -3.0])


def scaled():
    """sin(x) * y whose rules say ten times the derivative by x."""

    @jg.custom_function
    def function(x, y):
        return jg.sin(x) * y

    @function.vjp
    def vjp(primals, cotangents, outputs):
        x, y = primals
        return 10 * cotangents * jg.cos(x) * y, cotangents * jg.sin(x)

    @function.jvp
    def jvp(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return 10 * dx * jg.cos(x) * y + dy * jg.sin(x)

    return function


def arrays():
    return jg.asarray(X), jg.asarray(Y)


def test_a_custom_function_without_rules_is_the_plain_function():
    f = jg.custom_function(lambda x, y: jg.sin(x) * y)
    x, y = arrays()
    close(f(x, y), np.sin(X) * Y)
    close(jg.grad(lambda x: jg.sum(f(x, y)))(x), np.cos(X) * Y)
    close(jg.jvp(f, [x, y], [x, y])[1][0], np.cos(X) * Y * X + np.sin(X) * Y)
    close(jg.vmap(f)(x, y), np.sin(X) * Y)


def test_rules_replace_the_derivatives_in_both_directions():
    f = scaled()
    x, y = arrays()
    by_x, by_y = jg.grad(lambda x, y: jg.sum(f(x, y)), argnums=(0, 1))(x, y)
    close(by_x, 10 * np.cos(X) * Y)
    close(by_y, np.sin(X))
    close(jg.jvp(f, [x, y], [x, y])[1][0], 10 * np.cos(X) * Y * X + np.sin(X) * Y)


def test_what_a_function_with_rules_uses_besides_its_arguments_is_constant():
    x, w = arrays()

    def using(w, **rules):
        f = jg.custom_function(lambda x: x * w)
        for name, rule in rules.items():
            getattr(f, name)(rule)
        return f

    def vjp(primals, cotangents, outputs):
        return cotangents

    def jvp(primals, tangents):
        return tangents

    def vmap(inputs, axes):
        return inputs, axes

    def of_x_and_w(x, w):
        return jg.sum(using(w, vjp=vjp)(x) * w)

    reverse = jg.grad(lambda w: jg.sum(using(w, vjp=vjp)(x) * w))
    close(reverse(w), X * Y)  # of the other factor alone
    close(jg.compile(reverse)(w), X * Y)
    close(jg.grad(jg.compile(of_x_and_w), argnums=1)(x, w), X * Y)
    close(jg.jvp(lambda w: using(w, jvp=jvp)(x), [w], [w])[1][0], 0 * X)
    close(jg.jvp(lambda w: using(w, vjp=vjp)(x), [w], [w])[1][0], X * Y)  # has no rule
    close(jg.grad(lambda w: jg.sum(using(w, vmap=vmap)(x)))(w), X)
    rules = {"vjp": vjp, "vmap": vmap}
    close(jg.vmap(lambda w: using(w, **rules)(x))(w), X * Y[:, None])
    close(jg.vmap(jg.grad(lambda w: jg.sum(using(w, **rules)(x))))(w), 0 * X)


def test_the_derivative_of_a_rule_is_taken_of_the_rule():
    f = scaled()
    x, y = arrays()

    def slope(x):
        return jg.sum(jg.grad(lambda x: jg.sum(f(x, y)))(x))

    close(jg.grad(slope)(x), -10 * np.sin(X) * Y)
    close(jg.jvp(slope, [x], [x])[1][0], np.sum(-10 * np.sin(X) * Y * X))
    close(
        jg.grad(lambda y: jg.sum(jg.jvp(lambda x: f(x, y), [x], [x])[1][0]))(y), 10 * np.cos(X) * X
    )


def test_a_batch_keeps_the_rules():
    f = scaled()
    x, y = arrays()
    each = jg.vmap(jg.grad(f, argnums=(0, 1)))(x, y)
    close(each[0], 10 * np.cos(X) * Y)
    whole = jg.grad(lambda x, y: jg.sum(jg.vmap(f)(x, y)), argnums=(0, 1))(x, y)
    close(whole[0], 10 * np.cos(X) * Y)
    close(whole[1], np.sin(X))
    # What is not mapped has one cotangent.
    one = jg.grad(lambda x, y: jg.sum(jg.vmap(f, in_axes=(0, None))(x, y)), argnums=(0, 1))(x, y[0])
    close(one[0], 10 * np.cos(X) * Y[0])
    close(one[1], np.sum(np.sin(X)))
    pushed = jg.jvp(jg.vmap(f, in_axes=(0, None)), [x, y[0]], [x, y[1]])[1][0]
    close(pushed, 10 * np.cos(X) * Y[0] * X + np.sin(X) * Y[1])
    # and of a batch of batches
    grid = jg.vmap(jg.vmap(f, in_axes=(None, 0)), in_axes=(0, None))
    both = jg.grad(lambda x, y: jg.sum(grid(x, y)), argnums=(0, 1))(x, y)
    close(both[0], 10 * np.cos(X) * np.sum(Y))
    close(both[1], np.full(3, np.sum(np.sin(X))))


def test_a_batch_along_other_axes_is_the_loop():
    f = scaled()
    generator = np.random.default_rng(5)
    a, b = generator.standard_normal((4, 3)), generator.standard_normal((3, 4))

    def loss(x, y):
        return jg.sum(jg.vmap(f, in_axes=(0, -1), out_axes=1)(x, y) ** 2)

    got = jg.grad(loss, argnums=(0, 1))(jg.asarray(a), jg.asarray(b))
    cotangents = 2 * np.sin(a) * b.T
    close(got[0], 10 * cotangents * np.cos(a) * b.T)
    close(got[1], (cotangents * np.sin(a)).T)


def test_the_rule_of_a_batch_is_asked():
    seen = []

    @jg.custom_function
    def f(x, y):
        return x * y, x + y

    @f.vmap
    def vmap(inputs, axes):
        seen.append(axes)
        x, y = inputs
        return (x * y * 2, jg.zeros((), dtype=jg.float64)), (0, None)

    x, y = arrays()
    product, total = jg.vmap(f, in_axes=(0, None))(x, y[1])
    assert seen == [(0, None)]
    close(product, 4 * X)
    close(total, np.zeros(3))
    swapped = jg.vmap(f, in_axes=(None, 0))(x[0], y)
    assert seen[1] == (None, 0)
    close(swapped[0], 2 * X[0] * Y)


def test_compiled_functions_keep_the_rules():
    f = scaled()
    x, y = arrays()
    compiled = jg.compile(lambda x, y: f(x * 1, y) * 2)
    for _ in range(3):
        close(compiled(x, y), 2 * np.sin(X) * Y)
        close(jg.grad(lambda x: jg.sum(compiled(x, y)))(x), 20 * np.cos(X) * Y)
        close(jg.compile(jg.grad(lambda x: jg.sum(f(x, y))))(x), 10 * np.cos(X) * Y)
        close(jg.vmap(jg.grad(compiled))(x, y), 20 * np.cos(X) * Y)


def test_a_function_of_one_argument_has_rules_of_it_alone():
    seen = []

    @jg.custom_function
    def f(tree):
        return tree["a"] * tree["b"][0]

    @f.vjp
    def vjp(primals, cotangents, outputs):
        seen.append((type(primals), outputs.shape))
        return {"a": cotangents * 5, "b": [None]}

    x, y = arrays()
    got = jg.grad(lambda tree: jg.sum(f(tree)))({"a": x, "b": [y]})
    assert seen == [(dict, (3,))]
    close(got["a"], np.full(3, 5.0))
    close(got["b"][0], np.zeros(3))


def test_results_may_be_a_tree_and_are_asked_for_in_any_order():
    calls = []

    @jg.custom_function
    def f(x):
        return {"double": x * 2, "rest": (jg.exp(x), jg.argsort(x))}

    @f.vjp
    def vjp(x, cotangents, outputs):
        calls.append(jg.utils.tree_map(lambda leaf: leaf.shape, cotangents))
        close(outputs["rest"][0], np.exp(X))
        return cotangents["double"] * 3 + cotangents["rest"][0]

    x, _ = arrays()
    close(jg.grad(lambda x: jg.sum(f(x)["double"]))(x), np.full(3, 3.0))
    close(jg.grad(lambda x: jg.sum(f(x)["rest"][0]))(x), np.ones(3))

    def chained(x):
        got = f(x)
        return jg.sum(jg.sin(got["rest"][0]) * got["double"])

    want = np.cos(np.exp(X)) * 2 * X + 3 * np.sin(np.exp(X))
    close(jg.grad(chained)(x), want)
    assert calls == [{"double": (3,), "rest": ((3,), (3,))}] * 3  # once for each pass


def test_numbers_and_keywords_are_passed_to_rules_as_they_are():
    seen = []

    @jg.custom_function
    def f(x, power, *, scale=1):
        return scale * x**power

    @f.vjp
    def vjp(primals, cotangents, outputs, *, scale=1):
        seen.append((primals[1], scale))
        return cotangents * 7, None

    x, _ = arrays()
    close(jg.grad(lambda x: jg.sum(f(x, 2, scale=3)))(x), np.full(3, 7.0))
    assert seen == [(2, 3)]


def test_exceptions_of_rules_pass_as_they_are_and_nothing_is_lost():
    class Mine(Exception):
        pass

    @jg.custom_function
    def f(x):
        return x * 1

    @f.vjp
    def vjp(x, cotangents, outputs):
        raise Mine("reverse")

    @f.jvp
    def jvp(x, tangents):
        raise Mine("forward")

    @f.vmap
    def vmap(x, axes):
        raise Mine("batch")

    x, _ = arrays()
    with pytest.raises(Mine, match="reverse"):
        jg.grad(lambda x: jg.sum(f(x)))(x)
    with pytest.raises(Mine, match="forward"):
        jg.jvp(f, [x], [x])
    with pytest.raises(Mine, match="batch"):
        jg.vmap(f)(x)
    close(jg.grad(lambda x: jg.sum(jg.exp(x)))(x), np.exp(X))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (lambda c: c[:2], ValueError, r"vjp gave shape \(2,\) for number 0, allowed is \(3,\)"),
        (lambda c: (c, c), ValueError, "vjp gave 2"),
        (lambda c: "text", TypeError, "vjp gave str"),
    ],
)
def test_what_a_rule_gives_is_checked(given, error, text):
    @jg.custom_function
    def f(x):
        return x * 1

    @f.vjp
    def vjp(x, cotangents, outputs):
        return given(cotangents)

    x, _ = arrays()
    if error is ValueError and "2" in text and "gave 2" in text:
        f = jg.custom_function(lambda x, y, z: x * y * z)
        f.vjp(lambda primals, cotangents, outputs: given(cotangents))
        with pytest.raises(error, match=text):
            jg.grad(lambda x: jg.sum(f(x, x, x)))(x)
        return
    with pytest.raises(error, match=text):
        jg.grad(lambda x: jg.sum(f(x)))(x)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (3.0, "vmap gave float, allowed is a tuple of outputs and axes"),
        ((None, 0), "vmap gave NoneType, allowed is an array"),
        (("a", 0), "vmap gave str, allowed is an array"),
        ((jg.ones((3,), dtype=jg.float64), "b"), "gave axes 'b', allowed are ints and None"),
    ],
)
def test_what_a_rule_for_batches_gives_is_checked(given, text):
    f = jg.custom_function(lambda x: x * 2)
    f.vmap(lambda x, axes: given)
    with pytest.raises(TypeError, match=text):
        jg.vmap(f)(arrays()[0])


def test_a_tangent_runs_the_function_once():
    calls = []

    @jg.custom_function
    def f(x):
        calls.append(1)
        return x * 2

    f.jvp(lambda x, tangents: tangents * 5)
    x, _ = arrays()
    close(jg.jvp(f, [x], [x])[1][0], 5 * X)
    assert len(calls) == 1


def test_wrong_use_is_refused_by_name():
    with pytest.raises(TypeError, match=r"\[custom_function\] fun: got int"):
        jg.custom_function(3)
    f = scaled()
    with pytest.raises(TypeError, match=r"\[custom_function\] fun: got NoneType"):
        f.vjp(None)

    @jg.custom_function
    def g(x, *, y):
        return x * y

    @g.vjp
    def vjp(x, cotangents, outputs, *, y):
        return cotangents

    x, y = arrays()
    with pytest.raises(ValueError, match="g: keyword argument 'y' is differentiated"):
        jg.grad(lambda x, y: jg.sum(g(x, y=y)), argnums=(0, 1))(x, y)


def _differentiate_with(held):
    @jg.custom_function
    def f(x):
        return x * 1

    @f.vjp
    def vjp(x, cotangents, outputs, held=held):
        return cotangents * 2

    x, _ = arrays()
    close(jg.grad(lambda x: jg.sum(f(x)))(x), np.full(3, 2.0))
    pullback = jg.vjp(f, [x])[1]
    close(pullback([jg.ones_like(x)])[0], np.full(3, 2.0))


def test_a_rule_is_freed_with_the_graph():
    class Held:
        pass

    held = Held()
    gone = weakref.ref(held)
    _differentiate_with(held)
    del held
    gc.collect()
    jg.synchronize()
    assert gone() is None


def test_a_chain_of_many_custom_functions_needs_no_recursion():
    f = scaled()
    x = jg.asarray(np.array([0.1]))

    def loss(x):
        for _ in range(20_000):
            x = f(x, 0.1)
        return jg.sum(x)

    assert np.isfinite(np.asarray(jg.grad(loss)(x))).all()


def test_custom_function_gives_what_it_gives_in_mlx():
    mx = pytest.importorskip("mlx.core")

    def run(xp, array):
        @xp.custom_function
        def f(x, y):
            return xp.sin(x) * y

        @f.vjp
        def vjp(primals, cotangent, output):
            x, y = primals
            return cotangent * xp.cos(x) * y * 3 + output, cotangent * xp.sin(x)

        @f.jvp
        def jvp(primals, tangents):
            return tangents[0] * 2 + tangents[1] * primals[0]

        @f.vmap
        def vmap(inputs, axes):
            return xp.sin(inputs[0]) * inputs[1] + 1, axes[0]

        x, y = array(X.astype(np.float32)), array(Y.astype(np.float32))
        by = xp.grad(lambda x, y: xp.sum(f(x, y)), argnums=(0, 1))(x, y)
        return [*by, xp.jvp(f, [x, y], [y, x])[1][0], xp.vmap(f)(x, y)]

    for ours, theirs in zip(run(jg, jg.asarray), run(mx, mx.array), strict=True):
        close(ours, np.array(theirs), rtol=1e-5)


def test_a_custom_function_may_be_a_method():
    class Layer:
        def __init__(self, scale):
            self.scale = scale

        @jg.custom_function
        def forward(self, x):
            return x * self.scale

        @forward.vjp
        def backward(primals, cotangents, outputs):
            layer = primals[0]
            return None, cotangents * layer.scale * 10

    x = jg.array([1.0, 2.0])
    layers = Layer(2.0), Layer(3.0)
    for layer in layers:
        assert layer.forward(x).tolist() == [layer.scale, 2 * layer.scale]
        slope = jg.grad(lambda x, layer=layer: jg.sum(layer.forward(x)))(x)
        assert slope.tolist() == [10 * layer.scale] * 2
    assert jg.vmap(layers[1].forward)(jg.stack([x, x])).tolist() == [[3.0, 6.0]] * 2
    assert Layer.forward(layers[0], x).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("rule", ["vjp", "jvp"])
def test_a_rule_that_gives_nothing_is_refused(rule):
    @jg.custom_function
    def f(x):
        return jg.sin(x)

    getattr(f, rule)(lambda *given: None)
    x = jg.ones(3)
    with pytest.raises(TypeError, match=rf"\[custom_function\] f: {rule} gave None, allowed are"):
        jg.grad(lambda x: jg.sum(f(x)))(x) if rule == "vjp" else jg.jvp(f, [x], [x])


def test_rules_get_none_beside_an_argument_that_is_no_array():
    seen = []

    @jg.custom_function
    def f(tree, b):
        return tree["a"] * b

    @f.jvp
    def jvp(primals, tangents):
        seen.append(tangents)
        return tangents[0]["a"] * primals[1]

    @f.vmap
    def vmap(inputs, axes):
        seen.append(axes)
        return inputs[0]["a"] * inputs[1], axes[0]["a"]

    x, _ = arrays()
    close(jg.jvp(lambda x: f({"a": x, "k": 2}, 3.0), [x], [jg.ones_like(x)])[1][0], np.full(3, 3.0))
    close(jg.vmap(lambda x: f({"a": x, "k": 2}, True))(x), X)
    close(jg.hessian(lambda x: jg.sum(f({"a": x, "k": 2}, 3.0) * x))(x), 6 * np.eye(3))
    assert (seen[0][0]["k"], seen[0][1]) == (None, None)
    assert seen[1] == ({"a": 0, "k": None}, None)


def test_rules_get_the_inputs_that_the_function_was_given():
    @jg.custom_function
    def f(a):
        a += 1
        return a * 2

    @f.vmap
    def vmap(inputs, axes):
        return (inputs + 1) * 2, axes

    @f.vjp
    def vjp(primals, cotangents, outputs):
        return cotangents * primals

    x, _ = arrays()
    close(jg.vmap(f)(x + 0), f(x + 0))
    close(jg.grad(lambda x: jg.sum(f(x)))(x + 0), X)


def test_an_item_that_the_function_takes_out_keeps_its_share():
    @jg.custom_function
    def f(tree):
        return tree.pop("w") * 3 + tree["b"]

    @f.vjp
    def vjp(primals, cotangents, outputs):
        return {key: cotangents * 10 for key in primals}

    x, _ = arrays()
    close(jg.grad(lambda x: jg.sum(f({"w": x, "b": x})))(x), np.full(3, 20.0))


def test_an_array_by_keyword_is_what_a_call_of_a_compiled_function_gives():
    @jg.custom_function
    def f(a, *, k):
        return a * k

    @f.vjp
    def vjp(primals, cotangents, outputs, k):
        return cotangents * k * 10

    def loss(x, k):
        return jg.sum(f(x, k=k))

    x, y = arrays()
    compiled = jg.compile(loss)
    close(compiled(x, y), np.sum(X * Y))
    close(compiled(x, 2 * y), np.sum(2 * X * Y))
    gradient = jg.compile(jg.grad(loss))
    close(gradient(x, y), 10 * Y)
    close(gradient(x, 2 * y), 20 * Y)
    close(jg.grad(compiled)(x, 2 * y), 20 * Y)
    close(jg.vmap(jg.grad(loss), in_axes=(0, None))(jg.stack([x, x]), y), 10 * np.stack([Y, Y]))
