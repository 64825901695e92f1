# SPDX-License-Identifier: Apache-2.0
"""Real functions that call themselves: against the same function of Python."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


@qd.real_func
def fibonacci(n: int) -> int:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@qd.real_func
def ackermann(m: int, n: int) -> int:
    result = n + 1
    if m > 0 and n == 0:
        result = ackermann(m - 1, 1)
    elif m > 0:
        result = ackermann(m - 1, ackermann(m, n - 1))
    return result


@qd.real_func
def paths(x: int, y: int, size: int) -> int:
    """Ways over a grid, counted by a loop over the two directions."""
    total = 0
    if x == size and y == size:
        return 1
    for step in range(2):
        if x + step > size or y + 1 - step > size:
            continue
        total += paths(x + step, y + 1 - step, size)
    return total


@qd.real_func
def find(n: int, target: int) -> int:
    """Returns out of a loop, with calls in it."""
    k = 0
    while True:
        k += 1
        if k > n:
            break
        if n * 10 + k == target:
            return k
        below = find(n - 1, target)
        if below > 0:
            return 100 + below
    return 0


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (fibonacci, [(n,) for n in range(16)]),
        (ackermann, [(m, n) for m in range(3) for n in range(5)]),
        (paths, [(x, y, 4) for x in range(5) for y in range(5)]),
        (find, [(n, t) for n in range(5) for t in (0, 11, 22, 33, 44, 43)]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_calls_give_what_python_gives(function, arguments):
    count = len(arguments[0])

    @qd.kernel
    def run(given: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in out:
            out[i] = function(*[given[i, k] for k in qd.static(range(count))])

    out = np.zeros(len(arguments), np.int32)
    run(np.array(arguments, np.int32), out)
    assert out.tolist() == [function(*a) for a in arguments]


def test_vectors_tuples_and_variables_outlive_calls():
    @qd.real_func
    def turn(v: qd.types.vector(2, qd.f64), n: int) -> tuple[qd.f64, qd.types.vector(2, qd.f64)]:
        kept, steps = v * 2.0, 0
        largest, found = v.x, v
        while steps < n:
            steps += 1
            low, found = turn(qd.Vector([v.y, -v.x + steps]), n - 1)
            largest = qd.max(largest, low)
            kept += found
        return largest, kept

    @qd.kernel
    def run(n: int) -> tuple[qd.f64, qd.types.vector(2, qd.f64)]:
        return turn(qd.Vector([1.0, 2.0]), n)

    def turn_python(v, n):
        kept, steps, largest = 2 * v, 0, v[0]
        while steps < n:
            steps += 1
            low, found = turn_python(np.array([v[1], -v[0] + steps]), n - 1)
            largest, kept = max(largest, low), kept + found
        return largest, kept

    for n in range(5):
        largest, kept = run(n)
        expected = turn_python(np.array([1.0, 2.0]), n)
        assert largest == expected[0] and kept.to_list() == expected[1].tolist()


def test_functions_that_call_each_other_write_to_a_field():
    seen = qd.field(qd.i32, 12)

    @qd.func
    def odd(n):
        return n > 0 and even(n - 1)

    @qd.real_func
    def even(n: int) -> bool:
        seen[n] += 1
        return n == 0 or odd(n - 1)

    @qd.kernel
    def run(n: int) -> bool:
        return even(n)

    assert run(10) and not run(9)
    assert seen.to_numpy().tolist() == [1, 1] * 5 + [1, 0]


def test_arrays_are_the_same_in_each_call_and_nothing_need_be_returned():
    @qd.real_func
    def hanoi(moves: qd.types.ndarray(qd.i32, 1), n: int, start: int, end: int):
        if n > 0:
            hanoi(moves, n - 1, start, 3 - start - end)
            moves[0] += 1
            moves[moves[0]] = 3 * start + end
            hanoi(moves, n - 1, 3 - start - end, end)

    @qd.kernel
    def run(moves: qd.types.ndarray(qd.i32, 1), n: int):
        for _ in range(1):
            hanoi(moves, n, 0, 2)

    moves = np.zeros(32, np.int32)
    run(moves, 4)
    pegs = [[4, 3, 2, 1], [], []]
    for move in moves[1 : moves[0] + 1]:
        start, end = divmod(int(move), 3)
        disc = pegs[start].pop()
        assert not pegs[end] or pegs[end][-1] > disc
        pegs[end].append(disc)
    assert moves[0] == 15 and pegs == [[], [], [4, 3, 2, 1]]


def test_calls_may_be_many_deep(request):
    @qd.real_func
    def down(n: qd.i64) -> qd.i64:
        return n + down(n - 1) if n > 0 else qd.i64(0)

    @qd.kernel
    def run(n: qd.i64) -> qd.i64:
        return down(n)

    most = 2000 if request.node.callspec.params["tier"] == "reference" else 200_000
    assert run(most) == most * (most + 1) // 2


@qd.func
def endless(n: int) -> int:
    return endless(n - 1)


@qd.real_func
def without_type(n: int):
    if n == 0:
        return n
    return without_type(n - 1)


@qd.real_func
def with_others(x: qd.template(), n: int) -> int:
    return with_others(n, n - 1)


def call_endless() -> int:
    return endless(3)


def call_without_type() -> int:
    return without_type(3)


def call_with_others() -> int:
    return with_others(2, 3)


@qd.real_func
def with_barrier(n: int) -> int:
    if n <= 0:
        return 0
    qd.simt.block.sync()
    return with_barrier(n - 1) + 1


def call_with_barrier() -> int:
    total = 0
    for i in range(4):
        total += with_barrier(i)
    return total


@pytest.mark.parametrize(
    ("function", "error", "fault"),
    [
        (call_with_barrier, SyntaxError, "with_barrier calls itself, and threads meet in it"),
        (call_endless, SyntaxError, r"endless calls itself; .*use a loop, or real_func"),
        (call_without_type, TypeError, "without_type returns .* needs an annotation"),
        (call_with_others, TypeError, "with_others calls itself with another x: got"),
    ],
)
def test_what_cannot_be_called_again_is_refused(function, error, fault):
    with pytest.raises(error, match=fault):
        qd.kernel(function)()


def test_derivatives_of_such_functions_are_refused():
    x, loss = qd.field(qd.f32, 3, needs_grad=True), qd.field(qd.f32, (), needs_grad=True)

    @qd.real_func
    def power(a: qd.f32, n: int) -> qd.f32:
        if n == 0:
            return 1.0
        return a * power(a, n - 1)

    @qd.kernel
    def run():
        for i in x:
            loss[None] += power(x[i], 3)

    x.fill(2)
    run()
    assert loss[None] == 24
    with pytest.raises(NotImplementedError, match="stacks have no derivative"):
        run.grad()
