# SPDX-License-Identifier: Apache-2.0
"""Loops over the few turns of a cell, with and without a branch that few of them take, against the
same loops in Python."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("compiler")

SIZES = (0, 1, 2, 3, 4, 7, 8, 9, 0, 31, 32, 33, 63, 64, 65, 130)
RNG = np.random.default_rng(3)


class Cells:
    """Points that are sorted by cell, in fields and in arrays."""

    def __init__(self, sizes=SIZES):
        qd.init(arch=qd.cpu)
        self.sizes = np.array(sizes, np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int32)
        self.count = int(self.sizes.sum())
        self.x = RNG.uniform(0, 1, self.count).astype(np.float32)
        self.start, self.size = (qd.field(qd.i32, shape=len(sizes)) for _ in range(2))
        self.at, self.out = (qd.field(qd.f32, shape=self.count) for _ in range(2))
        self.start.from_numpy(self.starts)
        self.size.from_numpy(self.sizes)
        self.at.from_numpy(self.x)

    def turns(self):
        """The candidates in their order."""
        for start, size in zip(self.starts, self.sizes, strict=True):
            yield from range(start, start + size)


@pytest.fixture
def cells():
    return Cells()


def kernel_of(cells, first=4):
    """A kernel over some points and all cells, whose branch divides."""
    start, size, at, out = cells.start, cells.size, cells.at, cells.out

    @qd.kernel
    def run(reach: float):
        for i in range(first):
            total = 0.0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if i != j and qd.abs(at[i] - at[j]) < reach:
                        total = total * 0.5 + at[j] / (at[i] + 1.0)
            out[i] = total

    return run


@pytest.mark.parametrize("reach", [0.0, 0.05, 0.5, 2.0])
def test_turns_that_are_taken_keep_their_order(cells, reach):
    kernel_of(cells)(reach)
    for i in range(4):
        total, x = 0.0, cells.x.astype(np.float64)
        for j in cells.turns():
            if i != j and abs(cells.x[i] - cells.x[j]) < np.float32(reach):
                total = total * 0.5 + x[j] / (x[i] + 1)
        assert cells.out[i] == pytest.approx(total, rel=1e-5, abs=1e-7)


def test_a_cell_may_have_many_turns():
    cells = Cells((5, 40_000, 3))
    kernel_of(cells)(0.001)
    for i in range(4):
        total, x = 0.0, cells.x.astype(np.float64)
        near = np.abs(cells.x[i] - cells.x) < np.float32(0.001)
        for j in np.flatnonzero(near):
            if i != j:
                total = total * 0.5 + x[j] / (x[i] + 1)
        assert cells.out[i] == pytest.approx(total, rel=1e-5)


def test_a_branch_may_break_and_continue(cells):
    start, size, at, out = cells.start, cells.size, cells.at, cells.out

    @qd.kernel
    def run():
        for i in range(3):
            total = 0.0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if at[j] < 0.6:
                        if at[j] < 0.2:
                            continue
                        total += 1.0 / (at[j] + i)
                        if at[j] > 0.55:
                            break
            out[i] = total

    run()
    for i in range(3):
        total = 0.0
        for begin, count in zip(cells.starts, cells.sizes, strict=True):
            for x in cells.x[begin : begin + count].astype(np.float64):
                if x < 0.6:
                    if x < 0.2:
                        continue
                    total += 1 / (x + i)
                    if x > 0.55:
                        break
        assert out[i] == pytest.approx(total, rel=1e-5)


def test_turns_behind_a_break_read_nothing():
    program = Path(__file__).with_name("program_cells_with_sentinel.py")
    told = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=100)
    assert (told.returncode, told.stdout) == (0, "[6.0, 6.0, 6.0, 6.0]\n"), told.stderr


def test_a_branch_sees_what_earlier_branches_wrote(cells):
    start, size, at = cells.start, cells.size, cells.at

    @qd.kernel
    def run():
        for _ in range(1):
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if at[j] < 0.5:
                        k = qd.min(j + 1, at.shape[0] - 1)
                        at[k] = at[j] / (at[k] + 0.5)

    run()
    x = cells.x.copy()
    for j in cells.turns():
        if x[j] < 0.5:
            k = min(j + 1, len(x) - 1)
            x[k] = x[j] / (x[k] + np.float32(0.5))
    np.testing.assert_allclose(at.to_numpy(), x, rtol=1e-5)


def test_cells_without_a_branch_are_summed(cells):
    start, size, at, out = cells.start, cells.size, cells.at, cells.out

    @qd.kernel
    def run():
        for i in range(4):
            total = 0.0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    d = qd.abs(at[i] - at[j])
                    weight = 0.0
                    if d < 0.3:
                        weight = 1.0 - d / 0.3
                    total += weight * at[j]
            out[i] = total

    run()
    x = cells.x.astype(np.float64)
    for i in range(4):
        d = np.abs(x[i] - x)
        expected = (np.where(d < 0.3, 1 - d / 0.3, 0) * x).sum()
        assert out[i] == pytest.approx(expected, rel=1e-5)


def test_each_turn_of_a_cell_writes_its_result(cells):
    start, size, at, out = cells.start, cells.size, cells.at, cells.out

    @qd.kernel
    def run():
        for _ in range(1):
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    out[j] = at[j] * 2.0 + s

    run()
    cell = np.repeat(np.arange(len(SIZES)), SIZES)
    np.testing.assert_allclose(out.to_numpy(), cells.x * 2 + cell, rtol=1e-6)


def test_turns_keep_the_order_that_integers_depend_on(cells):
    start, size, at, out = cells.start, cells.size, cells.at, cells.out

    @qd.kernel
    def run() -> int:
        last = 0
        for i in range(1):
            found = 0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if at[j] > 0.5 and at[j] / (at[0] + 1.0) < 0.9:
                        found = found * 31 + j // (s + 1)
            out[i] = found % 1000
            last += found % 1000
        return last

    got = run()
    found = 0
    cell = np.repeat(np.arange(len(SIZES)), SIZES)
    for j in cells.turns():
        if cells.x[j] > 0.5 and cells.x[j] / (cells.x[0] + np.float32(1)) < np.float32(0.9):
            found = (found * 31 + j // (int(cell[j]) + 1) + 2**31) % 2**32 - 2**31
    assert got == found % 1000 == out[0]


@pytest.mark.parametrize("in_branch", [False, True])
def test_an_index_outside_is_an_error_where_it_is_used(cells, in_branch):
    start, size, at, out = cells.start, cells.size, cells.at, cells.out
    target = qd.field(qd.i32, shape=cells.count)
    numbers = np.arange(cells.count, dtype=np.int32)
    numbers[40] = cells.count + 5
    target.from_numpy(numbers)

    @qd.kernel
    def by_condition():
        for i in range(1):
            total = 0.0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if at[target[j]] < 0.5:
                        total += 1.0 / (at[j] + 1.0)
            out[i] = total

    @qd.kernel
    def by_branch(reach: float):
        for i in range(1):
            total = 0.0
            for s in range(size.shape[0]):
                for j in range(start[s], start[s] + size[s]):
                    if at[j] < reach:
                        total += 1.0 / (at[target[j]] + 1.0)
            out[i] = total

    if in_branch:
        by_branch(cells.x[40])  # which that turn does not reach
        with pytest.raises(IndexError, match=str(cells.count + 5)):
            by_branch(2.0)
    else:
        with pytest.raises(IndexError, match=str(cells.count + 5)):
            by_condition()


def test_bounds_may_leave_no_turns_to_sums_of_doubles():
    qd.init(arch=qd.cpu)
    ends = qd.field(qd.i32, shape=(3, 2))
    ends.from_numpy(np.array([[5, 2], [0, 9], [9, 9]], np.int32))
    values, out = qd.field(qd.f64, shape=16), qd.field(qd.f64, shape=2)
    x = RNG.normal(size=16)
    values.from_numpy(x)

    @qd.kernel
    def run():
        for i in range(2):
            total = qd.cast(0.0, qd.f64)
            for s in range(3):
                for j in range(ends[s, 0], ends[s, 1]):
                    if values[j] > 0:
                        total += 1.0 / (values[j] + i)
            out[i] = total

    run()
    for i in range(2):
        assert out[i] == pytest.approx((1 / (x[:9][x[:9] > 0] + i)).sum(), rel=1e-12)
