# SPDX-License-Identifier: Apache-2.0
"""One array for two parameters, or one place for two indices: what is written by one is read and
updated by the other."""

import numpy as np
import pytest

import joggle.fields as qd


def at_one_place(x, count):
    """An array of that many elements, all of them the first element of x."""
    return np.lib.stride_tricks.as_strided(x, (count,), (0,))


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.uint8])
def test_updates_through_two_parameters_lose_nothing(compiler, threads, dtype):
    """Each iteration keeps to an element of its own in each array, but the arrays are one."""
    count = 100_000
    x = np.zeros(count, dtype)

    @qd.kernel
    def run(a: qd.types.ndarray(), b: qd.types.ndarray()):
        for i in range(a.shape[0]):
            a[i] += 1
            if i % 50 == 0 or i < 40:
                b[i] += 1

    met = len({*range(0, count, 50), *range(40)}) + 1
    run(x, at_one_place(x, count))
    assert x[1:].tolist() == [1] * (count - 1)
    assert x[0] == (met % 256 if dtype == np.uint8 else met)


def test_other_updates_than_sums_lose_nothing(compiler, threads):
    count = 100_000
    x = np.zeros(count, np.int64)

    @qd.kernel
    def run(a: qd.types.ndarray(), b: qd.types.ndarray()):
        for i in range(a.shape[0]):
            a[i] |= 1 << 20
            b[i] ^= 1 << (i % 16)
            qd.atomic_max(a[i], 5)

    run(x, at_one_place(x, count))
    assert x[0] == 1 << 20  # each low bit has been turned an even number of times


def test_updates_of_arrays_apart_are_plain(compiler):
    """What stands in the text is decided at the launch: apart, an update takes its old value."""
    x, y = np.arange(8, dtype=np.int32), np.ones(8, np.int32)

    @qd.kernel
    def run(a: qd.types.ndarray(), b: qd.types.ndarray()):
        for i in range(a.shape[0]):
            a[i] += b[i]
            b[i] *= 3

    assert "update add a" in run.lower(x, y)[0] and "atomic" not in run.lower(x, y)[0]
    run(x, y)
    assert x.tolist() == list(range(1, 9)) and y.tolist() == [3] * 8


def running(a, b):
    for _ in range(1):
        for i in range(1, a.shape[0]):
            b[i] = a[i - 1] + 1


def shifting(a, b):
    for _ in range(1):
        for i in range(a.shape[0] - 1):
            b[i + 1] = a[i]


def reread(a, b):
    for _ in range(1):
        for i in range(a.shape[0]):
            first = a[0]
            b[i] = first + 1
            b[i] = a[0] + first


@pytest.mark.parametrize("function", [running, shifting, reread], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_what_is_written_is_read_in_order_through_the_other_parameter(tier, function, dtype):
    """Were the two taken to be apart, the loop would become a vector and read too early."""
    function.__annotations__ = {"a": qd.types.ndarray(), "b": qd.types.ndarray()}
    kernel = qd.kernel(function)
    apart, other = np.arange(67, dtype=dtype), np.zeros(67, dtype)
    kernel(apart, other)
    for view in (slice(None), slice(1, None), slice(None, None, 2)):
        ours, theirs = np.arange(67, dtype=dtype), np.arange(67, dtype=dtype)
        one = len(ours[view])
        kernel(ours[:one], ours[view])
        function(theirs[:one], theirs[view])
        assert ours.tolist() == theirs.tolist()


def test_truth_values_are_updated_by_any_name(tier):
    x = np.array([False, True, False])
    y = np.array([True, True, False])

    @qd.kernel
    def run(a: qd.types.ndarray(), b: qd.types.ndarray()):
        for i in range(a.shape[0]):
            a[i] += b[i]
            b[0] *= a[1]

    run(x, y)
    assert x.tolist() == [True, True, False] and y[0]


def test_updates_of_an_array_that_meets_itself_lose_nothing(compiler, threads):
    count = 300_000
    same = np.zeros(1, np.float32)
    sliding = np.zeros(count + 2, np.int64)
    windows = np.lib.stride_tricks.as_strided(sliding, (count, 3), (8, 8))

    @qd.kernel
    def run(x: qd.types.ndarray(ndim=1), y: qd.types.ndarray(ndim=2)):
        for i in range(x.shape[0]):
            x[i] += 1
        for i, j in y:
            y[i, j] += 1

    run(at_one_place(same, count), windows)
    assert same[0] == count
    assert sliding[:4].tolist() == [1, 2, 3, 3] and sliding.sum() == 3 * count
