# SPDX-License-Identifier: Apache-2.0
"""Indices that are known before a loop are looked at there, others if that is asked for: one out of
bounds ends the kernel before it reads or writes, and none does that a program never uses."""

import numpy as np
import pytest

import joggle.fields as qd


def guarded(n):
    """The middle of a block of memory whose ends must stay as they are."""
    whole = np.full(n + 2048, 7, "f4")
    part = whole[1024 : 1024 + n]
    part[:] = 1
    return whole, part


def untouched(whole, n):
    return (whole[:1024] == 7).all() and (whole[1024 + n :] == 7).all()


@qd.kernel
def shift(x: qd.types.ndarray(), y: qd.types.ndarray(), low: qd.i32, high: qd.i32, by: qd.i32):
    for i in range(low, high):
        y[i] = x[i + by]


@qd.kernel
def scatter(x: qd.types.ndarray(), k: qd.types.ndarray()):
    for i in range(k.shape[0]):
        x[k[i]] = 3.0


@qd.kernel
def inner(x: qd.types.ndarray(), y: qd.types.ndarray(), n: qd.i32):
    for i in range(y.shape[0]):
        s = 0.0
        for j in range(n):
            s += x[j]
        y[i] = s


@qd.kernel
def guarded_by_if(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(x.shape[0]):
        y[i] = x[i]
        if i + 1 < x.shape[0]:
            y[i] += x[i + 1]
        if i > 0:
            y[i] += x[i - 1]


@qd.kernel
def clamped(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(x.shape[0]):
        y[i] = x[max(i - 2, 0)] + x[min(i + 2, x.shape[0] - 1)]


@qd.kernel
def triangle(x: qd.types.ndarray(), y: qd.types.ndarray(), by: qd.i32):
    for i in range(y.shape[0]):
        for j in range(i, 3):
            y[i] += x[j + by]


@qd.kernel
def stopped(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for _ in range(1):
        for i in range(1000000):
            if x[i] < 0:
                break
            y[i] = x[i]


@qd.kernel
def first(x: qd.types.ndarray()):
    x[0] = 5.0


@qd.kernel
def scaled(x: qd.types.ndarray(), y: qd.types.ndarray(), factor: qd.i32):
    for i in range(y.shape[0]):
        y[i] = x[i * factor]


@pytest.mark.parametrize(("low", "high", "by", "index"), [
    (-1, 50, 1, -1), (0, 101, 0, 100), (0, 100, 1, 100), (0, 100, -1, -1), (0, 2**31 - 1, 1, None),
])  # fmt: skip
def test_ends_of_loops_are_seen_before_anything_is_written(low, high, by, index):
    whole, y = guarded(100)
    message = f"got {index}, allowed 0 to below 100" if index is not None else "shift"
    with pytest.raises(IndexError, match=message):
        shift(np.ones(100, "f4"), y, low, high, by)
    assert untouched(whole, 100) and (y == 1).all()


def test_loops_without_turns_reach_nothing():
    y = np.zeros(10, "f4")
    for low, high, by in ((5, 5, 10**6), (10**6, -5, 0), (0, 10, 0)):
        shift(np.ones(10, "f4"), y, low, high, by)
    inner(np.zeros(0, "f4"), y, 0)
    assert (y == 0).all()


@qd.kernel
def ragged(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        for j in range(k[i]):
            y[i] += x[j]


def test_ranges_that_a_loop_computes_are_looked_at_inside_of_it():
    y = np.zeros(3, "f4")
    ragged(np.ones(4, "f4"), np.array([0, 4, 2], "i4"), y)
    assert y.tolist() == [0, 4, 2]
    with pytest.raises(IndexError, match="got 4, allowed 0 to below 4"):
        ragged(np.ones(4, "f4"), np.array([0, 5, 2], "i4"), y)


@pytest.mark.parametrize("index", [100, -1, 2**31 - 1, -(2**31)])
def test_indices_from_memory_are_seen_if_that_is_asked_for(index):
    qd.init(check_out_of_bound=True)
    whole, x = guarded(100)
    with pytest.raises(IndexError, match=rf"\[scatter\] line \d+: index 0 of x: got {index},"):
        scatter(x, np.array([1, 2, index], "i4"))
    assert untouched(whole, 100)


def test_inner_loops_and_products_are_seen():
    y = np.zeros(5, "f4")
    inner(np.ones(8, "f4"), y, 8)
    assert (y == 8).all()
    with pytest.raises(IndexError, match="index 0 of x: got 8, allowed 0 to below 8"):
        inner(np.ones(8, "f4"), y, 9)
    scaled(np.arange(9, dtype="f4"), y, 2)
    assert (y == np.arange(5) * 2).all()
    for factor in (3, -1, 2**30, 2**31 - 1):
        with pytest.raises(IndexError):
            scaled(np.arange(9, dtype="f4"), y, factor)


def test_what_a_program_guards_itself_is_no_fault():
    x, y = np.arange(50, dtype="f4"), np.zeros(50, "f4")
    guarded_by_if(x, y)
    assert y[0] == 1 and y[-1] == 48 + 49 and y[7] == 21
    clamped(x, y)
    assert y[0] == 2 and y[-1] == 47 + 49
    triangle(np.ones(3, "f4"), y, 0)  # rows beyond the third have no turns
    stopped(np.array([1, 2, -1], "f4"), y)
    with pytest.raises(IndexError, match="got 3, allowed 0 to below 3"):
        triangle(np.ones(3, "f4"), y, 1)
    qd.init(check_out_of_bound=True)
    with pytest.raises(IndexError, match="got 3, allowed 0 to below 3"):
        stopped(np.ones(3, "f4"), y)


def test_an_empty_array_has_no_element():
    with pytest.raises(IndexError, match="index 0 of x: got 0, allowed 0 to below 0"):
        first(np.zeros(0, "f4"))


@pytest.mark.parametrize("setting", [None, True])
def test_fields_are_looked_at_in_both_settings(setting):
    qd.init(check_out_of_bound=setting)
    f = qd.field(qd.f32, 8)

    @qd.kernel
    def write(n: qd.i32):
        for i in range(n):
            f[i] = 1.0

    write(8)
    with pytest.raises(IndexError, match="allowed 0 to below 8"):
        write(9)
    assert f.to_numpy().sum() == 8
