# SPDX-License-Identifier: Apache-2.0
"""Ops with several results: each result is an array of its own, which may be evaluated, kept,
dropped and overwritten whatever becomes of the others; what they share is computed once."""

import gc

import numpy as np
import pytest

import joggle as jg

SIZE = 1 << 12  # small: runs at once
LARGE = 1 << 20  # runs on a stream


def operands(size):
    rng = np.random.default_rng(2)
    return rng.integers(-99, 99, size).astype("f4"), rng.integers(1, 9, size).astype("f4")


def computed(size):
    """Two arrays that nobody else holds, evaluated, and NumPy's quotient and remainder of them."""
    a, b = operands(size)
    x, y = jg.array(a) * 1, jg.array(b) * 1
    jg.eval(x, y)
    return x, y, a // b, a % b


def memory():
    gc.collect()
    jg.synchronize()
    return jg.get_active_memory()


@pytest.mark.parametrize("size", [SIZE, LARGE])
def test_both_results_are_one_launch(size):
    x, y, quotient, remainder = computed(size)
    q, r = jg.divmod(x, y)
    lines = jg.explain(q, r).splitlines()
    assert len(lines) == 2 and "floor_divide+remainder" in lines[0]
    assert q.status == r.status == "unscheduled"
    jg.eval(q, r)
    assert q.status == r.status == "available"
    assert np.array_equal(np.asarray(q), quotient) and np.array_equal(np.asarray(r), remainder)


@pytest.mark.parametrize("size", [SIZE, LARGE])
def test_evaluating_one_leaves_the_other_pending_and_right(size):
    x, y, quotient, remainder = computed(size)
    q, r = jg.divmod(x, y)
    del x, y  # the one that is evaluated must not take over what the other still reads
    q.wait()
    assert (q.status, r.status) == ("available", "unscheduled")
    q += 1  # nor is the other changed by what becomes of the one
    assert np.array_equal(np.asarray(r), remainder)
    assert np.array_equal(np.asarray(q), quotient + 1)


@pytest.mark.parametrize("size", [SIZE, LARGE])
@pytest.mark.parametrize("kept", [0, 1])
def test_a_result_that_is_dropped_is_not_computed(size, kept):
    x, y, *expected = computed(size)
    result = jg.divmod(x, y)[kept]
    (line,) = jg.explain(result).splitlines()[:-1]
    assert "+" not in line.split(" over ")[0]
    assert np.array_equal(np.asarray(result), expected[kept])


@pytest.mark.parametrize("size", [SIZE, LARGE])
def test_one_of_the_results_may_take_over_an_operand(size):
    before = memory()
    x, y, quotient, remainder = computed(size)
    q, r = jg.divmod(x, y)
    del x, y
    jg.eval(q, r)
    assert memory() - before == 2 * 4 * size  # both operands are gone or taken over
    assert np.array_equal(np.asarray(q), quotient) and np.array_equal(np.asarray(r), remainder)
    del q
    assert memory() - before == 4 * size
    del r
    assert memory() == before


def test_results_may_be_evaluated_without_waiting():
    x, y, quotient, remainder = computed(LARGE)
    q, r = jg.divmod(x, y)
    jg.async_eval(q)
    assert q.status in ("scheduled", "available") and r.status == "unscheduled"
    jg.async_eval(r)
    q.wait(), r.wait()
    assert q.status == r.status == "available"
    assert np.array_equal(np.asarray(q), quotient) and np.array_equal(np.asarray(r), remainder)


def test_results_may_be_evaluated_on_different_streams():
    x, y, quotient, remainder = computed(LARGE)
    q, r = jg.divmod(x, y)
    other = jg.multiply(q, 2, stream=jg.new_stream())
    jg.async_eval(other, r)
    assert np.array_equal(np.asarray(other), 2 * quotient)
    assert np.array_equal(np.asarray(r), remainder)


PARTS = {
    "split": lambda x: jg.split(x, 4),
    "array_split": lambda x: jg.array_split(x, 4),
    "unstack": lambda x: jg.unstack(jg.reshape(x, (4, -1))),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("size", [SIZE, LARGE])
def test_parts_become_available_together(name, size):
    a = operands(size)[0]
    x = jg.array(a) + 1
    parts = PARTS[name](x)
    assert {part.status for part in parts} == {"unscheduled"}
    parts[2].wait()
    assert {part.status for part in (*parts, x)} == {"available"}
    for part, expected in zip(parts, np.split(a + 1, 4), strict=True):
        assert np.array_equal(np.asarray(part), expected)


@pytest.mark.parametrize("name", PARTS)
def test_the_memory_lives_as_long_as_one_of_the_parts(name):
    before = memory()
    x = jg.array(operands(SIZE)[0]) + 1
    parts = list(PARTS[name](x))
    jg.eval(x)
    del x
    for _ in range(3):
        parts.pop()
        assert memory() - before == 4 * SIZE
    parts.pop()
    assert memory() == before


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("size", [SIZE, LARGE])
def test_what_is_computed_from_a_part_leaves_the_others_alone(name, size):
    a = operands(size)[0]
    x = jg.array(a) + 1
    jg.eval(x)
    first, *others = PARTS[name](x)
    del x
    first = first * -1
    jg.eval(first)
    expected = np.split(a + 1, 4)
    assert np.array_equal(np.asarray(first), -expected[0])
    for part, values in zip(others, expected[1:], strict=True):
        assert np.array_equal(np.asarray(part), values)


def test_coordinates_are_separate_arrays():
    a = np.arange(12).reshape(3, 4) % 3
    rows, columns = jg.nonzero(jg.asarray(a))
    expected = np.nonzero(a)
    del rows
    columns.wait()
    assert columns.status == "available" and np.array_equal(np.asarray(columns), expected[1])
