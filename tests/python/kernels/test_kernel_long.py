# SPDX-License-Identifier: Apache-2.0
"""Loops of any length in long serial kernels give what NumPy gives."""

import itertools

import numpy as np
import pytest

import joggle.fields as qd

LOOPS = 80  # each of some ten instructions, so that vectors are as in long serial code


@qd.func
def mixed(x: qd.template(), y: qd.template(), first: int, last: int, factor: qd.f64) -> qd.f64:
    total = qd.f64(0)
    for i in range(first, last):
        y[i] = factor * x[i] + y[i] / factor
        total += y[i]
    return total


@qd.kernel
def many(x: qd.template(), y: qd.template(), ends: qd.template(), sums: qd.template()):
    qd.loop_config(serialize=True)
    for row in range(ends.shape[0] - 1):
        for k in qd.static(range(LOOPS)):
            sums[row, k] = mixed(x, y, ends[row], ends[row + 1], 1.0 + k)


@pytest.mark.parametrize("longest", [3, 40, 700])
def test_loops_in_a_long_serial_kernel_give_what_numpy_gives(longest):
    rng = np.random.default_rng(longest)
    ends = np.concatenate([[0], np.cumsum(rng.integers(0, longest + 1, 6))]).astype(np.int32)
    count = int(ends[-1]) + 1
    values = rng.random((2, count))
    x, y = (qd.field(qd.f64, count) for _ in range(2))
    bounds, sums = qd.field(qd.i32, len(ends)), qd.field(qd.f64, (len(ends) - 1, LOOPS))
    x.from_numpy(values[0])
    y.from_numpy(values[1])
    bounds.from_numpy(ends)
    text, *_ = many.lower(x, y, bounds, sums)
    assert text.count("\n") > 1024 and "parallel" not in text
    many(x, y, bounds, sums)
    expected, totals = values[1].copy(), np.zeros((len(ends) - 1, LOOPS))
    for row, (first, last) in enumerate(itertools.pairwise(ends)):
        for k in range(LOOPS):
            part = slice(first, last)
            expected[part] = (1 + k) * values[0, part] + expected[part] / (1 + k)
            totals[row, k] = expected[part].sum()
    np.testing.assert_allclose(y.to_numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(sums.to_numpy(), totals, rtol=1e-11)


def test_a_function_is_written_alike_at_each_call_after_the_first():
    found = qd.field(qd.i32, 4)

    @qd.func
    def last_below(limit: int) -> int:
        result = -1
        for i in range(10):
            if i * i >= limit:
                return result
            result = i
        return result

    @qd.kernel
    def first():
        found[0] = last_below(30)
        found[1] = last_below(2)

    @qd.kernel
    def second():
        found[2] = last_below(1000)
        found[3] = last_below(0)

    first()
    second()
    assert found.to_numpy().tolist() == [5, 1, 9, -1]
