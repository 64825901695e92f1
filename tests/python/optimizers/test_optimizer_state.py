# SPDX-License-Identifier: Apache-2.0
"""What an optimizer keeps: trees of it, files of it, and values that others hold."""

import copy
import pickle

import numpy as np
import pytest

import joggle as jg
from joggle import optimizers as optim
from joggle.utils import tree_flatten, tree_map, tree_unflatten


def _tree():
    return {
        "layers": [{"w": jg.ones((3, 2)), "b": jg.zeros(2)}, {"w": jg.ones((2, 2))}],
        "pair": (jg.ones(4), {"deep": [jg.ones(())]}),
    }


def _gradients(scale=1.0):
    return tree_map(lambda x: jg.ones_like(x) * scale, _tree())


def _numbers(tree):
    return {path: np.asarray(leaf) for path, leaf in tree_flatten(tree)}


def _assert_same(a, b):
    a, b = _numbers(a), _numbers(b)
    assert a.keys() == b.keys()
    for key, value in a.items():
        np.testing.assert_array_equal(value, b[key], err_msg=key)


OPTIMIZERS = {
    "SGD": lambda: optim.SGD(0.1, momentum=0.9),
    "RMSprop": lambda: optim.RMSprop(0.1),
    "Adagrad": lambda: optim.Adagrad(0.1),
    "AdaDelta": lambda: optim.AdaDelta(0.1),
    "Adam": lambda: optim.Adam(0.1, bias_correction=True),
    "AdamW": lambda: optim.AdamW(optim.cosine_decay(0.1, 10)),
    "Adamax": lambda: optim.Adamax(0.1),
    "Lion": lambda: optim.Lion(0.1),
    "Adafactor": lambda: optim.Adafactor(beta_1=0.9),
    "Muon": lambda: optim.Muon(0.1),
    "Multi": lambda: optim.MultiOptimizer(
        [optim.Adam(0.1), optim.SGD(0.1, momentum=0.9)], [lambda path, x: path.endswith("w")]
    ),
}


def _steps(optimizer, parameters, count, first=0):
    for step in range(first, first + count):
        parameters = optimizer.apply_gradients(_gradients(step + 1), parameters)
        jg.eval(parameters, optimizer.state)
    return parameters


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("form", ["npz", "safetensors"])
def test_a_saved_state_goes_on_as_if_nothing_had_been(name, form, tmp_path):
    optimizer = OPTIMIZERS[name]()
    halfway = _steps(optimizer, _tree(), 3)
    path = str(tmp_path / f"state.{form}")
    flat = dict(tree_flatten(optimizer.state))
    if form == "npz":
        jg.savez(path, **flat)
    else:
        jg.save_safetensors(path, flat)
    expected = _steps(optimizer, halfway, 3, 3)

    again = OPTIMIZERS[name]()
    again.state = tree_unflatten(list(jg.load(path).items()))
    _assert_same(_steps(again, halfway, 3, 3), expected)
    _assert_same(again.state, optimizer.state)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_recorded_step_of_state_is_the_plain_one(name):
    plain, inside = OPTIMIZERS[name](), OPTIMIZERS[name]()
    expected = _steps(plain, _tree(), 4)
    model = {"p": _tree()}
    model["p"]["pair"] = list(model["p"]["pair"])
    inside.init(model["p"])
    state = [model, inside.state]

    def step(gradients):
        model["p"] = inside.apply_gradients(gradients, model["p"])

    compiled = jg.compile(step, inputs=state, outputs=state)
    for number in range(4):
        gradients = _gradients(number + 1)
        gradients["pair"] = list(gradients["pair"])
        compiled(gradients)
        jg.eval(state)
    a, b = _numbers(model["p"]), _numbers(expected)
    assert a.keys() == b.keys()
    for key, value in b.items():
        np.testing.assert_allclose(a[key], value, rtol=1e-6, atol=1e-7, err_msg=key)


def test_trees_of_any_kind_are_updated():
    sgd = optim.SGD(0.5)
    for tree in ([jg.ones(2)], (jg.ones(2),), {"a": [{"b": (jg.ones(2),)}]}, jg.ones(2)):
        updated = optim.SGD(0.5).apply_gradients(tree, tree)
        assert type(updated) is type(tree)
        assert all(leaf.tolist() == [0.5, 0.5] for _, leaf in tree_flatten(updated))
    model = {"a": [jg.ones(2), jg.ones(3)], "frozen": jg.ones(1)}
    inner = model["a"]
    sgd.update(model, {"a": [jg.ones(2), jg.ones(3)]})
    assert model["a"] is inner and model["frozen"].item() == 1.0
    assert inner[1].tolist() == [0.5, 0.5, 0.5]


