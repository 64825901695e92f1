# SPDX-License-Identifier: Apache-2.0
"""Quantised matrices, bit by bit as MLX makes and reads them."""

import mlx.core as mx
import numpy as np
import pytest
from quantized import DTYPES, FORMATS, numbers, sample, to_mlx

import joggle as jg


def rows(dtype):
    """Rows of many kinds: zeros, one value, large, small, of one sign, and ties."""
    x = np.asarray(sample((9, 256)))
    x = np.array(x)
    x[0, :128], x[1], x[2], x[3] = 0, 1.5, x[2] * 1e4, x[3] * 1e-4
    x[4], x[5] = abs(x[4]), -abs(x[5])
    x[6] = np.tile([6, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5], 32) * np.repeat([1, -1], 128)
    return jg.asarray(x).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("mode", "group", "bits"), FORMATS)
def test_words_scales_and_numbers_are_mlxs_bit_by_bit(mode, group, bits, dtype):
    w, how = rows(dtype), {"group_size": group, "bits": bits, "mode": mode}
    ours, theirs = jg.quantize(w, **how), mx.quantize(to_mlx(w), **how)
    assert len(ours) == len(theirs) == (3 if mode == "affine" else 2)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype.name == str(b.dtype).rsplit(".")[-1]
        np.testing.assert_array_equal(numbers(a), numbers(b))
    values, expected = jg.dequantize(*ours, **how), mx.dequantize(*theirs, **how)
    assert values.dtype.name == str(expected.dtype).rsplit(".")[-1]
    np.testing.assert_array_equal(numbers(values), numbers(expected))


@pytest.mark.parametrize(("mode", "group", "bits"), FORMATS)
def test_numbers_are_near_those_that_were_quantised(mode, group, bits):
    w, how = sample((16, 256)), {"group_size": group, "bits": bits, "mode": mode}
    groups = np.asarray(w).reshape(16, -1, group)
    values = np.asarray(jg.dequantize(*jg.quantize(w, **how), **how, dtype="float32"))
    spans = groups.max(-1) - groups.min(-1) if mode == "affine" else abs(groups).max(-1)
    steps = spans / (2**bits - 1) if mode == "affine" else spans / (4 if bits == 4 else 12)
    errors = abs(values.reshape(groups.shape) - groups).max(-1)
    assert (errors <= steps * (1 if bits > 1 else 0.51)).all()


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_global_scale_of_nvfp4_is_mlxs(scale):
    w, how = sample((8, 64)), {"mode": "nvfp4"}
    ours = jg.quantize(w, **how, global_scale=jg.array(scale))
    theirs = mx.quantize(to_mlx(w), **how, global_scale=mx.array(scale))
    np.testing.assert_array_equal(numbers(ours[1]), numbers(theirs[1]))
    values = jg.dequantize(*ours, **how, global_scale=jg.array(scale), dtype="float32")
    expected = mx.dequantize(*theirs, **how, global_scale=mx.array(scale), dtype=mx.float32)
    np.testing.assert_allclose(numbers(values), numbers(expected), rtol=1e-6)


@pytest.mark.parametrize("bits", [3, 4, 8])
def test_odd_layouts_quantise_like_dense_ones(bits):
    x = np.array(sample((6, 5, 128)))
    views = (x.transpose(1, 0, 2), x[::-1, ::2], x[..., ::-1], np.broadcast_to(x[:1], x.shape))
    for view in (*views, x[:0], x[:, :, :0]):
        parts = jg.quantize(jg.asarray(view), bits=bits)
        dense = jg.quantize(jg.array(np.ascontiguousarray(view)), bits=bits)
        for a, b in zip(parts, dense, strict=True):
            assert a.shape == b.shape
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    words, scales, biases = jg.quantize(jg.asarray(x), bits=bits)
    part = jg.dequantize(words[::-2], scales[::-2], biases[::-2], bits=bits)
    whole = jg.dequantize(words, scales, biases, bits=bits)
    np.testing.assert_array_equal(np.asarray(part), np.asarray(whole)[::-2])


def test_floats_of_eight_bits_are_mlxs():
    codes = np.arange(256, dtype="u1")
    for dtype in DTYPES:
        values = numbers(jg.from_fp8(codes, dtype))
        expected = numbers(mx.from_fp8(mx.array(codes), getattr(mx, dtype)))
        np.testing.assert_array_equal(values, expected)
    assert jg.from_fp8(codes).dtype == jg.bfloat16
    x = np.concatenate([np.linspace(-500, 500, 4001), [np.inf, -np.inf, 0.0, -0.0, 2**-10]])
    for dtype in DTYPES:
        y = jg.asarray(x.astype("f4")).astype(dtype)
        np.testing.assert_array_equal(np.asarray(jg.to_fp8(y)), np.asarray(mx.to_fp8(to_mlx(y))))
    assert np.isnan(numbers(jg.from_fp8(jg.to_fp8(jg.array([np.nan])))))[0]


Q = jg.quantize(jg.ones((4, 64)))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.quantize(jg.ones((4, 64)), 16), ValueError, "group_size: got 16, allowed"),
        (lambda: jg.quantize(jg.ones((4, 64)), bits=7), ValueError, "bits: got 7, allowed"),
        (lambda: jg.quantize(jg.ones((4, 64)), mode="fp4"), ValueError, 'mode: got "fp4"'),
        (lambda: jg.quantize(jg.ones((4, 64)), 64, mode="mxfp4"), ValueError, "group_size: got 64"),
        (lambda: jg.quantize(jg.ones(64)), ValueError, "w: got 1 axes"),
        (lambda: jg.quantize(jg.ones((4, 40))), ValueError, "w: got 40 elements"),
        (lambda: jg.quantize(jg.ones((4, 64), dtype="int32")), TypeError, "w: got int32"),
        (
            lambda: jg.quantize(jg.ones((4, 64)), global_scale=jg.array(1.0)),
            ValueError,
            "global_scale: ",
        ),
        (
            lambda: jg.dequantize(Q[0], Q[1]),
            ValueError,
            'biases: got none, allowed for mode "affine"',
        ),
        (lambda: jg.dequantize(*Q, mode="mxfp4"), TypeError, "scales: got float32"),
        (lambda: jg.dequantize(Q[0].astype("int32"), *Q[1:]), TypeError, "w: got int32"),
        (lambda: jg.dequantize(Q[0], Q[1][:2], Q[2]), ValueError, r"scales: got shape \(2, 1\)"),
        (lambda: jg.dequantize(Q[0][:, :7], *Q[1:]), ValueError, "w: got 7 words"),
        (lambda: jg.dequantize(*Q, dtype="int32"), TypeError, "dtype: got int32"),
        (lambda: jg.to_fp8(jg.arange(3)), TypeError, "x: got int64"),
        (lambda: jg.from_fp8(jg.ones(3)), TypeError, "x: got float32"),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
