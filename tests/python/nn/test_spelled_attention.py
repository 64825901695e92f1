# SPDX-License-Identifier: Apache-2.0
"""Attention that is spelled in other ops: where it is found, and its values, which are the ops'."""

import numpy as np
import pytest

import joggle as jg

SIZES = (128, 136, 40, 48)  # queries, keys, and how wide q and v are


def make(shape=(4, 3), sizes=SIZES, seed=0):
    """q, k and v as float32."""
    rows, keys, depth, width = sizes
    rng = np.random.default_rng(seed)
    draw = lambda *dims: rng.standard_normal(shape + dims, np.float32)  # noqa: E731
    return draw(rows, depth), draw(keys, depth), draw(keys, width)


def turn(xp, k):
    return xp.swapaxes(k, -1, -2)


def shares(xp, scores):
    powers = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return powers / xp.sum(powers, axis=-1, keepdims=True)


def expected(q, k, v, factor=1.0, mask=0.0):
    scores = q.astype(np.float64) @ turn(np, k.astype(np.float64)) * factor + mask
    with np.errstate(invalid="ignore"):
        return shares(np, scores) @ v.astype(np.float64)


def is_found(x):
    return "as one attention" in jg.explain(x)


def same(x, right, atol=2e-5):
    np.testing.assert_allclose(np.asarray(x), right, rtol=1e-4, atol=atol)


SCORES = {
    "plain": (lambda q, k, s, m: q @ turn(jg, k), 1.0, False),
    "q times": (lambda q, k, s, m: (q * s) @ turn(jg, k), 0.3, False),
    "q over": (lambda q, k, s, m: (q / (1 / s)) @ turn(jg, k), 0.3, False),
    "times": (lambda q, k, s, m: q @ turn(jg, k) * s, 0.3, False),
    "number first": (lambda q, k, s, m: s * (q @ turn(jg, k)), 0.3, False),
    "over": (lambda q, k, s, m: q @ turn(jg, k) / (1 / s), 0.3, False),
    "both": (lambda q, k, s, m: q @ turn(jg, k) * (4 * s) / 4, 0.3, False),
    "masked": (lambda q, k, s, m: q @ turn(jg, k) + m, 1.0, True),
    "scaled, masked": (lambda q, k, s, m: m + q @ turn(jg, k) * s, 0.3, True),
    "an array scales": (
        lambda q, k, s, m: q @ turn(jg, k) * jg.asarray([s], dtype=q.dtype),
        0.3,
        False,
    ),
}
SOFTMAXES = {"ops": lambda x: shares(jg, x), "op": lambda x: jg.softmax(x, axis=-1)}


@pytest.mark.parametrize("softmax", SOFTMAXES)
@pytest.mark.parametrize("name", SCORES)
def test_all_spellings_are_found(name, softmax):
    spell, factor, masked = SCORES[name]
    q, k, v = make()
    mask = np.random.default_rng(1).standard_normal((128, 136), np.float32) if masked else 0.0
    ours = [jg.asarray(x) for x in (q, k, v)]
    m = jg.asarray(mask) if masked else None
    x = SOFTMAXES[softmax](spell(*ours[:2], factor, m)) @ ours[2]
    assert is_found(x)
    same(x, expected(q, k, v, factor, mask))


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 1, 2)])
@pytest.mark.parametrize("sizes", [(3000, 1600, 1, 3), (129, 1217, 33, 96), (2049, 131, 65, 7)])
def test_attention_of_any_heads_and_odd_sizes_is_found(shape, sizes):
    q, k, v = make(shape or (), sizes)
    scale = jg.asarray(np.float32(0.25))
    x = jg.softmax(jg.asarray(q) @ turn(jg, jg.asarray(k)) * scale, axis=-1) @ jg.asarray(v)
    assert is_found(x) == (np.prod(shape) * sizes[0] * sizes[1] * sum(sizes[2:]) >= 1 << 24)
    same(x, expected(q, k, v, 0.25))


