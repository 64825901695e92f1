# SPDX-License-Identifier: Apache-2.0
"""Attention on devices against the formula in double precision: masks, sinks, heads in groups, and
blocks of queries. Halves stay halves where the device multiplies them: their scores are float32,
and their shares and the result are rounded once each, so that a result is within three units of the
last place of the largest value.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
TOLERANCES = {"float16": 3 * 2.0**-11, "bfloat16": 3 * 2.0**-8, "float32": 3e-6, "float64": 1e-13}
dtypes = pytest.mark.parametrize("dtype", TOLERANCES)
halves = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
attend = jg.fast.scaled_dot_product_attention


def there(dtype, *shape, seed=0):
    made = np.random.default_rng(seed).standard_normal(shape)
    x = jg.asarray(made, device=DEVICE).astype(getattr(jg, dtype))
    jg.eval(x)
    return x


def wide(x):
    return np.asarray(x.astype(jg.float64).to_device("cpu"))


def inputs(dtype, batch, heads, groups, rows, keys, depth, width):
    return (
        there(dtype, batch, heads, rows, depth),
        there(dtype, batch, groups, keys, depth, seed=1),
        there(dtype, batch, groups, keys, width, seed=2),
    )


def formula(q, k, v, scale, mask=None, sinks=None):
    """The result, and the largest values that it is an average of."""
    q, k, v = wide(q), wide(k), wide(v)
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = scale * q @ k.swapaxes(-1, -2)
    if mask is not None and mask.dtype == bool:
        scores = np.where(mask, scores, -1e300)  # what sees no key averages all of them
    elif mask is not None:
        scores = scores + mask
    if sinks is not None:
        sinks = np.broadcast_to(sinks[:, None, None], (*scores.shape[:3], 1))
        scores = np.concatenate([scores, sinks], axis=-1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = (powers / powers.sum(axis=-1, keepdims=True))[..., : k.shape[2]]
    return shares @ v, np.abs(v).max(axis=2, keepdims=True)


def check(got, wanted, dtype):
    values, sizes = wanted
    assert got.device == DEVICE and got.dtype == getattr(jg, dtype)
    assert (np.abs(wide(got) - values) <= TOLERANCES[dtype] * sizes).all()


@dtypes
def test_masks_and_sinks_take_part_as_in_the_formula(dtype):
    q, k, v = inputs(dtype, 2, 3, 3, 9, 14, 16, 7)
    check(attend(q, k, v, scale=0.3), formula(q, k, v, 0.3), dtype)
    causal = np.tri(9, 14, 5, dtype=bool)
    check(attend(q, k, v, scale=0.3, mask="causal"), formula(q, k, v, 0.3, causal), dtype)
    mask = there("float32", 3, 9, 14, seed=3)
    added = attend(q, k, v, scale=0.3, mask=mask.astype(q.dtype))
    check(added, formula(q, k, v, 0.3, wide(mask.astype(q.dtype))), dtype)
    sinks = there(dtype, 3, seed=4)
    check(attend(q, k, v, scale=0.3, sinks=sinks), formula(q, k, v, 0.3, None, wide(sinks)), dtype)


@dtypes
def test_several_heads_of_queries_share_keys(dtype):
    for sizes in ((2, 6, 2, 5, 11, 8, 8), (1, 4, 1, 1, 40, 16, 8), (1, 1, 1, 1, 1, 1, 1)):
        q, k, v = inputs(dtype, *sizes)
        check(attend(q, k, v, scale=0.5), formula(q, k, v, 0.5), dtype)


@halves
def test_many_queries_are_computed_in_blocks(dtype):
    """More than two blocks of 256 queries: each has casts of its own."""
    q, k, v = inputs(dtype, 1, 2, 1, 530, 20, 8, 8)
    causal = np.tri(530, 20, 20 - 530, dtype=bool)
    check(attend(q, k, v, scale=0.4), formula(q, k, v, 0.4), dtype)
    check(attend(q, k, v, scale=0.4, mask="causal"), formula(q, k, v, 0.4, causal), dtype)


@halves
def test_heads_may_lie_side_by_side(dtype):
    """As projections give them: (batch, rows, heads, depth), turned."""
    x = there(dtype, 2, 12, 3, 16)
    y = there(dtype, 2, 15, 3, 16, seed=1)
    q, k = x.transpose(0, 2, 1, 3), y.transpose(0, 2, 1, 3)
    check(attend(q, k, k, scale=0.25), formula(q, k, k, 0.25), dtype)


@halves
def test_scores_may_exceed_the_range_of_halves(dtype):
    """q @ k.T is some 10^6, which float16 does not hold."""
    q, k, v = inputs(dtype, 1, 1, 1, 6, 10, 16, 4)
    q, k = q * 500, k * 500
    check(attend(q, k, v, scale=1e-5), formula(q, k, v, 1e-5), dtype)


@halves
def test_derivatives_are_those_of_the_formula(dtype):
    """By finite differences of the formula in double; cotangents are rounded some times more."""
    q, k, v = inputs(dtype, 1, 2, 1, 5, 6, 8, 4)
    weights = there("float32", 1, 2, 5, 4, seed=5)

    def total(q, k, v):
        return jg.sum(attend(q, k, v, scale=0.5).astype(jg.float32) * weights)

    got = jg.grad(total, argnums=(0, 1, 2))(q, k, v)
    places = [wide(x) for x in (q, k, v)]
    for number, (given, x) in enumerate(zip(got, (q, k, v), strict=True)):
        assert given.dtype == x.dtype and given.device == DEVICE
        wanted = np.zeros(x.shape)
        for index in np.ndindex(*x.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [jg.asarray(p.copy()) for p in places]
                changed = places[number].copy()
                changed[index] += step
                moved[number] = jg.asarray(changed)
                ends.append((formula(*moved, 0.5)[0] * wide(weights)).sum())
            wanted[index] = (ends[0] - ends[1]) / 2e-5
        limit = 8 * TOLERANCES[dtype] * np.abs(wanted).max()
        assert (np.abs(wide(given) - wanted) <= limit).all()
