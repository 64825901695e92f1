# SPDX-License-Identifier: Apache-2.0
"""Arrays whose bytes are read as another dtype, as NumPy's view does."""

import numpy as np
import pytest
from layouts import DTYPES, assert_same, numpy_dtype, to_joggle, values

import joggle as jg


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", [name for name in DTYPES if name not in ("bool", "bfloat16")])
def test_bitcast_reads_the_bytes(source, target):
    reference = values((3, 32), numpy_dtype(source))
    x = to_joggle(reference)
    for window in (np.s_[:], np.s_[::2], np.s_[1:, 16:], np.s_[::-1]):
        expected = np.ascontiguousarray(reference[window]).view(target)
        assert_same(x[window].bitcast(target), expected)
    if x.itemsize == jg.dtype(target).itemsize:
        assert_same(x.T.bitcast(target), reference.T.view(target))


def test_bitcast_reads_the_bytes_of_what_is_not_computed_yet():
    reference = np.arange(1, 9, dtype="f4")
    x = jg.arange(8, dtype="float32") + 1
    sum_of_bits = x.bitcast("int32") + x.bitcast("uint32").astype("int32")
    assert_same(sum_of_bits, 2 * reference.view("i4"))
    x = jg.arange(8, dtype="float32") + 1
    assert_same(x.bitcast("uint8")[::4] + x.bitcast("int32").astype("uint8"), np.zeros(8, "u1"))
    x = jg.arange(8, dtype="float32") + 1
    assert_same(x.bitcast("uint32"), reference.view("u4"))


def test_bitcast_to_bool_compares_bytes():
    assert jg.array([0, 2, 255], dtype="uint8").bitcast("bool").tolist() == [False, True, True]


def test_bitcast_of_unaligned_memory_copies():
    block = np.arange(33, dtype="u1")
    x = jg.asarray(block[1:], copy=False)
    assert_same(x.bitcast("float64"), block[1:].view("f8"))
    assert_same(jg.array(block)[1:].bitcast("int32"), block[1:].view("i4"))


def test_bitcast_of_no_elements_changes_the_last_extent():
    x = jg.zeros((3, 0), dtype="float32")
    assert x.bitcast("float64").shape == (3, 0)
    assert x.bitcast("int16").shape == (3, 0)
