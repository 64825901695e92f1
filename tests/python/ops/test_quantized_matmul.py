# SPDX-License-Identifier: Apache-2.0
"""Products with quantised matrices against the numbers that those stand for, in double precision,
and against MLX. Errors are measured by the sum of the products' magnitudes."""

import itertools
import json
import os
import subprocess
import sys

import mlx.core as mx
import numpy as np
import pytest
from quantized import AFFINE, DTYPES, FORMATS, matrix, numbers, sample, to_mlx

import joggle as jg

TOLERANCES = {"float32": 5e-7, "float16": 1e-3, "bfloat16": 8e-3}


def check(y, x, values, dtype="float32"):
    """y is x @ values, up to the rounding of the dtype."""
    x = numbers(x).astype("f8")
    assert y.dtype.name == dtype and y.shape == (x @ values).shape
    error, size = abs(numbers(y) - x @ values), abs(x) @ abs(values)
    assert (error <= TOLERANCES[dtype] * size + 1e-30).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_multiplies_the_numbers_it_stands_for(form, dtype):
    parts, how, values = matrix(53, 384, form, dtype)
    for shape in [(384,), (1, 384), (2, 384), (9, 384), (2, 3, 384)]:
        x = sample(shape, dtype, 1)
        check(jg.quantized_matmul(x, *parts, **how), x, values.T, dtype)
    for shape in [(53,), (1, 53), (7, 53), (2, 2, 53)]:
        x = sample(shape, dtype, 1)
        check(jg.quantized_matmul(x, *parts, transpose=False, **how), x, values, dtype)


@pytest.mark.parametrize("form", [("affine", 64, 4), ("affine", 32, 3), ("nvfp4", 16, 4)])
@pytest.mark.parametrize("columns", [128, 2048 + 128, 8192 + 256])
@pytest.mark.parametrize("rows", [1, 50])
def test_long_and_many_rows_are_multiplied(rows, columns, form):
    parts, how, values = matrix(rows, columns, form)
    for count in (1, 3, 5):
        x = sample((count, columns), seed=2)
        check(jg.quantized_matmul(x, *parts, **how), x, values.T)
    x = sample((5, rows), seed=2)
    check(jg.quantized_matmul(x, *parts, transpose=False, **how), x, values)


@pytest.mark.parametrize("form", [("affine", 64, 4), ("affine", 32, 8), ("mxfp8", 32, 8)])
def test_products_agree_with_mlx(form):
    parts, how, _ = matrix(40, 256, form)
    theirs = [mx.array(np.asarray(part)) for part in parts]
    for count in (1, 6):
        x = sample((count, 256), seed=3)
        y = jg.quantized_matmul(x, *parts, **how)
        expected = numbers(mx.quantized_matmul(to_mlx(x), *theirs, **how))
        np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("group", [32, 64, 128])
def test_numbers_just_below_a_power_of_two_keep_their_digits(group):
    """The highest of the digits that x is cut in has room for them, and for their negatives."""
    parts, how, values = matrix(70, 384, ("affine", group, 4))
    below = 2 - np.float32(2) ** -np.arange(4, 24)
    x = np.resize(np.concatenate([below, -below]), (3, 384)).astype("f4")
    check(jg.quantized_matmul(jg.asarray(x[:1]), *parts, **how), jg.asarray(x[:1]), values.T)
    check(jg.quantized_matmul(jg.asarray(x), *parts, **how), jg.asarray(x), values.T)


