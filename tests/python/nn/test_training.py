# SPDX-License-Identifier: Apache-2.0
"""Programs that train modules: derivatives, compile with state, checkpoints, beside torch."""

import subprocess
import sys

import mlx.core as mx
import mlx.nn as mlx_nn
import mlx.optimizers as mlx_optimizers
import numpy as np
import pytest
import torch
from beside_mlx import as_mlx, assert_alike, twin

import joggle as jg
from joggle import nn, optimizers
from joggle.utils import tree_flatten, tree_map

RNG = np.random.default_rng(3)
X = RNG.normal(size=(32, 6)).astype(np.float32)
Y = RNG.integers(0, 3, size=32).astype(np.int32)


def perceptron():
    jg.random.seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.BatchNorm(16), nn.Linear(16, 3))


def mlx_perceptron(model):
    return twin(
        model,
        mlx_nn.Sequential(
            mlx_nn.Linear(6, 16), mlx_nn.GELU(), mlx_nn.BatchNorm(16), mlx_nn.Linear(16, 3)
        ),
    )


def loss_of(library, model):
    return lambda x, y: library.losses.cross_entropy(model(x), y, reduction="mean")


def test_training_goes_as_in_mlx_step_by_step():
    model = perceptron()
    other = mlx_perceptron(model)
    ours, theirs = optimizers.AdamW(1e-2), mlx_optimizers.AdamW(1e-2)
    step = nn.value_and_grad(model, loss_of(nn, model))
    other_step = mlx_nn.value_and_grad(other, loss_of(mlx_nn, other))
    for _ in range(20):
        loss, slopes = step(jg.array(X), jg.array(Y))
        ours.update(model, slopes)
        other_loss, other_slopes = other_step(mx.array(X), mx.array(Y))
        theirs.update(other, other_slopes)
        assert abs(loss.item() - other_loss.item()) < 1e-4
    assert_alike(model.parameters(), other.parameters(), 2e-3)


def test_a_compiled_step_does_what_the_step_does():
    losses = []
    start = perceptron()
    for compiled in (False, True):
        model = perceptron().update(start.parameters())
        model.layers[2].running_mean = jg.zeros((16,))
        model.layers[2].running_var = jg.ones((16,))
        optimizer = optimizers.Adam(1e-2)
        value_and_grad = nn.value_and_grad(model, loss_of(nn, model))

        def step(x, y, model=model, optimizer=optimizer, value_and_grad=value_and_grad):
            loss, slopes = value_and_grad(x, y)
            optimizer.update(model, slopes)
            return loss

        if compiled:
            optimizer.init(model.trainable_parameters())
            state = [model.state, optimizer.state]
            step = jg.compile(step, inputs=state, outputs=state)
        losses.append([step(jg.array(X), jg.array(Y)).item() for _ in range(15)])
        losses[-1].append(np.asarray(model.layers[2].running_mean).tolist())
    np.testing.assert_allclose(losses[0][:15], losses[1][:15], rtol=2e-5)
    np.testing.assert_allclose(losses[0][15], losses[1][15], rtol=2e-4, atol=1e-5)
    assert losses[0][14] < losses[0][0] / 1.5


def test_derivatives_are_by_trainable_parameters_only():
    model = perceptron()
    model.layers[0].freeze()
    _, slopes = nn.value_and_grad(model, loss_of(nn, model))(jg.array(X), jg.array(Y))
    assert sorted(path for path, _ in tree_flatten(slopes)) == [
        "layers.2.bias", "layers.2.weight", "layers.3.bias", "layers.3.weight",
    ]  # fmt: skip


def test_a_module_keeps_its_own_arrays_through_derivatives_and_errors():
    model = perceptron()
    before = dict(tree_flatten(model.trainable_parameters()))

    def wrong(x):
        model(x)
        raise RuntimeError("stop")

    nn.value_and_grad(model, loss_of(nn, model))(jg.array(X), jg.array(Y))
    with pytest.raises(RuntimeError, match="stop"):
        nn.value_and_grad(model, wrong)(jg.array(X))
    after = dict(tree_flatten(model.trainable_parameters()))
    assert all(after[path] is before[path] for path in before)


