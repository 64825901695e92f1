# SPDX-License-Identifier: Apache-2.0
"""Trains a network of PyTorch to throw balls at targets, through a simulation that is a kernel:
torch's gradients pass through its generated adjoint, on torch's memory.

Writes demo/throws.png. Fails if the kernel or its gradient does not agree with torch, NumPy and
Quadrants, or if the trained network misses by more than 20 cm on the average.
"""

from pathlib import Path

import numpy as np
import torch
from simulations import beside, pictures, throws

import joggle.fields as qd
import joggle.torch

COUNT, EPOCHS = 512, 400
OUT = Path("demo/throws.png")


def check(fly, aim, quadrants_fly):
    """Ends and gradients are those of torch; NumPy and Quadrants have the same ends."""
    ours, theirs = aim.clone().requires_grad_(), aim.clone().requires_grad_()
    ends, expected = fly(ours), throws.fly(torch, theirs)[-1]
    torch.testing.assert_close(ends, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ends.detach(), throws.fly(np, aim.numpy())[-1], 1e-4, 1e-4)
    if quadrants_fly:
        found = np.zeros((len(aim), 2), np.float32)
        quadrants_fly(aim.numpy(), found)
        np.testing.assert_allclose(ends.detach(), found, 1e-4, 1e-4)
    ends.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-3)


def train(fly, targets):
    """The network, and by how many metres it missed in each epoch."""
    torch.manual_seed(0)
    layers = torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2)
    network = torch.nn.Sequential(*layers)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    misses = []
    for _ in range(EPOCHS):
        distance = (fly(10 * network(targets / 5)) - targets).square().sum(1)
        optimiser.zero_grad()
        distance.mean().backward()
        optimiser.step()
        misses.append(distance.detach().sqrt().mean().item())
    return network, misses


def main():
    kernel = throws.make_fly(qd)
    fly = joggle.torch.function(kernel, outputs="end")
    quadrants = beside.load_quadrants()
    targets = torch.from_numpy(throws.targets(COUNT))
    check(fly, 2 * targets, quadrants and throws.make_fly(quadrants))
    network, misses = train(fly, targets)
    print(f"missed by {misses[0]:.2f} m before training, by {misses[-1]:.3f} m after it")
    assert misses[-1] < 0.2, "the network has not learnt to throw"
    aim = (10 * network(targets / 5)).detach()
    leaf, end = aim.clone().requires_grad_(), aim.numpy().copy()
    calls = {
        "joggle, with gradient": lambda: fly(leaf).sum().backward(),
        "torch, with gradient": lambda: throws.fly(torch, leaf)[-1].sum().backward(),
        "joggle": lambda: kernel(aim, end),
        "NumPy": lambda: throws.fly(np, aim.numpy()),
    }
    if quadrants:
        run = throws.make_fly(quadrants)
        calls["Quadrants"] = lambda: run(aim.numpy(), end)
    beside.print_table(f"{COUNT} throws of {throws.STEPS} steps", calls)
    path = np.stack(throws.fly(np, aim.numpy()[:24]))
    pictures.save_throws(OUT, misses, path, targets[:24])
    print(f"wrote {OUT}")


if __name__ == "__main__":
    main()
