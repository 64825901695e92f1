# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions, and convolutions of vectors, beside PyTorch, MLX and NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import values

import joggle as jg

TRANSPOSED = {1: jg.conv_transpose1d, 2: jg.conv_transpose2d, 3: jg.conv_transpose3d}


@pytest.mark.parametrize("rank", [1, 2, 3])
@settings(max_examples=40)
@given(data=st.data())
def test_torch_agrees_on_every_geometry(rank, data):
    draw = data.draw
    space = [draw(st.integers(1, (40, 9, 5)[rank - 1])) for _ in range(rank)]
    kernel = [draw(st.integers(1, 4)) for _ in space]
    stride = [draw(st.integers(1, 3)) for _ in space]
    dilation = [draw(st.integers(1, 2)) for _ in space]
    reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    padding = [draw(st.integers(0, min(2, (r + (n - 1) * s) // 2)))
               for r, n, s in zip(reach, space, stride, strict=True)]  # fmt: skip
    added = [draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation, strict=True)]
    groups, each = draw(st.sampled_from([(1, 3), (2, 3), (24, 1)]))
    x = values((2, each * groups, *space), "float32", 1)
    w = values((each * groups, draw(st.sampled_from([1, 4, 18])), *kernel), "float32", 2)
    found = TRANSPOSED[rank](
        jg.array(x), jg.array(w), stride, padding, dilation, added, groups, "channels_first"
    )
    function = getattr(torch.nn.functional, f"conv_transpose{rank}d")
    expected = function(torch.tensor(x), torch.tensor(w), None, stride, padding, added, groups,
                        dilation)  # fmt: skip
    np.testing.assert_array_equal(np.asarray(found), expected.numpy())


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_mlx_agrees_on_its_own_order(rank):
    mx = pytest.importorskip("mlx.core")
    x = values((2, *(6, 5, 4)[:rank], 3), "float32", 1)
    w = values((7, *(3, 2, 3)[:rank], 3), "float32", 2)
    arguments = (2, 1, 2, 1)
    found = TRANSPOSED[rank](jg.array(x), jg.array(w), *arguments)
    expected = getattr(mx, f"conv_transpose{rank}d")(mx.array(x), mx.array(w), *arguments)
    np.testing.assert_array_equal(np.asarray(found), np.array(expected))


def test_what_does_not_fit_is_refused():
    x, w = jg.zeros((1, 4, 6, 6)), jg.zeros((4, 3, 3, 3))
    with pytest.raises(ValueError, match=r"output_padding: got -1"):
        jg.conv_transpose2d(x, w, output_padding=-1, data_format="NCHW")
    with pytest.raises(ValueError, match=r"groups: got 3, allowed are divisors of the 4 input"):
        jg.conv_transpose2d(x, w, groups=3, data_format="NCHW")
    with pytest.raises(ValueError, match=r"padding: cuts 4 elements off axis 0"):
        jg.conv_transpose2d(jg.zeros((1, 4, 1, 1)), w, padding=2, data_format="NCHW")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64"],
)
def test_vectors_are_convolved_as_numpy_does(dtype, mode):
    for m, n in [(1, 1), (5, 2), (2, 7), (40, 40), (300, 31), (31, 5000)]:
        a, v = values(m, dtype, 1), values(n, dtype, 2)
        found = jg.convolve(jg.array(a), jg.array(v), mode)
        assert found.dtype == jg.dtype(dtype)
        np.testing.assert_array_equal(np.asarray(found), np.convolve(a, v, mode))


def test_sums_of_integers_wrap():
    a = np.array([100, 100, 7, -90], "int8")
    np.testing.assert_array_equal(np.asarray(jg.convolve(jg.array(a), jg.array(a))),
                                  np.convolve(a, a))  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_summed_in_float32(dtype):
    a, v = values(300, "float32", 1), values(9, "float32", 2)
    found = jg.convolve(jg.array(a).astype(dtype), jg.array(v).astype(dtype))
    np.testing.assert_array_equal(np.asarray(found.astype("float32")), np.convolve(a, v))


def test_vectors_may_lie_in_any_way():
    a = values(600, "float32", 1)
    x = jg.array(a)
    np.testing.assert_array_equal(
        np.asarray(jg.convolve(x[::-2], x[5:40:3] + 0)), np.convolve(a[::-2], a[5:40:3])
    )


def test_what_is_no_vector_or_mode_is_refused():
    with pytest.raises(ValueError, match=r"\[convolve\] a: got shape \(0,\), allowed is a vector"):
        jg.convolve(jg.zeros(0), jg.zeros(3))
    with pytest.raises(ValueError, match=r"\[convolve\] v: got shape \(2, 2\)"):
        jg.convolve(jg.zeros(3), jg.zeros((2, 2)))
    with pytest.raises(ValueError, match=r'mode: got "some", allowed are "full"'):
        jg.convolve(jg.zeros(3), jg.zeros(3), "some")
    with pytest.raises(TypeError, match=r"\[convolve\]"):
        jg.convolve(jg.array([True]), jg.array([True]))


def test_padding_that_cuts_everything_off_leaves_nothing():
    x, w = np.ones((2, 3, 4), "f4"), np.ones((3, 2, 3), "f4")
    named = {"padding": 4, "dilation": 2}
    expected = torch.nn.functional.conv_transpose1d(torch.tensor(x), torch.tensor(w), **named)
    found = jg.conv_transpose1d(jg.asarray(x), jg.asarray(w), data_format="NCL", **named)
    assert found.shape == tuple(expected.shape) == (2, 2, 0)
    assert np.asarray(found).shape == found.shape


@pytest.mark.parametrize(("extent", "kernel", "padding", "text"), [
    (1, 3, 2, "padding: cuts 4 elements off axis 0 of space of the result, allowed are up to .* 3"),
    (1, 1, 1, "padding: cuts 2 elements off axis 0"),
    (0, 2, 0, "input: axis 0 of space is empty"),
    (3, 0, 0, "weight: axis 0 of space is empty"),
])  # fmt: skip
@pytest.mark.parametrize("format", ["NCL", "NLC"])
def test_what_is_wrong_with_an_empty_result_is_named(extent, kernel, padding, text, format):
    last = format == "NLC"
    x = jg.zeros((1, extent, 2) if last else (1, 2, extent))
    w = jg.zeros((2, kernel, 2) if last else (2, 2, kernel))
    with pytest.raises(ValueError, match=rf"\[conv_transpose1d\] {text}"):
        jg.conv_transpose1d(x, w, padding=padding, data_format=format)