def counting(module, layers):
    """A module whose trainable parameters count the calls and hold a mean of what it saw."""

    class Counting(layers.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.count = module.ones(6), module.array(0.0)
            self.seen = [module.zeros(6)]

        def __call__(self, x):
            y = self.scale * x
            self.count = self.count + 1
            self.seen = [0.5 * self.seen[0] + 0.5 * y.mean(axis=0)]
            return y

    return Counting()


@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_call_sets_stays_after_derivatives_as_in_mlx(compiled):
    found = []
    for module, layers in ((jg, nn), (mx, mlx_nn)):
        model = counting(module, layers)
        function = layers.value_and_grad(model, lambda x, model=model: (model(x) ** 2).sum())
        step = module.compile(function, model.state, model.state) if compiled else function
        for _ in range(3):
            value, slopes = step(module.array(X))
            module.eval(value, slopes, model.state)
        found.append((model.count, model.seen[0], model.scale, slopes["scale"]))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.array(theirs), rtol=1e-5, atol=1e-6)
    assert found[0][0].item() == 3


@pytest.mark.parametrize("compiled", [False, True])
def test_running_values_go_on_after_the_whole_module_was_unfrozen(compiled):
    runs = []
    for unfrozen in (False, True):
        model = perceptron()
        model.update(tree_map(jg.ones_like, model.parameters()))
        if unfrozen:
            model.freeze().unfreeze()
        assert "running_mean" not in model.trainable_parameters()["layers"][2]
        sgd = optimizers.SGD(0.01, weight_decay=0.1)
        function = nn.value_and_grad(model, loss_of(nn, model))

        def step(x, y, model=model, sgd=sgd, function=function):
            value, slopes = function(x, y)
            sgd.update(model, slopes)
            return value

        if compiled:
            sgd.init(model.trainable_parameters())
            state = [model.state, sgd.state]
            step = jg.compile(step, inputs=state, outputs=state)
        for _ in range(3):
            step(jg.array(X), jg.array(Y))
        runs.append(model.layers[2].running_mean.tolist())
    assert runs[0] == runs[1]


def test_a_checkpoint_of_a_module_has_the_same_derivatives():
    model = perceptron().eval()
    whole = nn.value_and_grad(model, lambda x: jg.sum(model(x) ** 2))
    again = nn.utils.checkpoint(model)
    parts = nn.value_and_grad(model, lambda x: jg.sum(again(x) ** 2))
    (value, slopes), (other, others) = whole(jg.array(X)), parts(jg.array(X))
    assert value.item() == pytest.approx(other.item(), rel=1e-6)
    for (path, a), (_, b) in zip(tree_flatten(slopes), tree_flatten(others), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6, err_msg=path)


def test_modules_have_batches_of_gradients_and_second_derivatives():
    model = perceptron().eval()

    def one(x):
        return jg.sum(model(x[None]) ** 2)

    batched = jg.vmap(jg.grad(one))(jg.array(X))
    for row in (0, 7):
        np.testing.assert_allclose(
            np.asarray(batched[row]),
            np.asarray(jg.grad(one)(jg.array(X[row]))),
            rtol=1e-4,
            atol=1e-5,
        )
    curvature = np.asarray(jg.hessian(one)(jg.array(X[0])))
    np.testing.assert_allclose(curvature, curvature.T, atol=1e-3)


