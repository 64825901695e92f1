# SPDX-License-Identifier: Apache-2.0
"""Rows on an OpenCL device, of lengths on both sides of those at which a processor's kernels
differ: 512 elements, of which eight of a lane are added up in float32; 16,384, up to which exp is
kept for a later pass; 2^18, up to which one item adds up a row. Values are NumPy's in float64,
within what pairwise summation in float32 may lose."""

import numpy as np
import pytest
import torch

import joggle as jg

pytestmark = pytest.mark.skipif(not jg.is_available("opencl:0"), reason="there is no OpenCL device")

LENGTHS = (1, 3, 64, 511, 512, 513, 577, 1100, 4096, 16384, 16385, 20000)
ROUNDING = 2.0**-24


@pytest.fixture(autouse=True)
def nothing_on_the_host(no_fallback):
    yield


def numbers(*shape):
    """Of both signs and many sizes, so that sums lose what they can."""
    random = np.random.default_rng(len(shape) * 31 + shape[-1])
    return (random.standard_normal(shape) * 2.0 ** random.integers(-12, 12, shape)).astype(
        np.float32
    )


def pairwise(x):
    """What pairwise summation of the last axis may lose: a rounding for each level of additions,
    and one of the result."""
    levels = max(1, int(np.ceil(np.log2(x.shape[-1])))) + 1
    return levels * ROUNDING * np.abs(x.astype(np.float64)).sum(-1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("rows", [1, 7])
def test_sums_lose_no_more_than_pairwise_ones(length, rows):
    x = numbers(rows, length)
    on = jg.asarray(x, device="opencl:0")
    error = np.abs(np.asarray(jg.sum(on, axis=-1)) - x.astype(np.float64).sum(-1))
    assert (error <= pairwise(x)).all(), (error, pairwise(x))
    square = x * x
    error = np.abs(np.asarray(jg.sum(on * on, axis=-1)) - square.astype(np.float64).sum(-1))
    assert (error <= pairwise(square)).all()


@pytest.mark.parametrize("length", [2**18, 2**18 + 1, 2**20 + 77])
def test_sums_of_all_lose_no_more_than_pairwise_ones(length):
    x = numbers(length)
    got = np.asarray(jg.sum(jg.asarray(x, device="opencl:0")))
    assert abs(float(got) - x.astype(np.float64).sum()) <= pairwise(x)


def test_sums_of_rows_with_gaps_are_right():
    x = np.arange(6 * 1200, dtype=np.float32).reshape(6, 1200) % 17
    on = jg.asarray(x, device="opencl:0")
    assert np.array_equal(np.asarray(jg.sum(on[1::2, 5:], axis=-1)), x[1::2, 5:].sum(-1))
    assert np.array_equal(np.asarray(jg.sum(on[:, ::2], axis=-1)), x[:, ::2].sum(-1))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("rows", [1, 5, 33])
def test_softmax_is_torchs(length, rows):
    x = np.random.default_rng(length).standard_normal((rows, length)).astype(np.float32) * 4
    on = jg.asarray(x, device="opencl:0")
    wide = torch.from_numpy(x.astype(np.float64))
    expected = torch.softmax(wide, -1).numpy()
    np.testing.assert_allclose(np.asarray(jg.softmax(on, axis=-1)), expected, rtol=4e-6)
    expected = torch.log_softmax(wide, -1).numpy()
    np.testing.assert_allclose(
        np.asarray(jg.log_softmax(on, axis=-1)), expected, rtol=4e-6, atol=4e-6
    )


@pytest.mark.parametrize("length", [10, 700, 20000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_is_kept_is_of_the_dtype(length, dtype):
    """tanh and its square root's size are wanted by the sum and by what is stored."""
    x = np.random.default_rng(3).standard_normal((9, length)).astype(dtype)
    on = jg.asarray(x, device="opencl:0")
    part = jg.tanh(on) + jg.sqrt(jg.abs(on))
    got = np.asarray(part - jg.mean(part, axis=-1, keepdims=True)).astype(np.float64)
    wide = x.astype(np.float64)
    part = np.tanh(wide) + np.sqrt(np.abs(wide))
    expected = part - part.mean(-1, keepdims=True)
    atol = {"float16": 6e-3, "float32": 2e-6, "float64": 1e-14}[dtype]
    np.testing.assert_allclose(got, expected, rtol=0, atol=atol)
