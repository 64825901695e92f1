# SPDX-License-Identifier: Apache-2.0
"""lora.py OUT: low rank adapters on a frozen model, trained, then fused into its weights."""

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep
from mlx.utils import tree_flatten, tree_unflatten


class LoRALinear(nn.Module):
    def __init__(self, linear, rank=4, scale=2.0):
        super().__init__()
        outputs, inputs = linear.weight.shape
        self.linear, self.scale = linear, scale
        self.lora_a = mx.random.uniform(low=-0.1, high=0.1, shape=(inputs, rank))
        self.lora_b = mx.zeros((rank, outputs))

    def __call__(self, x):
        return self.linear(x) + self.scale * ((x @ self.lora_a) @ self.lora_b)

    def fuse(self):
        outputs, inputs = self.linear.weight.shape
        fused = nn.Linear(inputs, outputs, bias="bias" in self.linear)
        fused.update(self.linear.parameters())
        fused.weight = self.linear.weight + self.scale * (self.lora_a @ self.lora_b).T
        return fused


rng = np.random.default_rng(5)
x = mx.array(rng.normal(size=(128, 16)).astype(np.float32))
y = mx.array(np.sin(rng.normal(size=(128, 16)).cumsum(1)).astype(np.float32))
model = hand_over(nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)))
frozen = {k: np.array(v) for k, v in tree_flatten(model.parameters())}
model.freeze()
adapted = [(k, LoRALinear(m)) for k, m in model.named_modules() if isinstance(m, nn.Linear)]
model.update_modules(tree_unflatten(adapted))
for _, layer in adapted:
    layer.linear.freeze()
    values = np.linspace(-0.1, 0.1, layer.lora_a.size).reshape(layer.lora_a.shape)
    layer.lora_a = mx.array(values.astype(np.float32))
keep("trained", sorted(k for k, _ in tree_flatten(model.trainable_parameters())))

optimizer = optim.Adam(learning_rate=5e-3)
step = nn.value_and_grad(model, lambda: nn.losses.mse_loss(model(x), y))
losses = []
for _ in range(60):
    loss, grads = step()
    optimizer.update(model, grads)
    mx.eval(model.parameters(), optimizer.state)
    losses.append(loss.item())
keep("losses", losses)
keep("adapted", model(x[:8]))
fused = [(k, m.fuse()) for k, m in model.named_modules() if isinstance(m, LoRALinear)]
model.update_modules(tree_unflatten(fused))
keep("fused", model(x[:8]))
keep("bias kept", np.array(model.layers[0].bias) - frozen["layers.0.bias"])
finish()
