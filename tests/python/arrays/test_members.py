# SPDX-License-Identifier: Apache-2.0
"""isin, as NumPy has it: few others are compared, those of a small range stand in a table, the rest
are searched."""

import numpy as np
import pytest
from layouts import DTYPES, layouts, to_joggle, to_numpy
from ordering import comparable, sample

import joggle as jg

INTEGERS = [name for name in DTYPES if "int" in name]
WIDE = ["int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_members_are_found(dtype):
    for count, n in ((0, 3), (1, 0), (300, 5), (3000, 2000)):
        for few in (False, True):
            x, others = sample(dtype, count, few), sample(dtype, n, few, seed=5)
            expected = np.isin(comparable(x), comparable(others))
            found = jg.isin(to_joggle(x), to_joggle(others))
            np.testing.assert_array_equal(to_numpy(found), expected)
            others = to_joggle(others)
            np.testing.assert_array_equal(
                to_numpy(jg.isin(to_joggle(x), others, invert=True)), ~expected
            )


def test_numbers_may_be_members():
    assert jg.isin(jg.array([[1, 2], [3, 4]]), 3).tolist() == [[False, False], [True, False]]
    assert jg.isin(2, jg.array([1, 2])).item() is True
    narrow = jg.array([[-128, 127], [-1, 0]], dtype="int8")
    assert jg.isin(narrow, jg.array(-1, dtype="int8")).tolist() == [[False, False], [True, False]]
    assert jg.isin(narrow, jg.array([[127, 255]], dtype="uint8")).tolist() == [
        [False, True],
        [False, False],
    ]
    assert jg.isin(jg.array([0.0, -0.0, np.nan]), jg.array([-0.0, np.nan])).tolist() == [
        True,
        True,
        False,
    ]


def check(x, others):
    expected = np.isin(x, others)
    np.testing.assert_array_equal(np.asarray(jg.isin(jg.array(x), jg.array(others))), expected)
    inverted = jg.isin(jg.array(x), jg.array(others), invert=True)
    np.testing.assert_array_equal(np.asarray(inverted), ~expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ranges_of_any_length_tell_the_same(dtype):
    rng = np.random.default_rng(0)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for span in (1, 63, 64, 65, 5000, 1 << 16, 1 << 17, 1 << 31, 1 << 62):
        for first in (low, max(low, -span // 2), max(low, high - span)):
            last = min(first + span, high)
            others = rng.integers(first, last, 3000, dtype, endpoint=True)
            around = rng.integers(max(low, first - span), min(high, last + span), 2500, dtype)
            check(np.concatenate([others[:500], around, others[-1:]]), others)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 100])
def test_the_least_and_the_largest_numbers_are_members_like_others(dtype, count):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = np.array([low, low + 1, high - 1, high], dtype)
    x = np.concatenate([ends, np.arange(100).astype(dtype)])
    for k in range(1, 5):
        check(x, np.resize(ends[:k], count))
        check(x, np.resize(ends[-k:], count))
    check(x, np.resize(ends[[0, -1]], count))


@pytest.mark.parametrize("dtype", WIDE)
def test_numbers_that_differ_in_high_bits_alone_are_told_apart(dtype):
    half = np.iinfo(dtype).bits // 2
    others = np.arange(1000).astype(dtype)
    x = np.concatenate([others, others + np.array(1 << half, dtype), ~others])
    check(x, others)


@pytest.mark.parametrize("dtype", WIDE)
def test_odd_layouts_are_looked_up_and_looked_through(dtype):
    line = np.arange(-20, 60).astype(dtype)
    for x, reference in layouts(dtype):
        reference = np.array(reference)
        found = np.asarray(jg.isin(x, jg.array(line[:30])))
        np.testing.assert_array_equal(found, np.isin(reference, line[:30]))
        found = np.asarray(jg.isin(jg.array(line), x))
        np.testing.assert_array_equal(found, np.isin(line, reference))


def test_many_members_are_looked_for_by_all_threads():
    rng = np.random.default_rng(1)
    for high in (1 << 20, 1 << 40):
        numbers = rng.integers(0, high, 1 << 19)
        check(numbers, numbers[: 1 << 17] + 1)
