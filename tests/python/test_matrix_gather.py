# SPDX-License-Identifier: Apache-2.0
"""Products of chosen matrices, masked blocks and segments, and of matrices that are rounded to
quantised ones, against formulas and against MLX."""

import mlx.core as mx
import numpy as np
import pytest
from quantized import numbers, sample, to_mlx

import joggle as jg

ATOL = 1e-4


def test_gathered_matrices_meet():
    a, b = sample((2, 3, 4, 8)), sample((5, 8, 6), seed=1)
    left, right = np.array([[0, 5], [3, 1]]), np.array([4, 0])
    cases = [(left, right), (None, np.array([1, 2, 4])), (np.arange(5), None)]
    for lhs, rhs in cases:
        c, d = numbers(a), numbers(b)
        c = c if lhs is None else c.reshape(6, 4, 8)[lhs]
        d = d if rhs is None else d[rhs]
        y = jg.gather_mm(a, b, lhs, rhs)
        np.testing.assert_allclose(np.asarray(y), c @ d, atol=ATOL)
    theirs = mx.gather_mm(to_mlx(a), to_mlx(b), mx.array(left), mx.array(right))
    ours = jg.gather_mm(a, b, left, right, sorted_indices=False)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=ATOL)


@pytest.mark.parametrize("dtype", [bool, np.float32])
@pytest.mark.parametrize("shape", [(64, 64, 64), (70, 100, 33), (2, 3, 5)])
@pytest.mark.parametrize("block", [32, 64])
def test_masked_blocks_are_left_out(shape, block, dtype):
    m, k, n = shape
    a, b = sample((2, m, k)), sample((2, k, n), seed=1)
    rng = np.random.default_rng(0)

    def mask(rows, columns):
        blocks = (2, -(-rows // block), -(-columns // block))
        values = rng.integers(0, 2, blocks) * (1 if dtype is bool else rng.random(blocks))
        return values.astype(dtype)

    masks = {"mask_out": mask(m, n), "mask_lhs": mask(m, k), "mask_rhs": mask(k, n)}
    spread = {
        name: values.repeat(block, 1).repeat(block, 2).astype("f8")
        for name, values in masks.items()
    }
    left = numbers(a) * spread["mask_lhs"][:, :m, :k]
    right = numbers(b) * spread["mask_rhs"][:, :k, :n]
    expected = (left @ right) * spread["mask_out"][:, :m, :n]
    y = jg.block_masked_mm(a, b, block, **masks)
    np.testing.assert_allclose(np.asarray(y), expected, atol=ATOL)
    theirs = {name: mx.array(values) for name, values in masks.items()}
    theirs = mx.block_masked_mm(to_mlx(a), to_mlx(b), block, **theirs)
    np.testing.assert_allclose(np.asarray(y), np.asarray(theirs), atol=ATOL)
    plain = jg.block_masked_mm(a, b, block)
    np.testing.assert_allclose(np.asarray(plain), numbers(a) @ numbers(b), atol=ATOL)


def test_segments_of_the_inner_axis():
    a, b = sample((5, 40)), sample((40, 7), seed=1)
    segments = np.array([[[0, 10], [10, 40]], [[3, 3], [0, 40]]])
    y = jg.segmented_mm(a, b, segments)
    assert y.shape == (2, 2, 5, 7)
    c, d = numbers(a), numbers(b)
    for index in np.ndindex(2, 2):
        start, stop = segments[index]
        np.testing.assert_allclose(y[index], c[:, start:stop] @ d[start:stop], atol=ATOL)
    theirs = mx.segmented_mm(to_mlx(a), to_mlx(b), mx.array(segments))
    np.testing.assert_allclose(np.asarray(y), np.asarray(theirs), atol=ATOL)


@pytest.mark.parametrize("mode", ["nvfp4", "mxfp8", "mxfp4"])
def test_both_sides_are_rounded_to_what_their_codes_stand_for(mode):
    x, w = sample((6, 128)), sample((40, 128), seed=1)

    def rounded(matrix):
        parts = jg.quantize(matrix, mode=mode)
        return numbers(jg.dequantize(*parts, mode=mode, dtype="float32")).astype("f8"), parts

    (left, _), (right, parts) = rounded(x), rounded(w)
    for operands in ((w,), parts):
        y = jg.qqmm(x, *operands, mode=mode)
        np.testing.assert_allclose(np.asarray(y), left @ right.T, atol=ATOL)
        pairs = [jg.expand_dims(jg.asarray(part), 0) for part in operands]
        y = jg.gather_qqmm(x, *pairs, rhs_indices=np.array([0, 0]), mode=mode)
        np.testing.assert_allclose(np.asarray(y), [left @ right.T] * 2, atol=ATOL)
    if mode != "mxfp4":
        theirs = [mx.array(np.asarray(part)) for part in parts]
        row = mx.qqmm(to_mlx(x)[:1], *theirs, mode=mode)
        expected = np.asarray(jg.qqmm(x[:1], *parts, mode=mode))
        np.testing.assert_allclose(expected, np.asarray(row), atol=0.2)  # it breaks ties otherwise


Q = jg.quantize(jg.ones((4, 64)), mode="nvfp4")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.gather_mm(jg.ones(3), jg.ones((3, 3))), ValueError, "a: got 1 axes"),
        (
            lambda: jg.block_masked_mm(jg.ones((3, 3)), jg.ones((3, 3)), 0),
            ValueError,
            "block_size: got 0",
        ),
        (
            lambda: jg.block_masked_mm(jg.ones((70, 3)), jg.ones((3, 3)), mask_lhs=jg.ones((3, 1))),
            ValueError,
            "broadcast",
        ),
        (
            lambda: jg.segmented_mm(jg.ones((2, 6)), jg.ones((6, 3)), jg.array([0, 1, 2])),
            ValueError,
            "segments: got",
        ),
        (
            lambda: jg.segmented_mm(jg.ones((2, 6)), jg.ones((6, 3)), jg.ones((2, 2))),
            TypeError,
            "segments: got float32",
        ),
        (lambda: jg.qqmm(jg.ones((2, 64)), *Q, mode="affine"), ValueError, "mode: got "),
        (lambda: jg.qqmm(jg.ones((2, 60)), *Q), ValueError, "x: got 60 elements"),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
