# SPDX-License-Identifier: Apache-2.0
"""Names of what is known when compiling only: what a branch or a loop of the run assigns to them
holds inside of it, and is refused where another path of the run would mean something else."""

import pytest

import joggle.fields as qd

ONES = TWOS = None  # fields, made anew for each test
limit = 7


@pytest.fixture(autouse=True)
def values(monkeypatch):
    qd.init()
    for number, name in enumerate(("ONES", "TWOS"), 1):
        monkeypatch.setitem(globals(), name, qd.field(qd.i32, 2))
        globals()[name].fill(number)


@qd.kernel
def field_in_a_branch(n: int) -> int:
    x = ONES
    if n > 1:
        x = TWOS
    return x[0]


@qd.kernel
def function_in_a_branch(n: int) -> int:
    f = abs
    if n > 1:
        f = max
    return f(n, 1)


@qd.kernel
def dtype_in_a_branch(n: int) -> float:
    kind = qd.i32
    if n > 1:
        kind = qd.f32
    return kind(2.5)


@qd.kernel
def lambda_in_a_branch(n: int) -> int:
    f = lambda x: x + 1  # noqa: E731
    if n > 1:
        f = lambda x: x - 1  # noqa: E731
    return f(n)


@qd.kernel
def range_in_a_branch(n: int) -> int:
    turns = range(3)
    if n > 1:
        turns = range(5)
    total = 0
    for _ in turns:
        total += 1
    return total


@qd.kernel
def none_in_a_branch(n: int) -> int:
    x = None
    if n > 1:
        x = 3
    return 0 if x is None else 1


@qd.kernel
def tuple_of_values_in_a_branch(n: int) -> int:
    pair = (n, 1)
    if n > 1:
        pair = (n * 10, 2)
    return pair[0]


@qd.kernel
def list_in_a_loop(n: int) -> int:
    x = [n]
    for _ in range(n):
        x += [4]
    return len(x)


@qd.kernel
def swap_in_a_loop(n: int):
    a, b = ONES, TWOS
    for _turn in range(1):
        for _ in range(n):
            b[0] = a[0] + 1
            a, b = b, a


@qd.kernel
def text_in_a_while(n: int) -> int:
    i, way = 0, "up"
    while i < n:
        i += 1
        way = "down"
    return i if way == "up" else -i


@qd.kernel
def next_turn(n: int) -> int:
    x, total = ONES, 0
    for i in range(n):
        if i == 0:
            x = TWOS
            continue
        total += x[0]
    return total


@qd.kernel
def name_of_a_loop(n: int) -> int:
    x = ONES
    for x in qd.static([TWOS]):  # noqa: B007
        n += 1
    return x[0]


@qd.kernel
def constant_of_an_unrolled_loop(n: int) -> int:
    total = 0
    for i in qd.static(range(3)):
        if n > 1:
            i += 1
        total += i
    return total


@qd.kernel
def name_in_an_operand(n: int) -> bool:
    return n > 1 and (x := TWOS)[0] > x[1]


@qd.kernel
def global_that_a_branch_hides(n: int) -> int:
    if n > 1:
        limit = 3
    return limit


REFUSED = {
    field_in_a_branch: "return x\\[0\\]",
    function_in_a_branch: "return f\\(n, 1\\)",
    dtype_in_a_branch: "return kind",
    lambda_in_a_branch: "return f\\(n\\)",
    range_in_a_branch: "for _ in turns",
    none_in_a_branch: "return 0 if x is None",
    tuple_of_values_in_a_branch: "return pair",
    list_in_a_loop: "x \\+= \\[4\\]",
    swap_in_a_loop: "a, b = b, a",
    text_in_a_while: 'return i if way == "up"',
    next_turn: "total \\+= x\\[0\\]",
    name_of_a_loop: "return x\\[0\\]",
    constant_of_an_unrolled_loop: "total \\+= i",
    name_in_an_operand: "return n > 1 and",
}


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda kernel: kernel.__name__)
def test_what_only_compiling_knows_is_not_assigned_by_a_run(kernel):
    with pytest.raises(qd.KernelError, match=REFUSED[kernel]) as found:
        kernel(3)
    assert isinstance(found.value, TypeError)
    assert "only" in str(found.value)


def test_a_name_that_a_branch_assigns_is_not_the_global_after_it():
    with pytest.raises(NameError, match="return limit"):
        global_that_a_branch_hides(0)


@qd.kernel
def inside_of_blocks(n: int) -> int:
    x, total = ONES, 0
    for i in range(n):
        x = TWOS
        if i > 1:
            x = ONES
            total += x[0]
        else:
            total += 10 * x[0]
    for _ in range(n):
        x = ONES
        total += 100 * x[0]
    return total


@qd.kernel
def when_compiling(n: int) -> int:
    x, last, all_ = ONES, None, []
    for i in qd.static(range(3)):
        if qd.static(i == 1):
            x = TWOS
        last = i + n
        all_ += [i]
    return x[0] * 100 + last * 10 + len(all_)


