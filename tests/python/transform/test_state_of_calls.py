# SPDX-License-Identifier: Apache-2.0
"""Arguments and state of compiled functions with many leaves: which call is like the one before,
and what is left where it is in the containers that a call writes."""

import collections
import gc
import weakref

import numpy as np
import pytest

import joggle as jg


def _value(x):
    return np.asarray(x).tolist()


def _counts(compiled):
    info = compiled.cache_info()
    return info.hits, info.misses


def test_an_entry_that_is_not_written_stays_the_object_that_it_was():
    state = {"a": jg.ones(2), "b": jg.zeros(2), "l": [jg.ones(3), jg.zeros(3)]}

    def step():
        state["b"] = state["b"] + 1
        state["l"][1] = state["l"][1] + 1

    compiled = jg.compile(step, inputs=state, outputs=state)
    kept, inner = state["a"], state["l"][0]
    for i in range(3):
        compiled()
        assert state["a"] is kept and state["l"][0] is inner
        assert _value(state["b"]) == [i + 1] * 2 and _value(state["l"][1]) == [i + 1] * 3


def test_who_holds_an_entry_from_before_the_call_keeps_its_value():
    state = {"a": jg.ones(2), "l": [jg.zeros(2)]}

    def step(x):
        state["a"] = state["a"] + x
        state["l"][0] = state["l"][0] - x

    compiled = jg.compile(step, inputs=state, outputs=state)
    x, held = jg.ones(2), []
    for _ in range(4):
        held.append((state["a"], state["l"][0], np.asarray(state["a"])))
        compiled(x)
    for i, (a, b, view) in enumerate(held):
        assert _value(a) == [1 + i] * 2 and _value(b) == [-i] * 2 and view.tolist() == [1 + i] * 2
    assert _value(state["a"]) == [5, 5]


def test_a_weak_reference_does_not_see_the_next_value():
    state = {"a": jg.ones(2)}
    compiled = jg.compile(lambda: state.update(a=state["a"] + 1), inputs=state, outputs=state)
    compiled()
    seen = weakref.ref(state["a"])
    compiled()
    assert seen() is None or _value(seen()) == [2, 2]
    assert _value(state["a"]) == [3, 3]


def test_memory_lent_to_others_is_not_written_by_later_calls():
    state = {"a": jg.ones(4)}
    compiled = jg.compile(lambda: state.update(a=state["a"] + 1), inputs=state, outputs=state)
    views = []
    for _ in range(4):
        views.append(np.from_dlpack(state["a"]))
        compiled()
        jg.eval(state)
    assert [v.tolist() for v in views] == [[i + 1.0] * 4 for i in range(4)]


def test_a_call_may_swap_share_and_add_entries():
    state = {"a": jg.ones(2), "b": jg.zeros(2)}

    def swap():
        state["a"], state["b"] = state["b"], state["a"]

    compiled = jg.compile(swap, inputs=state, outputs=state)
    for i in range(4):
        compiled()
        assert _value(state["a"]) == [i % 2] * 2 and _value(state["b"]) == [1 - i % 2] * 2

    def share():
        state["a"] = state["b"] = state["a"] + 2
        return state["a"]

    shared = jg.compile(share, inputs=state, outputs=state)
    for _ in range(2):
        given = shared()
        assert state["a"] is state["b"] and state["a"] is given
    assert _value(given) == [5, 5]
    given += 1  # of the handle, which the state has as well
    assert _value(state["b"]) == [6, 6]


def test_keys_may_change_their_order_and_be_added():
    state = {"a": jg.ones(2), "b": jg.zeros(2), "c": jg.ones(2) * 7}

    def step():
        for key in ("c", "a"):
            state[key] = state[key] + 1
        state["d"] = state["a"] * 2

    compiled = jg.compile(step, inputs=state, outputs=state)
    for i in range(4):
        compiled()
        found = {key: _value(x)[0] for key, x in state.items()}
        assert found == {"a": 2 + i, "b": 0, "c": 8 + i, "d": 4 + 2 * i}
        for key in ("b", "a") if i % 2 else ("c",):  # moves to the end
            state[key] = state.pop(key)


def test_arrays_of_tuples_stay():
    state = ({"a": jg.ones(2)}, jg.zeros(2))

    def step():
        state[0]["a"] = state[0]["a"] + state[1] + 1

    compiled = jg.compile(step, inputs=state[0], outputs=state)
    inner = state[1]
    for _ in range(3):
        compiled()
    assert _value(state[0]["a"]) == [4, 4] and state[1] is inner and _value(inner) == [0, 0]


def test_parameters_of_a_state_exist_once():
    count = 50
    state = {i: jg.zeros((64, 64)) + i for i in range(count)}
    jg.eval(state)

    def step():
        for i in range(count):
            state[i] = state[i] * 0.5 + 1

    compiled = jg.compile(step, inputs=state, outputs=state)
    for _ in range(3):
        compiled()
        jg.eval(state)
    gc.collect()
    before = jg.get_active_memory()
    jg.reset_peak_memory()
    for _ in range(3):
        compiled()
        jg.eval(state)
    assert jg.get_active_memory() <= before
    assert jg.get_peak_memory() <= before + 8 * 64 * 64 * 4


