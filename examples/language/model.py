# SPDX-License-Identifier: Apache-2.0
"""A transformer that tells how likely each symbol is to come next.

core and nn are joggle and joggle.nn, or mlx.core and mlx.nn: the names are the same.
"""

WIDTH, HEADS, LAYERS, CONTEXT = 128, 4, 3, 128


def make(core, nn, symbols):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.symbol = nn.Embedding(symbols, WIDTH)
            self.place = nn.Embedding(CONTEXT, WIDTH)
            self.layers = [
                nn.TransformerEncoderLayer(WIDTH, HEADS, activation=nn.gelu_approx)
                for _ in range(LAYERS)
            ]
            self.norm = nn.LayerNorm(WIDTH)

        def __call__(self, x):
            x = self.symbol(x) + self.place(core.arange(x.shape[1]))
            for layer in self.layers:
                x = layer(x, "causal")
            return self.symbol.as_linear(self.norm(x))

    return Model()


def training(nn, optimizers, model, rate=2e-3):
    """A function of a batch that changes the model and gives the loss, and all that it changes."""
    optimizer = optimizers.AdamW(rate, bias_correction=True)  # as PyTorch's does
    optimizer.init(model.trainable_parameters())

    def loss(x, y):
        return nn.losses.cross_entropy(model(x), y, reduction="mean")

    value_and_grad = nn.value_and_grad(model, loss)

    def step(x, y):
        value, slopes = value_and_grad(x, y)
        optimizer.update(model, slopes)
        return value

    return step, [model.state, optimizer.state]
