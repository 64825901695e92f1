# SPDX-License-Identifier: Apache-2.0
"""What a call gives away is what it read, whatever its own Python code does to the tree."""

import threading

import pytest

import joggle as jg


class Rate:
    """A constant that runs code when it is compared with that of an earlier call."""

    def __init__(self, value, when_compared=None):
        self.value, self.when_compared = value, when_compared

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        for rate in (self, other):
            if rate.when_compared:
                rate.when_compared()
        return self.value == other.value


def scaled(state):
    return state["w"] * state["rate"].value


@pytest.fixture
def compiled():
    made = jg.compile(scaled, donate_argnums=0)
    first = made({"w": jg.ones(3), "rate": Rate(2.0)})
    assert first.tolist() == [2, 2, 2]
    return made


def is_gone(x):
    try:
        x.tolist()
    except ValueError as error:
        assert "donated" in str(error)
        return True
    return False


def test_an_array_that_was_put_into_the_tree_meanwhile_keeps_its_values(compiled):
    passed, other = jg.full(3, 5.0), jg.full(3, 7.0)
    state = {"w": passed}
    state["rate"] = Rate(2.0, lambda: state.update(w=other))
    assert compiled(state).tolist() == [10, 10, 10]
    assert state["w"] is other
    assert other.tolist() == [7, 7, 7]
    assert is_gone(passed)


def test_an_array_that_left_the_tree_meanwhile_is_gone(compiled):
    passed = jg.full(3, 5.0)
    state = {"w": passed}
    state["rate"] = Rate(2.0, state.clear)
    assert compiled(state).tolist() == [10, 10, 10]
    assert is_gone(passed)


def test_a_handle_that_was_changed_meanwhile_keeps_its_new_values(compiled):
    state = {"w": jg.full(3, 5.0)}

    def change():
        state["w"] += 1.0

    state["rate"] = Rate(2.0, change)
    assert compiled(state).tolist() == [10, 10, 10]
    assert state["w"].tolist() == [6, 6, 6]


def test_a_tree_whose_copy_changes_it_is_read_once():
    originals = []

    class Changing(tuple):
        @classmethod
        def _make(cls, items):
            for original in originals:
                original["w"] = jg.full(3, 9.0)
            return cls(items)

    compiled = jg.compile(lambda state: state["w"] * 2, donate_argnums=0)
    for _ in range(4):
        passed = jg.full(3, 5.0)
        state = {"inner": Changing([1.0, [2.0]]), "w": passed}
        originals[:] = [state]
        assert compiled(state).tolist() == [10, 10, 10]
        assert is_gone(passed)
        assert state["w"].tolist() == [9, 9, 9]


def test_one_handle_in_two_donated_arguments_is_gone_once():
    compiled = jg.compile(lambda x, rest: x + rest[0], donate_argnums=(0, 1, 0))
    for _ in range(3):
        x = jg.full(3, 5.0)
        assert compiled(x, [x, {"same": x}]).tolist() == [10, 10, 10]
        assert is_gone(x)


def test_all_leaves_of_nested_trees_are_gone():
    compiled = jg.compile(lambda tree, by: tree["a"][0] * by + tree["b"]["c"][1], donate_argnums=0)
    for i in range(4):
        leaves = [jg.full(2, float(i + k)) for k in range(4)]
        tree = {"a": [leaves[0], leaves[1]], "b": {"c": (leaves[2], leaves[3])}, "n": 3}
        by = jg.full(2, 2.0)
        assert compiled(tree, by).tolist() == [3 * i + 3] * 2
        assert all(map(is_gone, leaves))
        assert by.tolist() == [2, 2]


def test_a_tree_that_nests_too_deep_is_refused():
    compiled = jg.compile(lambda tree: jg.ones(2), donate_argnums=0)
    tree = []
    for _ in range(100_000):
        tree = [tree]
    with pytest.raises(RecursionError):
        compiled(tree)
    while tree:  # without the recursion of its deallocation
        tree = tree[0]


def test_another_thread_that_changes_the_tree_loses_nothing():
    """Whichever array a call read, the other one keeps its values."""
    compiled = jg.compile(lambda state: state["w"] + state["v"], donate_argnums=0)
    compiled({"w": jg.zeros(4), "v": jg.zeros(4)})
    state = {"w": jg.zeros(4), "v": jg.zeros(4)}
    stop, put = threading.Event(), [state["w"]]

    def replace():
        while not stop.is_set() and len(put) < 20_000:
            put.append(jg.full(4, float(len(put))))
            state["w"] = put[-1]

    thread = threading.Thread(target=replace)
    thread.start()
    results = set()
    try:
        for _ in range(300):
            state["v"] = jg.zeros(4)
            try:
                results.add(compiled(state)[0].item())
            except ValueError as error:  # the same array a second time
                assert "donated" in str(error)
    finally:
        stop.set()
        thread.join()
    assert results
    for number, x in enumerate(put):
        assert is_gone(x) if number in results else x.tolist() == [number] * 4
