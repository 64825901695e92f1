# SPDX-License-Identifier: Apache-2.0
"""mnist.py OUT: a perceptron and a convolutional network on handwritten digits."""

import itertools
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep
from sklearn.datasets import load_digits

digits = load_digits()
images = (digits.images / 16).astype(np.float32)
labels = digits.target.astype(np.int32)
train, test = slice(0, 1400), slice(1400, None)


class MLP(nn.Module):
    def __init__(self, layers, width):
        super().__init__()
        sizes = [64] + [width] * layers + [10]
        self.layers = [nn.Linear(i, o) for i, o in itertools.pairwise(sizes)]

    def __call__(self, x):
        x = x.reshape(x.shape[0], -1)
        for layer in self.layers[:-1]:
            x = nn.relu(layer(x))
        return self.layers[-1](x)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        # No bias before BatchNorm: its gradient would be rounding alone, which Adam makes large.
        self.conv1, self.norm1 = nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm(8)
        self.conv2, self.norm2 = nn.Conv2d(8, 16, 3, padding=1), nn.GroupNorm(4, 16)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(2 * 2 * 16, 10)

    def __call__(self, x):
        x = self.pool(nn.relu(self.norm1(self.conv1(x[..., None]))))
        x = self.pool(nn.relu(self.norm2(self.conv2(x))))
        return self.head(x.flatten(1))


def loss_fn(model, x, y):
    return nn.losses.cross_entropy(model(x), y, reduction="mean")


def accuracy(model):
    model.eval()
    guesses = mx.argmax(model(mx.array(images[test])), axis=1)
    model.train()
    return mx.mean(guesses == mx.array(labels[test])).item()


def batches(epochs, size=100):
    order = np.random.default_rng(0)
    for _ in range(epochs):
        chosen = order.permutation(1400)
        for start in range(0, 1400, size):
            batch = chosen[start : start + size]
            yield mx.array(images[train][batch]), mx.array(labels[train][batch])


def fit(name, model, optimizer, epochs, compiled=False):
    hand_over(model)
    value_and_grad = nn.value_and_grad(model, loss_fn)

    def step(x, y):
        loss, grads = value_and_grad(model, x, y)
        optimizer.update(model, grads)
        return loss

    if compiled:
        optimizer.init(model.trainable_parameters())
        state = [model.state, optimizer.state]
        step = partial(mx.compile, inputs=state, outputs=state)(step)
    losses = []
    for x, y in batches(epochs):
        loss = step(x, y)
        mx.eval(loss, model.parameters(), optimizer.state)
        losses.append(loss.item())
    keep(f"{name}: losses", losses)
    keep(f"{name}: accuracy", accuracy(model))
    model.eval()
    keep(f"{name}: logits", model(mx.array(images[test][:20])))


fit("perceptron", MLP(2, 32), optim.SGD(learning_rate=0.1, momentum=0.9), 6)
fit("perceptron compiled", MLP(2, 32), optim.SGD(learning_rate=0.1, momentum=0.9), 6, True)
fit("convolutions", CNN(), optim.AdamW(learning_rate=2e-3, weight_decay=0.01), 3)
finish()
