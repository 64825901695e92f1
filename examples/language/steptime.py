# SPDX-License-Identifier: Apache-2.0
"""The same training step in joggle, PyTorch and MLX, from the same weights, timed in turns."""

import statistics
import time

import numpy as np
import torch
from digits.timing import text_of

import joggle as jg
from joggle import nn, optimizers
from joggle.utils import tree_flatten
from language import model

TURNS = 3


class Eager(torch.nn.Module):
    """The model as one writes it in PyTorch; its parameters have joggle's names."""

    def __init__(self, weights):
        super().__init__()
        self.w = {k: torch.tensor(np.asarray(v), requires_grad=True) for k, v in weights}

    def linear(self, x, name):
        w = self.w
        return torch.nn.functional.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))

    def norm(self, x, name):
        weight, bias = self.w[f"{name}.weight"], self.w[f"{name}.bias"]
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)

    def attend(self, x, name):
        rows, length, width = x.shape
        q, k, v = (
            self.linear(x, f"{name}.{part}_proj")
            .view(rows, length, model.HEADS, -1)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.linear(y.transpose(1, 2).reshape(rows, length, width), f"{name}.out_proj")

    def forward(self, x):
        y = self.w["symbol.weight"][x] + self.w["place.weight"][: x.shape[1]]
        for i in range(model.LAYERS):
            at = f"layers.{i}"
            y = y + self.attend(self.norm(y, f"{at}.ln1"), f"{at}.attention")
            inner = self.linear(self.norm(y, f"{at}.ln2"), f"{at}.linear1")
            y = y + self.linear(
                torch.nn.functional.gelu(inner, approximate="tanh"), f"{at}.linear2"
            )
        return self.norm(y, "norm") @ self.w["symbol.weight"].T


def _joggle(weights, x, y, symbols):
    ours = model.make(jg, nn, symbols).load_weights(weights)
    step, state = model.training(nn, optimizers, ours)
    step = jg.compile(step, inputs=state, outputs=state)
    x, y = jg.asarray(x), jg.asarray(y)

    def run():
        loss = step(x, y)
        jg.eval(loss, state)
        return loss.item()

    return run


def _torch(weights, x, y, symbols):
    theirs = Eager(weights)
    optimizer = torch.optim.AdamW(theirs.w.values(), 2e-3)
    x, y = torch.tensor(x), torch.tensor(y).long()

    def run():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(theirs(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        return loss.item()

    return run


def _mlx(weights, x, y, symbols):
    import mlx.core as mx
    import mlx.nn
    import mlx.optimizers

    theirs = model.make(mx, mlx.nn, symbols)
    theirs.load_weights([(k, mx.array(np.asarray(v))) for k, v in weights])
    step, state = model.training(mlx.nn, mlx.optimizers, theirs)
    x, y = mx.array(x), mx.array(y)

    def run():
        loss = step(x, y)
        mx.eval(loss, state)
        return loss.item()

    return run


def print_table(ours, x, y, symbols):
    """ours: the model whose weights all begin with. The losses of the first steps must agree."""
    weights = tree_flatten(ours.parameters())
    print(f"{'one training step':24}{'min':>12}{'median':>12}{'x joggle':>10}{'last loss':>12}")
    calls = {}
    for name, make in {"joggle": _joggle, "PyTorch": _torch, "MLX": _mlx}.items():
        try:
            calls[name] = make(weights, x, y, symbols)
        except ImportError:
            print(f"{name:24}not installed")
    losses = {name: [call()] for name, call in calls.items()}
    times = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            start = time.perf_counter_ns()
            losses[name].append(call())
            times[name].append(time.perf_counter_ns() - start)
    for name, taken in times.items():
        ratio = min(taken) / min(times["joggle"])
        cells = f"{text_of(min(taken)):>12}{text_of(statistics.median(taken)):>12}{ratio:>10.2f}"
        print(f"{name:24}{cells}{losses[name][-1]:>12.4f}")
        apart = np.abs(np.subtract(losses[name], losses["joggle"])).max()
        assert apart < 1e-3, f"{name}: the losses are {losses[name]}, joggle's {losses['joggle']}"
