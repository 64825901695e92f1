# SPDX-License-Identifier: Apache-2.0
"""What is computed of numbers that are known when a kernel is compiled is what the kernel computes
of the same numbers when it runs, also where Python raises: NaN and infinities."""

import math

import numpy as np
import pytest

import joggle.fields as qd


@qd.kernel
def known(which: qd.template()) -> qd.f32:
    result = 0.0
    if which == 0:
        result = qd.sqrt(-1.0)
    elif which == 1:
        result = qd.log(0.0)
    elif which == 2:
        result = qd.exp(1000.0)
    elif which == 3:
        result = qd.pow(0.0, -1.0)
    elif which == 4:
        result = qd.acos(2.0)
    elif which == 5:
        result = -1.0 / 0.0
    elif which == 6:
        result = 1 / 0
    elif which == 7:
        result = 7.5 % 0.0
    elif which == 8:
        result = (-8.0) ** 0.5
    elif which == 9:
        result = 10.0**400
    elif which == 10:
        result = qd.atanh(1.0)
    elif which == 11:
        result = qd.rsqrt(0.0)
    elif which == 12:
        result = qd.sqrt(which - 13)
    elif which == 13:
        result = math.log(0.0)
    return result


@qd.kernel
def at_run_time(which: qd.i32, zero: qd.f32, one: qd.f32) -> qd.f32:
    result = 0.0
    if which == 0:
        result = qd.sqrt(-one)
    elif which == 1:
        result = qd.log(zero)
    elif which == 2:
        result = qd.exp(1000.0 * one)
    elif which == 3:
        result = qd.pow(zero, -1.0)
    elif which == 4:
        result = qd.acos(2.0 * one)
    elif which == 5:
        result = -one / zero
    elif which == 6:
        result = one / zero
    elif which == 7:
        result = 7.5 % zero
    elif which == 8:
        result = (-8.0 * one) ** 0.5
    elif which == 9:
        result = (10.0 * one) ** 400
    elif which == 10:
        result = qd.atanh(one)
    elif which == 11:
        result = qd.rsqrt(zero)
    elif which == 12:
        result = qd.sqrt(one - 2)
    elif which == 13:
        result = qd.log(zero)
    return result


@pytest.mark.parametrize("which", range(14))
def test_known_numbers_give_what_others_give(which):
    expected = at_run_time(which, 0.0, 1.0)
    got = known(which)
    assert not math.isfinite(expected)
    assert got == expected or (math.isnan(got) and math.isnan(expected))


def test_a_branch_that_is_not_taken_may_hold_any():
    @qd.kernel
    def count() -> qd.f32:
        total = 0.0
        for i in range(4):
            if i > 8:
                total += qd.log(0.0)
            total += 1.0
        return total

    assert count() == 4


def test_integers_by_zero_are_refused_where_they_are_written():
    @qd.kernel
    def divide() -> qd.i32:
        return 7 // 0

    @qd.kernel
    def rest() -> qd.i32:
        return 7 % 0

    @qd.kernel
    def shift() -> qd.i32:
        return 1 << -1

    for kernel, message in ((divide, "by zero"), (rest, "by zero"), (shift, "negative shift")):
        with pytest.raises((TypeError, ValueError), match=message) as caught:
            kernel()
        assert "test_kernel_known_numbers.py" in str(caught.value)


@qd.kernel
def low_bits(
    known: qd.types.ndarray(dtype=qd.f64, ndim=1), y: qd.types.ndarray(dtype=qd.f64, ndim=1)
):
    minus, large, part = -7, 700, 300.7
    known[0], y[0] = qd.cast(-7, qd.u16), qd.cast(minus, qd.u16)
    known[1], y[1] = qd.cast(100 * 7, qd.i8), qd.cast(large, qd.i8)
    known[2], y[2] = qd.cast(2 - 3, qd.u8), qd.cast(minus + 6, qd.u8)
    known[3], y[3] = qd.cast(-1, qd.u64), qd.cast(minus + 6, qd.u64)
    known[4], y[4] = qd.cast(300.7, qd.u8), qd.cast(qd.cast(part, qd.i32), qd.u8)
    known[5], y[5] = qd.cast(7, qd.i8), 7


def test_casts_between_integers_keep_the_low_bits():
    known, y = np.zeros(6), np.zeros(6)
    low_bits(known, y)
    np.testing.assert_array_equal(known, y)
    np.testing.assert_array_equal(known[:3], [65529, -68, 255])


@qd.kernel
def beyond_the_default(y: qd.types.ndarray(dtype=qd.f64, ndim=1)):
    y[0] = qd.cast(2**40 + 5, qd.i32)


def test_a_number_beyond_the_default_integer_is_refused_by_a_cast():
    with pytest.raises(ValueError, match="outside of int32"):
        beyond_the_default(np.zeros(1))
