# SPDX-License-Identifier: Apache-2.0
"""A caller's tree is read once: what a function changes in it while it is differentiated, batched
or traced is not in the results, and no object that it takes out is used after its end."""

import collections
import gc
import weakref

import numpy as np
import pytest

import joggle as jg
from joggle import _core


def two():
    return {"a": jg.array([1.0, 2.0]), "b": [jg.array([3.0]), jg.array([4.0])]}


def square_sums(tree):
    return jg.sum(tree["a"] * tree["a"]) + sum(jg.sum(x * x) for x in tree["b"])


def change(tree):
    tree["b"].insert(0, jg.array([9.0]))
    tree["b"].append(jg.array([9.0]))
    del tree["a"]
    tree["c"] = jg.array([9.0])


@pytest.mark.parametrize("strong_zero", [False, True])
def test_a_gradient_is_of_the_tree_that_was_given(strong_zero):
    tree = two()

    def loss(given):
        change(tree)
        return square_sums(given)

    gradient = jg.grad(loss, strong_zero=strong_zero)(tree)
    assert list(gradient) == ["a", "b"] and gradient["a"].tolist() == [2, 4]
    assert [x.tolist() for x in gradient["b"]] == [[6], [8]]


def test_a_gradient_is_of_the_tree_although_the_function_changes_what_it_was_given():
    gradient = jg.grad(lambda given: (square_sums(given), change(given))[0])(two())
    assert gradient["a"].tolist() == [2, 4]
    assert [x.tolist() for x in gradient["b"]] == [[6], [8]]


def test_named_tuples_and_lists_in_tuples_are_made_again():
    Pair = collections.namedtuple("Pair", "x y")
    given = Pair(jg.array([1.0]), ([jg.array([2.0])], jg.array([3.0])))

    def loss(pair):
        given.y[0].clear()
        return jg.sum(pair.x * pair.y[0][0] * pair.y[1])

    gradient = jg.grad(loss)(given)
    assert isinstance(gradient, Pair) and isinstance(gradient.y, tuple)
    assert gradient.x.tolist() == [6] and gradient.y[0][0].tolist() == [3]
    assert gradient.y[1].tolist() == [2]


def test_a_pullback_is_of_the_trees_that_were_given_and_made():
    tree, made = two(), []

    def rows(given):
        made[:] = [given["a"] * 2, given["b"][0] * 3]
        return made

    _, pull = jg.vjp(rows, [tree])
    change(tree)
    made.clear()
    (pulled,) = pull([jg.ones(2), jg.ones(1)])
    assert list(pulled) == ["a", "b"] and pulled["a"].tolist() == [2, 2]
    assert [x.tolist() for x in pulled["b"]] == [[3], [0]]


def test_tangents_are_of_the_trees_that_were_given_and_made():
    tree, tangents = two(), two()

    def doubled(given):
        change(tree)
        return {"twice": [x * 2 for x in given["b"]]}

    _, (pushed,) = jg.jvp(doubled, [tree], [tangents])
    assert [x.tolist() for x in pushed["twice"]] == [[6], [8]]
    tree = two()
    value, slope = jg.linearize(doubled, tree)
    value["twice"].clear()
    assert [x.tolist() for x in slope(tangents)["twice"]] == [[6], [8]]


@pytest.mark.parametrize("derivative", [jg.jacrev, jg.jacfwd])
def test_jacobians_are_of_the_tree_that_was_given(derivative):
    tree = {"b": [jg.array([3.0]), jg.array([4.0])]}

    def product(given):
        tree["b"].clear()
        return given["b"][0] * given["b"][1]

    rows = derivative(product)(tree)
    assert [x.tolist() for x in rows["b"]] == [[[4]], [[3]]]


def test_a_batch_is_of_the_tree_that_was_given():
    tree, kept = two(), {"k": jg.array([1.0, 1.0])}
    tree["b"] = [jg.array([3.0, 4.0])]

    def doubled(given, other):
        change(tree)
        assert other is kept
        return [x * 2 for x in given["b"]]

    (got,) = jg.vmap(doubled, in_axes=({"a": None, "b": 0}, None))(tree, kept)
    assert got.tolist() == [6, 8]


