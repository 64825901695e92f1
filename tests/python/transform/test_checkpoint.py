# SPDX-License-Identifier: Apache-2.0
"""Functions that are computed again for their derivatives: the same values, and less memory."""

import numpy as np
import pytest

import joggle as jg

POLICIES = [None, "products"]


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-12, atol=1e-12)


def normal(*shape, seed=0):
    return jg.asarray(np.random.default_rng(seed).standard_normal(shape))


def layer(x, w):
    return jg.tanh(x @ w) + jg.sin(x) * jg.sum(w, axis=0)


def loss_of(block):
    return lambda x, w: jg.sum(block(block(block(x, w), w), w) ** 2)


@pytest.mark.parametrize("policy", POLICIES)
def test_all_transformations_give_what_they_give_without(policy):
    x, w = normal(4, 3), normal(3, 3, seed=1)
    plain, kept = loss_of(layer), loss_of(jg.checkpoint(layer, policy=policy))
    close(kept(x, w), plain(x, w))
    ways = {
        "gradient": lambda f: jg.grad(f, argnums=(0, 1))(x, w),
        "forward": lambda f: jg.jvp(f, [x, w], [x, w])[1],
        "reverse twice": lambda f: [jg.jacrev(jg.grad(f, argnums=1))(x, w)],
        "hessian": lambda f: [jg.hessian(f)(x, w)],
        "forward over reverse": lambda f: jg.jvp(jg.grad(f), [x, w], [x, w])[1],
        "reverse over forward": lambda f: [
            jg.grad(lambda w: jg.jvp(lambda x: f(x, w), [x], [x])[1][0])(w)
        ],
        "batch of gradients": lambda f: [jg.vmap(jg.grad(f), in_axes=(0, None))(x[:, None], w)],
        "gradient of a batch": lambda f: [
            jg.grad(lambda w: jg.sum(jg.vmap(f, in_axes=(0, None))(x[:, None], w)))(w)
        ],
        "compiled": lambda f: jg.compile(jg.grad(f, argnums=(0, 1)))(x, w),
        "gradient of compiled": lambda f: jg.grad(jg.compile(f), argnums=(0, 1))(x, w),
    }
    for way in ways.values():
        for got, want in zip(way(kept), way(plain), strict=True):
            close(got, want)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_the_function_uses_besides_its_arguments_is_differentiated(policy):
    x, w = normal(4, 3), normal(3, 3, seed=1)

    def loss(w):
        scale = jg.sum(w)
        inner = jg.checkpoint(lambda x: layer(x, w) * scale + w[0], policy=policy)
        return jg.sum(inner(inner(x)))

    def plain(w):
        scale = jg.sum(w)

        def inner(x):
            return layer(x, w) * scale + w[0]

        return jg.sum(inner(inner(x)))

    close(jg.grad(loss)(w), jg.grad(plain)(w))


def test_checkpoints_take_trees_and_what_is_no_array():
    x, w = normal(4, 3), normal(3, 3, seed=1)

    def both(tree, power, *, scale):
        made = {"y": tree["x"] ** power * scale, "same": tree["x"], "constant": w, "label": "a"}
        return made, [jg.sum(tree["x"] @ tree["w"]), jg.argmax(tree["x"])]

    def loss(f):
        def of(x, w):
            made, (total, place) = f({"x": x, "w": w}, 2, scale=x[0, 0])
            assert made["label"] == "a"
            assert place.dtype == jg.int64
            return jg.sum(made["y"] * made["same"]) + total * jg.sum(made["constant"])

        return of

    want = jg.grad(loss(both), argnums=(0, 1))(x, w)
    for got, expected in zip(
        jg.grad(loss(jg.checkpoint(both)), argnums=(0, 1))(x, w), want, strict=True
    ):
        close(got, expected)


def test_values_may_be_asked_for_inside():
    x, w = normal(4, 3), normal(3, 3, seed=1)

    def block(x, w):
        y = layer(x, w)
        return y * 2 if float(jg.sum(y * y)) > 0 else y

    close(jg.grad(loss_of(jg.checkpoint(block)))(x, w), jg.grad(loss_of(block))(x, w))


def test_draws_are_the_same_when_they_are_made_again():
    x = normal(5, 3)

    def noisy(x):
        return jg.sum(x**2 * jg.random.normal((5, 3)))

    jg.random.seed(7)
    want = jg.grad(noisy)(x)
    jg.random.seed(7)
    close(jg.grad(jg.checkpoint(noisy))(x), want)
    drawn = jg.compile(jg.grad(jg.checkpoint(noisy)))
    first, second = np.asarray(drawn(x)), np.asarray(drawn(x))
    assert not np.array_equal(first, second)


def _peak(loss, x, apart):
    jg.synchronize()
    jg.clear_cache()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    value, slope = jg.value_and_grad(loss)(x)
    if apart:
        jg.eval(value)
    jg.eval(value, slope)
    return (jg.get_peak_memory() - before) / x.nbytes, np.asarray(slope)


