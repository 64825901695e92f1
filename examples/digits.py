# SPDX-License-Identifier: Apache-2.0
"""Trains a network on handwritten digits where NumPy left them, and hands it to PyTorch as it lies.

Writes demo/loss.png and demo/weights.png. Fails if the accuracy stays below 0.94, if a hand-over
that should share memory does not, or if PyTorch predicts anything else.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from digits import handover, model, plots, progress, steptime
from sklearn.datasets import load_digits

import joggle as jg

HIDDEN, EPOCHS, RATE = 64, 40, 0.1
STRIDE = 15  # batch i is every fifteenth image from i on, a view like any slice
HELD_OUT = 5  # every fifth image is for testing: the batches of the others are i % 5 > 0
MAX_PIXEL = 16
OUT = Path("demo")


def load():
    """The images and labels in place, and as the network takes them: scaled, and one-hot."""
    images, labels = load_digits(return_X_y=True)
    x, y = jg.from_dlpack(images), jg.from_dlpack(labels)
    print(f"{images.shape[0]} images, {images.dtype}, strides {images.strides} bytes")
    print(f"  NumPy's address   {handover.address_of(images):#x}")
    print(f"  joggle's address  {handover.address_of(x):#x}")
    assert handover.address_of(images) == handover.address_of(x)
    scaled = x.astype(jg.float32) / MAX_PIXEL
    targets = (y[:, None] == jg.arange(model.CLASSES)).astype(jg.float32)
    jg.eval(scaled, targets)
    return scaled, targets, labels


def train(x, targets, labels):
    parameters = [jg.array(p) for p in model.initial_parameters(x.shape[1], HIDDEN)]
    velocities = [jg.zeros_like(p) for p in parameters]
    batches = [i for i in range(STRIDE) if i % HELD_OUT]
    rng = np.random.default_rng(0)
    bar = progress.Progress(EPOCHS * len(batches))
    losses, accuracies = [], []
    for _ in range(EPOCHS):
        for i in rng.permutation(batches).tolist():
            batch = x[i::STRIDE], targets[i::STRIDE]
            loss, parameters, velocities = model.step(jg, parameters, velocities, *batch, RATE)
            jg.eval(loss, parameters, velocities)
            losses.append(loss.item())
            bar.advance(f"loss {losses[-1]:.4f}")
        scores, _ = model.predict(jg, parameters, x[::HELD_OUT])
        correct = np.asarray(scores).argmax(axis=1) == labels[::HELD_OUT]
        accuracies.append((len(losses), float(correct.mean())))
    return parameters, velocities, losses, accuracies


def main():
    x, targets, labels = load()
    parameters, velocities, losses, accuracies = train(x, targets, labels)
    accuracy = accuracies[-1][1]
    print(f"accuracy on the held-out fifth: {accuracy:.4f}")
    assert accuracy >= 0.94, "the network has not learnt enough"

    theirs = [torch.from_dlpack(p) for p in parameters]
    addresses = [[handover.address_of(p) for p in group] for group in (parameters, theirs)]
    assert addresses[0] == addresses[1], "the weights were copied on their way to PyTorch"
    test = x[::HELD_OUT]
    ours = np.asarray(model.predict(jg, parameters, test)[0]).argmax(axis=1)
    scores, _ = model.predict(torch, theirs, torch.from_dlpack(test))
    assert (scores.argmax(dim=1).numpy() == ours).all(), "PyTorch predicts other labels"
    print(f"PyTorch, on the same weights in the same memory, predicts the same {len(ours)} labels\n")

    moved = handover.print_table(np.array(x))
    assert not moved, f"copied: {', '.join(moved)}"
    print()
    steptime.print_table(parameters, velocities, x[1::STRIDE], targets[1::STRIDE], RATE)
    OUT.mkdir(exist_ok=True)
    plots.save_loss(OUT / "loss.png", losses, accuracies)
    plots.save_weights(OUT / "weights.png", np.asarray(parameters[0]), side=8)
    print(f"\nwrote {OUT / 'loss.png'} and {OUT / 'weights.png'}")


if __name__ == "__main__":
    sys.exit(main())