@pytest.mark.parametrize(
    "dims",
    [(128, 136), (1, 136), (128, 1), (4, 1, 128, 136), (3, 1, 136), (4, 3, 128, 136), (1, 1)],
)
def test_masks_are_broadcast(dims):
    q, k, v = make()
    mask = np.random.default_rng(2).standard_normal(dims, np.float32)
    x = jg.softmax(
        jg.asarray(q) @ turn(jg, jg.asarray(k)) + jg.asarray(mask), axis=-1
    ) @ jg.asarray(v)
    assert is_found(x)
    same(x, expected(q, k, v, 1.0, mask))


def test_heads_of_k_and_v_are_broadcast():
    q, k, v = make()
    k, v = k[:, :1], v[:1]
    x = jg.softmax(jg.asarray(q) @ turn(jg, jg.asarray(k)), axis=-1) @ jg.asarray(v)
    assert is_found(x)
    same(x, expected(q, k, v))


def test_attention_over_views_is_found():
    q, k, v = make((3, 256), (8, 8, 40, 40))  # heads behind rows, as projections make them
    for compute in (lambda x: x, lambda x: x + 0.0):
        ours = [jg.swapaxes(compute(jg.asarray(x)), 1, 2) for x in (q, k, v)]
        x = jg.softmax(ours[0] @ turn(jg, ours[1]) * 0.5, axis=-1) @ ours[2]
        assert is_found(x)
        same(x, expected(*(np.swapaxes(x, 1, 2) for x in (q, k, v)), 0.5))
    q, k, v = make(sizes=(256, 512, 40, 40))
    strided = q[:, :, ::-1], k[:, :, ::2], v[::-1, :, 1::2]
    ours = [
        jg.asarray(q)[:, :, ::-1],
        jg.asarray(k)[:, :, ::2],
        jg.asarray(v)[::-1, :, 1::2],
    ]
    x = jg.softmax(ours[0] @ turn(jg, ours[1]) * 0.5, axis=-1) @ ours[2]
    same(x, expected(*strided, 0.5))


def test_attention_with_a_causal_mask_of_infinities_is_found():
    q, k, v = make(sizes=(128, 128, 48, 48))
    seen = np.tri(128, dtype=bool)
    mask = np.where(seen, np.float32(0), np.float32(-np.inf))
    ours = jg.where(jg.asarray(seen), jg.asarray(np.float32(0)), jg.asarray(np.float32(-np.inf)))
    x = jg.softmax(jg.asarray(q) @ turn(jg, jg.asarray(k)) + ours, axis=-1) @ jg.asarray(v)
    assert is_found(x)
    same(x, expected(q, k, v, 1.0, mask))


def test_special_numbers_are_those_of_the_ops():
    q, k, v = make((4, 4))
    q[..., 3, 5] = np.nan
    q[..., 4, :] = -0.0
    q[..., 5, 1] = np.inf
    q[..., 6, :] = 1e30
    k[..., 100, :] = 0
    v[..., 7, 3] = np.nan
    v[..., 9, 4] = np.inf
    mask = np.zeros((128, 136), np.float32)
    mask[8] = -np.inf
    mask[9, 50:] = -np.inf
    mask[10, 0] = np.nan
    mask[11, 135] = np.nan
    mask[12, 70] = np.inf
    mask[13, :] = -3e38
    ours = [jg.asarray(x) for x in (q, k, v, mask)]

    def spell(q, k, v, mask):
        scores = q @ turn(jg, k) + mask
        return shares(jg, scores), shares(jg, scores) @ v

    x = spell(*ours)[1]
    assert is_found(x)
    apart, right = spell(*ours)
    jg.eval(apart, right)  # the shares are asked for, so the ops compute them
    np.testing.assert_allclose(np.asarray(x), np.asarray(right), rtol=1e-4, atol=2e-5)
    assert np.isnan(np.asarray(x)[:, :, [3, 5, 8, 10, 11, 12]]).all()


def test_what_is_asked_for_is_computed_by_the_ops():
    q, k, v = (jg.asarray(x) for x in make())
    scores = q @ turn(jg, k)
    p = jg.softmax(scores, axis=-1)
    x = p @ v
    assert not is_found(x)  # scores and shares are held
    del scores, p
    assert is_found(x)
    scores = q @ turn(jg, k)
    total, x = jg.sum(scores), jg.softmax(scores, axis=-1) @ v
    del scores
    assert "as one attention" not in jg.explain(total, x)


def dots(q, k):
    return q @ turn(jg, k)


