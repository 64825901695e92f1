# SPDX-License-Identifier: Apache-2.0
"""Loops over several ranges that run in order: each index is counted, none is taken apart."""

import itertools

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


@pytest.fixture
def seen():
    return qd.Vector.field(3, qd.i32, 64)


def check(kernel, seen, expected, *arguments):
    """kernel writes the indices it sees, and gives how many."""
    seen.fill(99)
    count = kernel(*arguments)
    assert count == len(expected)
    assert seen.to_numpy()[:count].tolist() == [list(each) for each in expected]


def test_indices_come_in_the_order_of_the_ranges(seen):
    @qd.kernel
    def run(n: int) -> int:
        count = 0
        for i, j, k in qd.ndrange((-1, 2), n, (3, 5)):
            for _ in range(seen[63][0] - 98):
                seen[count] = [i, j, k]
                count += 1
        return count

    for n in (0, 1, 3):
        check(run, seen, list(itertools.product(range(-1, 2), range(n), range(3, 5))), n)
    assert "floor_divide" not in run.lower(3)[0] and "remainder" not in run.lower(3)[0]


def test_a_loop_over_grouped_indices_may_continue(seen):
    @qd.kernel
    def run() -> int:
        count = 0
        for at in qd.grouped(qd.ndrange((-1, 2), (-1, 2), (-1, 2))):
            if at[0] == at[1]:
                continue
            for _ in range(seen[63][0] - 98):
                seen[count] = at
                count += 1
        return count

    around = itertools.product(range(-1, 2), repeat=3)
    check(run, seen, [each for each in around if each[0] != each[1]])


def test_a_break_and_a_return_leave_all_ranges(seen):
    @qd.kernel
    def leaves(last: int) -> int:
        count = 0
        for i, j in qd.ndrange((2, 5), (-2, 2)):
            if i * 10 + j == last:
                break
            seen[count] = [i, j, 0]
            count += 1
        return count

    everything = [(i, j, 0) for i in range(2, 5) for j in range(-2, 2)]
    for last in (18, 29, 41, 99):
        numbers = [i * 10 + j for i, j, _ in everything]
        first = numbers.index(last) if last in numbers else len(numbers)
        check(leaves, seen, everything[:first], last)

    @qd.func
    def first_above(least):
        for i, j in qd.ndrange((2, 5), (-2, 2)):
            if i * 10 + j > least:
                return i * 10 + j
        return -99

    @qd.kernel
    def gives(least: int) -> int:
        return first_above(least)

    assert [gives(least) for least in (0, 21, 30, 41)] == [18, 28, 31, -99]


def test_bounds_are_those_from_before_the_loop():
    x = qd.field(qd.i32, 2)

    @qd.kernel
    def run() -> int:
        count = 0
        for _ in range(1):
            for _i, _j in qd.ndrange(x[0], x[1]):
                x[0] = 1
                for _ in range(x[0]):
                    x[1] = 1
                    count += 1
        return count

    x.from_numpy(np.array([3, 4], np.int32))
    assert run() == 12


def test_a_target_that_is_assigned_to_does_not_change_the_next_turns():
    @qd.kernel
    def run() -> int:
        total = 0
        for i, j in qd.ndrange(3, 4):
            i = i + 10
            total += i * 100 + j
        return total

    assert run() == sum((i + 10) * 100 + j for i in range(3) for j in range(4))


def test_nests_of_short_loops_may_have_many_turns():
    """Loops inside each other whose turns together are many."""

    @qd.kernel
    def run(n: int) -> int:
        total = 0
        for i in range(n):
            for a, b, c, d in qd.ndrange(9, (-4, 5), 8, 7):
                for _ in range(n - 2):
                    total += (a + b * c - d) ^ i
        return total

    n = 3
    a, b, c, d = np.meshgrid(range(9), range(-4, 5), range(8), range(7), indexing="ij")
    assert run(n) == sum(int(((a + b * c - d) ^ i).sum()) for i in range(n))


