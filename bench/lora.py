# SPDX-License-Identifier: Apache-2.0
"""The forward pass of a linear layer with a low-rank addition, x @ W + (x @ A) @ B * s."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "LoRA"
WIDTH, RANK, SCALE = 1024, 16, 2.0


def lora(xp, x, W, A, B):
    return x @ W + (x @ A) @ B * SCALE


def cases(quick):
    rng = np.random.default_rng(0)
    width, rank = (32, 4) if quick else (WIDTH, RANK)
    make = lambda *shape: rng.standard_normal(shape, np.float32)  # noqa: E731
    weights = {"W": make(width, width), "A": make(width, rank), "B": make(rank, width)}
    for rows in (1, 4) if quick else (1, 256):
        name = f"{rows}x{width}x{width}, rank {rank}"
        inputs = {"x": make(rows, width)} | weights
        yield Work(name, lora, inputs, (Goal(1.05),))
