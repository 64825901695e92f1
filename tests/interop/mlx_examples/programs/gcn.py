# SPDX-License-Identifier: Apache-2.0
"""gcn.py OUT: a graph convolution network tells two groups of a graph apart from two labels."""

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep
from mlx.utils import tree_flatten, tree_reduce

rng = np.random.default_rng(3)
NODES = 60
group = np.arange(NODES) % 2
chance = np.where(group[:, None] == group, 0.25, 0.02)
edges = np.argwhere(np.triu(rng.random((NODES, NODES)) < chance, 1)).astype(np.int32)
edges = np.concatenate(
    [edges, edges[:, ::-1], np.arange(NODES, dtype=np.int32)[:, None].repeat(2, 1)]
)
sources, targets = mx.array(edges[:, 0]), mx.array(edges[:, 1])
degree = mx.zeros(NODES).at[targets].add(mx.ones(len(edges)))
weights = (degree[sources] * degree[targets]) ** -0.5


class GraphConvolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def __call__(self, x):
        messages = self.linear(x)[sources] * weights[:, None]
        return mx.zeros((NODES, messages.shape[1])).at[targets].add(messages)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GraphConvolution(NODES, 16), GraphConvolution(16, 2)

    def __call__(self, x):
        return self.second(nn.relu(self.first(x)))


features, labels = mx.eye(NODES), mx.array(group.astype(np.int32))
known = mx.array(np.array([0, 1, 2, 3], np.int32))
model = hand_over(GCN())
optimizer = optim.Adam(learning_rate=1e-2)


def loss_fn(x):
    loss = nn.losses.cross_entropy(model(x)[known], labels[known], reduction="mean")
    squares = tree_reduce(lambda s, p: s + (p * p).sum(), model.parameters(), mx.array(0.0))
    return loss + 5e-4 * squares


step = nn.value_and_grad(model, loss_fn)
losses = []
for _ in range(60):
    loss, grads = step(features)
    optimizer.update(model, grads)
    mx.eval(model.parameters(), optimizer.state, loss)
    losses.append(loss.item())
keep("losses", losses)
keep("accuracy", (mx.argmax(model(features), axis=1) == labels).mean())
keep("scores", model(features))
keep("parameters", sum(x.size for _, x in tree_flatten(model.parameters())))
finish()
