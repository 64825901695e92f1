# SPDX-License-Identifier: Apache-2.0
"""How many buffers a gradient has at its peak: sums of cotangents are made addend by addend, and
values that a checkpoint makes again are dropped when their last users have run."""

import itertools
import math
import threading

import jax
import numpy as np
import pytest

import joggle as jg

SIZE = 128
MIB = 1 << 20


def normal(*shape, seed=0, dtype="float64"):
    values = np.random.default_rng(seed).standard_normal(shape)
    # NumPy's memory may be written once kernels are in use, so a checkpoint would copy it first.
    return jg.asarray((values / max(shape[0], 1) ** 0.5).astype(dtype), copy=True)


def peak_of(function, *arguments):
    """Bytes at the peak beside the arguments, results included; and the results."""
    jg.synchronize()
    jg.clear_cache()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    results = function(*arguments)
    jg.eval(results)
    jg.synchronize()
    return jg.get_peak_memory() - before, results


def network(layers, segment, shared, checkpointed):
    def block(h, weights):
        for w in weights:
            h = jg.tanh(h @ w)
        return h

    again = jg.checkpoint(block) if checkpointed else block

    def loss(weights, x):
        weights = [weights[0]] * layers if shared else weights
        for i in range(0, layers, segment):
            x = again(x, weights[i : i + segment])
        return jg.sum(x)

    return loss