def test_a_convolutional_network_trains_as_in_torch():
    images = RNG.normal(size=(8, 10, 10, 3)).astype(np.float32)
    labels = RNG.integers(0, 4, size=8)
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        lambda x: x.flatten(1),
        nn.Linear(150, 4),
    )
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    )
    head = torch.nn.Linear(150, 4)
    with torch.no_grad():
        theirs[0].weight.copy_(torch.from_dlpack(model.layers[0].weight).permute(0, 3, 1, 2))
        theirs[0].bias.copy_(torch.from_dlpack(model.layers[0].bias))
        head.weight.copy_(torch.from_dlpack(model.layers[4].weight))
        head.bias.copy_(torch.from_dlpack(model.layers[4].bias))
    ours = optimizers.SGD(0.1, momentum=0.9)
    other = torch.optim.SGD([*theirs.parameters(), *head.parameters()], 0.1, momentum=0.9)
    step = nn.value_and_grad(model, loss_of(nn, model))
    for _ in range(10):
        loss, slopes = step(jg.array(images), jg.array(labels))
        ours.update(model, slopes)
        other.zero_grad()
        features = theirs(torch.from_numpy(images).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        other_loss = torch.nn.functional.cross_entropy(
            head(features.flatten(1)), torch.from_numpy(labels)
        )
        other_loss.backward()
        other.step()
        assert loss.item() == pytest.approx(other_loss.item(), rel=1e-3, abs=1e-4)


def test_wrong_arguments_are_refused_by_name():
    with pytest.raises(TypeError, match=r"\[value_and_grad\] model: got dict"):
        nn.value_and_grad({}, lambda: 0)
    with pytest.raises(TypeError, match=r"\[checkpoint\] module: got int"):
        nn.utils.checkpoint(3)


def test_gradients_of_one_process_are_their_own_mean():
    gradients = {"w": jg.array([3.0, 4.0])}
    assert nn.average_gradients(gradients) is gradients
    clipped, norm = nn.utils.clip_grad_norm_sharded(gradients, 1.0)
    assert norm.item() == 5
    np.testing.assert_allclose(np.asarray(clipped["w"]), [0.6, 0.8], rtol=1e-5)


LOOP = """
import joggle as jg
from joggle import nn, optimizers
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.BatchNorm(16), nn.Linear(16, 3))
optimizer = optimizers.Adam(1e-3)
step = nn.value_and_grad(model, lambda x: jg.sum(model(x) ** 2))
x, seen = jg.random.normal((32, 6)), []
for turn in range(60):
    loss, slopes = step(x)
    optimizer.update(model, slopes)
    jg.eval(model.parameters(), optimizer.state, loss)
    jg.synchronize()
    seen.append(jg.get_active_memory())
assert max(seen[30:]) <= max(seen[10:30]), seen
"""


def test_memory_of_a_training_loop_does_not_grow():
    # In a process of its own: other tests' arrays come and go in this one.
    subprocess.run([sys.executable, "-c", LOOP], check=True, timeout=120)


def test_the_twin_of_a_module_has_its_parameters():
    model = perceptron()
    assert_alike(model.parameters(), as_mlx(model.parameters()))


class Masked(jg.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = [jg.array([1.0, 2.0]), jg.array([3, 1])]
        self.mask = jg.array([True, False])

    def __call__(self, x):
        return (self.weights[0] * self.weights[1] * self.mask * x).sum()


@pytest.mark.parametrize("make", [jg.optimizers.SGD, jg.optimizers.Adam, jg.optimizers.Muon])
def test_bools_and_integers_of_a_module_are_not_trained(make):
    model = Masked()
    value, slopes = jg.nn.value_and_grad(model, lambda x: model(x))(jg.ones(2))
    assert value.item() == 3.0
    assert slopes["weights"][0].tolist() == [3.0, 0.0]
    for slope, parameter in (
        (slopes["weights"][1], model.weights[1]),
        (slopes["mask"], model.mask),
    ):
        assert slope.dtype == parameter.dtype and not jg.any(slope).item()
    slopes, _ = jg.optimizers.clip_grad_norm(slopes, 1.0)
    make(0.1).update(model, slopes)
    assert model.weights[0].tolist() != [1.0, 2.0]
    assert model.weights[1].tolist() == [3, 1] and model.weights[1].dtype == jg.int64
    assert model.mask.tolist() == [True, False] and model.mask.dtype == jg.bool


def test_an_error_of_types_in_the_function_is_raised_as_it_is():
    model = Masked()
    with pytest.raises(TypeError, match="oops"):
        jg.nn.value_and_grad(model, _fail)(jg.ones(2))
    model = jg.nn.Linear(2, 1)
    with pytest.raises(TypeError, match="oops"):
        jg.nn.value_and_grad(model, _fail)(jg.ones(2))


def _fail(x):
    raise TypeError("oops")
