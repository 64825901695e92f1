# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of optimizers are refused at the call, by name."""

import pytest

import joggle as jg
from joggle import optimizers as optim

REFUSED = [
    (lambda: optim.SGD("fast"), TypeError, r"\[SGD\] learning_rate: got 'fast'"),
    (lambda: optim.SGD("0.1"), TypeError, r"\[SGD\] learning_rate: got '0.1'"),
    (lambda: optim.SGD(jg.ones(2)), ValueError, r"learning_rate: got an array of shape \(2,\)"),
    (lambda: optim.SGD(-1.0), ValueError, r"\[SGD\] learning_rate: got -1.0, allowed are numbers"),
    (lambda: optim.Adam(float("nan")), ValueError, r"\[Adam\] learning_rate: got nan"),
    (lambda: optim.Adafactor(-0.1), ValueError, r"\[Adafactor\] learning_rate: got -0.1"),
    (lambda: optim.Muon(lambda step: -1.0), ValueError, r"\[Muon\] learning_rate: got -1.0"),
    (lambda: optim.SGD(0.1, nesterov=True), ValueError, r"nesterov: got momentum 0.0"),
    (lambda: optim.RMSprop(0.1, alpha=-1), ValueError, r"\[RMSprop\] alpha: got -1"),
    (lambda: optim.Adagrad(0.1, eps=-1), ValueError, r"\[Adagrad\] eps: got -1"),
    (lambda: optim.AdaDelta(0.1, rho=-1), ValueError, r"\[AdaDelta\] rho: got -1"),
    (lambda: optim.AdamW(0.1, betas=(0.9,)), ValueError, r"\[AdamW\] betas: got \(0.9,\)"),
    (lambda: optim.Adam(0.1, betas=(0.9, 1.0)), ValueError, r"\[Adam\] betas"),
    (lambda: optim.Lion(0.1, betas=(-0.1, 0.9)), ValueError, r"\[Lion\] betas"),
    (lambda: optim.Adafactor(relative_step=False), ValueError, r"learning_rate: got None"),
    (lambda: optim.Adafactor(eps=(1,)), ValueError, r"\[Adafactor\] eps"),
    (lambda: optim.Muon(0.1, momentum=-1), ValueError, r"\[Muon\] momentum: got -1"),
    (lambda: optim.MultiOptimizer([]), ValueError, r"optimizers: got none"),
    (
        lambda: optim.MultiOptimizer([optim.SGD(1)], [bool]),
        ValueError,
        r"filters: got 1, allowed are 0",
    ),
    (lambda: optim.join_schedules([], []), ValueError, r"schedules: got none"),
    (lambda: optim.join_schedules([abs], [3]), ValueError, r"boundaries: got 1"),
    (lambda: optim.linear_schedule(0, 1, 0), ValueError, r"steps: got 0"),
    (lambda: optim.step_decay(1, 0.5, 0), ValueError, r"step_size: got 0"),
    (lambda: optim.cosine_decay(1, 0), ValueError, r"decay_steps: got 0"),
    (lambda: optim.clip_grad_norm({}, -1), ValueError, r"max_norm: got -1"),
]


@pytest.mark.parametrize("make, error, message", REFUSED)
def test_arguments_are_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_rate_that_is_set_is_checked_and_the_old_one_stays():
    adam = optim.Adam(0.5)
    for rate in (float("nan"), -1):
        with pytest.raises(ValueError, match=r"\[Adam\] learning_rate: got"):
            adam.learning_rate = rate
        assert adam.learning_rate.item() == 0.5
    adam.learning_rate = 0
    assert adam.learning_rate.item() == 0
    falling = optim.SGD(lambda step: 1 / (step + 1))
    with pytest.raises(ValueError):
        falling.learning_rate = -1
    falling.apply_gradients([ONE], [ONE])
    falling.apply_gradients([ONE], [ONE])
    assert falling.learning_rate.item() == 0.5


def test_gradients_that_do_not_fit_are_refused():
    sgd = optim.SGD(0.1)
    with pytest.raises(ValueError, match=r"'w' has shape \(1,\), .*its parameter, \(2,\)"):
        sgd.apply_gradients({"w": jg.ones(1)}, {"w": jg.ones(2)})
    assert sgd.step.item() == 0


def test_states_that_are_none_are_refused():
    adam = optim.Adam(0.1)
    with pytest.raises(TypeError, match=r"\[Adam\] state: got list"):
        adam.state = []
    with pytest.raises(ValueError, match="has no 'step'"):
        adam.state = {"w": {}}
    with pytest.raises(ValueError, match="one is named 'step'"):
        adam.init({"step": jg.ones(1)})
    with pytest.raises(ValueError, match="'states' is a list of 1"):
        optim.MultiOptimizer([adam]).state = {"states": []}
    with pytest.raises(TypeError, match="model: got tuple"):
        adam.update((jg.ones(1),), (jg.ones(1),))