@pytest.mark.parametrize("apart", [False, True])
def test_memory_grows_with_the_root_of_the_depth(apart):
    size, layers, segment = 128, 64, 8
    w = normal(size, size) / size**0.5
    x = normal(size, size, seed=2)

    def block(x):
        for _ in range(segment):
            x = jg.tanh(x @ w)
        return x

    def loss(block):
        def of(x):
            for _ in range(layers // segment):
                x = block(x)
            return jg.sum(x)

        return of

    whole, want = _peak(loss(block), x, apart)
    less, got = _peak(loss(jg.checkpoint(block)), x, apart)
    close(got, want)
    assert layers <= whole <= layers + 4
    assert less <= layers / segment + segment + 4, less


@pytest.mark.parametrize("size", [1000, 9000])
def test_temporaries_of_long_chains_are_used_again(size):
    """100 blocks of 100 steps need the 100 arguments of blocks, and the 100 values of one."""

    def block(x):
        for _ in range(100):
            x = jg.sin(x) * 1.01
        return x

    def loss(x):
        for _ in range(100):
            x = jg.checkpoint(block)(x)
        return jg.sum(x)

    x = jg.asarray(np.linspace(0.1, 1, size))
    peak, slope = _peak(loss, x, False)
    assert peak <= 210, peak
    values, want = np.asarray(x), np.ones(size)
    for _ in range(10_000):
        want *= 1.01 * np.cos(values)
        values = 1.01 * np.sin(values)
    np.testing.assert_allclose(slope, want, rtol=1e-9)


def test_a_deep_chain_of_checkpoints_needs_no_recursion():
    step = jg.checkpoint(lambda x: jg.sin(x) * 1.01)

    def loss(x):
        for _ in range(10_000):
            x = step(x)
        return jg.sum(x)

    x = jg.asarray(np.array([0.3, 0.1]))
    values = np.array([0.3, 0.1])
    slope = np.ones(2)
    for _ in range(10_000):
        slope *= 1.01 * np.cos(values)
        values = 1.01 * np.sin(values)
    np.testing.assert_allclose(np.asarray(jg.grad(loss)(x)), slope, rtol=1e-9)


def test_nested_checkpoints_have_the_plain_gradient():
    x, w = normal(4, 3), normal(3, 3, seed=1)
    inner = jg.checkpoint(layer)
    outer = jg.checkpoint(lambda x, w: inner(inner(x, w), w))
    plain = loss_of(lambda x, w: layer(layer(x, w), w))
    close(jg.grad(loss_of(outer))(x, w), jg.grad(plain)(x, w))


def test_a_function_with_rules_inside_keeps_them():
    @jg.custom_function
    def f(x):
        return jg.sin(x)

    @f.vjp
    def vjp(x, cotangents, outputs):
        return cotangents * 3

    x = normal(4)
    close(jg.grad(lambda x: jg.sum(jg.checkpoint(lambda x: f(x) * 2)(x)))(x), np.full(4, 6.0))


OF_COLUMNS = {
    "running sums": lambda a, b: jg.sum(jg.cumsum(a) * b),
    "views": lambda a, b: a[0] * 2 + a[::2][1] * 3 + jg.sum(b[1:] * a[1:] ** 2) + b[::-1][0],
    "matrices": lambda a, b: jg.sum(jg.reshape(a, (2, 2)) @ jg.reshape(b, (2, 2))),
}
CHECKPOINTED = {
    "arguments": jg.checkpoint,
    "products": lambda f: jg.checkpoint(f, policy="products"),
    "one used": lambda f: lambda a, b: jg.checkpoint(lambda b: f(a, b))(b),
    "both used": lambda f: lambda a, b: jg.checkpoint(lambda: f(a, b))(),
    "turned": lambda f: lambda a, b: jg.checkpoint(lambda a, b: f(a[::-1], b))(a[::-1], b),
    "nested": lambda f: jg.checkpoint(jg.checkpoint(f)),
    "recorded": lambda f: jg.checkpoint(jg.compile(f)),
}


@pytest.mark.parametrize("axes", [(1, 1), (0, 1), (1, None), (None, -1)])
@pytest.mark.parametrize("way", CHECKPOINTED)
@pytest.mark.parametrize("name", OF_COLUMNS)
def test_a_batch_of_columns_has_the_plain_gradient(name, way, axes):
    f = OF_COLUMNS[name]
    given = [normal(4, seed=1) if axis is None else normal(4, 3) for axis in axes]
    given = [x if axis in (None, 1, -1) else x.T for x, axis in zip(given, axes, strict=True)]
    weights = jg.array([1.0, 10.0, 100.0], dtype=jg.float64)

    def loss(function):
        return lambda a, b: jg.sum(jg.vmap(function, axes)(a, b) * weights)

    both = (0, 1)
    want = jg.grad(loss(f), argnums=both)(*given)
    for got, expected in zip(
        jg.grad(loss(CHECKPOINTED[way](f)), argnums=both)(*given), want, strict=True
    ):
        close(got, expected)
    each = jg.vmap(jg.grad(CHECKPOINTED[way](f), argnums=both), axes)(*given)
    for got, expected in zip(each, jg.vmap(jg.grad(f, argnums=both), axes)(*given), strict=True):
        close(got, expected)


def test_wrong_use_is_refused_by_name():
    with pytest.raises(TypeError, match=r"\[checkpoint\] fun: got int"):
        jg.checkpoint(3)
    with pytest.raises(ValueError, match=r"\[checkpoint\] policy: got 'all', allowed are None"):
        jg.checkpoint(layer, policy="all")
