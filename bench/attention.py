# SPDX-License-Identifier: Apache-2.0
"""Scaled dot-product attention: composed, and by the function that a library has for it. Shapes are
batch, heads, length, width."""

import math

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "attention"
GOALS = (Goal(1.0), Goal(1.0, variant="joggle fast"))


def attention(xp, q, k, v):
    scores = (q / math.sqrt(q.shape[-1])) @ xp.swapaxes(k, -1, -2)
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return (e / xp.sum(e, axis=-1, keepdims=True)) @ v


def _jax(jnp, q, k, v):
    import jax

    order = lambda x: jnp.swapaxes(x, 1, 2)  # noqa: E731
    return order(jax.nn.dot_product_attention(order(q), order(k), order(v)))


def _fast(xp, q, k, v):
    scale = 1 / math.sqrt(q.shape[-1])
    return xp.fast.scaled_dot_product_attention(q, k, v, scale=scale)


OWN = {
    "torch": lambda torch, *qkv: torch.nn.functional.scaled_dot_product_attention(*qkv),
    "jax": _jax,
    "mlx": _fast,
}
OURS = {"joggle": attention, "joggle fast": _fast}


def cases(quick):
    rng = np.random.default_rng(0)
    shapes = ((1, 2, 8, 4),) if quick else ((1, 8, 128, 64), (1, 8, 1024, 64), (1, 8, 2048, 64))
    for shape in shapes:
        inputs = {name: rng.standard_normal(shape, np.float32) for name in "qkv"}
        name = "x".join(map(str, shape))
        yield Work(name, attention, inputs, GOALS, own=OWN, ours=OURS)