def test_a_module_is_whatever_has_trainable_parameters_and_update():
    class Model:
        def __init__(self):
            self.w = jg.ones(2)

        def trainable_parameters(self):
            return {"w": self.w, "unused": jg.ones(1)}

        def update(self, parameters):
            self.w = parameters["w"]

    model = Model()
    adam = optim.Adam(0.1)
    adam.init(model)
    adam.update(model, {"w": jg.ones(2)})
    assert model.w.tolist() == pytest.approx([0.683772] * 2, rel=1e-5)
    assert set(adam.state["unused"]) == {"m", "v"}


def test_a_dict_with_other_things_beside_its_parameters_is_updated():
    class Module(dict):
        def trainable_parameters(self):
            return {"w": self["w"]}

    model = Module(w=jg.ones(2), name=object(), frozen=jg.ones(1))
    optim.SGD(0.5).update(model, {"w": jg.ones(2)})
    assert model["w"].tolist() == [0.5, 0.5] and model["frozen"].item() == 1.0


def test_values_that_somebody_holds_stay_as_they_are():
    adam = optim.Adam(0.1)
    parameters = _steps(adam, {"layers": _tree()["layers"], "pair": _tree()["pair"]}, 1)
    held = parameters["layers"][0]["w"]
    moment = adam.state["layers"][0]["w"]["m"]
    view = held[0]
    before = [np.array(x) for x in (held, moment, view)]
    exported = np.from_dlpack(held)
    _steps(adam, parameters, 3, 1)
    for x, had in zip((held, moment, view), before, strict=True):
        np.testing.assert_array_equal(np.array(x), had)
    np.testing.assert_array_equal(exported, before[0])


def test_gradients_may_be_unevaluated_and_are_kept():
    adam = optim.Adam(0.1)
    x = jg.ones(3)
    gradient = x * 2
    updated = adam.apply_gradients({"w": gradient}, {"w": x + 0})
    jg.eval(updated)
    assert gradient.tolist() == [2.0, 2.0, 2.0]


def test_an_update_is_one_evaluation_of_one_record():
    adam = optim.Adam(optim.linear_schedule(0.1, 0.0, 100))
    _steps(adam, _tree(), 6)
    info = adam._compiled.cache_info()
    assert (info.misses, info.hits) == (1, 5)


def test_what_is_set_between_steps_counts_at_the_next():
    sgd = optim.SGD(1.0)
    x = {"w": jg.array([8.0])}
    g = {"w": jg.array([1.0])}
    x = sgd.apply_gradients(g, x)
    sgd.learning_rate = 0.5
    x = sgd.apply_gradients(g, x)
    sgd.weight_decay = 1.0
    x = sgd.apply_gradients({"w": jg.array([0.0])}, x)
    assert x["w"].item() == 3.25
    sgd.weight_decay = jg.array(0.0)
    x = sgd.apply_gradients(g, x)
    assert x["w"].item() == 2.75
    sgd.weight_decay = jg.array(1.0)
    assert sgd.apply_gradients({"w": jg.array([0.0])}, x)["w"].item() == 1.375
    sgd.learning_rate = jg.array(0.5)
    sgd.weight_decay = 0.0
    assert sgd.apply_gradients(g, x)["w"].item() == 2.25
    sgd.learning_rate = lambda step: 0.25
    assert sgd.apply_gradients(g, x)["w"].item() == 2.5


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_schedule_goes_on_after_a_rate_was_set(is_compiled):
    sgd = optim.SGD(optim.linear_schedule(1.0, 0.0, 10))
    step = sgd.apply_gradients
    if is_compiled:
        step = jg.compile(step, inputs=sgd.state, outputs=sgd.state)
    x = {"w": jg.array([0.0])}
    for i in range(6):
        if i == 3:
            sgd.learning_rate = 0.01
            np.testing.assert_allclose(sgd.learning_rate.item(), 0.01)
        x = step({"w": jg.array([1.0])}, x)
    np.testing.assert_allclose(x["w"].item(), -4.5, rtol=1e-6)


def test_several_optimizers_train_a_sequence_with_layers_that_have_no_parameters():
    jg.random.seed(0)
    model = jg.nn.Sequential(jg.nn.Linear(3, 4), jg.nn.ReLU(), jg.nn.Linear(4, 2))
    multi = optim.MultiOptimizer([optim.Muon(0.1), optim.Adam(0.1)], [lambda path, g: g.ndim == 2])
    slopes = jg.nn.value_and_grad(model, lambda x: jg.mean(model(x) ** 2))
    losses = []
    for _ in range(10):
        loss, gradients = slopes(jg.ones((5, 3)))
        multi.update(model, gradients)
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert [list(state["layers"][0]) for state in multi.state["states"]] == [["weight"], ["bias"]]


def test_a_schedule_of_the_user_is_called_at_each_step():
    steps = []

    def schedule(step):
        steps.append(step.item())
        return 0.5 if len(steps) < 3 else 0.25

    sgd = optim.SGD(schedule)
    x = {"w": jg.array(4.0)}
    for _ in range(3):
        x = sgd.apply_gradients({"w": jg.array(1.0)}, x)
    assert steps == [0, 0, 1, 2]  # the first call is the constructor's
    assert x["w"].item() == 4.0 - 0.5 - 0.25 - 0.25


