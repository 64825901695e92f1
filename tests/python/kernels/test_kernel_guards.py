# SPDX-License-Identifier: Apache-2.0
"""A comparison protects an access: both take the number that sums and products come to exactly.

The arrays have a stride of 0, so that an index that is out of bounds does no harm here.
"""

import numpy as np
import pytest

import joggle.fields as qd

WRAPS = 65536  # whose square is 0 in 32 bits


def elements(count):
    """An array whose elements are all one."""
    one = np.zeros(1, np.int32)
    return np.lib.stride_tricks.as_strided(one, (count,), (0,))


def guarded_square(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):
        if a * a + j < m:
            x[a * a + j] = 1
        else:
            y[j] = 1


def guarded_local(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):
        k = a + 0
        if m > k * a + j:
            x[k * a + j] = 1
        else:
            y[j] = 1


def guarded_below(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):
        if -a * a + j >= 0 and -a * a + j < m:
            x[-a * a + j] = 1
        else:
            y[j] = 1


def guarded_serial(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    if 2 * a * a + 3 < m:
        x[2 * a * a + 3] = 1
    else:
        for j in range(y.shape[0]):
            y[j] = 1


def guarded_twice_too_long(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):
        if a * a * a * a + j < m:  # 2^64: what leaves 64 bits wraps, for both alike
            x[a * a * a * a + j] = j
        else:
            y[j] = 1


def guarded_in_a_loop(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):
        total = 0
        for k in range(m):
            if a * a + k < m:
                total += x[a * a + k] + 1
        y[j] = 1 - total


def guarded_after_a_loop(x: qd.types.ndarray(), y: qd.types.ndarray(), a: qd.i32, m: qd.i32):
    for j in range(y.shape[0]):  # indices side by side, which take the inner loop together
        place = a * (a + j) + m - 1
        total = 0
        for k in range(m):
            total += y[k] * 0 + 1
        if place < m:
            x[place] = 1
        elif total == m:
            y[j] = 1


@pytest.mark.parametrize(
    "function",
    [
        guarded_square,
        guarded_local,
        guarded_below,
        guarded_serial,
        guarded_in_a_loop,
        guarded_after_a_loop,
    ],
    ids=lambda f: f.__name__,
)
def test_a_guard_sees_the_index_that_left_its_32_bits(compiler, function):
    x, y = elements(8), np.zeros(64, np.int32)
    qd.kernel(function)(x, y, WRAPS, 8)
    assert x[0] == 0
    assert y.tolist() == [1] * 64
    x[0] = 0
    if function is not guarded_in_a_loop:
        y[:] = 0
        qd.kernel(function)(x, y, 0, 8)
        assert x[0] == 1


def test_a_guard_and_an_index_that_leave_64_bits_stay_the_same_number(compiler):
    x, y = np.full(8, -1, np.int32), np.zeros(8, np.int32)
    qd.kernel(guarded_twice_too_long)(x, y, WRAPS, 8)
    assert x.tolist() == list(range(8)) and y.tolist() == [0] * 8


def test_comparisons_of_what_is_no_index_wrap(tier):
    @qd.kernel
    def run(y: qd.types.ndarray(), a: qd.i32):
        for j in range(y.shape[0]):
            y[j] = 1 if a * a + j < 8 else 0

    y = np.zeros(16, np.int32)
    run(y, WRAPS)
    assert y.tolist() == [1] * 8 + [0] * 8
