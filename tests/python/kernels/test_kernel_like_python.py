# SPDX-License-Identifier: Apache-2.0
"""Kernels whose body is also a function of Python, and gives the same as that function."""

import bisect
import heapq
import operator

import pytest

import joggle.fields as qd

ITEMS = [5, 3, -1, 8]
OUTSIDE = [1, 2, 3]


@pytest.fixture(autouse=True)
def settings():
    qd.init()


@qd.kernel
def rebound_after_a_branch(n: int) -> int:
    total = 0
    pair = (1, 2)
    for _ in qd.static(range(2)):
        if n > 0:
            pair = (3, 4)
            total += pair[0]
        pair = (5, 6)
        total += 10 * pair[0]
    return total


@qd.func
def chosen(n, m):
    pair = (1, 2)
    if n > 0:
        pair = (3, 4)
        if m > 0:
            return pair[0]
        else:
            return pair[1]
    return pair[0]


@qd.kernel
def branch_that_returns_in_branches(n: int, m: int) -> int:
    return chosen(n, m)


@qd.kernel
def numbers_of_a_list_in_a_loop(n: int) -> int:
    numbers = [n, 2]
    numbers[1] = 3
    total = 0
    for x in numbers:
        numbers[0] += 10
        numbers[1] += 10
        total += x
    return total


@qd.kernel
def lambda_after_a_rebinding(n: int) -> int:
    pair = (n, 2)
    first = lambda: pair[0]  # noqa: E731
    pair = (3, n)
    return first()


@qd.kernel
def lambda_of_a_variable(n: int) -> int:
    total = n
    twice = lambda: total * 2  # noqa: E731
    total += 1
    return twice()


@qd.kernel
def lambdas_that_call_each_other(n: int) -> int:
    x = n + 1
    add = lambda a: a + x  # noqa: E731
    scale = lambda x: add(1) * x  # noqa: E731
    twice = lambda f, x: f(f(x)) + x  # noqa: E731
    adding = lambda b: lambda a: a + b + x  # noqa: E731
    x = x * 2
    return scale(100) + twice(add, 7) * 1000 + adding(3)(4)


@qd.kernel
def iterator_in_one_block(n: int) -> int:
    numbers = iter([n, 2, 3])
    total = next(numbers)
    for _ in qd.static(range(2)):
        total = total * 10 + next(numbers)
    return total


@qd.kernel
def containers_by_functions(n: int) -> int:
    numbers = [3, 1, 2]
    heapq.heapify(numbers)
    least = heapq.heappop(numbers)
    numbers.sort()
    bisect.insort(numbers, 0)
    operator.setitem(numbers, 1, 7)
    return n + least + 10 * len(numbers) + 100 * numbers[1]


