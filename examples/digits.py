# SPDX-License-Identifier: Apache-2.0
"""Trains a network on handwritten digits where NumPy left them, and hands it to PyTorch as it lies.

Writes demo/loss.png and demo/weights.png. Fails if the accuracy stays below 0.94, if the images or
the weights do not stay where they are, or if PyTorch predicts anything else.
"""

from pathlib import Path

import numpy as np
import torch
from digits import data, handover, model, plots, progress, steptime

import joggle as jg

HIDDEN, EPOCHS, RATE = 64, 40, 0.1
OUT = Path("demo")


def train(x, targets, labels):
    """The trained parameters and their velocities; the loss of each step; accuracies by step."""
    parameters = [jg.array(p) for p in model.initial_parameters(x.shape[1], HIDDEN, data.CLASSES)]
    velocities = [jg.zeros_like(p) for p in parameters]
    bar = progress.Progress(EPOCHS * len(data.TRAINING_BATCHES))
    rng = np.random.default_rng(0)
    losses, accuracies = [], []
    for _ in range(EPOCHS):
        for i in rng.permutation(data.TRAINING_BATCHES).tolist():
            batch = x[i :: data.BATCH_STRIDE], targets[i :: data.BATCH_STRIDE]
            loss, parameters, velocities = model.step(jg, parameters, velocities, *batch, RATE)
            jg.eval(loss, parameters, velocities)
            losses.append(loss.item())
            bar.advance(f"loss {losses[-1]:.4f}")
        correct = predicted_labels(parameters, x) == labels[:: data.TEST_STRIDE]
        accuracies.append((len(losses), float(correct.mean())))
    return parameters, velocities, losses, accuracies


def predicted_labels(parameters, x):
    scores, _ = model.predict(jg, parameters, x[:: data.TEST_STRIDE])
    return np.asarray(scores).argmax(axis=1)


def check_torch(parameters, x):
    """PyTorch takes the weights where they are, and predicts what joggle does."""
    theirs = [torch.from_dlpack(p) for p in parameters]
    for ours, p in zip(parameters, theirs, strict=True):
        assert handover.address_of(ours) == handover.address_of(p), "a weight was copied"
    scores, _ = model.predict(torch, theirs, torch.from_dlpack(x[:: data.TEST_STRIDE]))
    labels = scores.argmax(dim=1).numpy()
    assert (labels == predicted_labels(parameters, x)).all(), "PyTorch predicts other labels"
    print(f"PyTorch has the weights in the same memory, and predicts the same {len(labels)} labels")


def main():
    jg.set_option("num_threads", "1")  # as many as the others get when a step is timed
    x, targets, labels = data.load()
    parameters, velocities, losses, accuracies = train(x, targets, labels)
    print(f"accuracy on the held-out fifth: {accuracies[-1][1]:.4f}")
    assert accuracies[-1][1] >= 0.94, "the network has not learnt enough"
    check_torch(parameters, x)
    print()
    handover.print_table(np.array(x))
    print()
    batch = x[1 :: data.BATCH_STRIDE], targets[1 :: data.BATCH_STRIDE]
    steptime.print_table(parameters, velocities, *batch, RATE)
    OUT.mkdir(exist_ok=True)
    plots.save_loss(OUT / "loss.png", losses, accuracies)
    plots.save_weights(OUT / "weights.png", np.asarray(parameters[0]), side=8)
    print(f"\nwrote {OUT / 'loss.png'} and {OUT / 'weights.png'}")


if __name__ == "__main__":
    main()