# The gradients of own weights are as many buffers as layers, and lend them to activations.
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("layers", [64, 256])
def test_layers_need_their_activations_or_those_of_a_segment(layers, shared, compiled):
    root = math.isqrt(layers)
    x = normal(SIZE, SIZE)
    weights = [normal(SIZE, SIZE, seed=i + 1) for i in range(1 if shared else layers)]
    jg.eval(weights)
    want = None
    for segment, checkpointed in ((1, False), (1, True), (root, True)):
        function = jg.grad(network(layers, segment, shared, checkpointed))
        if compiled:
            function = jg.compile(function)
            jg.eval(function(weights, x))
        nbytes, slopes = peak_of(function, weights, x)
        most = 2 * root if shared and segment == root else layers
        assert nbytes / x.nbytes <= most + 3, (segment, checkpointed, nbytes / x.nbytes)
        slopes = [np.asarray(slope) for slope in slopes]
        want = want or slopes
        for got, expected in zip(slopes, want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("batch", [8, SIZE])
def test_sums_of_weights_and_biases_that_all_steps_share_are_made_in_place(batch):
    """Like a recurrent network: gradients are larger than the steps' activations."""
    steps = 256
    x, h = normal(batch, SIZE), normal(batch, SIZE, seed=1)
    parameters = normal(SIZE, SIZE, seed=2), normal(SIZE, SIZE, seed=3), normal(SIZE, seed=4)
    h = jg.broadcast_to(jg.sum(h), (batch, SIZE)) * 0.01
    jg.eval(h, *parameters)

    def block(h, x, w, u, b):
        for _ in range(16):
            h = jg.tanh(h @ w + x @ u + b)
        return h

    def loss(w, u, b, again):
        state = h
        for _ in range(steps // 16):
            state = again(state, x, w, u, b)
        return jg.sum(state**2)

    peaks = {}
    for name, again in (("plain", block), ("again", jg.checkpoint(block))):
        nbytes, slopes = peak_of(
            lambda *p, again=again: jg.grad(lambda *q: loss(*q, again), argnums=(0, 1, 2))(*p),
            *parameters,
        )
        peaks[name] = nbytes, [np.asarray(slope) for slope in slopes]
    for got, want in zip(peaks["again"][1], peaks["plain"][1], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    weights = 2 * parameters[0].nbytes
    assert peaks["plain"][0] <= (steps + 40) * x.nbytes + 3 * weights
    assert peaks["again"][0] <= (16 + 16 + 24) * x.nbytes + 5 * weights


def test_checkpoints_in_checkpoints_keep_the_arguments_of_each_level():
    layers = 64
    x, w = normal(SIZE, SIZE), normal(SIZE, SIZE, seed=1)
    inner = jg.checkpoint(lambda h, w: jg.tanh(jg.tanh(jg.tanh(jg.tanh(h @ w) @ w) @ w) @ w))

    @jg.checkpoint
    def outer(h, w):
        for _ in range(4):
            h = inner(h, w)
        return h

    def loss(w, x):
        for _ in range(layers // 16):
            x = outer(x, w)
        return jg.sum(x)

    nbytes, slope = peak_of(jg.grad(loss), w, x)
    plain = jg.grad(network(layers, 1, True, False))([w], x)[0]
    np.testing.assert_allclose(np.asarray(slope), np.asarray(plain), rtol=1e-10, atol=1e-12)
    assert nbytes / x.nbytes <= 4 + 4 + 4 + 4, nbytes / x.nbytes


def test_a_batch_of_gradients_takes_what_one_of_its_size_does():
    layers, count = 64, 4
    x, w = normal(count, SIZE, SIZE), normal(SIZE, SIZE, seed=1)
    function = jg.vmap(jg.grad(network(layers, 8, True, True)), in_axes=(None, 0))
    nbytes, slopes = peak_of(lambda: function([w], x)[0])
    for i in range(count):
        want = jg.grad(network(layers, 1, True, False))([w], x[i])[0]
        np.testing.assert_allclose(np.asarray(slopes)[i], np.asarray(want), rtol=1e-9, atol=1e-12)
    assert nbytes / x.nbytes <= 2 * 8 + 4, nbytes / x.nbytes


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_gradient_of_attention_is_linear_in_its_length(mask, compiled):
    depth, block, taken = 64, 2 * MIB, []
    for length in (1024, 2048, 4096):
        q, k, v = (normal(1, 1, length, depth, seed=i, dtype="float32") for i in range(3))
        jg.eval(q, k, v)

        def loss(q, k, v):
            made = jg.fast.scaled_dot_product_attention(q, k, v, scale=depth**-0.5, mask=mask)
            return jg.sum(made**2)

        function = jg.grad(loss, argnums=(0, 1, 2))
        function = jg.compile(function) if compiled else function
        jg.eval(function(q, k, v))
        nbytes, _ = peak_of(function, q, k, v)
        taken.append(nbytes)
        assert nbytes <= 16 * q.nbytes + 5 * block, (length, nbytes / q.nbytes)
    assert taken[2] <= 2.2 * taken[1], taken


def test_attention_over_blocks_has_the_gradient_of_the_formula():
    """Also of masks, and of a gradient of a gradient."""
    length, depth = 1200, 8
    q, k, v = (normal(1, 2, length, depth, seed=i, dtype="float32") for i in range(3))
    mask = normal(length, length, seed=4, dtype="float32")

    def blocks(q, k, v, mask):
        made = jg.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask=mask)
        return jg.sum(made**2)

    def formula(q, k, v, mask):
        scores = jg.softmax(0.3 * (q @ jg.matrix_transpose(k)) + mask, axis=-1)
        return jg.sum((scores @ v) ** 2)

    def twice(f):
        return jg.grad(lambda q: jg.sum(jg.grad(f)(q, k, v, mask) ** 2))(q)

    got = jg.grad(blocks, argnums=(0, 1, 2, 3))(q, k, v, mask)
    want = jg.grad(formula, argnums=(0, 1, 2, 3))(q, k, v, mask)
    for x, y in zip([*got, twice(blocks)], [*want, twice(formula)], strict=True):
        x, y = np.asarray(x), np.asarray(y)
        np.testing.assert_allclose(x, y, rtol=2e-3, atol=1e-4 * np.abs(y).max())


def test_a_step_takes_no_more_memory_than_that_of_jax():
    layers = [(784, 256), (256,), (256, 256), (256,), (256, 10), (10,)]
    parameters = [normal(*shape, dtype="float32") for shape in layers]
    x = normal(256, 784, seed=1, dtype="float32")
    labels = jg.asarray(np.eye(10, dtype=np.float32)[np.arange(256) % 10])

    def loss(xp, p, x, labels):
        h = xp.maximum(x @ p[0] + p[1], 0)
        h = xp.maximum(h @ p[2] + p[3], 0)
        y = h @ p[4] + p[5]
        y = y - y.max(-1, keepdims=True)
        return xp.mean(xp.log(xp.sum(xp.exp(y), -1)) - xp.sum(y * labels, -1))

    ours = jg.compile(jg.value_and_grad(lambda p, *d: loss(jg, p, *d)))
    jg.eval(ours(parameters, x, labels))
    nbytes, _ = peak_of(ours, parameters, x, labels)
    theirs = jax.jit(jax.value_and_grad(lambda p, *d: loss(jax.numpy, p, *d)))
    data = [np.asarray(x), np.asarray(labels)]
    analysis = theirs.lower([np.asarray(p) for p in parameters], *data).compile()
    analysis = analysis.memory_analysis()
    assert nbytes <= analysis.temp_size_in_bytes + analysis.output_size_in_bytes


def _results(x, w):
    """Several, of one graph: those of others are dropped or asked for in any order."""
    again = jg.checkpoint(lambda h: jg.tanh(h @ w))

    def loss(w, x):
        h = x
        for _ in range(6):
            h = jg.checkpoint(lambda h, w: jg.tanh(h @ w) + h)(h, w)
        return jg.sum(again(h) ** 2), h

    (value, last), slopes = jg.value_and_grad(loss, argnums=(0, 1), has_aux=True)(w, x)
    return [value, last, *slopes, slopes[0] + slopes[1]]


def test_results_are_the_same_in_whatever_order_they_are_asked_for():
    x, w = normal(96, 96), normal(96, 96, seed=1)
    want = [np.asarray(y) for y in _results(x, w)]
    for order in itertools.permutations(range(5)):
        made = _results(x, w)
        for i in order:
            np.testing.assert_allclose(np.asarray(made[i]), want[i], rtol=1e-12, atol=1e-12)


def test_results_are_the_same_whichever_names_are_dropped():
    x, w = normal(96, 96), normal(96, 96, seed=1)
    want = [np.asarray(y) for y in _results(x, w)]
    for kept in itertools.product([False, True], repeat=5):
        made = [y if keep else None for y, keep in zip(_results(x, w), kept, strict=True)]
        jg.eval([y for y in made if y is not None])
        for got, expected in zip(made, want, strict=True):
            if got is not None:
                np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-12)


def test_threads_that_share_a_plan_give_the_same():
    x, w = normal(96, 96), normal(96, 96, seed=1)
    want = [np.asarray(y) for y in _results(x, w)]
    failures = []

    def work():
        try:
            for _ in range(10):
                for got, expected in zip(_results(x, w), want, strict=True):
                    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-12)
        except BaseException as error:  # told to the test
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_give_what_they_give_op_by_op(seed):
    """Sums, products and views of a pool of values; some are held, and asked for at the end."""
    random = np.random.default_rng(seed)
    start = [random.standard_normal((64, 64)) / 8 for _ in range(3)]
    ours, theirs = [jg.asarray(x) for x in start], list(start)
    ops = [
        lambda xp, a, b: a @ b,
        lambda xp, a, b: a + b,
        lambda xp, a, b: a * b,
        lambda xp, a, b: xp.tanh(a),
        lambda xp, a, b: xp.swapaxes(a, 0, 1) + b,
        lambda xp, a, b: xp.sum(a, axis=0, keepdims=True) * 0.01 + b,
        lambda xp, a, b: a @ xp.swapaxes(b, 0, 1),
    ]
    for _ in range(60):
        op = ops[random.integers(len(ops))]
        i, j = random.integers(max(0, len(ours) - 12), len(ours), 2)
        ours.append(jg.tanh(op(jg, ours[i], ours[j])))
        theirs.append(np.tanh(op(np, theirs[i], theirs[j])))
    total, whole = ours[-1], theirs[-1]
    for k in range(len(ours) - 20, len(ours)):
        total, whole = total + ours[k] @ ours[0], whole + theirs[k] @ theirs[0]
    keep = random.permutation(len(ours))[:8]
    held = [ours[k] for k in keep]
    del ours
    jg.eval(total, *held)
    np.testing.assert_allclose(np.asarray(total), whole, rtol=1e-9, atol=1e-9)
    for x, k in zip(held, keep, strict=True):
        np.testing.assert_allclose(np.asarray(x), theirs[k], rtol=1e-9, atol=1e-9)
