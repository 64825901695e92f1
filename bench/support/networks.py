# SPDX-License-Identifier: Apache-2.0
"""Networks for networks.py: written once with joggle.nn's and mlx.nn's common names, and once as
functions of a dict of weights, for torch and for jax."""

import math

import numpy as np

HEADS = 4


class Library:
    """The namespaces of joggle, or of MLX."""

    def __init__(self, core):
        self.core = core
        if core.__name__ == "joggle":
            from joggle import nn, optimizers, utils
        else:
            from mlx import nn, optimizers, utils
        self.nn, self.optimizers, self.utils = nn, optimizers, utils

    def load(self, model, weights):
        """Copies weights into the model: MLX always copies, joggle shares NumPy's memory else."""
        how = {"copy": True} if self.core.__name__ == "joggle" else {}
        flat = [(k, self.core.array(w, **how)) for k, w in weights.items()]
        tree = self.utils.tree_unflatten(flat)
        model.update(tree)
        return model

    def weights(self, model):
        flat = self.utils.tree_flatten(model.parameters())
        return {path: np.array(x) for path, x in flat}


def perceptron(library, inputs, wide):
    nn = library.nn
    return nn.Sequential(
        nn.Linear(inputs, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU(), nn.Linear(wide, 10)
    )


def convolutional(library, extent, channels):
    nn = library.nn
    return nn.Sequential(
        nn.Conv2d(1, channels, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(channels, 2 * channels, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        lambda x: x.reshape(x.shape[0], -1),
        nn.Linear((extent // 4) ** 2 * 2 * channels, 10),
    )


def transformer(library, tokens, width, length):
    core, nn = library.core, library.nn

    class LanguageModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(tokens, width)
            self.encoder = nn.TransformerEncoder(2, width, HEADS)
            self.head = nn.Linear(width, tokens)
            self._mask = nn.MultiHeadAttention.create_additive_causal_mask(length)
            core.eval(self._mask)

        def __call__(self, x):
            return self.head(self.encoder(self.embedding(x), self._mask))

    return LanguageModel()


class Torch:
    def __init__(self, torch):
        self.torch, self.f = torch, torch.nn.functional

    def linear(self, w, name, x):
        return self.f.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))

    def relu(self, x):
        return self.f.relu(x)

    def conv(self, w, name, x):
        weight = w[f"{name}.weight"].permute(0, 3, 1, 2)
        y = self.f.conv2d(x.permute(0, 3, 1, 2), weight, w[f"{name}.bias"], padding=1)
        return y.permute(0, 2, 3, 1)

    def pool(self, x):
        return self.f.max_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)

    def norm(self, w, name, x):
        return self.f.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"])

    def attention(self, q, k, v):
        return self.f.scaled_dot_product_attention(q, k, v, is_causal=True)

    def cross_entropy(self, logits, y):
        return self.f.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


class Jax:
    def __init__(self, jax):
        self.jax, self.np = jax, jax.numpy

    def linear(self, w, name, x):
        y = x @ w[f"{name}.weight"].T
        return y + w[f"{name}.bias"] if f"{name}.bias" in w else y

    def relu(self, x):
        return self.jax.nn.relu(x)

    def conv(self, w, name, x):
        names = ("NHWC", "OHWI", "NHWC")
        y = self.jax.lax.conv_general_dilated(
            x, w[f"{name}.weight"], (1, 1), "SAME", dimension_numbers=names
        )
        return y + w[f"{name}.bias"]

    def pool(self, x):
        window = (1, 2, 2, 1)
        return self.jax.lax.reduce_window(
            x, -np.float32(np.inf), self.jax.lax.max, window, window, "VALID"
        )

    def norm(self, w, name, x):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        scaled = (x - mean) / self.np.sqrt(variance + np.float32(1e-5))
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def attention(self, q, k, v):
        scores = q @ k.swapaxes(2, 3) * np.float32(q.shape[-1] ** -0.5)
        seen = self.np.tril(self.np.ones(scores.shape[-2:], bool))
        return self.jax.nn.softmax(self.np.where(seen, scores, -np.float32(np.inf))) @ v

    def cross_entropy(self, logits, y):
        chosen = self.np.take_along_axis(self.jax.nn.log_softmax(logits), y[..., None], -1)
        return -chosen.mean()


def run_perceptron(f, w, x):
    for layer in (0, 2):
        x = f.relu(f.linear(w, f"layers.{layer}", x))
    return f.linear(w, "layers.4", x)


def run_convolutional(f, w, x):
    for layer in (0, 3):
        x = f.pool(f.relu(f.conv(w, f"layers.{layer}", x)))
    return f.linear(w, "layers.7", x.reshape(x.shape[0], -1))


def _attend(f, w, name, x):
    batch, length, width = x.shape
    parts = []
    for part in ("query", "key", "value"):
        y = f.linear(w, f"{name}.{part}_proj", x)
        parts.append(y.reshape(batch, length, HEADS, width // HEADS).swapaxes(1, 2))
    y = f.attention(*parts).swapaxes(1, 2).reshape(batch, length, width)
    return f.linear(w, f"{name}.out_proj", y)


def run_transformer(f, w, tokens):
    x = w["embedding.weight"][tokens]
    for layer in ("encoder.layers.0", "encoder.layers.1"):
        x = x + _attend(f, w, f"{layer}.attention", f.norm(w, f"{layer}.ln1", x))
        y = f.relu(f.linear(w, f"{layer}.linear1", f.norm(w, f"{layer}.ln2", x)))
        x = x + f.linear(w, f"{layer}.linear2", y)
    return f.linear(w, "head", f.norm(w, "encoder.ln", x))


def adam_of_jax(np, weights, slopes, moments, step, rate=1e-3):
    """One step of Adam without correction of the bias, as MLX's."""
    made, kept = {}, {}
    for name, w in weights.items():
        m, v = moments[name]
        m = 0.9 * m + 0.1 * slopes[name]
        v = 0.999 * v + 0.001 * slopes[name] ** 2
        made[name], kept[name] = w - rate * m / (np.sqrt(v) + 1e-8), (m, v)
    return made, kept


def scaled(shape, rng):
    """Weights of a size with which activations keep theirs."""
    return rng.standard_normal(shape, np.float32) / np.float32(math.sqrt(max(shape[-1], 1)))
