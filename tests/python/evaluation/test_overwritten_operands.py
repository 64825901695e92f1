# SPDX-License-Identifier: Apache-2.0
"""A result takes over an operand's memory only where nobody reads that any more: not another
result of the same pass, and not the pass itself when it comes to the element again."""

import numpy as np
import pytest

import joggle as jg

SIZES = [1, 6, 1000, 1 << 18]
DTYPES = ["float16", "float32", "float64", "int8", "uint8", "int32", "int64", "complex64"]
COPIES = {
    "copy": lambda x: x.copy(),
    "positive": jg.positive,
    "astype": lambda x: jg.astype(x, x.dtype),
    "array": lambda x: jg.array(x, copy=True),
    "zero added": lambda x: x + 0,
    "written": lambda x: x.at[0].add(0),
}


def computed(size, dtype="float32"):
    """Whole numbers in memory that nobody else holds."""
    x = jg.astype(jg.arange(size, dtype=jg.int64) % 100, getattr(jg, dtype)) + 0
    jg.eval(x)
    return x, (np.arange(size) % 100).astype(dtype)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_a_copy_keeps_what_an_update_changes(size, dtype, copied):
    x, expected = computed(size, dtype)
    old = COPIES[copied](x)
    x += 1
    jg.eval(x, old)
    assert np.array_equal(np.asarray(old), expected)
    assert np.array_equal(np.asarray(x), expected + np.asarray(1).astype(dtype))


@pytest.mark.parametrize("size", SIZES)
def test_the_change_of_a_step_is_what_was_subtracted(size):
    x, _ = computed(size)
    old = x.copy()
    x -= 1
    change = jg.sum(jg.abs(x - old))
    jg.eval(x, change)
    assert change.item() == size


@pytest.mark.parametrize("made", [jg.sort, jg.cumsum, lambda x: x[::1], lambda x: x @ jg.eye(6)])
def test_results_of_other_ops_are_kept_as_well(made):
    rows = jg.reshape(jg.arange(36.0), (6, 6))
    x = made(rows)
    jg.eval(x)
    expected = np.array(x)
    old = x.copy()
    x[0] = 5
    x -= 1
    jg.eval(old, x)
    assert np.array_equal(np.asarray(old), expected)


def test_two_arrays_exchange_their_values():
    x, a = computed(100)
    y = x * 2
    jg.eval(y)
    p, q = y.copy(), x.copy()
    del x, y
    jg.eval(p, q)
    assert np.array_equal(np.asarray(p), 2 * a) and np.array_equal(np.asarray(q), a)


@pytest.mark.parametrize("rows", [2, 1000])
def test_a_row_that_is_computed_beside_a_matrix_is_computed_once(rows):
    matrix, row = jg.ones((rows, 64)), jg.ones((64,))
    jg.eval(matrix, row)
    scaled = row * jg.max(matrix)
    shifted = scaled + 1
    product = matrix * shifted
    del scaled
    jg.eval(shifted, product)
    assert np.array_equal(np.asarray(shifted), np.full(64, 2))
    assert np.array_equal(np.asarray(product), np.full((rows, 64), 2))


@pytest.mark.parametrize("mode", ["affine", "mxfp4"])
def test_scales_of_a_transposed_matrix_are_those_of_its_copy(mode):
    matrix = jg.reshape(jg.sin(jg.arange(256 * 256, dtype=jg.float32)), (256, 256))
    jg.eval(matrix)
    copied = jg.contiguous(matrix.T)
    jg.eval(copied)
    expected = [np.array(part) for part in jg.quantize(copied, mode=mode)]
    found = jg.quantize(matrix.T, mode=mode)
    jg.eval(*found)
    for part, same in zip(found, expected, strict=True):
        assert np.array_equal(np.asarray(part), same)