def test_a_class_of_the_user_runs_its_python_code_at_each_step():
    class Counting(optim.Optimizer):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self._maybe_schedule("learning_rate", 0.5)

        def init_single(self, parameter, state):
            state["old"] = parameter

        def apply_single(self, gradient, parameter, state):
            self.calls += 1
            state["old"] = parameter
            return parameter - self.learning_rate * gradient * self.calls

    mine = Counting()
    x = {"a": jg.array(8.0), "b": jg.array(8.0)}
    for _ in range(2):
        x = mine.apply_gradients({"a": jg.array(1.0), "b": jg.array(1.0)}, x)
    assert mine.calls == 4 and x["a"].item() == 8 - 0.5 - 1.5
    assert mine.state["a"]["old"].item() == 7.5 and mine.step.item() == 2


def test_a_subclass_of_adam_is_no_adam():
    class Half(optim.Adam):
        def apply_single(self, gradient, parameter, state):
            return (super().apply_single(gradient, parameter, state) + parameter) / 2

    x, g = {"w": jg.array(1.0)}, {"w": jg.array(1.0)}
    whole = optim.Adam(0.1).apply_gradients(g, x)["w"].item()
    assert Half(0.1).apply_gradients(g, x)["w"].item() == pytest.approx((whole + 1) / 2)


def test_a_parameter_that_comes_later_gets_its_state():
    adam = optim.Adam(0.1)
    adam.apply_gradients({"a": jg.ones(2)}, {"a": jg.ones(2)})
    g = {"a": jg.ones(2), "b": {"c": jg.ones(3)}}
    both = adam.apply_gradients(g, g)
    assert both["b"]["c"].tolist() == pytest.approx([0.683772] * 3, rel=1e-5)
    assert adam.state["b"]["c"]["m"].tolist() == pytest.approx([0.1] * 3)
    later = adam.apply_gradients({"a": jg.ones(2)}, both)
    assert list(later) == ["a"]
    assert adam.state["b"]["c"]["m"].tolist() == pytest.approx([0.1] * 3)


def test_copies_and_pickles_go_their_own_way():
    adam = optim.Adam(0.1)
    x = adam.apply_gradients({"w": jg.ones(2)}, {"w": jg.ones(2)})
    copies = [copy.deepcopy(adam), pickle.loads(pickle.dumps(adam))]
    expected = adam.apply_gradients({"w": jg.ones(2)}, x)["w"].tolist()
    for other in copies:
        assert other.apply_gradients({"w": jg.ones(2)}, x)["w"].tolist() == expected
        assert other.step.item() == 2


def test_an_optimizer_runs_without_recording():
    jg.disable_compile()
    try:
        plain = _steps(optim.Adam(0.1, bias_correction=True), _tree(), 3)
    finally:
        jg.enable_compile()
    _assert_same(plain, _steps(optim.Adam(0.1, bias_correction=True), _tree(), 3))


@pytest.mark.parametrize("count", [1, 300])
def test_large_trees_take_one_record(count):
    tree = {f"w{i}": jg.full(16, float(i)) for i in range(count)}
    g = tree_map(jg.ones_like, tree)
    adam = optim.Adam(0.5, bias_correction=True)
    for _ in range(3):
        tree = adam.apply_gradients(g, tree)
        jg.eval(tree, adam.state)
    assert adam._compiled.cache_info().misses == 1
    for i in range(count):
        np.testing.assert_allclose(np.asarray(tree[f"w{i}"]), i - 1.5, rtol=1e-5, atol=1e-5)


def test_empty_trees_and_arrays_are_no_trouble():
    adam = optim.Adam(0.1)
    assert adam.apply_gradients({}, {}) == {}
    updated = adam.apply_gradients({"w": jg.ones((0, 3))}, {"w": jg.ones((0, 3))})
    assert updated["w"].shape == (0, 3)


def test_an_optimizer_whose_parameters_are_frozen_counts_the_step():
    multi = optim.MultiOptimizer(
        [optim.SGD(optim.linear_schedule(0.1, 0, 8)), optim.Adam(0.01)],
        [lambda name, _: "w" in name],
    )
    weights = {"w": jg.ones(2), "b": jg.ones(2)}
    for gradients in ({"w": jg.ones(2), "b": jg.ones(2)}, {"b": jg.ones(2)}, {"w": jg.ones(2)}):
        weights = weights | multi.apply_gradients(gradients, weights)
    assert [optimizer.step.item() for optimizer in multi.optimizers] == [3, 3]
    np.testing.assert_allclose(weights["w"].tolist(), [1 - 0.1 - 0.075] * 2, rtol=1e-6)
