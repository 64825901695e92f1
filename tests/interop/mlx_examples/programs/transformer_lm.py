# SPDX-License-Identifier: Apache-2.0
"""transformer_lm.py OUT: a language model of sums in words, with a schedule and weight decay."""

from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from handed import finish, hand_over, keep

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
SENTENCES = [f"{WORDS[i]} and {WORDS[j]} make {WORDS[i + j]} ." for i in range(6) for j in range(5)]
VOCABULARY = sorted({word for sentence in SENTENCES for word in sentence.split()})
TEXT = np.array([VOCABULARY.index(w) for s in SENTENCES * 4 for w in s.split()], np.int32)
CONTEXT = 18


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, layers, dims, heads):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dims)
        self.positions = nn.SinusoidalPositionalEncoding(dims)
        self.transformer = nn.TransformerEncoder(layers, dims, heads, norm_first=True)
        self.out_proj = nn.Linear(dims, vocabulary)

    def __call__(self, x):
        mask = nn.MultiHeadAttention.create_additive_causal_mask(x.shape[1])
        x = self.embedding(x) + self.positions(mx.arange(x.shape[1]))[None]
        return self.out_proj(self.transformer(x, mask))


def batches(count, rows):
    starts = np.random.default_rng(0)
    for _ in range(count):
        at = starts.integers(0, len(TEXT) - CONTEXT - 1, rows)
        windows = np.stack([TEXT[i : i + CONTEXT + 1] for i in at])
        yield mx.array(windows[:, :-1]), mx.array(windows[:, 1:])


model = hand_over(LanguageModel(len(VOCABULARY), 2, 32, 4))
warm = optim.linear_schedule(0.0, 3e-3, 10)
decay = optim.cosine_decay(3e-3, 60)
optimizer = optim.AdamW(optim.join_schedules([warm, decay], [10]), weight_decay=1e-2)


def loss_fn(x, y, reduce=True):
    return nn.losses.cross_entropy(model(x), y, reduction="mean" if reduce else "none")


state = [model.state, optimizer.state]
optimizer.init(model.trainable_parameters())


@partial(mx.compile, inputs=state, outputs=state)
def step(x, y):
    loss, grads = nn.value_and_grad(model, loss_fn)(x, y)
    grads, norm = optim.clip_grad_norm(grads, 1.0)
    optimizer.update(model, grads)
    return loss, norm


losses, norms, rates = [], [], []
for x, y in batches(60, 16):
    loss, norm = step(x, y)
    mx.eval(state, loss, norm)
    losses.append(loss.item())
    norms.append(norm.item())
    rates.append(optimizer.learning_rate.item())
keep("losses", losses)
keep("norms", norms)
keep("rates", rates)
x, y = next(batches(1, 8))
keep("perplexity", mx.exp(loss_fn(x, y, reduce=False).mean()))
keep("logits", model(x)[0])
finish()
