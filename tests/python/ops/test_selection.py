# SPDX-License-Identifier: Apache-2.0
"""partition, topk and their places: what a sort gives, without sorting all."""

import numpy as np
import pytest
from layouts import DTYPES, REAL, layouts, to_joggle, to_numpy
from ordering import comparable, descending_order, order, sample

import joggle as jg


def check_parts(found, x, kth):
    """Whether found has x's elements, the kth in its place, lesser ones before it."""
    found, ordered = comparable(found), comparable(x[order(x)])
    np.testing.assert_array_equal(found[order(found)], ordered)
    np.testing.assert_array_equal(found[kth], ordered[kth])
    np.testing.assert_array_equal(np.sort(found[:kth], kind="stable"), ordered[:kth])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_partition_puts_one_rank_in_its_place(dtype):
    for count in (1, 5, 100, 400, 5000):
        for few in (False, True):
            x = sample(dtype, count, few)
            given = to_joggle(x)
            for kth in {0, 1 % count, count // 2, count - 1}:
                check_parts(to_numpy(jg.partition(given, kth)), x, kth)
                places = np.asarray(jg.argpartition(given, kth - count))
                assert sorted(places.tolist()) == list(range(count))
                check_parts(x[places], x, kth)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_largest_come_in_order(dtype):
    for count in (1, 5, 100, 400, 5000):
        for few in (False, True):
            x = sample(dtype, count, few)
            given, places = to_joggle(x), descending_order(x)
            for k in {0, 1, min(count, 7), count // 2, count}:
                assert to_numpy(jg.topk(given, k)).tobytes() == x[places[:k]].tobytes()
                np.testing.assert_array_equal(np.asarray(jg.argtopk(given, k)), places[:k])


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
def test_long_lines_are_selected_from(dtype):
    x = sample(dtype, 200_000, False)
    for kth in (0, 1000, 100_000, 199_999):
        check_parts(to_numpy(jg.partition(to_joggle(x), kth)), x, kth)
    found = to_numpy(jg.topk(to_joggle(x), 100))
    assert found.tobytes() == x[descending_order(x)[:100]].tobytes()


@pytest.mark.parametrize("dtype", REAL)
def test_odd_layouts_are_selected_from_along_any_axis(dtype):
    for x, reference in layouts(dtype):
        for axis in (0, 1, -1):
            ordered = np.sort(reference, axis, kind="stable")
            found = to_numpy(jg.partition(x, 1, axis))
            np.testing.assert_array_equal(found.take(1, axis), ordered.take(1, axis))
            top = np.flip(ordered, axis).take(range(2), axis)
            np.testing.assert_array_equal(to_numpy(jg.topk(x, 2, axis=axis)), top)
            places = jg.argtopk(x, 2, axis=axis)
            np.testing.assert_array_equal(to_numpy(jg.take_along_axis(x, places, axis=axis)), top)
        flat = np.sort(reference, None, kind="stable")
        np.testing.assert_array_equal(to_numpy(jg.topk(x, 3, axis=None)), flat[::-1][:3])


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.partition(jg.zeros(3), 3), IndexError, "kth: got 3, allowed -3 to 2"),
        (lambda: jg.argpartition(jg.zeros(0), 0), IndexError, "kth: got 0"),
        (lambda: jg.topk(jg.zeros(3), 4), ValueError, "k: got 4, allowed 0 to 3"),
        (lambda: jg.topk(jg.zeros(3), -1), ValueError, "k: got -1"),
        (lambda: jg.partition(jg.zeros(3), 0, axis=2), IndexError, "axis: got 2"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
