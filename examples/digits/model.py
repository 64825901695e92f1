# SPDX-License-Identifier: Apache-2.0
"""A perceptron with one hidden layer, its gradients written by hand.

Every function takes the array library as `xp`. joggle, NumPy and PyTorch all have the functions
used here, so one text defines the same step for each. With joggle the calls only build a graph.
"""

import numpy as np

MOMENTUM = 0.9


def initial_parameters(nfeatures, nhidden, nclasses, seed=0):
    """Weights and biases of both layers as NumPy arrays: w1, b1, w2, b2."""
    rng = np.random.default_rng(seed)

    def layer(rows, columns):
        weights = rng.normal(0, rows**-0.5, (rows, columns)).astype(np.float32)
        return weights, np.zeros(columns, np.float32)

    return [*layer(nfeatures, nhidden), *layer(nhidden, nclasses)]


def predict(xp, parameters, x):
    """One score for each class; the largest wins. Also gives the hidden layer."""
    w1, b1, w2, b2 = parameters
    hidden = xp.tanh(x @ w1 + b1)
    return hidden @ w2 + b2, hidden


def loss_and_gradients(xp, parameters, x, targets):
    """The mean cross entropy of softmax(scores) against one-hot targets, and its derivatives."""
    largest = getattr(xp, "amax", None) or xp.max  # torch.max gives indices as well
    w2 = parameters[2]
    scores, hidden = predict(xp, parameters, x)
    shifted = scores - largest(scores, axis=1, keepdims=True)
    exps = xp.exp(shifted)
    total = xp.sum(exps, axis=1, keepdims=True)
    loss = xp.mean(xp.log(total) - xp.sum(shifted * targets, axis=1, keepdims=True))
    d_scores = (exps / total - targets) / x.shape[0]
    d_hidden = (d_scores @ w2.T) * (1 - hidden * hidden)
    gradients = [x.T @ d_hidden, xp.sum(d_hidden, axis=0)]
    gradients += [hidden.T @ d_scores, xp.sum(d_scores, axis=0)]
    return loss, gradients


def step(xp, parameters, velocities, x, targets, rate):
    """One step of gradient descent with momentum: the loss, new parameters, velocities."""
    loss, gradients = loss_and_gradients(xp, parameters, x, targets)
    pairs = zip(velocities, gradients, strict=True)
    velocities = [MOMENTUM * velocity - rate * gradient for velocity, gradient in pairs]
    parameters = [p + velocity for p, velocity in zip(parameters, velocities, strict=True)]
    return loss, parameters, velocities
