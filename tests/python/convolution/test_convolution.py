# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one to three axes, beside their definition, PyTorch and MLX."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import torch
from convolutions import convolution, first
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import layouts, numpy_dtype, to_joggle, to_numpy, values
from thread_counts import with_threads

import joggle as jg

CONVOLUTIONS = {1: jg.conv1d, 2: jg.conv2d, 3: jg.conv3d}
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def check(x, w, tolerance=1e-5, **options):
    """Both formats against the definition, and against each other: other loops, or a library, may
    compute the second, so bits are not compared."""
    rank = x.ndim - 2
    expected = convolution(x, w, **options)
    padding = options.pop("low", 0)
    if "high" in options:
        padding = (padding, options.pop("high"))
    found = CONVOLUTIONS[rank](jg.array(x), jg.array(w), padding=padding, **options)
    assert found.dtype == jg.dtype(str(np.result_type(x, w)))
    np.testing.assert_allclose(np.asarray(found), expected, tolerance, tolerance)
    turned = CONVOLUTIONS[rank](
        jg.array(first(x)),
        jg.array(first(w)),
        padding=padding,
        data_format="channels_first",
        **options,
    )
    np.testing.assert_allclose(np.asarray(turned), first(np.asarray(found)), tolerance, tolerance)


@settings(max_examples=60)
@given(data=st.data())
def test_any_geometry_is_summed_as_defined(data):
    draw = data.draw
    rank = draw(st.integers(1, 3))
    space = [draw(st.integers(1, (70, 12, 7)[rank - 1])) for _ in range(rank)]
    kernel = [draw(st.integers(1, min(n, 4))) for n in space]
    low = [draw(st.integers(0, 3)) for _ in space]
    high = [draw(st.integers(0, 3)) for _ in space]
    stride = [draw(st.integers(1, 3)) for _ in space]
    room = [
        (n + p + q - 1) // max(k - 1, 1)
        for n, p, q, k in zip(space, low, high, kernel, strict=True)
    ]
    dilation = [draw(st.integers(1, max(min(r, 3), 1))) for r in room]
    groups = draw(st.sampled_from([1, 1, 2, 3, 35]))
    each, results = draw(st.integers(1, 9)), draw(st.sampled_from([1, 2, 5, 17, 40]))
    if groups == 35:
        each = results = 1
    x = values((draw(st.integers(1, 3)), *space, groups * each), "float32", 1)
    w = values((groups * results, *kernel, each), "float32", 2)
    check(x, w, stride=stride, low=low, high=high, dilation=dilation, groups=groups)


@pytest.mark.parametrize("dtype", FLOATS)
def test_each_float_is_summed_in_at_least_float32(dtype):
    rng = np.random.default_rng(0)
    dtype = numpy_dtype(dtype)
    x = rng.standard_normal((2, 9, 11, 20)).astype(dtype)
    w = rng.standard_normal((33, 3, 2, 20)).astype(dtype)
    found = to_numpy(jg.conv2d(to_joggle(x), to_joggle(w), padding=1))
    assert found.dtype == dtype
    tolerance = float(ml_dtypes.finfo(dtype).eps) * (8 if dtype.itemsize > 2 else 2)
    np.testing.assert_allclose(
        found.astype("f8"), convolution(x, w, low=1), tolerance, 20 * tolerance
    )


