# SPDX-License-Identifier: Apache-2.0
"""Each optimizer over 50 steps beside MLX's and PyTorch's."""

import numpy as np
import pytest

import joggle as jg
from joggle import optimizers as ours

mx = pytest.importorskip("mlx.core")
theirs = pytest.importorskip("mlx.optimizers")
torch = pytest.importorskip("torch")

STEPS = 50
SHAPES = {"w": (8, 5), "b": (5,), "scale": ()}

CASES = {
    "sgd": ("SGD", {"learning_rate": 0.1}),
    "sgd momentum": ("SGD", {"learning_rate": 0.05, "momentum": 0.9}),
    "sgd dampening": ("SGD", {"learning_rate": 0.05, "momentum": 0.9, "dampening": 0.3}),
    "sgd nesterov": (
        "SGD",
        {"learning_rate": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    ),
    "rmsprop": ("RMSprop", {"learning_rate": 0.01, "alpha": 0.9}),
    "adagrad": ("Adagrad", {"learning_rate": 0.05}),
    "adadelta": ("AdaDelta", {"learning_rate": 1.0, "rho": 0.8}),
    "adam": ("Adam", {"learning_rate": 0.01}),
    "adam betas": ("Adam", {"learning_rate": 0.01, "betas": [0.8, 0.95], "eps": 1e-6}),
    "adam corrected": ("Adam", {"learning_rate": 0.01, "bias_correction": True}),
    "adamw": ("AdamW", {"learning_rate": 0.01, "weight_decay": 0.1}),
    "adamw corrected": ("AdamW", {"learning_rate": 0.01, "bias_correction": True}),
    "adamax": ("Adamax", {"learning_rate": 0.01}),
    "lion": ("Lion", {"learning_rate": 0.01, "weight_decay": 0.1}),
    "adafactor": ("Adafactor", {}),
    "adafactor warmup": ("Adafactor", {"warmup_init": True, "weight_decay": 0.1}),
    "adafactor rate": (
        "Adafactor",
        {
            "learning_rate": 0.01,
            "relative_step": False,
            "scale_parameter": False,
            "beta_1": 0.9,
        },
    ),
    "muon": ("Muon", {"learning_rate": 0.01}),
    "muon plain": ("Muon", {"learning_rate": 0.01, "nesterov": False, "weight_decay": 0.0}),
}

# Relative to the largest parameter. Those that divide by roots of averages, which MLX computes in
# another order, and Muon, whose products sum in another order, differ by a few units more.
FLOAT32 = {"AdaDelta": 4e-6, "Adafactor": 4e-6, "Muon": 2e-5}


def _start():
    rng = np.random.default_rng(7)
    return {key: rng.uniform(0.5, 1.5, shape).astype(np.float32) for key, shape in SHAPES.items()}


def _gradient(step):
    rng = np.random.default_rng(100 + step)
    return {key: rng.normal(size=shape).astype(np.float32) for key, shape in SHAPES.items()}


def _run(optimizer, start, array, steps=STEPS):
    parameters = {key: array(value) for key, value in start.items()}
    for step in range(steps):
        gradients = {key: array(value) for key, value in _gradient(step).items()}
        parameters = optimizer.apply_gradients(gradients, parameters)
    return parameters


def _difference(got, expected):
    got = {key: np.asarray(value, np.float64) for key, value in got.items()}
    assert got.keys() == expected.keys()
    return max(
        np.max(np.abs(got[key] - value)) / np.max(np.abs(value)) for key, value in expected.items()
    )


def _as_mlx(dtype):
    return lambda value: mx.array(value).astype(dtype)


def _as_ours(dtype):
    return lambda value: jg.array(value).astype(dtype)


def _mlx_numbers(parameters):
    return {
        key: np.asarray(value.astype(mx.float32), np.float64) for key, value in parameters.items()
    }


def _our_numbers(parameters):
    return {key: np.asarray(value.astype(jg.float32)) for key, value in parameters.items()}


@pytest.mark.parametrize("case", CASES)
def test_fifty_steps_in_float32_are_those_of_mlx(case):
    kind, options = CASES[case]
    expected = _run(getattr(theirs, kind)(**options), _start(), _as_mlx(mx.float32))
    got = _run(getattr(ours, kind)(**options), _start(), _as_ours(jg.float32))
    assert _difference(_our_numbers(got), _mlx_numbers(expected)) <= FLOAT32.get(kind, 1e-6)


@pytest.mark.parametrize("dtype, unit", [("float16", 2**-10), ("bfloat16", 2**-7)])
@pytest.mark.parametrize("case", ["sgd nesterov", "adam", "adamw", "adagrad", "lion", "rmsprop"])
def test_half_precision_keeps_its_dtype_and_follows_mlx(case, dtype, unit):
    # Moments are rounded after each operation, here and there; only the order of some differs, so
    # a few units of the last place remain of 20 steps.
    kind, options = CASES[case]
    options = {**options, **({"eps": 1e-4} if "eps" not in options and kind[0] in "AR" else {})}
    expected = _run(getattr(theirs, kind)(**options), _start(), _as_mlx(getattr(mx, dtype)), 20)
    got = _run(getattr(ours, kind)(**options), _start(), _as_ours(getattr(jg, dtype)), 20)
    assert {value.dtype for value in got.values()} == {getattr(jg, dtype)}
    assert _difference(_our_numbers(got), _mlx_numbers(expected)) <= 6 * unit


TORCH = {
    "sgd momentum": ("SGD", {"lr": 0.05, "momentum": 0.9}),
    "sgd nesterov": (
        "SGD",
        {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    ),
    "rmsprop": ("RMSprop", {"lr": 0.01, "alpha": 0.9}),
    "adagrad": ("Adagrad", {"lr": 0.05, "eps": 1e-8}),
    "adadelta": ("Adadelta", {"lr": 1.0, "rho": 0.8}),
    "adam corrected": ("Adam", {"lr": 0.01}),
    "adamw corrected": ("AdamW", {"lr": 0.01, "weight_decay": 0.01}),
}


@pytest.mark.parametrize("case", TORCH)
def test_fifty_steps_in_float32_are_those_of_torch(case):
    name, options = TORCH[case]
    start = _start()
    tensors = {key: torch.tensor(value) for key, value in start.items()}
    optimizer = getattr(torch.optim, name)(list(tensors.values()), **options)
    for step in range(STEPS):
        for key, value in _gradient(step).items():
            tensors[key].grad = torch.tensor(value)
        optimizer.step()
    kind, options = CASES[case]
    got = _run(getattr(ours, kind)(**options), start, _as_ours(jg.float32))
    expected = {key: value.numpy().astype(np.float64) for key, value in tensors.items()}
    assert _difference(_our_numbers(got), expected) <= FLOAT32.get(kind, 1e-6)


SCHEDULES = {
    "exponential": lambda o: o.exponential_decay(0.1, 0.95),
    "step": lambda o: o.step_decay(0.1, 0.5, 7),
    "cosine": lambda o: o.cosine_decay(0.1, 30, 0.01),
    "linear": lambda o: o.linear_schedule(0.1, 0.01, 20),
    "joined": lambda o: o.join_schedules(
        [o.linear_schedule(0.01, 0.1, 10), o.cosine_decay(0.1, 30)], [10]
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_have_the_values_of_mlx(name):
    own, other = SCHEDULES[name](ours), SCHEDULES[name](theirs)
    for step in range(STEPS):
        expected = other(mx.array(step)).item()
        assert own(jg.array(step)).item() == pytest.approx(expected, rel=2e-6, abs=1e-9)
        assert own(step).item() == own(jg.array(step, dtype=jg.uint64)).item()


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_scheduled_rate_is_followed_as_in_mlx(name):
    optimizer, other = ours.AdamW(SCHEDULES[name](ours)), theirs.AdamW(SCHEDULES[name](theirs))
    expected = _mlx_numbers(_run(other, _start(), _as_mlx(mx.float32)))
    got = _our_numbers(_run(optimizer, _start(), _as_ours(jg.float32)))
    assert _difference(got, expected) <= 1e-6
    assert optimizer.step.item() == STEPS
    rate = other.learning_rate.item()
    assert optimizer.learning_rate.item() == pytest.approx(rate, rel=2e-6)


def test_the_norm_of_gradients_is_limited_as_in_mlx():
    gradients = _gradient(0)
    for limit in (0.5, 2.0, 100.0):
        own, norm = ours.clip_grad_norm({k: jg.array(v) for k, v in gradients.items()}, limit)
        other, expected = theirs.clip_grad_norm(
            {k: mx.array(v) for k, v in gradients.items()}, limit
        )
        assert norm.item() == pytest.approx(expected.item(), rel=1e-6)
        assert _difference(_our_numbers(own), _mlx_numbers(other)) <= 1e-6


def test_clipped_gradients_keep_their_dtype():
    own, norm = ours.clip_grad_norm([jg.ones(400, dtype=jg.float16) * 20], 1.0)
    assert own[0].dtype == jg.float16 and norm.dtype == jg.float32
    assert norm.item() == pytest.approx(400.0, rel=1e-6)  # its square is no float16


def test_several_optimizers_are_those_of_mlx():
    def make(o):
        return o.MultiOptimizer(
            [o.Muon(0.01), o.SGD(0.1, momentum=0.9)], [lambda path, x: x.ndim == 2]
        )

    expected = _mlx_numbers(_run(make(theirs), _start(), _as_mlx(mx.float32)))
    assert _difference(_our_numbers(_run(make(ours), _start(), jg.array)), expected) <= 2e-5


def test_convolutions_weights_are_matrices_to_muon():
    start = np.random.default_rng(1).normal(size=(6, 3, 3, 2)).astype(np.float32)
    gradient = np.random.default_rng(2).normal(size=start.shape).astype(np.float32)
    other = theirs.Muon(0.1).apply_gradients({"w": mx.array(gradient)}, {"w": mx.array(start)})
    own = ours.Muon(0.1).apply_gradients({"w": jg.array(gradient)}, {"w": jg.array(start)})
    assert _difference(_our_numbers(own), _mlx_numbers(other)) <= 2e-5


def test_the_norm_of_complex_gradients_is_that_of_their_magnitudes():
    clipped, norm = jg.optimizers.clip_grad_norm([jg.array([3 + 4j]), jg.array([12.0])], 1.3)
    assert norm.item() == 13.0
    np.testing.assert_allclose(np.asarray(clipped[0]), [0.3 + 0.4j], rtol=1e-5)
    np.testing.assert_allclose(np.asarray(clipped[1]), [1.2], rtol=1e-5)