@pytest.mark.parametrize("group", [32, 64, 128])
def test_rows_of_any_magnitudes_keep_their_digits(group):
    parts, how, values = matrix(70, 384, ("affine", group, 4))
    largest = abs(values).reshape(70, -1, group).max(axis=-1).repeat(group, axis=-1)

    def check_sums(x, scale=1.0):
        """Codes and biases are multiplied apart: errors are those of the group's largest."""
        y = scale * numbers(jg.quantized_matmul(jg.asarray(x), *parts, **how)).astype("f8")
        x = scale * x.astype("f8")
        assert (abs(y - x @ values.T) <= 5e-7 * (abs(x) @ largest.T)).all()

    powers = np.random.default_rng(6).integers(-60, 60, (3, 12, 1))
    x = (np.asarray(sample((3, 384), seed=5)).reshape(3, 12, 32) * 2.0**powers).astype("f4")
    x[1, 3:9] = 0
    x[2, ::4, 7] *= 1e6
    x = x.reshape(3, 384)
    check_sums(x)
    check_sums(np.float32(2.0**-110) * np.sign(x), 2.0**110)
    check_sums(np.random.default_rng(7).integers(-4096, 4096, (2, 384)).astype("f4"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("columns", "group"), [(768, 64), (2048 + 96, 32), (384, 128)])
def test_a_column_has_the_same_bits_whichever_others_are_computed(columns, group, dtype):
    parts, how, values = matrix(103, columns, ("affine", group, 4), dtype)
    x = sample((1, columns), dtype, 4)
    y = jg.quantized_matmul(x, *parts, **how)
    check(y, x, values.T, dtype)
    for rows in (slice(0, 4), slice(0, 1), slice(50, 103), slice(102, 103)):
        some = jg.quantized_matmul(x, *(part[rows] for part in parts), **how)
        np.testing.assert_array_equal(numbers(some), numbers(y[:, rows]))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e37])
def test_a_row_with_a_number_beyond_all_leaves_the_others(value):
    parts, how, values = matrix(70, 256, ("affine", 64, 4))
    x = np.array(sample((3, 256), seed=8))
    whole = np.asarray(jg.quantized_matmul(jg.asarray(x), *parts, **how))
    x[1, 77] = value
    y = np.asarray(jg.quantized_matmul(jg.asarray(x), *parts, **how))
    np.testing.assert_array_equal(y[[0, 2]], whole[[0, 2]])
    if value == 1e37:
        np.testing.assert_allclose(y[1], value * values[:, 77], rtol=1e-5, atol=1e31)
    else:
        assert not np.isfinite(y[1]).any()


@pytest.mark.parametrize("transpose", [True, False])
def test_batches_of_quantized_products_broadcast(transpose):
    parts, how, values = matrix(64, 128, AFFINE[3], batch=(3, 1))
    values = values.swapaxes(-1, -2) if transpose else values
    for lead, rows in itertools.product([(), (2,), (3, 2), (4, 1, 2)], [1, 5]):
        x = sample((*lead, rows, values.shape[-2]), seed=4)
        check(jg.quantized_matmul(x, *parts, transpose=transpose, **how), x, values)


def test_odd_layouts_are_read_as_they_lie():
    parts, how, values = matrix(48, 128, ("affine", 32, 4))
    words, scales, biases = (np.asarray(part) for part in parts)
    part = [jg.asarray(a[::-3]) for a in (words, scales, biases)]
    x = np.array(sample((6, 4, 256)))
    for view in (x[..., ::2], x[::-1, :, :128], x.transpose(1, 0, 2)[..., 128:], x[:0, :, :128]):
        y = jg.asarray(view)
        check(jg.quantized_matmul(y, *part, **how), y, values[::-3].T)
    y = jg.asarray(x[..., :128]) * 2
    check(jg.quantized_matmul(y, *parts, **how), y, values.T)
    empty = jg.quantized_matmul(jg.ones((0, 128)), *parts, **how)
    assert empty.shape == (0, 48)


@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("rows", [1, 5])
def test_gathered_products_take_the_matrices_that_indices_say(rows, transpose):
    parts, how, values = matrix(64, 128, AFFINE[3], batch=(5,))
    values = values.swapaxes(-1, -2) if transpose else values
    x = sample((2, 3, rows, values.shape[-2]), seed=5)
    flat = numbers(x).reshape(6, rows, -1)
    left, right = np.array([[0, 5], [3, -6]]), np.array([4, 0])
    y = jg.gather_qmm(x, *parts, left, right, transpose=transpose, **how)
    expected = flat[left].astype("f8") @ values[np.broadcast_to(right, left.shape)]
    np.testing.assert_allclose(np.asarray(y), expected, atol=1e-4)
    y = jg.gather_qmm(x, *parts, rhs_indices=np.array([1, 2, 4]), transpose=transpose, **how)
    expected = numbers(x).astype("f8") @ values[[1, 2, 4]]
    np.testing.assert_allclose(np.asarray(y), expected, atol=1e-4)
    theirs = mx.gather_qmm(
        to_mlx(x),
        *(mx.array(np.asarray(part)) for part in parts),
        rhs_indices=mx.array([1, 2, 4]),
        transpose=transpose,
        **how,
    )
    np.testing.assert_allclose(np.asarray(y), np.asarray(theirs), atol=1e-4)