@pytest.mark.parametrize("groups, channels", [(1, 32), (2, 36), (1, 7), (3, 3)])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_sums_of_bfloat16_are_rounded_once(groups, channels, first):
    x, w = (
        values((2, 9, 10, channels + 2), "float32", 1),
        values((6, 3, 2, channels // groups), "float32", 2),
    )
    part = slice(first, first + channels)
    found = jg.conv2d(
        jg.array(x).astype("bfloat16")[:, ::2, :, part],
        jg.array(w).astype("bfloat16")[:, ::-1],
        padding=1,
        groups=groups,
    )
    expected = convolution(x[:, ::2, :, part], w[:, ::-1], low=1, groups=groups)
    np.testing.assert_array_equal(to_numpy(found), expected.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_convolved(dtype):
    x, w = values((2, 6, 7, 4), dtype, 1), values((6, 3, 2, 2), dtype, 3)
    check(x, w, low=1, stride=2, groups=2)


def test_integers_become_float32():
    x, w = values((1, 5, 5, 2), "int32"), values((3, 2, 2, 2), "uint8")
    found = jg.conv2d(jg.array(x), jg.array(w))
    assert found.dtype == jg.dtype("float32")
    np.testing.assert_array_equal(np.asarray(found), convolution(x, w))
    assert jg.conv2d(jg.array(x), jg.array(w).astype("float64")).dtype == jg.dtype("float64")


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64"])
def test_inputs_may_lie_in_any_way(dtype):
    weight = values((3, 2, 30), dtype, 7)
    for x, reference in layouts(dtype):
        channels = reference.shape[-1]
        w = weight[:, :, :channels]
        found = jg.conv1d(x, to_joggle(weight)[:, :, :channels], padding=1)
        np.testing.assert_array_equal(to_numpy(found), convolution(reference, w, low=1))
        w = weight[:, ::-1, : reference.shape[1]]
        found = jg.conv1d(
            x,
            to_joggle(weight)[:, ::-1, : reference.shape[1]].permute_dims((0, 2, 1)),
            data_format="NCL",
        )
        expected = convolution(reference.transpose(0, 2, 1), w)
        np.testing.assert_array_equal(to_numpy(found), first(expected))


@pytest.mark.parametrize("groups, each, results", [
    (40, 1, 1), (3, 1, 1), (40, 1, 2), (16, 4, 4), (21, 2, 2), (5, 4, 4), (3, 8, 8), (9, 8, 8),
    (1, 8, 8), (6, 3, 3),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("options", [{}, {"stride": 2}, {"stride": (2, 1), "dilation": 2}])
def test_groups_of_few_channels_are_kept_apart(groups, each, results, dtype, options):
    x = values((2, 9, 27, groups * each), dtype, 1)
    w = values((groups * results, 3, 5, each), dtype, 2)
    check(x, w, low=2, groups=groups, **options)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("groups, each", [(34, 1), (11, 4), (5, 8)])
def test_groups_may_be_a_part_of_the_channels(dtype, groups, each):
    x, w = (
        values((1, 6, 21, 2 * groups * each), dtype, 1),
        values((groups * each, 3, 3, each), dtype),
    )
    half = x[..., groups * each :]
    found = jg.conv2d(to_joggle(x)[..., groups * each :], to_joggle(w), padding=1, groups=groups)
    expected = convolution(half, w, low=1, groups=groups).astype(x.dtype)
    np.testing.assert_array_equal(to_numpy(found), expected)


EVERY_SET = """
import numpy as np, joggle as jg
rng = np.random.default_rng(3)
for groups, each in ((37, 1), (19, 2), (9, 4), (5, 8), (1, 37)):
    x = rng.integers(-4, 5, (2, 9, 19, groups * each)).astype("f4")
    w = rng.integers(-4, 5, (groups * each, 3, 3, each)).astype("f4")
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
    windows = windows.reshape(*windows.shape[:3], groups, each, 3, 3)
    w_groups = w.reshape(groups, each, 3, 3, each)
    y = np.einsum("nhwgckl,goklc->nhwgo", windows, w_groups).reshape(2, 7, 17, -1)
    for dtype in ("float32", "float64"):
        found = jg.conv2d(jg.array(x).astype(dtype), jg.array(w).astype(dtype), groups=groups)
        assert (np.asarray(found) == y).all()
"""


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_lesser_instruction_sets_do_the_same(isa):
    environment = {**os.environ, "JOGGLE_ISA": isa}
    subprocess.run([sys.executable, "-c", EVERY_SET], env=environment, check=True)


@pytest.mark.parametrize("shape, kernel, options", [
    ((1, 224, 224, 3), (64, 7, 7), {"stride": 2, "low": 3}),
    ((2, 56, 56, 64), (64, 3, 3), {"low": 1}),
    ((3, 14, 14, 256), (128, 3, 3), {"low": 1}),
    ((2, 28, 28, 48), (32, 1, 1), {}),
    ((2, 28, 28, 48), (32, 1, 1), {"stride": 2}),
    ((5, 7, 7, 96), (70, 7, 7), {}),
    ((1, 40_000, 2), (20, 9), {"dilation": 3, "low": 12}),
    ((2, 20, 30, 40, 3), (17, 3, 3, 3), {"low": 1}),
    ((1, 100, 300, 5), (3, 5, 5), {"low": 2}),
])  # fmt: skip
def test_large_inputs_are_cut_and_shared(shape, kernel, options):
    rng = np.random.default_rng(4)
    x = rng.standard_normal(shape).astype("float32")
    w = rng.standard_normal((*kernel, shape[-1])).astype("float32")
    check(x, w, tolerance=2e-3, **options)


def test_torch_agrees_on_its_own_order():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((2, 12, 9, 10, 11)).astype("float32")
    w = rng.standard_normal((8, 6, 3, 2, 3)).astype("float32")
    options = {"stride": (2, 1, 2), "padding": (1, 0, 2), "dilation": (1, 2, 1), "groups": 2}
    found = jg.conv3d(jg.array(x), jg.array(w), data_format="NCDHW", **options)
    expected = torch.nn.functional.conv3d(torch.tensor(x), torch.tensor(w), **options)
    np.testing.assert_allclose(np.asarray(found), expected.numpy(), 1e-4, 1e-4)


def test_mlx_agrees_on_asymmetric_padding_and_flips():
    mx = pytest.importorskip("mlx.core")
    rng = np.random.default_rng(6)
    x = rng.standard_normal((2, 9, 10, 4)).astype("float32")
    w = rng.standard_normal((6, 3, 2, 2)).astype("float32")
    options = {
        "stride": [2, 1],
        "padding": ([1, 0], [2, 3]),
        "kernel_dilation": [1, 2],
        "input_dilation": [3, 2],
        "groups": 2,
        "flip": True,
    }
    found = jg.conv_general(jg.array(x), jg.array(w), **options)
    expected = np.array(mx.conv_general(mx.array(x), mx.array(w), **options))
    np.testing.assert_allclose(np.asarray(found), expected, 1e-4, 1e-4)


@given(
    stride=st.integers(1, 4),
    spread=st.integers(1, 5),
    dilation=st.integers(1, 3),
    kernel=st.integers(1, 5),
    low=st.integers(-2, 4),
    flip=st.booleans(),
)
def test_spread_inputs_meet_the_taps_that_belong_to_them(
    stride, spread, dilation, kernel, low, flip
):
    x, w = values((1, 9, 3), "float32", 1), values((5, kernel, 3), "float32", 2)
    high = max(4, (kernel - 1) * dilation - 8 * spread - low)
    expected = convolution(
        x,
        w,
        stride,
        max(low, 0),
        high,
        dilation,
        spread,
        flip=flip,
    )
    if low < 0:  # what is left out is what a stride of 1 would have begun with
        cut = convolution(x, w, 1, 0, high, dilation, spread, flip=flip)
        expected = cut[:, -low::stride]
    found = jg.conv_general(
        jg.array(x), jg.array(w), stride, ([low], [high]), dilation, spread, 1, flip
    )
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_pending_operands_are_computed_first():
    x, w = values((2, 8, 8, 3), "float32", 1), values((4, 3, 3, 3), "float32", 2)
    found = jg.conv2d(jg.array(x) + 1, jg.array(w) * 2, padding=1) - 1
    np.testing.assert_array_equal(np.asarray(found), convolution(x + 1, w * 2, low=1) - 1)


def test_empty_batches_and_channels_give_empty_and_zero_results():
    assert jg.conv2d(jg.zeros((0, 5, 5, 3)), jg.zeros((4, 3, 3, 3))).shape == (0, 3, 3, 4)
    assert jg.conv2d(jg.zeros((2, 5, 5, 3)), jg.zeros((0, 3, 3, 3))).shape == (2, 3, 3, 0)
    none = jg.conv2d(jg.zeros((2, 5, 5, 0)), jg.zeros((4, 3, 3, 0)))
    np.testing.assert_array_equal(np.asarray(none), np.zeros((2, 3, 3, 4)))
    padded = jg.conv1d(jg.zeros((1, 0, 2)), jg.ones((3, 2, 2)), padding=2)
    np.testing.assert_array_equal(np.asarray(padded), np.zeros((1, 3, 3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("extent, options", [
    (1, {"padding": 2, "kernel_dilation": 2}),  # the middle result meets zeros alone
    (5, {"padding": 2, "input_dilation": 3, "stride": 2}),
    (4, {"padding": 1, "input_dilation": 3}),  # so do two of three results
])  # fmt: skip
def test_what_meets_no_element_of_x_takes_what_is_added(dtype, extent, options):
    x, w = jg.ones((17, extent, 32), dtype=dtype), jg.ones((24, 2, 32), dtype=dtype)
    sums = jg.conv_general(x, w, **options)
    added = jg.astype(jg.arange(sums.size) % 7, dtype).reshape(sums.shape)
    jg.eval(sums, added)
    found = jg.conv_general(x, w, **options) + added
    jg.eval(found)  # by itself, so that the sum follows the convolution block by block
    assert jg.array_equal(found, sums + added)
    assert jg.any(sums == 0) and jg.any(sums != 0)


@pytest.mark.parametrize("options, text", [
    ({"stride": 0}, r"\[conv2d\] stride: got 0, allowed is 1"),
    ({"stride": (1, 2, 3)}, r"\[conv2d\] stride: got 3 numbers, allowed are 1 and 2"),
    ({"padding": -1}, r"\[conv2d\] padding: got -1, allowed is 0"),
    ({"padding": ([1, 2], [1])}, "padding: got 2 numbers before and 1 after"),
    ({"dilation": 3}, r"\[conv2d\] weight: axis 0 of space spans 7 elements"),
    ({"groups": 2}, r"\[conv2d\] weight: has 4 input channels"),
    ({"groups": 5}, r"\[conv2d\] groups: got 5, allowed are divisors of the 6"),
    ({"data_format": "NCL"}, r'data_format: got "NCL", allowed are "channels_last" \("NHWC"\)'),
])  # fmt: skip
def test_what_does_not_fit_is_refused_at_the_call(options, text):
    with pytest.raises(ValueError, match=text):
        jg.conv2d(jg.zeros((1, 6, 6, 4)), jg.zeros((6, 3, 3, 4)), **options)


def test_wrong_axes_are_refused_by_name():
    with pytest.raises(ValueError, match=r"\[conv1d\] input: got shape \(1, 6, 6, 4\)"):
        jg.conv1d(jg.zeros((1, 6, 6, 4)), jg.zeros((6, 3, 4)))
    with pytest.raises(ValueError, match=r"weight: got shape \(6, 3, 4\), allowed is \(batch, he"):
        jg.conv2d(jg.zeros((1, 6, 6, 4)), jg.zeros((6, 3, 4)))
    with pytest.raises(ValueError, match="allowed are 3 to 5"):
        jg.conv_general(jg.zeros((6, 4)), jg.zeros((6, 4)))
    with pytest.raises(TypeError, match="float8_e4m3fn is stored"):
        jg.conv1d(jg.zeros((1, 6, 4)).astype("float8_e4m3fn"), jg.zeros((6, 3, 4)))


@pytest.mark.parametrize("options", [
    {"padding": 1},
    {"padding": 4},
    {"padding": ([3, 0], [0, 2]), "stride": 2},
    {"padding": 5, "dilation": (3, 1), "stride": (1, 3)},
    {"padding": 2, "groups": 2},
])  # fmt: skip
@pytest.mark.parametrize("shape", [(3, 7, 14), (2, 1, 9), (9, 2, 2), (40, 3, 1)])
def test_zeros_around_x_change_no_bit(shape, options):
    rng = np.random.default_rng(0)
    x = jg.array(rng.standard_normal((*shape, 8), np.float32))
    w = jg.array(rng.standard_normal((24, 3, 3, 8 // options.get("groups", 1)), np.float32))
    found = jg.conv2d(x, w, **options)
    others = dict(options)
    padding = others.pop("padding")
    low, high = padding if isinstance(padding, tuple) else ([padding] * 2, [padding] * 2)
    wide = jg.pad(x, [(0, 0), *zip(low, high, strict=True), (0, 0)])
    np.testing.assert_array_equal(np.asarray(found), np.asarray(jg.conv2d(wide, w, **others)))


@pytest.mark.parametrize("k", [63, 64, 65, 127, 128, 200, 1000, 1023])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16"])
def test_long_filters_give_numpys_values_and_the_same_bits_wherever_they_are_cut(dtype, k):
    random = np.random.default_rng(k)
    a, v = (random.integers(-9, 9, n) for n in (5003, k))
    if dtype.startswith("float"):
        a, v = a + random.random(a.size), v + random.random(k)
    a, v = a.astype(dtype), v.astype(dtype)
    wide = np.int64 if dtype.startswith("int") else np.float64
    whole = np.convolve(a.astype(wide), v.astype(wide))
    scale = np.convolve(abs(a.astype(wide)), abs(v.astype(wide)))
    bound = 0 if dtype.startswith("int") else 2 * np.sqrt(k) * np.finfo("f4").eps * scale.max()
    bound += 0 if dtype != "float16" else np.finfo(dtype).eps * scale.max()
    found = set()
    for threads in (1, 2, 3):
        with with_threads(threads):
            got = np.asarray(jg.convolve(jg.asarray(a), jg.asarray(v)))
            assert got.dtype == dtype and abs(got.astype(wide) - whole).max() <= bound
            found.add(got.tobytes())
            # Results beside each other have other places in the loops.
            for start in (1, 17, 130):
                part = np.asarray(jg.convolve(jg.asarray(a[start:]), jg.asarray(v), "valid"))
                assert part.tobytes() == got[k - 1 + start : a.size].tobytes()
    assert len(found) == 1
