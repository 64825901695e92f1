# SPDX-License-Identifier: Apache-2.0
"""Statements of kernels, against the same functions run by Python."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def same(kernel, function, *arguments):
    assert kernel(*arguments) == function(*arguments)


@pytest.mark.parametrize("n", [-1, 0, 1, 7, 20])
def test_branches_and_while_loops_run_as_in_python(n):
    def function(n: int) -> int:
        total = 0
        i = 0
        while i < n:
            if i % 3 == 0:
                total += i
            elif i == 10:
                break
            else:
                total -= 1
            i += 1
        return total

    same(qd.kernel(function), function, n)


def test_loops_over_ranges_take_steps_of_either_sign():
    def function(low: int, high: int) -> int:
        total = 0
        for _ in range(1):
            for i in range(low, high, 3):
                total = total * 2 + i
            for i in range(high, low, -2):
                total = total * 3 - i
        return total

    same(qd.kernel(function), function, 2, 9)
    same(qd.kernel(function), function, 9, 2)


@pytest.mark.parametrize("dtype", ["u8", "u16", "u32", "i8"])
def test_ranges_begin_at_constants_that_the_end_cannot_hold(dtype):
    @qd.kernel
    def run(end: getattr(qd, dtype), out: qd.types.ndarray(qd.i64, 1)):
        for i in range(-2, end):
            out[0] += i * i + 1
        for _ in range(1):
            for i in range(-3, end):
                out[1] += i * i + 1
            for _i in range(300, end):
                out[2] += 1

    out = np.zeros(3, np.int64)
    run(100, out)
    assert out.tolist() == [*(sum(i * i + 1 for i in range(low, 100)) for low in (-2, -3)), 0]


def test_parallel_loops_take_steps_of_either_sign():
    @qd.kernel
    def fill(x: qd.types.ndarray()):
        for i in range(1, 10, 4):
            x[i] += 1
        for i in range(8, 2, -2):
            x[i] += 10

    x = np.zeros(10, np.int32)
    fill(x)
    expected = np.zeros(10, np.int32)
    expected[1:10:4] += 1
    expected[8:2:-2] += 10
    np.testing.assert_array_equal(x, expected)


def test_break_and_continue_belong_to_the_innermost_loop():
    def function(n: int) -> int:
        total = 0
        for i in range(n):
            for j in range(n):
                if j == 2:
                    continue
                if j > i:
                    break
                total += 10 * i + j
        return total

    same(qd.kernel(function), function, 6)


def test_a_loop_at_the_top_that_breaks_runs_in_order():
    def function(n: int) -> int:
        total = 0
        for i in range(n):
            if i == 5:
                break
            total += i
        return total

    same(qd.kernel(function), function, 9)


def test_a_loop_at_the_top_that_assigns_outside_runs_in_order():
    def function(n: int) -> int:
        total = 1
        for i in range(n):
            total = total * 3 + i
        return total

    same(qd.kernel(function), function, 9)
    assert "parallel" not in qd.kernel(function).lower(3)[0]


def test_loop_config_runs_the_next_loop_in_order():
    @qd.kernel
    def count(x: qd.types.ndarray()):
        qd.loop_config(serialize=True)
        for i in range(x.shape[0]):
            x[i] = i
        qd.loop_config(block_dim=64)
        for i in range(x.shape[0]):
            x[i] += 1

    x = np.zeros(9, np.int64)
    count(x)
    np.testing.assert_array_equal(x, np.arange(9) + 1)
    text = count.lower(x)[0]
    assert text.count("parallel") == 1 and "block 64" in text


def test_updates_of_outer_variables_in_parallel_loops_add_up():
    def function(n: int) -> int:
        total = 0
        for i in range(n):
            total += i
        for i in range(n):
            total -= 2 * i
        return total

    same(qd.kernel(function), function, 1000)


def test_updates_at_the_loops_own_index_are_plain_and_others_atomic():
    @qd.kernel
    def histogram(x: qd.types.ndarray(), bins: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in range(x.shape[0]):
            y[i] += x[i]
            bins[x[i]] += 1

    x = np.array([0, 1, 1, 3, 1], np.int32)
    bins, y = np.zeros(4, np.int32), np.ones(5, np.int32)
    histogram(x, bins, y)
    np.testing.assert_array_equal(bins, np.bincount(x))
    np.testing.assert_array_equal(y, x + 1)
    text = histogram.lower(x, bins, y)[0]
    assert text.count("atomic") == 1 and "atomic add bins" in text


def test_updates_of_vectors_at_the_loops_own_index_are_plain():
    x = qd.Vector.field(3, qd.f32, shape=4)

    @qd.kernel
    def push(y: qd.types.ndarray(qd.f32, 2)):
        for i in x:
            x[i] += qd.Vector([1.0, 2.0, 3.0])
            x[i].z -= 1
        for i, j in y:
            y[i, j] += 1
            y[j, i] += 1

    y = np.zeros((3, 3), np.float32)
    push(y)
    assert x.to_numpy().tolist() == [[1, 2, 2]] * 4
    assert (y == 2).all()
    text = push.lower(y)[0]
    assert "atomic add x" not in text and text.count("atomic add y") == 2


def test_ndrange_runs_over_all_indices_the_last_fastest():
    @qd.kernel
    def number(x: qd.types.ndarray(ndim=2), flat: qd.types.ndarray(ndim=1)) -> int:
        for i, j in qd.ndrange(x.shape[0], (1, x.shape[1])):
            x[i, j] = 10 * i + j
        k = 0
        for _ in range(1):
            for i, j in qd.ndrange((1, 3), 2):
                if i == 2 and j == 1:
                    break
                flat[k] = 10 * i + j
                k += 1
        return k

    x, flat = np.zeros((3, 4), np.int32), np.zeros(4, np.int32)
    assert number(x, flat) == 3
    expected = 10 * np.arange(3)[:, None] + np.arange(4)
    expected[:, 0] = 0
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(flat, [10, 11, 20, 0])


@pytest.mark.parametrize(
    ("n", "m", "turns"),
    [(70_000, 70_000, 100), (65_536, 65_536, 100), (3, 4, 12), (-3, -3, 0), (0, 5, 0)],
)
def test_nests_in_order_count_more_turns_than_32_bits_hold(n, m, turns):
    @qd.kernel
    def count(n: qd.i32, m: qd.i32) -> qd.i32:
        found = 0
        for _ in range(1):
            for _i, j in qd.ndrange(n, m):
                found += 1
                if j >= 99:
                    break
        return found

    assert count(n, m) == turns


def test_a_nest_of_known_extents_counts_more_turns_than_32_bits_hold():
    @qd.kernel
    def count() -> qd.i32:
        last = 0
        for _ in range(1):
            for i, j in qd.ndrange(1 << 20, 1 << 20):
                last = i + j
                if j == 99:
                    break
        return last

    assert count() == 99


def test_grouped_indices_are_vectors():
    @qd.kernel
    def mirror(x: qd.types.ndarray(ndim=2), y: qd.types.ndarray(ndim=2)):
        for place in qd.grouped(x):
            y[place.yx] = x[place] + place[0]

    x, y = np.arange(6, dtype=np.int32).reshape(2, 3), np.zeros((3, 2), np.int32)
    mirror(x, y)
    np.testing.assert_array_equal(y, (x + np.array([[0], [1]])).T)


def test_static_loops_are_unrolled_and_see_constants():
    offsets = [(1, 2), (3, 4), (5, 6)]

    @qd.kernel
    def function(n: int) -> int:
        total = 0
        for k, (a, b) in qd.static(enumerate(offsets)):
            if qd.static(k == 1):
                continue
            total += k * a + b * n
        for i in qd.static(range(3)):
            for j in qd.static(range(i)):
                total += i * j
        for i, j in qd.static(qd.ndrange(2, 2)):
            total += i + j
        for a, b in qd.static(zip([1, 2], [3, 4])):  # noqa: B905
            total += a * b
        return total

    assert function(10) == (0 + 20) + (10 + 60) + (0 + 2) + 4 + 11
    assert "for " not in function.lower(1)[0]


def test_names_are_unpacked_swapped_and_chained():
    def function(n: int) -> int:
        a, b = n, n + 1
        a, b = b, a
        (c, d), e = (a, 4), b
        x = y = 3
        x += 1
        return a * 10000 + b * 1000 + c * 100 + d * 10 + e + x * y

    same(qd.kernel(function), function, 5)


def test_a_loops_variable_can_be_assigned_in_its_body():
    def function(n: int) -> int:
        total = 0
        for i in range(n):
            i += 1
            for j in range(i):
                j = j * 2
                total += j
        return total

    same(qd.kernel(function), function, 5)


def test_functions_are_written_in_with_values_and_templates():
    @qd.func
    def half(x):
        x = x // 2
        return x

    @qd.func
    def bump(x: qd.template(), by: int = 3):
        x += by

    @qd.kernel
    def function(n: int) -> int:
        y = n
        z = half(y)
        bump(y)
        bump(y, by=10)
        return 100 * y + z

    assert function(9) == 2204


def test_annotated_assignments_convert():
    @qd.kernel
    def function(x: float) -> int:
        y: qd.i32 = x
        y += 2.9
        z: float = y
        return int(z * 10)

    assert function(3.7) == 50


def test_asserts_hold_in_debug_mode_only():
    @qd.kernel
    def check(n: int) -> int:
        assert n > 3, f"n is {n}, too small"
        return n

    assert check(1) == 1
    qd.init(debug=True)
    assert check(4) == 4
    with pytest.raises(AssertionError, match="n is 1, too small"):
        check(1)


def test_print_writes_numbers_vectors_and_text(capfd):
    @qd.kernel
    def show(n: int):
        v = qd.Vector([1, n])
        print("n is", n, f"twice {2 * n}", v)

    show(3)
    qd.sync()
    assert capfd.readouterr().out == "n is 3 twice 6 [1, 3]\n"
