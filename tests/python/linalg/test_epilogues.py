# SPDX-License-Identifier: Apache-2.0
"""What follows a matrix product or a convolution block by block has the bits that it has as a
launch of its own."""

import numpy as np
import pytest

import joggle as jg

FOLLOWS = "following block by block"


def array(seed, *shape):
    return jg.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


def gelu(x):
    return 0.5 * x * (1 + jg.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


def bits(function, fusing, threads):
    jg.set_option("fuse", str(int(fusing)))
    jg.set_option("num_threads", str(threads))
    try:
        return np.asarray(function()).tobytes()
    finally:
        jg.set_option("fuse", "1")
        jg.set_option("num_threads", "0")


def same_bits(function):
    text = jg.explain(function())
    wanted = bits(function, False, 1)
    assert bits(function, True, 1) == wanted
    assert bits(function, True, 2) == bits(function, False, 2)
    return text


@pytest.mark.parametrize(
    "rows, inner, columns", [(64, 32, 512), (257, 100, 1000), (1, 64, 96), (300, 8, 3201)]
)
def test_a_bias_and_an_activation_follow(rows, inner, columns):
    x, w, b = array(0, rows, inner), array(1, inner, columns), array(2, columns)
    assert FOLLOWS in same_bits(lambda: gelu(x @ w + b))


@pytest.mark.parametrize("rows, columns", [(64, 128), (300, 17), (5000, 3), (4096, 200)])
def test_a_bias_of_short_rows_follows(rows, columns):
    x, w, b = array(0, rows, 32), array(1, 32, columns), array(2, columns)
    assert FOLLOWS in same_bits(lambda: gelu(x @ w + b))


def test_many_blocks_of_a_shallow_product_are_followed():
    x, w = array(0, 700, 8), array(1, 8, 1024)
    assert FOLLOWS in same_bits(lambda: jg.exp(x @ w) + 1)


def test_a_residual_is_not_written_over_while_the_product_reads_it():
    w = array(1, 96, 96)
    assert FOLLOWS in same_bits(lambda: (lambda x: x @ w + x)(jg.exp(array(0, 300, 96))))
    same_bits(lambda: (lambda x: x @ x + x)(array(0, 96, 96)))


def test_batches_and_rows_of_scores_follow():
    q, k = array(0, 3, 4, 64, 16), array(1, 3, 4, 16, 80)
    assert FOLLOWS in same_bits(lambda: jg.softmax(q @ k * 0.25, axis=-1))
    assert FOLLOWS in same_bits(lambda: (array(0, 50, 8, 8) @ array(1, 50, 8, 8)) * 2)


def test_low_rank_additions_follow_the_last_product():
    x, w, a, b = array(0, 256, 128), array(1, 128, 128), array(2, 128, 4), array(3, 4, 128)
    assert FOLLOWS in same_bits(lambda: x @ w + (x @ a) @ b * 0.5)


def test_what_reads_a_product_in_another_order_waits_for_all_of_it():
    x, w = array(0, 64, 32), array(1, 32, 64)
    assert FOLLOWS not in same_bits(lambda: jg.exp((x @ w).T))
    assert FOLLOWS not in same_bits(lambda: (lambda y: y + y[::-1])(x @ w))


CONVOLUTIONS = [
    # (batch, height, width, channels), (results, taps high, taps wide, channels of a group)
    ((1, 64, 64, 3), (16, 3, 3, 3), {"padding": 1}),
    ((3, 57, 61, 4), (8, 3, 5, 4), {"padding": (1, 2), "stride": (2, 1)}),
    ((5, 33, 31, 8), (8, 3, 3, 4), {"groups": 2, "dilation": 2}),
    ((2, 40, 40, 32), (64, 3, 3, 32), {}),
    ((1, 9, 300, 2), (5, 9, 3, 2), {}),
    ((40, 8, 8, 16), (32, 3, 3, 16), {"padding": 1}),
]


@pytest.mark.parametrize("shape, taps, how", CONVOLUTIONS)
def test_a_bias_an_activation_and_a_residual_follow_a_convolution(shape, taps, how):
    x, w, b = array(0, *shape), array(1, *taps), array(2, taps[0])
    rest = array(3, *jg.conv2d(x, w, **how).shape)
    assert FOLLOWS in same_bits(lambda: jg.maximum(jg.conv2d(x, w, **how) + b, 0))
    assert FOLLOWS in same_bits(lambda: gelu(jg.conv2d(x, w, **how)) + rest)
    assert FOLLOWS in same_bits(lambda: jg.conv2d(x, w, **how).astype(jg.float64) * 3)


def test_a_convolution_is_computed_whole_where_its_parts_are_no_runs_of_elements():
    x, w = array(0, 2, 3, 40, 40), array(1, 16, 3, 3, 3)
    how = {"padding": 1, "data_format": "channels_first"}
    same_bits(lambda: jg.exp(jg.conv_general(x, w, **how)) + 1)
    x = array(0, 2, 40, 40, 3)
    same_bits(lambda: jg.exp(jg.conv_general(x, w, input_dilation=2)) + 1)


def test_a_residual_is_not_written_over_while_a_convolution_reads_it():
    w = array(1, 8, 3, 3, 8)
    for size in (16, 200):
        text = same_bits(
            lambda size=size: (lambda x: jg.conv2d(x, w, padding=1) + x)(
                jg.exp(array(0, 1, size, size, 8))
            )
        )
        assert FOLLOWS in text


def test_what_is_held_of_a_convolution_is_whole():
    x, w = array(0, 4, 100, 100, 3), array(1, 16, 3, 3, 3)
    held = jg.conv2d(x, w, padding=1)
    made = jg.exp(held * 0.1) + 1
    jg.eval(made, held)
    alone = jg.conv2d(x, w, padding=1)
    jg.eval(alone)
    assert np.asarray(held).tobytes() == np.asarray(alone).tobytes()
    assert np.asarray(made).tobytes() == np.asarray(jg.exp(alone * 0.1) + 1).tobytes()


@pytest.mark.parametrize("bits", [4, 8, 3])
@pytest.mark.parametrize("shape, columns", [((64,), 100), ((1, 512), 4096), ((1, 1, 64), 300)])
def test_what_uses_one_row_of_a_quantized_product_follows_it(bits, shape, columns):
    x, b = array(0, *shape), array(2, columns)
    parts = jg.quantize(array(1, columns, shape[-1]), bits=bits)
    follows = same_bits(
        lambda: gelu(jg.quantized_matmul(x, *parts, transpose=True, bits=bits) + b) * 2
    )
    assert FOLLOWS in follows


def quantized(x, columns, group=32, bits=4, transpose=True):
    """A product of x, and the same by NumPy in double precision."""
    shape = (columns, x.shape[-1]) if transpose else (x.shape[-1], columns)
    how = {"group_size": group, "bits": bits}
    parts = jg.quantize(array(1, *shape), **how)
    w = np.asarray(jg.dequantize(*parts, **how)).astype("f8")
    wanted = np.asarray(x) @ (w.T if transpose else w)
    return lambda: jg.quantized_matmul(x, *parts, transpose=transpose, **how), wanted


@pytest.mark.parametrize("rows, inner, columns", [(9, 64, 300), (15, 256, 100), (64, 4096, 1056)])
def test_a_quantized_product_of_few_rows_or_a_large_matrix_is_computed_whole(rows, inner, columns):
    first, _ = quantized(array(0, rows, inner), columns)
    rest = array(2, rows, columns)
    assert FOLLOWS not in same_bits(lambda: gelu(first()) + rest)


@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("bits", [4, 8, 3])
@pytest.mark.parametrize(
    "rows, inner, columns",
    [(16, 32, 32), (300, 64, 192), (777, 288, 160), (40, 1024, 512), (90, 32, 9984)],
)
def test_what_uses_many_rows_of_a_quantized_product_follows_it(
    rows, inner, columns, bits, transpose
):
    x, b, rest = array(0, rows, inner), array(2, columns), array(3, rows, columns)
    first, wanted = quantized(x, columns, bits=bits, transpose=transpose)
    assert FOLLOWS in same_bits(lambda: gelu(first() + b) + rest)
    assert FOLLOWS in same_bits(lambda: (first() + rest).astype(jg.float64))
    np.testing.assert_allclose(np.asarray(first()), wanted, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("inner, columns", [(128, 77), (256, 31), (64, 1), (32, 1001)])
def test_columns_of_a_quantized_product_that_fill_no_panel(inner, columns):
    x, rest = array(0, 300, inner), array(3, 300, columns)
    first, wanted = quantized(x, columns)
    assert FOLLOWS in same_bits(lambda: gelu(first()) + rest)
    np.testing.assert_allclose(np.asarray(first()), wanted, rtol=1e-4, atol=2e-4)


def test_rows_of_x_that_lie_apart_meet_a_quantized_matrix():
    x = np.random.default_rng(0).standard_normal((200, 3, 64), np.float32)
    parts = jg.quantize(array(1, 96, 64), group_size=32)
    y = jg.quantized_matmul(jg.asarray(x)[:, 1], *parts, group_size=32)
    same = jg.quantized_matmul(jg.asarray(np.ascontiguousarray(x[:, 1])), *parts, group_size=32)
    assert np.asarray(y).tobytes() == np.asarray(same).tobytes()


def test_a_large_result_is_written_over_a_product_with_the_same_bits():
    x, b = array(0, 4200, 32), array(2, 1056)
    first, _ = quantized(x, 1056)
    assert FOLLOWS in same_bits(lambda: gelu(first() + b))
    w = array(1, 32, 1056)
    assert FOLLOWS in same_bits(lambda: gelu(x @ w + b))
