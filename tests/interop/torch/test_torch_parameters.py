# SPDX-License-Identifier: Apache-2.0
"""Parameters of modules in torch and in joggle: one memory, no copies."""

import numpy as np
import pytest
import torch

import joggle as jg
import joggle.torch
from joggle import nn

X = np.random.default_rng(5).normal(size=(8, 9, 9, 3)).astype(np.float32)


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


def test_parameters_are_tensors_on_the_modules_memory():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    tensors = joggle.torch.parameters(model)
    assert list(tensors) == [
        "layers.0.weight", "layers.0.bias", "layers.2.weight", "layers.2.bias",
    ]  # fmt: skip
    for (path, tensor), (_, x) in zip(
        tensors.items(), jg.utils.tree_flatten(model.parameters()), strict=True
    ):
        assert tensor.data_ptr() == address(x), path


def test_an_optimizer_of_torch_trains_a_module_of_joggle():
    model = nn.Linear(3, 1)
    rows = jg.array(X.reshape(-1, 3))
    targets = rows @ jg.array([[1.0], [-2.0], [0.5]]) + 3
    step = nn.value_and_grad(model, lambda: nn.losses.mse_loss(model(rows), targets))
    tensors = joggle.torch.parameters(model)
    optimizer = torch.optim.SGD(tensors.values(), lr=0.3)
    for _ in range(60):
        loss, slopes = step()
        for path, gradient in jg.utils.tree_flatten(slopes):
            tensors[path].grad = torch.from_dlpack(gradient)
        optimizer.step()
    assert loss.item() < 1e-4
    np.testing.assert_allclose(np.asarray(model.weight), [[1.0, -2.0, 0.5]], atol=1e-2)


def networks():
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, groups=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.ConvTranspose2d(8, 4, 2, stride=2),
        torch.nn.Sequential(torch.nn.Conv2d(4, 6, 1), torch.nn.Tanh()),
    )
    ours = nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm(8),
        nn.ReLU(),
        nn.ConvTranspose2d(8, 4, 2, stride=2),
        nn.Sequential(nn.Conv2d(4, 6, 1), nn.Tanh()),
    )
    return ours, theirs


def test_a_module_of_torch_lends_its_parameters_with_its_own_axes():
    ours, theirs = networks()
    theirs(torch.from_numpy(X).permute(0, 3, 1, 2))  # running statistics that are no defaults
    joggle.torch.take_parameters(ours, theirs)
    ours.eval()
    theirs.eval()
    for change in (lambda: None, lambda: theirs[0].weight.mul_(2.0)):
        with torch.no_grad():
            change()
            expected = theirs(torch.from_numpy(X).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        np.testing.assert_allclose(np.asarray(ours(jg.array(X))), expected.numpy(), atol=1e-5)
    assert address(ours.layers[1].weight) == theirs[1].weight.data_ptr()
    assert address(ours.layers[0].weight) == theirs[0].weight.data_ptr()


def test_names_may_be_given():
    ours, theirs = nn.Linear(3, 2), torch.nn.Sequential(torch.nn.Linear(3, 2))
    joggle.torch.take_parameters(ours, theirs, names=lambda path: f"0.{path}")
    assert address(ours.bias) == theirs[0].bias.data_ptr()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: joggle.torch.parameters(3), TypeError, r"\[parameters\] module: got int"),
        (lambda: joggle.torch.take_parameters(3, 4), TypeError, r"module: got int"),
        (
            lambda: joggle.torch.take_parameters(nn.Linear(3, 2), nn.Linear(3, 2)),
            TypeError,
            r"\[take_parameters\] source: got Linear, allowed is a torch.nn.Module",
        ),
        (
            lambda: joggle.torch.take_parameters(nn.Linear(3, 2), torch.nn.Linear(2, 3)),
            ValueError,
            r"\[take_parameters\] weight: 'weight' of source has shape \(3, 2\)",
        ),
        (
            lambda: joggle.torch.take_parameters(nn.Linear(3, 2), torch.nn.ReLU()),
            ValueError,
            r"\[take_parameters\] weight: source has no 'weight'",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()