def test_every_instruction_set_and_number_of_threads_gives_the_product():
    code = """
import numpy as np, joggle as jg
rng = np.random.default_rng(0)
for mode, group, bits in [("affine", 64, b) for b in (1, 2, 3, 4, 5, 6, 8)] + [
    ("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)]:
    how = dict(group_size=group, bits=bits, mode=mode)
    q = jg.quantize(rng.standard_normal((70, 320), np.float32), **how)
    w = np.asarray(jg.dequantize(*q, **how, dtype="float32"), "f8")
    for rows in (1, 7, 40):
        x = rng.standard_normal((rows, 320), np.float32)
        for y, r in ((jg.quantized_matmul(x, *q, **how), x @ w.T),
                     (jg.quantized_matmul(x[:, :70], *q, transpose=False, **how), x[:, :70] @ w)):
            assert abs(np.asarray(y) - r).max() < 1e-4, (mode, bits, rows)
"""
    for isa, threads in [("baseline", "1"), ("avx2", "3"), ("avx512", "2")]:
        env = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-c", code], env=env, check=True)


def test_small_products_are_shared_while_a_thread_is_awake(tmp_path):
    """A large one wakes it. The bits are those of one thread."""
    parts, how, _ = matrix(768, 768, ("affine", 64, 4))
    large, _, _ = matrix(8192, 768, ("affine", 64, 4))
    x = sample((1, 768), seed=9)

    def products():
        results = [jg.quantized_matmul(x, *large, **how)]
        for _ in range(8):
            results.append(jg.quantized_matmul(results[-1][:, :768], *parts, **how))
        jg.eval(results)
        return [np.asarray(y) for y in results]

    threads = jg.get_num_threads()
    try:
        jg.set_num_threads(1)
        expected = products()
        jg.set_num_threads(2)
        for _ in range(100):
            with jg.trace(tmp_path / "trace.json"):
                found = products()
            for y, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(y, wanted)
            events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
            chunks = [e["args"] for e in events if e.get("cat") == "chunk"]
            if chunks.count({"first": 0, "last": 12}) < 8:
                return
    finally:
        jg.set_num_threads(threads)
    pytest.fail("no product of 768 rows was cut into chunks")


Q = jg.quantize(jg.ones((4, 64)))
B = jg.quantize(jg.ones((3, 4, 64)))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.quantized_matmul(jg.ones((2, 32)), *Q), ValueError, r"x: got shape \(2, 32\)"),
        (lambda: jg.quantized_matmul(jg.arange(64), *Q), TypeError, "x: got int64"),
        (
            lambda: jg.quantized_matmul(jg.ones((2, 64)), *Q[:2]),
            ValueError,
            "biases: got none, allowed",
        ),
        (lambda: jg.quantized_matmul(jg.ones((2, 64)), *Q, bits=8), ValueError, "w: got 8 words"),
        (
            lambda: jg.quantized_matmul(jg.ones((2, 2, 64)), *B),
            ValueError,
            "broadcast",
        ),
        (
            lambda: jg.gather_qmm(jg.ones((2, 64)), *B, rhs_indices=jg.ones(2)),
            TypeError,
            "rhs_indices: got float32",
        ),
        (
            lambda: jg.gather_qmm(jg.ones((2, 64)), *B, rhs_indices=jg.array([3])).tolist(),
            IndexError,
            "rhs_indices: got 3, allowed -3 to 2",
        ),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
