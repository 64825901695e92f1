# SPDX-License-Identifier: Apache-2.0
"""Attentions of many rows and of few, of random shapes, layouts, dtypes and masks, beside the
formula in double precision. test_attention_in_blocks.py runs it at every instruction set."""

import sys

import numpy as np

import joggle as jg

TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5}


def reference(q, k, v, scale, mask, causal, sinks):
    group, (length, span) = q.shape[1] // k.shape[1], (q.shape[2], k.shape[2])
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = scale * q @ np.swapaxes(k, -1, -2)
    lowest = float(np.finfo("f4").min)
    if mask is not None:
        scores = np.where(mask, scores, lowest) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tri(length, span, span - length, dtype=bool), scores, lowest)
    if sinks is not None:
        column = np.broadcast_to(sinks[:, None, None], (*scores.shape[:3], 1))
        scores = np.concatenate([scores, column], axis=-1)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = e / e.sum(axis=-1, keepdims=True)
    return shares[..., :span] @ v


def laid_out(rng, shape, dtype):
    """Values as float64, and an array of them that lies in memory in one of several ways."""
    values = jg.array(rng.standard_normal(shape), dtype=dtype)
    exact = np.asarray(values.astype("float64"))
    way = rng.integers(5)
    if way == 1:  # lengths before heads, as projections give them
        values = jg.permute_dims(jg.copy(jg.permute_dims(values, (0, 2, 1, 3))), (0, 2, 1, 3))
    elif way == 2:  # depths lie apart
        values = jg.matrix_transpose(jg.copy(jg.matrix_transpose(values)))
    elif way == 3:  # backwards
        values = jg.flip(jg.copy(jg.flip(values, axis=2)), axis=2)
    elif way == 4 and shape[0] > 1:  # one batch for all
        values, exact = values[:1], exact[:1]
        values, exact = jg.broadcast_to(values, shape), np.broadcast_to(exact, shape)
    jg.eval(values)
    return exact, values


def choose_mask(rng, batch, heads, length, span):
    kind = rng.integers(4)
    if kind == 0:
        return None
    shape = [(length, span), (batch, 1, length, span), (heads, 1, span), (1, length, 1)][
        rng.integers(4)
    ]
    numbers = rng.standard_normal(shape).astype("f4")
    if kind == 1:
        return numbers > -1
    if kind == 2:
        return numbers
    numbers[numbers > 1] = -np.inf
    return numbers


def one_case(seed):
    rng = np.random.default_rng(seed)
    batch, groups, members = (int(n) for n in rng.integers(1, 4, 3))
    length, span = int(rng.integers(64, 300)), int(rng.choice([1, 7, 31, 64, 127, 129, 300, 513]))
    if seed % 2:  # rows so few that keys are read as they lie, by several units where they are many
        length = int(rng.choice([1, 1, 2, 5, 20]))
        span = int(rng.choice([1, 3, 65, 513, 1024, 2500]))
    depth, width = (int(n) for n in rng.choice([1, 3, 16, 33, 64, 80], 2))
    dtype = str(rng.choice(list(TOLERANCE)))
    q_exact, q = laid_out(rng, (batch, groups * members, length, depth), dtype)
    k_exact, k = laid_out(rng, (batch, groups, span, depth), dtype)
    v_exact, v = laid_out(rng, (batch, groups, span, width), dtype)
    mask = choose_mask(rng, batch, groups * members, length, span)
    # A causal query that sees nothing but what the mask leaves out has no defined result.
    whole = mask is None or (mask.dtype != bool and np.isfinite(mask).all())
    causal = whole and bool(rng.integers(2))
    sinks = rng.standard_normal(groups * members).astype("f4") if rng.integers(3) == 0 else None
    scale = float(rng.uniform(0.05, 2))
    given = [None if x is None else jg.array(x) for x in (mask, sinks)]
    found = jg.scaled_dot_product_attention(q, k, v, scale, given[0], causal, given[1])
    assert jg.explain(found).startswith("launch 0: scaled_dot"), (seed, jg.explain(found))
    with np.errstate(invalid="ignore"):
        wanted = reference(q_exact, k_exact, v_exact, scale, mask, causal, sinks)
    error = TOLERANCE[dtype] * (1 + np.abs(wanted)) * (1 + scale)
    values = np.asarray(found.astype("float64"))
    same = (np.abs(values - wanted) <= error) | (np.isnan(values) & np.isnan(wanted))
    assert str(found.dtype).endswith(dtype) and same.all(), (seed, np.abs(values - wanted).max())


def shares_of(scores):
    """Softmax of a row of scores, by an attention whose values are the unit vectors."""
    one, many = jg.ones((1, 1, 64, 1)), jg.array(scores)[None, None, :, None]
    values = jg.eye(len(scores))[None, None]
    return np.asarray(jg.scaled_dot_product_attention(one, many, values, 1.0))[0, 0, 63]


def check_shares():
    """Of scores far and near, which come in blocks with and without the largest one: their distance
    to the largest so far is rounded. What is below the smallest normal number may be 0."""
    rng = np.random.default_rng(0)
    for low, largest_at in ((-1, 0), (-30, 700), (-85, 350), (-120, 699)):
        scores = rng.uniform(low, 0, 701).astype("f4")
        scores[largest_at], scores[5:9] = 0, (-86.4, -87.3, -87.4, -1e30)
        exact = np.exp(scores.astype("f8"))
        wanted = exact / exact.sum()
        relative = 1e-6 - np.finfo("f4").eps * low
        error = relative * wanted + np.finfo("f4").tiny * (1 + 1e-5)
        assert (np.abs(shares_of(scores) - wanted) <= error).all(), low
    for bad in (np.nan, np.inf):
        assert np.isnan(shares_of(np.array([0, bad, 1], "f4"))).all(), bad
    assert shares_of(np.array([0, -np.inf], "f4")).tolist() == [1, 0]


check_shares()
for number in range(int(sys.argv[1])):
    one_case(number)