Pair = collections.namedtuple("Pair", "x y")
CALLS = {
    "dtype": lambda: [[jg.ones(2), jg.ones(2, dtype=jg.int32)], 1],
    "shape": lambda: [[jg.ones(2), jg.ones(3)[:1]], 1],
    "shorter": lambda: [[jg.ones(2)], 1],
    "longer": lambda: [[jg.ones(2), jg.ones(2), jg.ones(2)], 1],
    "tuple": lambda: [(jg.ones(2), jg.ones(2)), 1],
    "pair": lambda: [Pair(jg.ones(2), jg.ones(2)), 1],
    "dict": lambda: [{"a": jg.ones(2), "b": jg.ones(2)}, 1],
    "other key": lambda: [{"a": jg.ones(2), "c": jg.ones(2)}, 1],
    "number": lambda: [[jg.ones(2), jg.ones(2)], 2],
    "float": lambda: [[jg.ones(2), jg.ones(2)], 1.0],
    "bool": lambda: [[jg.ones(2), jg.ones(2)], True],
    "text": lambda: [[jg.ones(2), jg.ones(2)], "1"],
    "nothing": lambda: [[], 1],
    "numpy": lambda: [[jg.ones(2), np.ones(2)], 1],
    "first numpy": lambda: [[np.ones(2), jg.ones(2)], 1],
    "more arguments": lambda: [[jg.ones(2), jg.ones(2)], 1, jg.ones(2)],
    "fewer arguments": lambda: [[jg.ones(2), jg.ones(2)]],
}


def _leaves(tree):
    return list(tree.values()) if isinstance(tree, dict) else list(tree)


def _total(tree, number=0, *others):
    start = jg.zeros(()) + (number if not isinstance(number, str) else 100)
    for i, x in enumerate([*_leaves(tree), *others]):
        start = start + (i + 1) * jg.sum(jg.asarray(x))
    return start


@pytest.mark.parametrize("name", CALLS)
def test_a_call_like_the_one_before_but_for_one_thing_is_another(name):
    usual = lambda: [[jg.ones(2), jg.ones(2)], 1]  # noqa: E731
    compiled = jg.compile(_total)
    for make in (usual, usual, CALLS[name], CALLS[name], usual, CALLS[name], usual, usual):
        given = make()
        assert _value(compiled(*given)) == _value(_total(*given))
    assert _counts(compiled) == (6, 2)


def test_constants_that_are_equal_and_not_the_same_object_are_the_same_call():
    compiled = jg.compile(lambda x, names, scale: x * scale)
    x = jg.ones(2)
    for i in range(4):
        text, number = "".join(["na", "me"]), float("2.5")
        assert _value(compiled(x, {text: 1000 + 24}, number)) == [2.5, 2.5], i
    assert _counts(compiled) == (3, 1)


def test_a_constant_that_has_changed_since_is_another_call():
    compiled = jg.compile(lambda x, choice: x * len(choice))
    x, choice = jg.ones(2), {1, 2}
    assert _value(compiled(x, choice)) == [2, 2]
    choice.add(3)
    assert _value(compiled(x, choice)) == [3, 3]
    assert _value(compiled(x, {1, 2})) == [2, 2]


@pytest.mark.filterwarnings("ignore:.*an array in the place of the number")
def test_an_argument_may_drop_the_record_in_use():
    """What is not an array of ours is asked for its memory in the midst of the arguments."""
    values = np.ones(2, np.float32)

    class Foreign:
        def __dlpack__(self, **keywords):
            if self.depth == 0:
                for i in range(300):  # more than a function keeps
                    compiled([x, jg.ones(2), jg.ones(2)], i)
                gc.collect()
            return values.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return values.__dlpack_device__()

    compiled = jg.compile(lambda tree, number: tree[0] + tree[1] * number + tree[2])
    x, foreign = jg.ones(2), Foreign()
    foreign.depth = 1
    assert _value(compiled([x, x, foreign], 3)) == [5, 5]
    foreign.depth = 0
    assert _value(compiled([x, x, foreign], 3)) == [5, 5]


def test_arrays_in_a_tuple_of_the_state_are_inputs():
    """The tuple that the state holds is the caller's again after the call."""
    angles = (jg.array([1.0, 2.0]), "kept", [jg.array([3.0, 4.0])])
    state = {"angles": angles, "weights": jg.array([5.0, 6.0])}

    def fun(x):
        first, _, (second,) = state["angles"]
        return x * first + second + state["weights"]

    compiled = jg.compile(fun, inputs=state)
    assert compiled(jg.ones(2)).tolist() == [9.0, 12.0]
    assert state["angles"] is angles and angles[0].tolist() == [1.0, 2.0]
    state["angles"] = (jg.array([10.0, 20.0]), "kept", [jg.array([0.0, 0.0])])
    assert compiled(jg.ones(2)).tolist() == [15.0, 26.0]
    with pytest.raises(TypeError, match="an array in a tuple, allowed are lists and dicts"):
        jg.compile(lambda x: x, inputs=(jg.ones(2),))(jg.ones(2))


def test_a_step_that_replaces_a_tuple_of_its_state_is_repeated():
    state = {"pair": (jg.array(1.0), jg.array(2.0))}

    def step(x):
        a, b = state["pair"]
        state["pair"] = (b, a + x)
        return a

    compiled = jg.compile(step, inputs=state, outputs=state)
    assert [compiled(jg.array(10.0)).item() for _ in range(4)] == [1.0, 2.0, 11.0, 12.0]
    assert [x.item() for x in state["pair"]] == [21.0, 22.0]
