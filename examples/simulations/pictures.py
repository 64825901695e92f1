# SPDX-License-Identifier: Apache-2.0
"""The pictures of the demonstrations."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def save_images(path, images):
    """Grey images side by side, by title."""
    figure, axes = pyplot.subplots(1, len(images), figsize=(4 * len(images), 4.4))
    for axis, (title, image) in zip(axes, images.items(), strict=True):
        axis.imshow(image, cmap="gray", vmin=0, vmax=1)
        axis.set_title(title)
        axis.set_axis_off()
    save(figure, path)


def save_particles(path, moments):
    """moments: places, speeds and the title of each."""
    figure, axes = pyplot.subplots(1, len(moments), figsize=(3.4 * len(moments), 3.8))
    for axis, (places, speeds, title) in zip(axes, moments, strict=True):
        axis.scatter(*places.T, s=1, c=speeds, cmap="viridis", vmin=0, vmax=4)
        axis.set(title=title, xlim=(0, 1), ylim=(0, 1), aspect=1)
    save(figure, path)


def save_throws(path, misses, flights, targets):
    """flights: the places of some balls after each step."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    left.semilogy(misses)
    left.set(title="Training through the simulation", xlabel="epoch", ylabel="mean miss (m)")
    right.plot(flights[:, :, 0], flights[:, :, 1], color="tab:blue", linewidth=0.7)
    right.plot(*flights[-1].T, "o", color="tab:blue", label="ball after a second")
    right.plot(*targets.T, "x", color="tab:red", label="target")
    right.set(title="Throws of the trained network", xlabel="m", ylabel="m")
    right.legend()
    save(figure, path)


def save_curve(path, losses, points, grid, values):
    """values: of a function on the grid, whose zeros are the curve."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6))
    left.semilogy(losses)
    left.set(title="Newton's method", xlabel="step", ylabel="mean distance")
    right.plot(*points.T, ".", color="tab:red", markersize=3, label="points")
    right.contour(*grid, values, levels=[0], colors="tab:blue")
    right.set(title="Zeros of the polynomial", aspect=1)
    right.legend()
    save(figure, path)


def save(figure, path):
    path.parent.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
