# SPDX-License-Identifier: Apache-2.0
"""recurrent.py OUT: an LSTM and a GRU learn whether a row of bits has an odd sum."""

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep

rng = np.random.default_rng(7)
bits = rng.integers(0, 2, (256, 4))
x, y = mx.array(bits[..., None].astype(np.float32)), mx.array((bits.sum(1) % 2).astype(np.float32))


class Parity(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.memory = kind(1, 16)
        self.head = nn.Linear(16, 1)

    def __call__(self, x):
        found = self.memory(x)
        hidden = found[0] if isinstance(found, tuple) else found
        return self.head(hidden[:, -1])[:, 0]


for name, kind in {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}.items():
    model = hand_over(Parity(kind))
    optimizer = optim.Adam(learning_rate=3e-2)

    def loss_fn(model=model):
        return nn.losses.binary_cross_entropy(model(x), y)

    step = nn.value_and_grad(model, loss_fn)
    losses = []
    for _ in range(60):
        loss, grads = step()
        optimizer.update(model, grads)
        mx.eval(model.parameters(), optimizer.state)
        losses.append(loss.item())
    keep(f"{name}: losses", losses)
    keep(f"{name}: scores", model(x[:16]))
finish()
