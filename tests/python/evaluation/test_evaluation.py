# SPDX-License-Identifier: Apache-2.0
"""eval, async_eval and wait: what they take, what an array's status says before and after."""

import threading

import pytest

import joggle as jg

LARGE = 1 << 20


def test_status_goes_from_unscheduled_to_available():
    x = jg.ones(LARGE) + 1
    assert x.status == "unscheduled"
    jg.async_eval(x)
    assert x.status in ("scheduled", "available")
    x.wait()
    assert x.status == "available"
    assert x.wait() is None


def test_wait_computes_what_nobody_has_started():
    x = jg.arange(5) * 2
    x.wait()
    assert x.status == "available" and x.tolist() == [0, 2, 4, 6, 8]


def test_a_view_has_the_status_of_what_it_looks_at():
    x = jg.ones((4, 4)) + 1
    view = x[1]
    assert view.status == "unscheduled"
    view.wait()
    assert view.status == x.status == "available"


@pytest.mark.parametrize("evaluate", [jg.eval, jg.async_eval])
def test_trees_of_arrays_are_evaluated(evaluate):
    leaves = [jg.ones(3) * i for i in range(6)]
    tree = {"a": leaves[0], "b": [leaves[1], (leaves[2], {"c": leaves[3]})]}
    evaluate(tree, [leaves[4]], leaves[5], None, "text", 3, [], {}, ())
    jg.synchronize()
    assert [leaf.status for leaf in leaves] == ["available"] * 6
    assert [leaf.tolist() for leaf in leaves] == [[i] * 3 for i in range(6)]


@pytest.mark.parametrize("count", [0, 7, 8, 9, 40])
def test_a_call_takes_any_number_of_arrays(count):
    arrays = [jg.full(2, i) + 1 for i in range(count)]
    jg.eval(*arrays)
    assert [array.status for array in arrays] == ["available"] * count
    assert [array.tolist() for array in arrays] == [[i + 1] * 2 for i in range(count)]


def test_a_tree_without_end_is_refused():
    tree = []
    tree.append(tree)
    with pytest.raises(RecursionError):
        jg.eval(tree)


def in_small_stack(function):
    """The function's result on a thread whose stack has 256 KiB."""
    results, size = [], threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: results.append(function()))
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    return results[0]


def test_a_chain_of_a_million_ops_needs_no_stack():
    def run():
        x = jg.zeros(1, dtype=jg.int32)
        for _ in range(1_000_000):
            x = x + 1
        return x.item()

    assert in_small_stack(run) == 1_000_000


def test_a_graph_with_more_paths_than_atoms_is_computed_once():
    def run():
        x = jg.ones(1, dtype=jg.uint8)
        for _ in range(500_000):
            x = (x + x) | 1  # every sum reads its operand twice
        return x.item()

    assert in_small_stack(run) == 255


def test_a_node_with_a_million_users_is_computed_once():
    def run():
        x = jg.ones(1, dtype=jg.int64) * 2
        total = x
        for _ in range(300_000):
            total = total + x
        return total.item()

    assert in_small_stack(run) == 600_002


def test_the_number_of_threads_can_be_set():
    before = jg.get_num_threads()
    assert before >= 1
    try:
        for count in (1, 3, 2):
            jg.set_num_threads(count)
            assert jg.get_num_threads() == count
            assert (jg.ones(LARGE) * 2).sum().item() == 2 * LARGE
    finally:
        jg.set_num_threads(before)
    for count in (0, -1, 257, 2**40):
        with pytest.raises(ValueError, match="count"):
            jg.set_num_threads(count)
    with pytest.raises(TypeError):
        jg.set_num_threads("2")
