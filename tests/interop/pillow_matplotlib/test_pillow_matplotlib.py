# SPDX-License-Identifier: Apache-2.0
"""Pictures of Pillow in and out, and what Matplotlib draws of arrays: the pixels of NumPy's."""

import io

import matplotlib
import numpy as np
import pytest
from PIL import Image

import joggle as jg

matplotlib.use("Agg")
import matplotlib.pyplot as plt

RANDOM = np.random.default_rng(0)
PICTURE = Image.fromarray(RANDOM.integers(0, 256, (5, 7, 3), dtype=np.uint8))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "1", "I", "F", "I;16", "P", "CMYK", "YCbCr"])
def test_pictures_come_in_with_their_pixels(mode):
    picture = PICTURE.convert("L").convert(mode) if mode == "I;16" else PICTURE.convert(mode)
    expected = np.asarray(picture)
    x = jg.asarray(picture)
    assert x.dtype == expected.dtype and np.array_equal(x, expected)
    assert np.array_equal(jg.asarray(picture.crop((0, 0, 0, 5))).shape[:2], (5, 0))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "1", "I", "F"])
def test_pictures_go_out_with_their_pixels(mode):
    pixels = np.asarray(PICTURE.convert(mode))
    x = jg.asarray(pixels)
    for ours, theirs in ((x, pixels), (x[::2, 1:], pixels[::2, 1:]), (x[::-1], pixels[::-1])):
        picture = Image.fromarray(ours)
        assert picture.mode == Image.fromarray(np.ascontiguousarray(theirs)).mode
        assert np.array_equal(np.asarray(picture), theirs)


class Picture:
    """Describes bytes as Pillow's pictures do."""

    def __init__(self, data, **more):
        self.__array_interface__ = {
            "version": 3,
            "shape": (2, 3),
            "typestr": "|u1",
            "data": data,
            **more,
        }


def test_bytes_are_shared_and_must_be_as_many_as_are_told():
    data = b"123456"
    picture = Picture(data)
    x = jg.asarray(picture)
    picture.__array_interface__["data"] = None
    assert x.tolist() == [[49, 50, 51], [52, 53, 54]] and not np.asarray(x).flags.writeable
    assert np.shares_memory(np.asarray(x), np.frombuffer(data, "u1"))
    for wrong in (Picture(b"12345"), Picture(data, offset=1), Picture(data, strides=(3, 1))):
        with pytest.raises(BufferError, match="allowed are as many as shape and typestr tell"):
            jg.asarray(wrong)
    with pytest.raises(BufferError, match=r"allowed are \(address, read_only\) and bytes"):
        jg.asarray(Picture(bytearray(data)))


X, GRID, COLOURS = np.linspace(0, 6, 50), RANDOM.random((20, 30)), RANDOM.random((20, 30, 3))
DRAWINGS = {
    "plot": lambda axes, of: axes.plot(of(X), of(np.sin(X))),
    "plot columns": lambda axes, of: axes.plot(of(X), of(np.stack([X, np.sin(X)], 1))),
    "imshow": lambda axes, of: axes.imshow(of(GRID)),
    "imshow of colours": lambda axes, of: axes.imshow(of(COLOURS)),
    "hist": lambda axes, of: axes.hist(of(GRID.ravel()), bins=of(np.linspace(0, 1, 6))),
    "hist of columns": lambda axes, of: axes.hist(of(GRID[:, :3])),
    "boxplot": lambda axes, of: axes.boxplot(of(GRID[:, :4])),
    "scatter": lambda axes, of: axes.scatter(of(X), of(np.sin(X)), c=of(X), s=of(4 * X)),
    "bar": lambda axes, of: axes.bar(of(X), of(np.sin(X))),
    "errorbar": lambda axes, of: axes.errorbar(of(X), of(X), yerr=of(0 * X + 0.1)),
    "fill_between": lambda axes, of: axes.fill_between(of(X), of(X), of(X + 1)),
    "contourf": lambda axes, of: axes.contourf(of(GRID)),
    "pcolormesh": lambda axes, of: axes.pcolormesh(of(GRID)),
}


def pixels(draw, of):
    figure = plt.figure(figsize=(3, 2), dpi=60)
    draw(figure.add_subplot(), of)
    file = io.BytesIO()
    figure.savefig(file, format="rgba")
    plt.close(figure)
    return file.getvalue()


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_matplotlib_draws_the_pixels_that_it_draws_of_numpys_arrays(draw):
    expected = pixels(draw, np.asarray)
    assert pixels(draw, jg.asarray) == expected
    assert pixels(draw, lambda a: jg.asarray(a) + 0) == expected


def test_what_was_drawn_is_an_array():
    figure = plt.figure(figsize=(1, 1), dpi=20)
    figure.canvas.draw()
    x = jg.asarray(figure.canvas.buffer_rgba())
    assert x.shape == (20, 20, 4) and x.dtype == jg.uint8
    plt.close(figure)