def test_gradients_go_through_nests():
    x, y = (qd.field(qd.f64, 8, needs_grad=True) for _ in range(2))

    @qd.kernel
    def run():
        for i in range(8):
            for a, b in qd.ndrange((-1, 2), (0, 2)):
                for c in range(i, i + 1):
                    y[c] += x[(i + a + 8) % 8] * x[(i + b) % 8]

    values = np.linspace(0.5, 2, 8)
    x.from_numpy(values)
    y.grad.fill(1)
    run.grad()
    expected = np.zeros(8)
    for i, a, b in itertools.product(range(8), range(-1, 2), range(2)):
        p, q = (i + a) % 8, (i + b) % 8
        expected[p] += values[q]
        expected[q] += values[p]
    np.testing.assert_allclose(x.grad.to_numpy(), expected, rtol=1e-12)


def test_ranges_of_different_types_run_in_parallel():
    @qd.kernel
    def add(begin: qd.i64, count: qd.u8, low: int, total: qd.types.ndarray(qd.i64, 1)):
        for i, j, k in qd.ndrange((begin, begin + 3), count, (low, 2)):
            total[0] += i * 3 + j * 5 + k

    total = np.zeros(1, np.int64)
    add(2**33, 200, -2, total)
    expected = itertools.product(range(2**33, 2**33 + 3), range(200), range(-2, 2))
    assert total[0] == sum(i * 3 + j * 5 + k for i, j, k in expected)


def test_an_index_of_ranges_of_different_types_is_checked():
    @qd.kernel
    def store(rows: qd.i64, columns: int, x: qd.types.ndarray(qd.i32, 1)):
        for _i, j in qd.ndrange(rows, columns):
            x[j] = 3

    memory = np.full(12, 7, np.int32)
    store(2, 4, memory[4:8])
    with pytest.raises(IndexError):
        store(2, 5, memory[4:8])
    assert memory.tolist() == [7] * 4 + [3] * 4 + [7] * 4


@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
def test_an_index_is_checked_whatever_the_type_of_its_range(dtype):
    @qd.kernel
    def line(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for i in range(end):
            x[i] = 3

    @qd.kernel
    def rows(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for _i, j in qd.ndrange(2, end):
            x[j] = 3

    @qd.kernel
    def serial(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for _ in range(1):
            for i in range(1, end):
                x[i] = 3

    for kernel in (line, rows, serial):
        memory = np.full(12, 7, np.int32)
        kernel(4, memory[4:8])
        with pytest.raises(IndexError):
            kernel(5, memory[4:8])
        assert memory[8:].tolist() == [7] * 4


@pytest.mark.parametrize("dtype", ["i8", "i32", "u32", "u64"])
def test_indices_that_are_taken_apart_are_checked(dtype):
    """Many ranges, and ranges that run in order, are one loop whose index is divided."""

    @qd.kernel
    def many(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for _a, _b, _c, _d, _e, _f, _g, _h, _i, j in qd.ndrange(2, 2, 2, 2, 2, 2, 2, 2, 2, end):
            x[j] = 3

    @qd.kernel
    def serial(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for _ in range(1):
            for _i, j in qd.ndrange(2, end):
                x[j] = 3

    @qd.kernel
    def cast(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for i in range(end):
            x[qd.cast(qd.cast(i, qd.i64), qd.i32)] = 3

    @qd.kernel
    def down(end: getattr(qd, dtype), x: qd.types.ndarray(qd.i32, 1)):
        for i in range(end - 1, 0, -1):
            x[i] = 3

    for kernel in (many, serial, cast, down):
        memory = np.full(12, 7, np.int32)
        kernel(4, memory[4:8])
        with pytest.raises(IndexError):
            kernel(5, memory[4:8])
        assert memory[8:].tolist() == [7] * 4
