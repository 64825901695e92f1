# SPDX-License-Identifier: Apache-2.0
"""Trees of many arrays that nobody changed are not read again by the next call. Every change of
them is seen, whoever makes it and by whatever means."""

import collections
import random
import threading
import weakref

import numpy as np
import pytest

import joggle as jg

Pair = collections.namedtuple("Pair", "left right")


def _state(count=40):
    return {
        f"layer{i}": {"w": jg.full(3, float(i)), "b": jg.full(3, i / 2)} for i in range(count // 2)
    }


def _first(state, x):
    return state["layer0"]["w"] * 2 + x


def _counts(compiled):
    info = compiled.cache_info()
    return info.hits, info.misses


def _settled(compiled, *args):
    """Several calls, after which the tree is known."""
    for _ in range(4):
        result = np.asarray(compiled(*args))
    return result


def _replace(state):
    state["layer0"]["w"] = jg.full(3, 7.0)


def _update(state):
    state["layer0"].update(w=jg.full(3, 7.0))


def _replace_layer(state):
    state["layer0"] = {"w": jg.full(3, 7.0), "b": jg.zeros(3)}


def _pop_and_insert(state):
    state["layer0"].pop("w")
    state["layer0"]["w"] = jg.full(3, 7.0)
    state["layer0"]["b"] = state["layer0"].pop("b")


def _clear(state):
    b = state["layer0"]["b"]
    state["layer0"].clear()
    state["layer0"] |= {"w": jg.full(3, 7.0), "b": b}


def _assign(state):
    state["layer0"]["w"][...] = 7.0


def _add_in_place(state):
    state["layer0"]["w"] += 7.0


def _set_default(state):
    del state["layer0"]["w"]
    state["layer0"].setdefault("w", jg.full(3, 7.0))


CHANGES = [
    _replace,
    _update,
    _replace_layer,
    _pop_and_insert,
    _clear,
    _assign,
    _add_in_place,
    _set_default,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_array_is_read(change):
    state, x = _state(), jg.ones(3)
    compiled = jg.compile(_first)
    assert _settled(compiled, state, x).tolist() == [1, 1, 1]
    for _ in range(3):
        change(state)
        expected = np.asarray(_first(state, x)).tolist()
        assert _settled(compiled, state, x).tolist() == expected


def test_a_dict_of_an_object_is_read_when_an_attribute_is_set():
    class Owner:
        def __init__(self):
            for i in range(20):
                setattr(self, f"a{i}", jg.full(2, float(i)))

    owner = Owner()
    compiled = jg.compile(lambda s: s["a1"] + s["a2"])
    for i in range(40):
        if i % 4 == 3:
            owner.a1 = jg.full(2, float(i))
        expected = float(owner.a1[0]) + 2
        assert np.asarray(compiled(owner.__dict__)).tolist() == [expected] * 2


def test_another_form_of_an_array_that_is_not_read_is_another_call():
    state, x = _state(), jg.ones(3)
    compiled = jg.compile(lambda s, x: s["layer0"]["w"] + x * len(s["layer3"]))
    _settled(compiled, state, x)
    assert _counts(compiled)[1] == 1
    state["layer3"]["w"] = jg.zeros((2, 2))
    _settled(compiled, state, x)
    assert _counts(compiled)[1] == 2
    state["layer3"]["more"] = jg.zeros(3)
    assert np.asarray(compiled(state, x)).tolist() == [3, 3, 3]
    assert _counts(compiled)[1] == 3
    del state["layer3"]["more"]
    assert np.asarray(compiled(state, x)).tolist() == [2, 2, 2]


def test_a_handle_that_was_given_another_layout_is_another_call():
    state, x = _state(), jg.ones(3)
    compiled = jg.compile(_first)
    _settled(compiled, state, x)
    strided = jg.asarray(np.arange(6, dtype=np.float32)[::2])
    state["layer0"]["w"] = strided
    assert _settled(compiled, state, x).tolist() == [1, 5, 9]
    strided[...] = 1.0  # dense from here on
    assert _settled(compiled, state, x).tolist() == [3, 3, 3]


def test_a_later_argument_of_another_form_finds_all_arrays():
    state = _state()
    compiled = jg.compile(lambda s, x: sum((v["w"] for v in s.values()), x))
    total = sum(range(20))
    for shape in (3, 3, 3, 3, (2, 3), (2, 3), 3, (2, 3)):
        result = np.asarray(compiled(state, jg.ones(shape)))
        assert (result == total + 1).all() and result.shape == np.empty(shape).shape
    assert _counts(compiled)[1] == 2


def test_changes_of_trees_in_lists_and_tuples_are_seen():
    def f(tree, x):
        return tree["layers"][1]["w"] + tree["pair"].left["w"] + x

    tree = {
        "layers": [{"w": jg.full(2, float(i)), "b": jg.zeros(2)} for i in range(10)],
        "pair": Pair({"w": jg.full(2, 10.0)}, ()),
    }
    compiled, x = jg.compile(f), jg.ones(2)
    assert _settled(compiled, tree, x).tolist() == [12, 12]
    tree["layers"][1] = {"w": jg.full(2, 5.0), "b": jg.zeros(2)}
    assert _settled(compiled, tree, x).tolist() == [16, 16]
    tree["layers"].reverse()
    assert _settled(compiled, tree, x).tolist() == [19, 19]
    tree["layers"].append({"w": jg.zeros(2), "b": jg.zeros(2)})
    assert _settled(compiled, tree, x).tolist() == [19, 19]
    tree["pair"] = Pair({"w": jg.full(2, 1.0)}, ())
    assert _settled(compiled, tree, x).tolist() == [10, 10]
    tree["layers"][1]["w"] = jg.zeros(2)
    assert _settled(compiled, tree, x).tolist() == [2, 2]
    assert _settled(compiled, [tree, [], ()][0], x).tolist() == [2, 2]


def test_lists_of_arrays_are_read():
    arrays = [jg.full(2, float(i)) for i in range(40)]
    compiled = jg.compile(lambda a, x: a[0] + x)
    for i in range(12):
        arrays[0] = jg.full(2, float(i))
        assert np.asarray(compiled(arrays, jg.ones(2))).tolist() == [i + 1] * 2


def test_two_states_may_take_turns():
    states, x = [_state(), _state()], jg.ones(3)
    states[1]["layer0"]["w"] = jg.full(3, 4.0)
    compiled = jg.compile(_first)
    for i in range(40):
        expected = [1, 9][i % 2]
        assert np.asarray(compiled(states[i % 2], x)).tolist() == [expected] * 3
    assert _settled(compiled, states[1], x).tolist() == [9, 9, 9]


def test_a_changed_constant_of_the_tree_is_seen():
    state, x = _state(), jg.ones(3)
    state["rate"] = 2.0
    compiled = jg.compile(lambda s, x: s["layer1"]["w"] * s["rate"] + x)
    assert _settled(compiled, state, x).tolist() == [3, 3, 3]
    state["rate"] = 3.0
    assert _settled(compiled, state, x).tolist() == [4, 4, 4]
    state["rate"] = 3
    assert _settled(compiled, state, x).tolist() == [4, 4, 4]


def test_a_donated_tree_has_no_values():
    compiled = jg.compile(_first, donate_argnums=0)
    for _ in range(4):
        state = _state()
        np.asarray(compiled(state, jg.ones(3)))
        with pytest.raises(ValueError, match="donated"):
            np.asarray(state["layer3"]["b"])
        with pytest.raises(ValueError, match="donated"):
            np.asarray(compiled(state, jg.ones(3)))


def test_a_function_may_change_a_part_of_its_state():
    state = _state()

    def step(x):
        state["layer0"]["w"] = state["layer0"]["w"] + state["layer1"]["w"] * x

    compiled = jg.compile(step, inputs=state, outputs=state)
    for i in range(6):
        compiled(jg.ones(3))
        assert np.asarray(state["layer0"]["w"]).tolist() == [i + 1] * 3
    state["layer1"]["w"] = jg.full(3, 10.0)
    compiled(jg.ones(3))
    assert np.asarray(state["layer0"]["w"]).tolist() == [16] * 3


def test_an_array_of_the_tree_dies_with_it():
    state, x = _state(), jg.ones(3)
    compiled = jg.compile(_first)
    _settled(compiled, state, x)
    seen = weakref.ref(state["layer5"]["w"])
    state.clear()
    assert seen() is None
    state.update(_state())
    assert _settled(compiled, state, x).tolist() == [1, 1, 1]


def _edit(rng, state):
    """One change at random."""
    layer = rng.choice(list(state.values()))
    key = rng.choice(list(layer)) if layer else "w"
    value = jg.full(3, float(rng.randrange(100)))
    kind = rng.randrange(7)
    if kind == 0:
        layer[key] = value
    elif kind == 1 and key in layer:
        layer[key][1] = float(rng.randrange(100))
    elif kind == 2 and key in layer:
        layer[key] *= 2.0
    elif kind == 3 and key in layer:
        layer[key] = layer.pop(key) + 1
    elif kind == 4:
        state[rng.choice(list(state))] = dict(layer)
    elif kind == 5 and len(layer) > 1:
        del layer[key]
    elif kind == 6:
        layer[rng.choice("wbc")] = value


@pytest.mark.parametrize("seed", range(12))
def test_random_edits_are_seen(seed):
    rng = random.Random(seed)

    def f(state, x):
        total = x
        for name in ("layer1", "layer4", "layer7"):
            for i, value in enumerate(state[name].values()):
                total = total * (i + 1) + value
        return total

    state, x, compiled = _state(), jg.ones(3), jg.compile(f)
    for _ in range(60):
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            _edit(rng, state)
        assert np.array_equal(np.asarray(compiled(state, x)), np.asarray(f(state, x)))


def test_threads_call_and_change_trees_of_their_own():
    compiled, faults = jg.compile(_first), []

    def work(number):
        state, x = _state(), jg.ones(3)
        for i in range(200):
            if i % 5 == 0:
                state["layer0"]["w"] = jg.full(3, float(number * 1000 + i))
            expected = (number * 1000 + i - i % 5) * 2 + 1
            if np.asarray(compiled(state, x)).tolist() != [expected] * 3:
                faults.append((number, i))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
