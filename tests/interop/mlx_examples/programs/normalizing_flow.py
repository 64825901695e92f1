# SPDX-License-Identifier: Apache-2.0
"""normalizing_flow.py OUT: a flow of affine couplings learns the density of two moons."""

import math

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep
from sklearn.datasets import make_moons


class Coupling(nn.Module):
    """Scales and moves the coordinates that the mask leaves free, by what the others say."""

    def __init__(self, mask, width):
        super().__init__()
        self._mask = mask
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 4))

    def _scale_and_shift(self, x):
        scale, shift = mx.split(self.net(x * self._mask), 2, axis=-1)
        return mx.tanh(scale) * (1 - self._mask), shift * (1 - self._mask)

    def forward(self, z):
        scale, shift = self._scale_and_shift(z)
        return z * mx.exp(scale) + shift

    def inverse(self, x):
        scale, shift = self._scale_and_shift(x)
        return (x - shift) * mx.exp(-scale), -scale.sum(-1)


class Flow(nn.Module):
    def __init__(self, layers, width):
        super().__init__()
        masks = [mx.array([1.0, 0.0]), mx.array([0.0, 1.0])]
        self.couplings = [Coupling(masks[i % 2], width) for i in range(layers)]

    def log_density(self, x):
        total = mx.zeros(x.shape[:1])
        for coupling in reversed(self.couplings):
            x, logarithm = coupling.inverse(x)
            total = total + logarithm
        return total - 0.5 * (x * x).sum(-1) - math.log(2 * math.pi)

    def sample(self, z):
        for coupling in self.couplings:
            z = coupling.forward(z)
        return z


points = make_moons(512, noise=0.05, random_state=0)[0].astype(np.float32)
points = mx.array((points - points.mean(0)) / points.std(0))
flow = hand_over(Flow(6, 32))
optimizer = optim.Adam(learning_rate=2e-3)
step = nn.value_and_grad(flow, lambda x: -flow.log_density(x).mean())
losses = []
for _ in range(80):
    loss, grads = step(points)
    optimizer.update(flow, grads)
    mx.eval(flow.parameters(), optimizer.state)
    losses.append(loss.item())
keep("losses", losses)
noise = mx.array(np.random.default_rng(1).normal(size=(64, 2)).astype(np.float32))
samples = flow.sample(noise)
keep("samples", samples)
back = samples
for coupling in reversed(flow.couplings):
    back, _ = coupling.inverse(back)
keep("back less noise", mx.abs(back - noise).max())
finish()
