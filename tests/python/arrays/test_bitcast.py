# SPDX-License-Identifier: Apache-2.0
"""Arrays whose bytes are read as another dtype, as NumPy's view does."""

import itertools

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


WIDTHS = (
    ("int8", "uint8"),
    ("int16", "uint16", "float16"),
    ("int32", "uint32", "float32"),
    ("int64", "uint64", "float64"),
)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "pair", [pair for names in WIDTHS for pair in itertools.permutations(names, 2)]
)
def test_a_view_and_what_it_sees_are_read_in_one_expression(pair, compiled):
    own, other = pair
    numbers = np.array([0x40, 0xC5, 0x3C, 0x3A, 0xB4, 0x41, 0x35, 0xC1] * 4, np.uint8).view(own)

    def both(x, seen):
        wide, wide_seen = x.astype("float64"), seen.astype("float64")
        return (
            wide_seen + wide,
            wide_seen[1:] * wide[:-1],
            (wide_seen < wide) & (x > 0),
            wide - wide_seen.max(),
        )

    def program(x):
        computed = x + 0
        return both(computed, computed.view(getattr(jg, other)))

    found = (jg.compile(program) if compiled else program)(jg.asarray(numbers))
    for y, expected in zip(found, both(numbers, numbers.view(other)), strict=True):
        np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-15)


def test_a_complex_number_and_its_parts_are_read_in_one_expression():
    numbers = np.array([1 + 2j, 3 - 1j])
    z = jg.asarray(numbers) * 2
    found = z.view(jg.float64)[::2] + z
    np.testing.assert_array_equal(np.asarray(found), numbers.real * 2 + numbers * 2)
