# SPDX-License-Identifier: Apache-2.0
"""The two pictures of the demo."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot


def save_loss(path, losses, accuracies):
    """losses: one for each step; accuracies: pairs of the step and the accuracy after it."""
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.semilogy(losses, color="tab:blue", linewidth=0.8, label="training loss of the mini-batch")
    axes.set(title="Training on the digits", xlabel="step", ylabel="cross entropy (nats)")
    right = axes.twinx()
    steps, values = zip(*accuracies, strict=True)
    right.plot(steps, values, color="tab:orange", label="accuracy on the held-out fifth")
    right.set(ylabel="accuracy", ylim=(0, 1))
    lines = axes.get_lines() + right.get_lines()
    axes.legend(lines, [str(line.get_label()) for line in lines], loc="center right")
    _save(figure, path)


def save_weights(path, weights, side):
    """weights: one column for each hidden unit, one row for each of the side x side pixels."""
    count = weights.shape[1]
    columns = int(np.ceil(count**0.5))
    tiles = np.full((columns * columns, side + 1, side + 1), np.nan, weights.dtype)
    tiles[:count, :side, :side] = weights.T.reshape(count, side, side)
    grid = tiles.reshape(columns, columns, side + 1, side + 1).swapaxes(1, 2)
    limit = np.abs(weights).max()
    figure, axes = pyplot.subplots(figsize=(7, 6))
    picture = grid.reshape(columns * (side + 1), -1)
    image = axes.imshow(picture, cmap="RdBu_r", vmin=-limit, vmax=limit)
    centres = np.arange(columns) * (side + 1) + (side - 1) / 2
    axes.set_xticks(centres, [str(i) for i in range(columns)])
    axes.set_yticks(centres, [str(i * columns) for i in range(columns)])
    axes.set(
        title=f"The {side} x {side} weights from the pixels to each hidden unit",
        xlabel="hidden unit: number of the row plus number of the column",
        ylabel="number of the row's first unit",
    )
    figure.colorbar(image, ax=axes, label="weight (red excites, blue inhibits)")
    _save(figure, path)


def _save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
