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


@pytest.mark.parametrize("m", [1, 3, 80])
@pytest.mark.parametrize("threads", [1, 3])
def test_gathered_matrices_in_any_layout_and_order_are_products_by_themselves(m, threads):
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((70, m, 24)), rng.standard_normal((6, 400, 24))
    lhs, rhs = np.arange(70), np.sort(rng.integers(-6, 6, 70))
    rhs[60:] = rng.integers(0, 6, 10)
    views = {
        "rows after each other": (a, lhs),
        "backwards": (a[::-1], lhs),
        "every other": (a[::2], lhs // 2),
        "one for many": (a, lhs // 5),
        "broadcast": (np.broadcast_to(a[:1], a.shape), lhs),
        "transposed": (np.asfortranarray(a), lhs),
    }
    before = jg.get_num_threads()
    jg.set_num_threads(threads)
    try:
        for name, (left, indices) in views.items():
            y = jg.gather_mm(
                jg.from_dlpack(left) if left.flags.writeable else jg.array(left),
                jg.array(b).swapaxes(1, 2),
                indices,
                rhs,
            )
            expected = left[indices] @ b.swapaxes(1, 2)[rhs]
            np.testing.assert_allclose(np.asarray(y), expected, atol=1e-12, err_msg=name)
    finally:
        jg.set_num_threads(before)


@pytest.mark.parametrize("dtype", [jg.float16, jg.bfloat16, jg.int32, jg.complex64])
@pytest.mark.parametrize("count", [2, 9])
def test_gathered_matrices_of_every_kind_of_dtype_are_multiplied(dtype, count):
    rng = np.random.default_rng(count)
    a, b = (jg.array(rng.integers(-4, 5, (4, 3, 3))).astype(dtype) for _ in range(2))
    lhs, rhs = rng.integers(0, 4, count), rng.integers(0, 4, count)
    y = jg.gather_mm(a, b, lhs, rhs)
    assert y.dtype == dtype
    wide = jg.complex64 if dtype == jg.complex64 else jg.float32
    left, right = np.asarray(a.astype(wide))[lhs], np.asarray(b.astype(wide))[rhs]
    assert np.array_equal(np.asarray(y.astype(wide)), left @ right)


@pytest.mark.parametrize(
    "shapes", [((3, 0, 4), (2, 4, 5)), ((3, 2, 0), (2, 0, 5)), ((3, 2, 4), (2, 4, 0))]
)
@pytest.mark.parametrize("count", [0, 2])
def test_gathered_matrices_that_are_empty_have_zeros_for_products(shapes, count):
    a, b = (np.ones(shape, np.float32) for shape in shapes)
    chosen = np.zeros(count, np.int64)
    y = np.asarray(jg.gather_mm(a, b, chosen, chosen))
    assert y.shape == (count, shapes[0][1], shapes[1][2])
    assert not y.any()


def test_gathering_takes_no_memory_for_copies_of_the_matrices():
    a, b = jg.ones((256, 1, 256)), jg.ones((4, 256, 256))
    experts = jg.array(np.arange(256) % 4)
    jg.eval(a, b, experts)
    jg.clear_cache()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    jg.eval(jg.gather_mm(a, b, rhs_indices=experts))
    assert jg.get_peak_memory() - before < 2 << 20


def test_empty_matrices_are_gathered():
    a, b = jg.zeros((2, 3, 0)), jg.zeros((2, 0, 4))
    assert jg.gather_mm(a, b, [1, 0], [0, 1]).tolist() == np.zeros((2, 3, 4)).tolist()
    assert jg.gather_mm(jg.zeros((2, 0, 0)), jg.zeros((1, 0, 5)), [1], [0]).shape == (1, 0, 5)


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


def test_segments_of_the_inner_axis_are_multiplied_as_in_mlx():
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


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("dtype", [jg.float32, jg.float64, jg.bfloat16, jg.int32, jg.complex64])
def test_segments_of_matrices_in_any_layout_and_dtype_are_multiplied(dtype, threads):
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((30, 6), (300, 30)))
    ends = np.array([[0, 30], [5, 6], [29, 12], [-4, 7], [20, 99]], np.int32)
    left, right = jg.array(a).T.astype(dtype), jg.array(b)[::-1].T.astype(dtype)
    before = jg.get_num_threads()
    jg.set_num_threads(threads)
    try:
        y = jg.segmented_mm(left, right, jg.array(ends)[::-1])
        assert y.dtype == dtype
        y = np.asarray(y.astype(jg.complex64 if dtype == jg.complex64 else jg.float64))
    finally:
        jg.set_num_threads(before)
    for found, (start, stop) in zip(y, ends[::-1].clip(0, 30), strict=True):
        expected = a.T[:, start:stop] @ b[::-1].T[start:stop]
        if dtype == jg.bfloat16:
            expected = np.asarray(jg.array(expected).astype(dtype).astype(jg.float64))
        assert np.array_equal(found, expected)


def test_no_segments_and_empty_matrices_have_empty_products():
    none = jg.array(np.zeros((0, 2), np.int32))
    assert jg.segmented_mm(jg.ones((2, 3)), jg.ones((3, 4)), none).shape == (0, 2, 4)
    one = jg.array([[0, 0]])
    assert jg.segmented_mm(jg.ones((2, 0)), jg.ones((0, 3)), one).tolist() == [[[0, 0, 0]] * 2]
    assert np.asarray(jg.segmented_mm(jg.ones((0, 3)), jg.ones((3, 4)), one)).shape == (1, 0, 4)


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
        (lambda: jg.gather_mm(jg.ones((2, 3)), jg.ones((4, 3))), ValueError, "b: has 4 rows"),
        (
            lambda: jg.gather_mm(jg.ones((2, 3, 3)), jg.ones((2, 3, 3)), jg.ones(2)),
            TypeError,
            "lhs_indices: got float32",
        ),
        (
            lambda: jg.eval(jg.gather_mm(jg.ones((2, 3, 3)), jg.ones((2, 3, 3)), jg.array([2]))),
            IndexError,
            "lhs_indices: got 2",
        ),
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
            lambda: jg.segmented_mm(jg.ones((2, 6)), jg.ones((5, 3)), jg.array([[0, 1]])),
            ValueError,
            "b: has 5 rows",
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
