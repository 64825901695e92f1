# SPDX-License-Identifier: Apache-2.0
"""Pooling, beside PyTorch and MLX."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import REAL, layouts, numpy_dtype, to_numpy, values

import joggle as jg

MAX = {1: jg.max_pool1d, 2: jg.max_pool2d, 3: jg.max_pool3d}
MEAN = {1: jg.avg_pool1d, 2: jg.avg_pool2d, 3: jg.avg_pool3d}


def torch_pool(name, x, *arguments):
    """PyTorch's result for channels last."""
    function = getattr(torch.nn.functional, f"{name}_pool{x.ndim - 2}d")
    channels_first = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    return np.moveaxis(function(torch.tensor(channels_first), *arguments).numpy(), 1, -1)


def check(function, x, expected, *arguments):
    """Both formats; channels first is a view of what came last, and dense memory."""
    found = function(jg.array(x), *arguments)
    np.testing.assert_array_equal(np.asarray(found), expected)
    first = np.moveaxis(x, -1, 1)
    for turned in (jg.array(np.ascontiguousarray(first)), jg.asarray(first, copy=False)):
        found = function(turned, *arguments, data_format="channels_first")
        np.testing.assert_array_equal(np.asarray(found), np.moveaxis(expected, -1, 1))


def geometry(data, rank):
    draw = data.draw
    space = [draw(st.integers(1, (60, 14, 7)[rank - 1])) for _ in range(rank)]
    window = [draw(st.integers(1, min(n, 4))) for n in space]
    stride = [draw(st.integers(1, 3)) for _ in space]
    padding = [draw(st.integers(0, k // 2)) for k in window]
    room = [n + 2 * p - 1 for n, p in zip(space, padding, strict=True)]
    dilation = [
        draw(st.integers(1, max(1, min(3, r // max(k - 1, 1)))))
        for r, k in zip(room, window, strict=True)
    ]
    x = values((2, *space, draw(st.sampled_from([1, 3, 40]))), "float32", 1)
    return x, window, stride, padding, dilation, draw(st.booleans())


@pytest.mark.parametrize("rank", [1, 2, 3])
@settings(max_examples=40)
@given(data=st.data())
def test_torch_agrees_on_the_largest(rank, data):
    x, *arguments = geometry(data, rank)
    check(MAX[rank], x, torch_pool("max", x, *arguments), *arguments)


@pytest.mark.parametrize("rank", [1, 2, 3])
@settings(max_examples=40)
@given(data=st.data(), with_padding=st.booleans())
def test_torch_agrees_on_the_mean(rank, data, with_padding):
    x, window, stride, padding, _, up = geometry(data, rank)
    arguments = (window, stride, padding, up, with_padding)
    expected = torch_pool("avg", x, *arguments)
    np.testing.assert_allclose(np.asarray(MEAN[rank](jg.array(x), *arguments)), expected, 1e-6)
    whole = values(x.shape, "float32", 5) * np.prod(window)  # means are then exact
    if not any(padding) and not up:
        check(MEAN[rank], whole, torch_pool("avg", whole, *arguments), *arguments)


def test_mlx_agrees_on_its_own_order():
    nn = pytest.importorskip("mlx.nn")
    mx = pytest.importorskip("mlx.core")
    x = values((2, 9, 10, 5), "float32", 2)
    for ours, theirs in ((jg.max_pool2d, nn.MaxPool2d), (jg.avg_pool2d, nn.AvgPool2d)):
        expected = np.array(theirs((3, 2), (2, 1), (1, 0))(mx.array(x)))
        found = ours(jg.array(x), (3, 2), (2, 1), (1, 0))
        np.testing.assert_allclose(np.asarray(found), expected, 1e-6)


@pytest.mark.parametrize("dtype", REAL)
def test_each_real_dtype_keeps_its_largest(dtype):
    for x, reference in layouts(dtype):
        n = reference.shape[1]
        found = jg.max_pool1d(x, n, data_format="channels_last")
        expected = reference.astype("f8").max(1, keepdims=True).astype(numpy_dtype(dtype))
        assert to_numpy(found).dtype == numpy_dtype(dtype)
        np.testing.assert_array_equal(to_numpy(found), expected)
        found = jg.max_pool1d(x, 2, 1, data_format="channels_first")
        pairs = np.maximum(reference[..., 1:].astype("f8"), reference[..., :-1].astype("f8"))
        np.testing.assert_array_equal(to_numpy(found), pairs.astype(numpy_dtype(dtype)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "complex128"])
def test_means_are_worked_in_at_least_float32(dtype):
    for x, reference in layouts(dtype):
        found = jg.avg_pool1d(x, 2, 1)
        wide = reference.astype("c16" if dtype.startswith("c") else "f8")
        expected = ((wide[:, 1:] + wide[:, :-1]) / 2).astype(numpy_dtype(dtype))
        assert to_numpy(found).dtype == expected.dtype
        np.testing.assert_array_equal(to_numpy(found), expected)
        found = jg.avg_pool1d(x, 2, 2, data_format="channels_first")
        count = reference.shape[2] // 2 * 2
        expected = (wide[..., 0:count:2] + wide[..., 1:count:2]) / 2
        np.testing.assert_array_equal(to_numpy(found), expected.astype(numpy_dtype(dtype)))


def test_means_of_integers_are_floats():
    x = np.arange(6, dtype="int32").reshape(1, 6, 1)
    found = jg.avg_pool1d(jg.array(x), 3, divisor_override=2)
    assert found.dtype == jg.dtype("float32")
    np.testing.assert_array_equal(np.asarray(found), [[[1.5], [6]]])


@pytest.mark.parametrize("format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_nan_and_infinities_come_through(dtype, format):
    x = np.full((1, 5, 5, 1), -np.inf, "f4")
    x[0, 1, 1] = np.nan
    x[0, 4, 4] = 3
    x = x if format == "NHWC" else np.moveaxis(x, -1, 1)
    found = jg.max_pool2d(jg.array(x).astype(dtype), 2, 2, 1, data_format=format)
    np.testing.assert_array_equal(
        np.asarray(found.astype("float32")).reshape(3, 3),
        torch.nn.functional.max_pool2d(torch.tensor(x.reshape(1, 1, 5, 5)), 2, 2, 1).numpy()[0, 0],
    )


@pytest.mark.parametrize("shape", [(4, 112, 112, 64), (1, 300, 301, 3), (2, 1, 200_001, 1)])
def test_large_inputs_are_shared(shape):
    x = np.random.default_rng(1).standard_normal(shape).astype("float32")
    window = (min(3, shape[1]), 3)
    check(jg.max_pool2d, x, torch_pool("max", x, window, 2, (window[0] // 2, 1)),
          window, 2, (window[0] // 2, 1))  # fmt: skip


def test_empty_batches_and_channels_give_empty_results():
    assert jg.max_pool2d(jg.zeros((0, 4, 4, 3)), 2).shape == (0, 2, 2, 3)
    assert jg.avg_pool2d(jg.zeros((2, 4, 4, 0)), 2).shape == (2, 2, 2, 0)


@pytest.mark.parametrize("arguments, text", [
    ((7,), r"\[max_pool2d\] kernel_size: axis 0 of space spans 7 elements, allowed are up to"),
    ((0,), r"\[max_pool2d\] kernel_size: got 0"),
    ((2, 0), r"\[max_pool2d\] stride: got 0"),
    ((2, (1, 1, 1)), r"\[max_pool2d\] stride: got 3 numbers, allowed are 1 and 2"),
    ((3, 1, 2), r"\[max_pool2d\] padding: got 2, allowed is up to half of kernel_size, 1"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        jg.max_pool2d(jg.zeros((1, 6, 6, 4)), *arguments)


def test_wrong_axes_and_dtypes_are_refused():
    with pytest.raises(ValueError, match=r"\[avg_pool1d\] input: got shape \(1, 6, 6, 4\)"):
        jg.avg_pool1d(jg.zeros((1, 6, 6, 4)), 2)
    with pytest.raises(TypeError, match=r"\[max_pool1d\] x: got complex64"):
        jg.max_pool1d(jg.zeros((1, 6, 4), dtype="complex64"), 2)
    with pytest.raises(ValueError, match="divisor_override: got 0"):
        jg.avg_pool1d(jg.zeros((1, 6, 4)), 2, divisor_override=0)


def test_a_window_far_larger_than_the_array_pools_what_is_there():
    x = jg.reshape(jg.arange(4, dtype=jg.float32), (1, 4, 1))
    size = 2**31 - 1
    pooled = jg.max_pool1d(x, size, stride=1, padding=size // 2)
    assert np.asarray(pooled).ravel().tolist() == [3.0] * 4


def channels_last(pooled):
    return np.moveaxis(pooled.numpy(), 1, -1)


def test_rounding_up_takes_windows_that_reach_past_the_padded_input_as_torch_does():
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(400):
        space, window = rng.integers(1, 7, 2).tolist(), rng.integers(1, 9, 2).tolist()
        stride, dilation = rng.integers(1, 6, 2).tolist(), rng.integers(1, 4, 2).tolist()
        padding = [int(rng.integers(0, each // 2 + 1)) for each in window]
        x = rng.standard_normal((2, *space, 3)).astype("f4")
        calls = [("max", {"dilation": dilation})]
        calls += [("avg", {"count_include_pad": include}) for include in (True, False)]
        for name, named in calls:
            arguments = (window, stride, padding)
            named["ceil_mode"] = True
            ours = getattr(jg, f"{name}_pool2d")
            try:
                pool = getattr(torch.nn.functional, f"{name}_pool2d")
                expected = pool(torch.tensor(x).movedim(-1, 1), *arguments, **named)
            except RuntimeError:
                refused += 1
                with pytest.raises(ValueError, match=r"kernel_size: axis . of space spans"):
                    ours(jg.asarray(x), *arguments, **named)
                continue
            found = np.asarray(ours(jg.asarray(x), *arguments, **named))
            np.testing.assert_allclose(found, channels_last(expected), rtol=1e-5, atol=1e-6)
    assert 100 < refused < 1100