def test_a_record_is_of_the_tree_that_was_given():
    tree = two()

    @jg.compile
    def doubled(given):
        if "a" in tree:
            change(tree)
        return [x * 2 for x in given["b"]]

    assert [x.tolist() for x in doubled(tree)] == [[6], [8]]
    assert [x.tolist() for x in doubled(two())] == [[6], [8]]
    assert doubled.cache_info().hits == 1


def test_order_of_an_ordered_dict_is_one_for_all_readings():
    tree = collections.OrderedDict(a=jg.array([1.0]), b=jg.array([2.0, 3.0]))
    tree.move_to_end("a")
    gradient = jg.grad(lambda t: jg.sum(t["a"] * 5) + jg.sum(t["b"] * 7))(tree)
    assert gradient["a"].tolist() == [5] and gradient["b"].tolist() == [7, 7]
    both = jg.compile(lambda t: (t["a"] * 5, t["b"] * 7))
    for _ in range(2):
        a, b = both(tree)
        assert a.tolist() == [5] and b.tolist() == [14, 21]


@pytest.mark.parametrize("kind", [list, dict])
def test_parameters_that_take_the_gradients_away_are_picked_from(kind):
    class Parameters(kind):
        def __getitem__(self, key):
            inner.clear()
            return kind.__getitem__(self, key)

    def filled(made):
        entries = [jg.full(2, float(i)) for i in range(50)]
        made.extend(entries) if kind is list else made.update(enumerate(entries))
        return made

    inner = filled(kind())
    picked = _core._tree_pick({"a": inner}, {"a": filled(Parameters())})["a"]
    entries = picked if kind is list else list(picked.values())
    # All, where the gradients are copied first: without the interpreter's lock.
    assert [x.tolist() for x in entries] in ([[0, 0]], [[i, i] for i in range(50)])


class Taking:
    """An array that takes everything out of a container when it is read."""

    def __init__(self, container):
        self.container, self.array = container, np.ones(2, np.float32)

    def __dlpack__(self, **keywords):
        self.container.clear()
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("kind", [list, dict])
def test_an_array_of_others_takes_the_arguments_of_a_compiled_function_away(kind):
    def call(read):
        tree = kind()
        entries = [Taking(tree), jg.ones(3)]
        if kind is list:
            tree.extend(entries)
        else:
            tree.update({f"entry {i}": x for i, x in enumerate(entries)})
        del entries
        return [x.tolist() for x in read(tree)]

    read = jg.compile(lambda tree: [2 * x for x in (tree.values() if kind is dict else tree)])
    for _ in range(20):
        assert call(read) in ([], [[2, 2]])  # all that is left of them, or what was read first


def test_an_interface_is_read_once():
    class Extent:
        def __index__(self):
            described.clear()
            return 3

    class Described:
        @property
        def __array_interface__(self):
            return described

    values = np.arange(3, dtype=np.float32)
    described = dict(values.__array_interface__, shape=(Extent(),), strides=(4,))
    assert jg.asarray(Described()).tolist() == [0, 1, 2]


def test_a_description_keeps_memory_that_nothing_else_keeps():
    class Keeping(dict):
        pass

    class Described:
        @property
        def __array_interface__(self):
            values = np.arange(1000, dtype=np.float32)
            described = Keeping(values.__array_interface__)
            described.values = values
            kept.append(weakref.ref(values))
            return described

    kept = []
    x = jg.asarray(Described(), copy=False)
    gc.collect()
    assert kept[0]() is not None and x.tolist() == list(range(1000))
    del x
    gc.collect()
    assert kept[0]() is None


def test_texts_of_a_list_stay_while_a_file_is_written(tmp_path):
    texts = ["".join(["text", str(i)]) for i in range(100)]

    class Writer:
        def __init__(self, file):
            self.file = file

        def write(self, data):
            texts.clear()
            return self.file.write(data)

    with open(tmp_path / "x.gguf", "wb") as file:
        jg.save_gguf(Writer(file), {"w": jg.ones(2)}, {"texts": texts})
    _, metadata = jg.load(tmp_path / "x.gguf", return_metadata=True)
    assert metadata["texts"] == [f"text{i}" for i in range(100)]