@qd.kernel
def values_of_the_run(n: int) -> int:
    v, i = qd.Vector([1, 2]), 0
    while i < n:
        v = v + 1
        i += 1
    return v[0]


@qd.kernel
def the_same_object(n: int) -> int:
    x = ONES
    if n > 1:
        x = ONES
    return x[0]


@qd.func
def leaves_early(n, x: qd.template()):
    if n > 1:
        x = ONES
        return 10 * x[0]
    x = TWOS
    return x[0]


@qd.kernel
def early_return(n: int) -> int:
    return leaves_early(n, ONES)


@qd.kernel
def leaves_a_loop(n: int) -> int:
    i = 0
    while i < n:
        i += 1
        pair = (i, i)
        if i > 5:
            pair = (1, 2)
            break
        if pair[0] > 3:
            break
    return i


@pytest.mark.parametrize(
    "kernel, n, expected",
    [
        (leaves_a_loop, 9, 4),
        (inside_of_blocks, 3, 341),
        (when_compiling, 1, 233),
        (values_of_the_run, 4, 5),
        (the_same_object, 4, 1),
        (early_return, 0, 2),
        (early_return, 2, 10),
    ],
)
def test_names_that_mean_the_same_on_each_path_are_assigned(kernel, n, expected):
    assert kernel(n) == expected


OUTSIDE, ENTRIES = [1, 2, 3], {"a": 1}


@qd.kernel
def list_grows_in_a_branch(n: int) -> int:
    x = [1, 2]
    if n > 1:
        x.append(3)
    return len(x)


@qd.kernel
def list_shrinks_in_a_loop(n: int) -> int:
    x = [1, 2]
    for _ in range(n):
        x.pop()
    return len(x)


@qd.kernel
def list_is_sorted_in_a_while(n: int) -> int:
    x, i = [2, 1], 0
    while i < n:
        list.sort(x)
        i += 1
    return x[0]


@qd.kernel
def dict_changes_in_a_branch(n: int) -> int:
    x = {"a": 1}
    if n > 1:
        x.update({"a": 2})
    return x["a"]


@qd.kernel
def set_changes_in_an_operand(n: int) -> int:
    x = set((1, 2))
    return len(x) if n > 1 and x.add(3) is None else 0


@qd.func
def grow(x: qd.template()):
    x.append(1)


@qd.kernel
def function_changes_in_a_branch(n: int) -> int:
    x = [1]
    if n > 1:
        grow(x)
    return len(x)


@qd.kernel
def list_from_outside(n: int) -> int:
    OUTSIDE.append(4)
    return n


@qd.kernel
def dict_from_outside(n: int) -> int:
    if n > 1:
        ENTRIES.clear()
    return n


CHANGING = {
    list_grows_in_a_branch: "list.append changes",
    list_shrinks_in_a_loop: "list.pop changes",
    list_is_sorted_in_a_while: "list.sort changes",
    dict_changes_in_a_branch: "dict.update changes",
    set_changes_in_an_operand: "set.add changes",
    function_changes_in_a_branch: "list.append changes",
    list_from_outside: "list.append of an object from outside",
    dict_from_outside: "dict.clear of an object from outside",
}


@pytest.mark.parametrize("kernel", CHANGING, ids=lambda kernel: kernel.__name__)
def test_containers_do_not_change_where_compiling_would_do_it_once(kernel):
    with pytest.raises(TypeError, match=f"{kernel.__name__}|grow") as found:
        kernel(3)
    assert CHANGING[kernel] in str(found.value)
    assert OUTSIDE == [1, 2, 3] and ENTRIES == {"a": 1}


@qd.kernel
def item_of_a_dict(n: int) -> int:
    x = {"a": 1}
    if n > 1:
        x["a"] = 2
    return x["a"]


@qd.kernel
def item_of_a_list_from_outside(n: int) -> int:
    OUTSIDE[0] = n
    return n


@qd.kernel
def item_is_deleted(n: int) -> int:
    x = [1, 2]
    del x[0]
    return n


@pytest.mark.parametrize("kernel", [item_of_a_dict, item_of_a_list_from_outside, item_is_deleted])
def test_items_of_what_is_known_when_compiling_are_not_assigned(kernel):
    with pytest.raises(qd.KernelError, match=kernel.__name__):
        kernel(3)
    assert OUTSIDE == [1, 2, 3]


@qd.kernel
def containers_of_a_block(n: int) -> int:
    x, counts, total = [], {"a": [1]}, 0
    for i in qd.static(range(3)):
        if qd.static(i != 1):
            x.append(i)
    x.extend(OUTSIDE[1:])
    counts["a"].append(2)
    copy = [*list(x), 7]
    copy.reverse()
    for i in range(n):
        inside = [i]
        inside.append(i + 1)
        total += inside[0] * inside[1]
    return total * 1000 + 100 * len(x) + 10 * len(counts["a"]) + copy[0]


def test_containers_change_in_the_block_that_makes_them():
    assert containers_of_a_block(3) == 8427