@pytest.mark.parametrize(
    ("kernel", "cases"),
    [
        (rebound_after_a_branch, [(0,), (1,)]),
        (branch_that_returns_in_branches, [(0, 0), (0, 1), (1, 0), (1, 1)]),
        (numbers_of_a_list_in_a_loop, [(1,), (4,)]),
        (lambda_after_a_rebinding, [(1,), (4,)]),
        (lambda_of_a_variable, [(1,), (4,)]),
        (lambdas_that_call_each_other, [(1,), (4,)]),
        (iterator_in_one_block, [(1,), (4,)]),
        (containers_by_functions, [(1,), (4,)]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_kernel_gives_what_its_function_gives(kernel, cases):
    for case in cases:
        assert kernel(*case) == kernel.function(*case)


def items():
    field = qd.field(qd.i32, shape=len(ITEMS))
    for i, x in enumerate(ITEMS):
        field[i] = x
    return field


@qd.kernel
def named_in_an_operand(x: qd.template(), n: int) -> int:
    result = -1
    if n > 0 and (found := x[n]) >= 0:
        result = found + 1
    return result


@qd.kernel
def named_in_the_test_of_a_loop(x: qd.template(), n: int) -> int:
    total = 0
    while n < 4 and (found := x[n]) > 0:
        total += found
        n += 1
    return total


@qd.kernel
def named_in_a_choice(x: qd.template(), n: int) -> int:
    result = (found := x[n]) * 2 if n < 3 else 7
    return result + (found if n < 3 else 0)


@qd.kernel
def vector_named_in_an_operand(x: qd.template(), n: int) -> int:
    result = 0
    if n < 3 and (pair := qd.Vector([x[n], x[n + 1]])).sum() > 0:
        result = pair[0] * 10 + pair[1]
    return result


@pytest.mark.parametrize(
    "kernel",
    [named_in_an_operand, named_in_the_test_of_a_loop, named_in_a_choice],
    ids=lambda x: x.__name__,
)
def test_operands_that_a_run_decides_about_bind_names(kernel):
    x = items()
    for n in range(len(ITEMS)):
        assert kernel(x, n) == kernel.function(ITEMS, n), n


def test_vectors_are_named_in_operands():
    x = items()
    assert [vector_named_in_an_operand(x, n) for n in range(4)] == [53, 29, -2, 0]


@qd.kernel
def between(x: qd.template(), i: int) -> int:
    result = 0
    if 0 <= i < x[i] + 2:
        result = 1
    return result


@qd.kernel
def between_three(x: qd.template(), i: int) -> int:
    return 1 if -1 < i < 4 <= x[i] + i else 0


@qd.kernel
def walk_down(x: qd.template(), i: int) -> int:
    while -1 < i < x[i] + 3:
        i -= 1
    return i


def test_what_is_behind_a_false_comparison_is_not_computed():
    qd.init(debug=True)
    x = items()
    for i in range(-2, 4):  # an index of -2 would be an error
        inside = [0, *ITEMS][max(i, -1) + 1]
        assert between(x, i) == (0 <= i < inside + 2), i
        assert between_three(x, i) == (-1 < i < 4 <= inside + i), i
    assert walk_down(x, 1) == -1


@qd.kernel
def elements_between(low: int, high: int) -> int:
    x = qd.Vector([1, 5, 9])
    return (low < x < high).sum()


def test_chains_of_vectors_compare_elements():
    assert [elements_between(0, 6), elements_between(1, 10), elements_between(9, 0)] == [2, 2, 0]


@qd.kernel
def lambda_of_another_turn(n: int) -> int:
    pair = (1, 2)
    first = lambda: pair[0]  # noqa: E731
    total = 0
    for _ in range(n):
        total += first()
        pair = (3, 4)
    return total


@qd.kernel
def iterator_in_a_loop(n: int) -> int:
    numbers, total = iter([1, 2, 3]), 0
    for _ in range(n):
        total += next(numbers)
    return total


@qd.kernel
def item_by_its_method(n: int) -> int:
    numbers = [1, 2]
    if n > 5:
        numbers.__setitem__(0, 7)
    return numbers[0]


@qd.kernel
def item_by_a_function(n: int) -> int:
    numbers = [1, 2]
    if n > 5:
        operator.setitem(numbers, 0, 7)
    return numbers[0]


@qd.kernel
def heap_in_a_loop(n: int) -> int:
    numbers = [1]
    for _ in range(n):
        heapq.heappush(numbers, 3)
    return len(numbers)


@qd.kernel
def list_from_outside(n: int) -> int:
    bisect.insort(OUTSIDE, 2)
    return n


@qd.kernel
def attribute_of_an_object(n: int) -> int:
    if n > 5:
        setattr(qd, "no_such_name", 7)  # noqa: B010
    return n


REFUSED = {
    lambda_of_another_turn: 'name "pair" is known when the kernel is compiled',
    iterator_in_a_loop: "next changes what is known when the kernel is compiled",
    item_by_its_method: "list.__setitem__ changes what is known",
    item_by_a_function: "setitem changes what is known",
    heap_in_a_loop: "heappush changes what is known",
    list_from_outside: "insort_right of an object from outside works outside of kernels only",
    attribute_of_an_object: "setattr works outside of kernels only",
}


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda kernel: kernel.__name__)
def test_what_compiling_would_do_once_is_refused(kernel):
    with pytest.raises(TypeError) as found:
        kernel(3)
    assert REFUSED[kernel] in str(found.value)
    assert OUTSIDE == [1, 2, 3] and not hasattr(qd, "no_such_name")


@qd.dataclass
class Sum:
    total: qd.i64

    @qd.func
    def add(self, x):
        self.total = self.total + x


@qd.func
def following(state: qd.template()):
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF


@qd.func
def put(vector: qd.template(), place, x):
    vector[place] += x


@qd.kernel
def sum_by_a_method(x: qd.template()) -> qd.i64:
    found = Sum(0)
    for i in x:
        found.add(1 + int(qd.sin(x[i]) > 2))
    return found.total


@qd.kernel
def state_by_a_func(x: qd.template()) -> int:
    state = 1
    for i in x:
        following(state)
        x[i] = state & 1
    return state


@qd.kernel
def counts_at_a_place(x: qd.template()) -> qd.i32:
    counts = qd.Vector([0, 0])
    for i in x:
        put(counts, i % 2, 1 + int(qd.sin(x[i]) > 2))
    return counts[0] * 3 + counts[1]


def test_loops_run_in_order_where_a_function_writes_a_shared_variable():
    count = 300_000
    x = qd.field(qd.f32, shape=count)
    state = 1
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    assert sum_by_a_method(x) == count
    assert state_by_a_func(x) == state
    x.fill(0)
    assert counts_at_a_place(x) == count // 2 * 4


@qd.func
def add_one(total: qd.template(), x):
    total += 1 + int(qd.sin(x) > 2)


@qd.kernel
def sum_by_atomics(x: qd.template()) -> int:
    total = 0
    for i in x:
        add_one(total, x[i])
    return total


def test_loops_stay_parallel_where_a_function_only_adds():
    x = qd.field(qd.f32, shape=1000)
    assert sum_by_atomics(x) == 1000
    assert "parallel" in sum_by_atomics.lower(x)[0]
    assert "parallel" not in sum_by_a_method.lower(x)[0]
