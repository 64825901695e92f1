# SPDX-License-Identifier: Apache-2.0
"""A launch that fails costs the results that need it, and no others: neither what it reads, nor
what was asked for beside it."""

import numpy as np
import pytest

import joggle as jg

SIZES = (100, 1 << 20)  # under the evaluation lock, and on a stream


def ones(size):
    return jg.asarray(np.ones(size, np.float32))


def looked_up(x, size):
    """An element that is not there."""
    return jg.take(x, jg.asarray(np.array([0, size + 7], np.int64)))


def check_fails(x, size):
    for _ in range(2):
        with pytest.raises(IndexError, match=rf"index: {size + 7} is out of range"):
            jg.eval(x)


@pytest.mark.parametrize("size", SIZES)
def test_the_operand_of_a_failed_gather_is_there(size):
    x = ones(size) + 1
    y = looked_up(x, size)
    z = y * 2
    check_fails(z, size)
    check_fails(y, size)
    np.testing.assert_array_equal(np.asarray(x), np.full(size, 2, np.float32))
    assert float(jg.sum(x)) == 2 * size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", ((0, 1, 2), (2, 1, 0), (1, 0, 2)))
def test_results_beside_a_failed_one_are_there(size, order):
    x = ones(size) + 1
    results = [jg.cumulative_sum(x), looked_up(x, size), jg.sort(-x) * 3]
    with pytest.raises(IndexError, match="out of range"):
        jg.eval(*(results[i] for i in order))
    np.testing.assert_array_equal(np.asarray(results[0]), 2 * np.arange(1, size + 1))
    np.testing.assert_array_equal(np.asarray(results[2]), np.full(size, -6, np.float32))
    check_fails(results[1], size)


@pytest.mark.parametrize("size", SIZES)
def test_a_later_run_keeps_what_does_not_need_the_failed_leaf(size):
    x = ones(size) + 1
    bad = looked_up(x, size)
    with pytest.raises(IndexError):
        jg.eval(bad)
    good, worse = jg.sort(x * 5), bad + 1
    with pytest.raises(IndexError, match="out of range"):
        jg.eval(worse, good)
    np.testing.assert_array_equal(np.asarray(good), np.full(size, 10, np.float32))
    check_fails(worse, size)


def test_values_written_over_are_not_taken_for_lost():
    """The sum takes the memory of x, which nothing else holds, in the run that fails."""
    size = 1 << 20
    x = jg.asarray(np.ones(size, np.float32)) + 1
    jg.eval(x)
    y = x + 3
    bad = looked_up(y, size)
    del x
    with pytest.raises(IndexError, match="out of range"):
        jg.eval(bad)
    np.testing.assert_array_equal(np.asarray(y), np.full(size, 5, np.float32))


def test_without_waiting_each_result_tells_its_own_outcome():
    size = 1 << 20
    x = ones(size) + 1
    good, bad = jg.sort(x) + 1, looked_up(x, size)
    jg.async_eval(good, bad)
    np.testing.assert_array_equal(np.asarray(good), np.full(size, 3, np.float32))
    check_fails(bad, size)
    assert float(x[0]) == 2


@pytest.mark.parametrize("fetch", (np.asarray, jg.eval, jg.async_eval))
@pytest.mark.parametrize("size", SIZES)
def test_what_is_fused_with_the_reader_of_a_failed_result_is_there(size, fetch):
    x = ones(size) + 1
    y = x * 3 + 1
    bad = y + jg.take(x, jg.arange(size) + 1) * 0.5
    other = jg.sort(x) - y  # needs neither
    jg.async_eval(x)
    del x
    with pytest.raises(IndexError, match="out of range"):
        fetch(bad)
        jg.eval(bad, other)
    np.testing.assert_array_equal(np.asarray(y), np.full(size, 7, np.float32))
    np.testing.assert_array_equal(np.asarray(other), np.full(size, -5, np.float32))
    with pytest.raises(IndexError, match="out of range"):
        jg.eval(bad)


@pytest.mark.parametrize("size", (1000, 1 << 20))
def test_what_follows_a_gather_unit_by_unit_is_there_where_the_gather_fails_half_way(size):
    """The program runs for those elements that the gather has made, over memory of its operands."""
    values = np.arange(size, dtype=np.float32)
    for place in (0, size // 2, size - 1):
        x = jg.array(values)
        index = np.arange(size)
        index[place] = size
        y = x * 2 + 1
        bad = y + x[jg.asarray(index)]
        del x
        with pytest.raises(IndexError, match="out of range"):
            jg.eval(bad, y)
        np.testing.assert_array_equal(np.asarray(y), values * 2 + 1)