def test_what_is_no_number_is_refused_by_name():
    with pytest.raises(TypeError, match=r"\[Adam\] betas: got 0.9"):
        optim.Adam(0.1, betas=0.9)
    with pytest.raises(TypeError, match=r"\[Adam\] eps: got 'x'"):
        optim.Adam(0.1, eps="x")
    with pytest.raises(ValueError, match=r"\[Adam\] eps: got nan"):
        optim.Adam(0.1, eps=float("nan"))
    with pytest.raises(TypeError, match=r"\[clip_grad_norm\] max_norm: got 'z'"):
        optim.clip_grad_norm({"w": jg.ones(1)}, "z")


def test_muon_takes_matrices_without_elements():
    for shape in ((0, 2), (2, 0), (0, 0, 3)):
        w = jg.zeros(shape)
        assert optim.Muon(0.1).apply_gradients([w], [w])[0].shape == shape


ONE = jg.ones(1)
WRONG_TREES = [
    ({"w": ONE}, {"v": ONE}, ValueError, r"parameters: has no 'w', which gradients has"),
    ({"a": {"w": ONE}}, {"a": {"v": ONE}}, ValueError, r"parameters: has no 'w'"),
    ({"a": {"w": ONE}}, {"a": ONE}, ValueError, r"parameters: has no 'w'"),
    ([ONE, ONE], [ONE], ValueError, r"parameters: has no 1, which gradients has"),
    ({"w": [ONE]}, {"w": ONE}, ValueError, r"parameters: has no 0, which gradients has"),
    ({"w": ONE}, {"w": [ONE]}, TypeError, r"'w' is an array, its parameter a list of 1"),
    ({"w": None}, {"w": ONE}, TypeError, r"gradients: 'w' is NoneType, its parameter an array"),
    ({"w": 2.0}, {"w": ONE}, TypeError, r"gradients: 'w' is float, its parameter an array"),
    ({"w": ONE}, {"w": 3.0}, TypeError, r"parameters: got float, allowed are arrays and trees"),
    ({"w": ONE}, {"w": jg.array([1])}, TypeError, r"'w' or its parameter is joggle.int64"),
]


@pytest.mark.parametrize("at", range(len(WRONG_TREES)))
@pytest.mark.parametrize("make", [optim.SGD, optim.Adam], ids=["SGD", "Adam"])
def test_trees_that_do_not_fit_are_refused_before_and_after_the_first_update(make, at):
    gradients, parameters, error, message = WRONG_TREES[at]
    with pytest.raises(error, match=message):
        make(0.1).apply_gradients(gradients, parameters)
    used = make(0.1)
    right = used.apply_gradients({"x": ONE}, {"x": ONE})["x"].item()
    with pytest.raises((error, ValueError)):
        used.apply_gradients(gradients, parameters)
    assert used.step.item() == 1
    again = used.apply_gradients({"x": ONE}, {"x": ONE})["x"].item()
    if make is optim.SGD:
        assert again == right


@pytest.mark.parametrize(
    "make",
    [
        optim.Adam,
        optim.AdamW,
        optim.Adamax,
        optim.Lion,
        optim.RMSprop,
        optim.Adagrad,
        optim.AdaDelta,
        optim.Adafactor,
        optim.Muon,
    ],
    ids=lambda make: make.__name__,
)
def test_who_squares_gradients_refuses_complex_ones(make):
    """g * g of a complex number is not its size; torch's and MLX's users get other numbers."""
    w = jg.array([3 + 1j])
    with pytest.raises(TypeError, match=r"is joggle\.complex64, allowed are real floating"):
        make(learning_rate=0.1).apply_gradients({"w": w}, {"w": w})
    moved = optim.SGD(0.5).apply_gradients({"w": w}, {"w": w})["w"]
    assert moved.item() == 1.5 + 0.5j


@pytest.mark.parametrize(
    "make, name",
    [
        (optim.SGD, "momentum"),
        (optim.SGD, "weight_decay"),
        (optim.SGD, "dampening"),
        (optim.AdamW, "weight_decay"),
        (optim.Lion, "weight_decay"),
        (optim.Adafactor, "weight_decay"),
        (optim.Muon, "weight_decay"),
    ],
)
def test_settings_are_numbers(make, name):
    with pytest.raises(TypeError, match=rf"\[{make.__name__}\] {name}: got 'a', allowed is a"):
        make(learning_rate=0.1, **{name: "a"})