def without_maximum(q, k, v):
    powers = jg.exp(dots(q, k))
    return (powers / jg.sum(powers, axis=-1, keepdims=True)) @ v


def in_doubles(q, k, v):
    q, k, v = (x.astype("float64") for x in (q, k, v))
    return jg.softmax(dots(q, k), axis=-1) @ v


REFUSED = {
    "float64": in_doubles,
    "another axis": lambda q, k, v: jg.softmax(dots(q, q), axis=-2) @ q,
    "no maximum": without_maximum,
    "another maximum": lambda q, k, v: shares(jg, jg.minimum(dots(q, k), 3.0)) @ v,
    "other scores": lambda q, k, v: jg.softmax(dots(q, k) + jg.tanh(dots(q, k)), axis=-1) @ v,
    "masked first": lambda q, k, v: jg.softmax((dots(q, k) + jg.ones(136)) * 0.5, axis=-1) @ v,
    "factors of rows": lambda q, k, v: jg.softmax(dots(q, k) * jg.ones((128, 1)), axis=-1) @ v,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_looks_alike_is_left_to_the_ops(name):
    arrays = make()
    x = REFUSED[name](*(jg.asarray(a) for a in arrays))
    assert not is_found(x)
    q, k, v = (a.astype(np.float64) for a in arrays)
    scores = q @ turn(np, k)
    right = {
        "another axis": lambda: turn(np, shares(np, turn(np, q @ turn(np, q)))) @ q,
        "another maximum": lambda: shares(np, np.minimum(scores, 3)) @ v,
        "other scores": lambda: shares(np, scores + np.tanh(scores)) @ v,
        "masked first": lambda: shares(np, scores * 0.5) @ v,
    }.get(name, lambda: shares(np, scores) @ v)
    same(x, right())


def test_small_attention_is_left_to_the_ops():
    q, k, v = (jg.asarray(x) for x in make((1,), (16, 16, 8, 8)))
    assert not is_found(jg.softmax(q @ turn(jg, k), axis=-1) @ v)
    none = jg.zeros((0, 128, 40))
    x = jg.softmax(none @ turn(jg, none), axis=-1) @ none
    assert not is_found(x)
    assert np.asarray(x).shape == (0, 128, 40)


def test_without_fusing_the_ops_compute_it():
    q, k, v = make()
    jg.set_option("fuse", "0")
    try:
        x = jg.softmax(jg.asarray(q) @ turn(jg, jg.asarray(k)), axis=-1) @ jg.asarray(v)
        assert not is_found(x)
        same(x, expected(q, k, v))
    finally:
        jg.set_option("fuse", "1")


def test_derivatives_are_those_of_the_ops():
    q, k, v = (jg.asarray(x) for x in make((4,)))
    weights = jg.asarray(np.random.default_rng(3).standard_normal((128, 48), np.float32))
    loss = lambda q, k, v: jg.sum(jg.softmax(dots(q, k) * 0.2, axis=-1) @ v * weights)  # noqa: E731
    fast = lambda q, k, v: jg.sum(  # noqa: E731
        jg.fast.scaled_dot_product_attention(q[None], k[None], v[None], scale=0.2) * weights
    )
    ours, theirs = (jg.grad(f, argnums=(0, 1, 2))(q, k, v) for f in (loss, fast))
    for x, right in zip(ours, theirs, strict=True):
        same(x, np.asarray(right), 1e-4)


def test_compiled_attention_is_right_with_every_scale():
    q, k, v = make()
    f = jg.compile(lambda q, k, v, s: jg.softmax(q @ turn(jg, k) * s, axis=-1) @ v)
    for scale in (0.1, 0.7):  # the same plan with another number
        s = jg.asarray(np.float32(scale))
        for _ in range(2):
            same(f(*(jg.asarray(x) for x in (q, k, v)), s), expected(q, k, v, scale))


@pytest.mark.parametrize("scale", [0.5, -2.0, 0.0])
def test_one_plan_serves_all_numbers(scale):
    q, k, v = make()
    x = jg.softmax(jg.asarray(q) @ turn(jg, jg.asarray(k)) * scale, axis=-1) @ jg.asarray(v)
    same(x, expected(q, k, v, scale))
