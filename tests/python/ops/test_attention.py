# SPDX-License-Identifier: Apache-2.0
"""Attention against the formula in double precision, and against torch's own."""

import mlx.core as mx
import numpy as np
import pytest
import scipy.special
import torch
from samples import sample

import joggle as jg

attend = jg.fast.scaled_dot_product_attention
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 5e-6, "float64": 1e-13}


def reference(q, k, v, scale, mask=None):
    q, k, v = (x.astype("f8") for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = scale * q @ np.swapaxes(k, -1, -2)
    if isinstance(mask, str):
        length, span = scores.shape[-2:]
        mask = np.tri(length, span, span - length, dtype=bool)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    return scipy.special.softmax(scores, axis=-1) @ v


def check(q, k, v, scale=0.3, mask=None):
    dtype = str(q.dtype)
    result = attend(q, k, v, scale=scale, mask=mask)
    expected = reference(q, k, v, scale, mask)
    assert str(result.dtype).endswith(dtype) and result.shape == expected.shape
    tolerance = TOLERANCE[dtype]
    values = np.asarray(result.astype("float64"))
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("mask", [None, "causal"])
def test_attention_agrees_with_the_formula_in_every_float(dtype, mask):
    q, k, v = (sample((2, 3, 20, 16), dtype, seed) for seed in range(3))
    check(q, k, v, mask=mask)


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize(
    ("q", "k", "v"),
    [
        ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
        ((2, 6, 5, 8), (2, 2, 9, 8), (2, 2, 9, 4)),  # heads in groups, another depth of v
        ((1, 4, 1, 8), (1, 1, 30, 8), (1, 1, 30, 8)),  # one query after many
        ((1, 2, 700, 8), (1, 2, 1500, 8), (1, 2, 1500, 8)),  # more than one block
        ((3, 2, 0, 8), (3, 2, 4, 8), (3, 2, 4, 8)),
    ],
)
def test_attention_agrees_with_the_formula_for_every_shape(q, k, v, mask):
    check(sample(q), sample(k, seed=1), sample(v, seed=2), mask=mask)


@pytest.mark.parametrize("shape", [(30, 40), (1, 40), (2, 1, 30, 40), (4, 30, 1), (2, 4, 30, 40)])
def test_masks_broadcast_to_scores(shape):
    q, k, v = sample((2, 4, 30, 8)), sample((2, 2, 40, 8), seed=1), sample((2, 2, 40, 8), seed=2)
    numbers = sample(shape, seed=3)
    flags = numbers > -1
    flags[..., 0] = True
    check(q, k, v, mask=numbers)
    check(q, k, v, mask=flags)


def test_attention_takes_odd_layouts():
    q = sample((2, 30, 4, 8)).transpose(0, 2, 1, 3)
    k = sample((2, 4, 8, 40), seed=1).swapaxes(-1, -2)[:, :, ::-1]
    v = np.broadcast_to(sample((1, 4, 40, 8), seed=2), (2, 4, 40, 8))
    check(q, k, v)


def test_attention_agrees_with_torch():
    q, k, v = (torch.from_numpy(sample((2, 4, 128, 32), seed=seed)) for seed in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    result = attend(q, k, v, scale=32**-0.5, mask="causal")
    np.testing.assert_allclose(np.asarray(result), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mask", [None, "causal", "flags", "numbers"])
@pytest.mark.parametrize(("heads", "length"), [(2, 30), (4, 1), (4, 700)])
def test_sinks_are_scores_without_values(mask, heads, length):
    q, k, v = (
        sample((2, 4, length, 8)),
        sample((2, heads, 740, 8), seed=1),
        sample((2, heads, 740, 5)),
    )
    sinks = sample((4,), seed=4) * 3
    scores = 0.3 * q @ np.repeat(k, 4 // heads, axis=1).swapaxes(-1, -2)
    if mask == "causal":
        scores[..., np.arange(740) > np.arange(740 - length, 740)[:, None]] = -np.inf
    elif mask is not None:
        mask = sample((1, 1, 1, 740), seed=5)
        scores = scores + mask
    if isinstance(mask, np.ndarray) and length == 1:
        mask, scores = mask > 0, np.where(mask > 0, scores - mask, -np.inf)
    column = np.broadcast_to(sinks[None, :, None, None], (*scores.shape[:3], 1))
    joined = np.concatenate([scores, column], axis=-1).astype(np.float64)
    shares = np.exp(joined - joined.max(axis=-1, keepdims=True))
    shares = (shares / shares.sum(axis=-1, keepdims=True))[..., :-1]
    expected = shares @ np.repeat(v, 4 // heads, axis=1)
    found = attend(q, k, v, scale=0.3, mask=mask, sinks=sinks)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=2e-5)


def test_sinks_have_derivatives():
    q, k, v = (jg.array(sample((1, 2, 5, 4), seed=seed)) for seed in range(3))
    sinks = jg.array([0.5, -1.0])

    def total(sinks):
        return jg.sum(attend(q, k, v, scale=0.5, sinks=sinks) ** 2)

    slope = np.asarray(jg.grad(total)(sinks))
    for head, step in enumerate(np.eye(2, dtype=np.float32) * 1e-2):
        difference = (total(sinks + step) - total(sinks - step)).item() / 2e-2
        assert slope[head] == pytest.approx(difference, rel=2e-2, abs=1e-4)


def test_the_scores_are_never_all_in_memory():
    q, k, v = (sample((1, 1, 4096, 8), seed=seed) for seed in range(3))
    jg.synchronize()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    jg.eval(attend(q, k, v, scale=1.0))
    scores = 4096 * 4096 * 4
    assert jg.get_peak_memory() - before < scores / 2


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"q": sample((2, 3, 4))}, "q: got shape"),
        ({"k": sample((2, 2, 6, 8))}, "k: got shape .* divides"),
        ({"k": sample((2, 3, 6, 7))}, "k: got shape"),
        ({"v": sample((2, 3, 5, 8))}, "v: got shape"),
        ({"mask": "diagonal"}, 'mask: got "diagonal"'),
        ({"mask": np.ones((7, 6), bool)}, "broadcast"),
        ({"sinks": np.ones(2, np.float32)}, r"sinks: got shape \(2,\), allowed is \(heads,\)"),
    ],
)
def test_wrong_arguments_are_named(change, text):
    right = {"q": sample((2, 3, 5, 8)), "k": sample((2, 3, 6, 8)), "v": sample((2, 3, 6, 8))}
    with pytest.raises(ValueError, match=text):
        attend(**{**right, **change}, scale=1.0)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_queries_that_see_nothing_share_alike_as_in_mlx(dtype):
    """NaN from rows of padding would spoil all others in the next layer."""
    q, v = sample((1, 2, 4, 8)), sample((1, 2, 3, 5), seed=2)
    flags = np.array([[True, True, False], [False, False, False], [False, True, True], [True] * 3])
    for mask in (flags, "causal"):
        results = []
        for m in (jg, mx):
            arrays = [
                m.array(x).astype(getattr(m, dtype)) for x in (q, v[..., :1] + q[:, :, :3], v)
            ]
            given = mask if isinstance(mask, str) else m.array(mask)
            found = m.fast.scaled_dot_product_attention(*arrays, scale=0.3, mask=given)
            results.append(np.array(found.astype(m.float32)))
        assert np.isfinite(results[0]).all()
        np.testing.assert_allclose(*results, rtol=2e-2 if dtype != "float32" else 1e-5, atol=1e-2)
