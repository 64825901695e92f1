# SPDX-License-Identifier: Apache-2.0
"""Rotary positions and cross entropy against formulas in double precision and against MLX."""

import mlx.core as mx
import numpy as np
import pytest
import scipy.special
from samples import sample

import joggle as jg

TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}


def reference(x, dims, traditional, base, scale, offset, freqs=None):
    x = x.astype("f8")
    half = dims // 2
    speeds = 1 / freqs if base is None else base ** (-np.arange(half) / half)
    starts = np.reshape(offset, (-1,) + (1,) * (x.ndim - 1))
    angles = (np.arange(x.shape[-2])[:, None] + starts) * scale * speeds
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = (
        (x[..., 0:dims:2], x[..., 1:dims:2]) if traditional else (x[..., :half], x[..., half:dims])
    )
    a, b = first * cos - second * sin, first * sin + second * cos
    turned = np.stack([a, b], -1).reshape(*x.shape[:-1], dims) if traditional else None
    turned = turned if traditional else np.concatenate([a, b], -1)
    return np.concatenate([turned, x[..., dims:]], -1)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("traditional", [False, True])
@pytest.mark.parametrize("dims", [8, 6, 2])
@pytest.mark.parametrize("shape", [(2, 5, 8), (2, 3, 4, 8), (1, 1, 8)])
def test_rope_turns_pairs_of_features(shape, dims, traditional, dtype):
    x = sample(shape, dtype)
    how = {"traditional": traditional, "base": 100.0, "scale": 0.5, "offset": 3}
    turned = jg.fast.rope(x, dims, **how)
    assert str(turned.dtype).endswith(dtype) and turned.shape == shape
    values, tolerance = np.asarray(turned.astype("float64")), TOLERANCES[dtype]
    np.testing.assert_allclose(values, reference(x, dims, **how), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("traditional", [False, True])
def test_rope_takes_an_offset_for_each_of_the_batch(traditional):
    x, offsets = sample((3, 2, 4, 8)), np.array([0, 10, 7])
    how = {"traditional": traditional, "base": 10000.0, "scale": 1.0, "offset": offsets}
    turned = np.asarray(jg.fast.rope(x, 8, **how))
    np.testing.assert_allclose(turned, reference(x, 8, **how), rtol=2e-6, atol=2e-6)
    for row, offset in enumerate(offsets):
        alone = jg.fast.rope(x[row : row + 1], 8, **(how | {"offset": int(offset)}))
        np.testing.assert_allclose(turned[row : row + 1], alone, rtol=1e-6, atol=1e-6)


def test_rope_takes_frequencies():
    x, freqs = sample((2, 5, 8)), np.array([1.0, 3.0, 10.0, 100.0], "f4")
    how = {"traditional": False, "base": None, "scale": 1.0, "offset": 2, "freqs": freqs}
    np.testing.assert_allclose(jg.fast.rope(x, 8, **how), reference(x, 8, **how), atol=2e-6)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("traditional", [False, True])
@pytest.mark.parametrize("length", [1, 3, 200])
def test_rope_is_the_same_for_a_number_and_for_an_array_as_offset(length, traditional, dtype):
    """Angles of few positions from a number are known when the op is built."""
    x = jg.asarray(np.random.default_rng(5).standard_normal((2, length, 10)).astype(np.float32))
    x = jg.astype(x, getattr(jg, dtype))
    how = {"traditional": traditional, "base": 500.0, "scale": 0.7}
    known, computed = (
        np.asarray(jg.astype(jg.fast.rope(x, 8, offset=offset, **how), jg.float64))
        for offset in (37, jg.asarray(37))
    )
    np.testing.assert_allclose(known, computed, atol=TOLERANCES[dtype], rtol=TOLERANCES[dtype])


def test_known_angles_are_constants_of_transforms():
    x = jg.asarray(np.random.default_rng(6).standard_normal((3, 2, 8)).astype(np.float32))

    def turned(x, offset):
        return jg.fast.rope(x, 8, traditional=False, base=100.0, scale=1.0, offset=offset)

    def slope(offset):
        return jg.grad(lambda x: jg.sum(turned(x, offset) * x))(x)

    expected = turned(x, jg.asarray(5))
    for f in (jg.compile(lambda x: turned(x, 5)), jg.vmap(lambda row: turned(row[None], 5)[0])):
        np.testing.assert_allclose(np.asarray(f(x)), np.asarray(expected), atol=1e-6)
    np.testing.assert_allclose(np.asarray(slope(5)), np.asarray(slope(jg.asarray(5))), atol=1e-5)
    assert "sin" not in jg.explain(turned(x, 5)) and "sin" in jg.explain(turned(x, jg.asarray(5)))


@pytest.mark.parametrize("traditional", [False, True])
@pytest.mark.parametrize("dims", [8, 4])
def test_rope_agrees_with_mlx(traditional, dims):
    x = sample((2, 3, 6, 8))
    how = {"traditional": traditional, "base": 10000.0, "scale": 1.0, "offset": 5}
    theirs = np.asarray(mx.fast.rope(mx.array(x), dims, **how))
    np.testing.assert_allclose(jg.fast.rope(x, dims, **how), theirs, rtol=1e-5, atol=1e-5)


def test_rope_is_exact_at_positions_in_the_millions():
    x = sample((1, 4, 16))
    how = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": 5_000_000}
    np.testing.assert_allclose(jg.fast.rope(x, 16, **how), reference(x, 16, **how), atol=2e-6)


@pytest.mark.parametrize("traditional", [False, True])
def test_rope_takes_odd_layouts(traditional):
    x = sample((6, 4, 3, 16))
    how = {"traditional": traditional, "base": 50.0, "scale": 1.0, "offset": 1}
    for view in (x.transpose(0, 2, 1, 3), x[::-1, :, ::2], x[..., ::-2], x[:0], x[:, :, :0]):
        turned = jg.fast.rope(jg.asarray(view), 8, **how)
        np.testing.assert_allclose(turned, reference(view, 8, **how), atol=2e-6)
    computed = jg.fast.rope(jg.asarray(x) * 2, 8, **how)
    np.testing.assert_allclose(computed, 2 * reference(x, 8, **how), atol=4e-6)


HOW = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": 0}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.fast.rope(jg.ones((3, 8)), 8, **HOW), ValueError, "a: got 2 axes"),
        (lambda: jg.fast.rope(jg.ones((1, 3, 8)), 7, **HOW), ValueError, "dims: got 7"),
        (lambda: jg.fast.rope(jg.ones((1, 3, 8)), 10, **HOW), ValueError, "dims: got 10"),
        (
            lambda: jg.fast.rope(jg.ones((1, 3, 8), dtype="int32"), 8, **HOW),
            TypeError,
            "a: got int32",
        ),
        (
            lambda: jg.fast.rope(jg.ones((1, 3, 8)), 8, **(HOW | {"base": None})),
            ValueError,
            "base: got neither",
        ),
        (
            lambda: jg.fast.rope(jg.ones((1, 3, 8)), 8, **HOW, freqs=jg.ones(4)),
            ValueError,
            "base: got both",
        ),
        (
            lambda: jg.fast.rope(jg.ones((3, 3, 8)), 8, **(HOW | {"offset": jg.arange(2)})),
            ValueError,
            "offset: ",
        ),
        (
            lambda: jg.fast.cross_entropy(jg.ones((3, 4)), jg.zeros(2, dtype="int32")),
            ValueError,
            r"targets: got shape \(2,\)",
        ),
        (
            lambda: jg.fast.cross_entropy(jg.ones((3, 4)), jg.zeros(3)),
            TypeError,
            "targets: got float32",
        ),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_cross_entropy_is_the_logarithm_of_the_chosen_share(dtype):
    logits = sample((4, 7, 50), dtype) * 3
    targets = np.random.default_rng(1).integers(0, 50, (4, 7))
    loss = jg.fast.cross_entropy(logits, targets)
    assert loss.dtype == (jg.float64 if dtype == "float64" else jg.float32)
    shares = -scipy.special.log_softmax(logits.astype("f8"), axis=-1)
    expected = np.take_along_axis(shares, targets[..., None], -1)[..., 0]
    tolerance = min(TOLERANCES[dtype], 1e-5)
    np.testing.assert_allclose(np.asarray(loss), expected, rtol=tolerance, atol=tolerance)
    if dtype == "float32":
        theirs = mx.fast.cross_entropy(mx.array(logits), mx.array(targets))
        np.testing.assert_allclose(np.asarray(loss), np.asarray(theirs), rtol=1e-5, atol=1e-5)
