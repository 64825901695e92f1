# SPDX-License-Identifier: Apache-2.0
"""Attention against the formula in double precision, and against torch's own."""

import ml_dtypes
import numpy as np
import pytest
import scipy.special
import torch

import joggle as jg

attend = jg.fast.scaled_dot_product_attention
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 5e-6, "float64": 1e-13}


def sample(shape, dtype="float32", seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype(getattr(ml_dtypes, dtype, None) or dtype)


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
def test_every_float(dtype, mask):
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
def test_shapes(q, k, v, mask):
    check(sample(q), sample(k, seed=1), sample(v, seed=2), mask=mask)


@pytest.mark.parametrize("shape", [(30, 40), (1, 40), (2, 1, 30, 40), (4, 30, 1), (2, 4, 30, 40)])
def test_masks_broadcast(shape):
    q, k, v = sample((2, 4, 30, 8)), sample((2, 2, 40, 8), seed=1), sample((2, 2, 40, 8), seed=2)
    numbers = sample(shape, seed=3)
    flags = numbers > -1
    flags[..., 0] = True
    check(q, k, v, mask=numbers)
    check(q, k, v, mask=flags)


def test_odd_layouts():
    q = sample((2, 30, 4, 8)).transpose(0, 2, 1, 3)
    k = sample((2, 4, 8, 40), seed=1).swapaxes(-1, -2)[:, :, ::-1]
    v = np.broadcast_to(sample((1, 4, 40, 8), seed=2), (2, 4, 40, 8))
    check(q, k, v)


def test_agrees_with_torch():
    q, k, v = (torch.from_numpy(sample((2, 4, 128, 32), seed=seed)) for seed in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    result = attend(q, k, v, scale=32**-0.5, mask="causal")
    np.testing.assert_allclose(np.asarray(result), expected.numpy(), rtol=1e-5, atol=1e-5)


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
    ],
)
def test_wrong_arguments_are_named(change, text):
    right = {"q": sample((2, 3, 5, 8)), "k": sample((2, 3, 6, 8)), "v": sample((2, 3, 6, 8))}
    with pytest.raises(ValueError, match=text):
        attend(**{**right, **change}, scale=1.0)
