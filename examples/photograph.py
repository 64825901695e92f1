# SPDX-License-Identifier: Apache-2.0
"""Takes the noise out of a photograph by the heat equation, plain and stopped by edges.

Writes demo/photograph.png. Fails if the kernel does not agree with NumPy and with Quadrants, or if
stopping at the edges does not bring the picture nearer to the one without noise.
"""

from functools import partial
from pathlib import Path

import numpy as np
import skimage
from simulations import beside, diffusion, pictures

import joggle.fields as qd

DT, EDGE, NOISE = 0.2, 0.1, 0.1
OUT = Path("demo/photograph.png")


def diffused(step, image, steps, edge):
    """The image after some steps, in memory of NumPy's from first to last."""
    u, v = image.copy(), np.empty_like(image)
    for _ in range(steps):
        step(u, v, DT, edge)
        u, v = v, u
    return u


def decibels(image, clean):
    """The ratio of the peak signal to the noise."""
    return float(-10 * np.log10(np.mean((image - clean) ** 2)))


def check(steps, image):
    """All of them come to the same values as NumPy."""
    expected = image
    for _ in range(10):
        expected = diffusion.numpy_step(expected, DT, EDGE)
    for name, step in steps.items():
        result = diffused(step, image, 10, EDGE)
        assert np.abs(result - expected).max() < 1e-5, f"{name} and NumPy do not agree"


def main():
    clean = skimage.img_as_float32(skimage.data.camera())
    noise = np.random.default_rng(0).normal(0, NOISE, clean.shape)
    noisy = (clean + noise).astype(np.float32)
    steps = {"joggle": diffusion.make_step(qd)}
    if quadrants := beside.load_quadrants():
        steps["Quadrants"] = diffusion.make_step(quadrants)
    check(steps, noisy)
    images = {
        "with noise": noisy,
        "heat equation": diffused(steps["joggle"], noisy, 3, diffusion.PLAIN),
        "stopped by edges": diffused(steps["joggle"], noisy, 9, EDGE),
    }
    gained = {name: decibels(image, clean) for name, image in images.items()}
    assert sorted(gained, key=lambda name: gained[name]) == list(gained), "the edges were not kept"
    u, v = noisy.copy(), np.empty_like(noisy)
    calls = {name: partial(step, u, v, DT, EDGE) for name, step in steps.items()}
    calls["NumPy"] = partial(diffusion.numpy_step, u, DT, EDGE)
    beside.print_table(f"one step, {' x '.join(map(str, clean.shape))} pixels", calls)
    titles = [f"{name}: {db:.1f} dB" for name, db in gained.items()]
    pictures.save_images(OUT, dict(zip(titles, images.values(), strict=True)))
    print(", ".join(titles))
    print(f"wrote {OUT}")


if __name__ == "__main__":
    main()
