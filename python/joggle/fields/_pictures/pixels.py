# SPDX-License-Identifier: Apache-2.0
"""A picture that is drawn on, by Pillow.

Places are numbers from 0 to 1 from the lower left corner, as arrays of pixels are indexed
[column, row] from there. The colours of Pixels are triples of bytes; hex_colors makes them of
numbers such as 0xff0000, float_colors of three floats from 0 to 1.
"""

import numpy as np


def pillow():
    """PIL's Image, ImageDraw and ImageFont. Raises ImportError that says what to install."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError("pictures are drawn and read by Pillow: pip install pillow") from None
    return Image, ImageDraw, ImageFont


def array_of(x):
    """The values of a field, an array or a list as an array of NumPy."""
    return x.to_numpy() if hasattr(x, "to_numpy") else np.asarray(x)


def points_of(x, count=2):
    """Places as rows of `count` floats; those of other widths are cut or filled with 0."""
    points = np.atleast_2d(np.asarray(array_of(x), np.float64))
    points = points.reshape(-1, points.shape[-1])[:, :count]
    missing = count - points.shape[1]
    return np.pad(points, ((0, 0), (0, missing))) if missing else points


def hex_to_rgb(color):
    """0xff8000 as three floats from 0 to 1."""
    return ((color >> 16 & 255) / 255, (color >> 8 & 255) / 255, (color & 255) / 255)


def rgb_to_hex(c):
    """Three floats from 0 to 1, or arrays of them, as numbers such as 0xff8000."""
    red, green, blue = (np.clip(np.asarray(x) * 255 + 0.5, 0, 255).astype(np.int64) for x in c)
    found = (red << 16) + (green << 8) + blue
    return int(found) if found.ndim == 0 else found


def hex_colors(color, count):
    """A colour for each of several things, as triples of bytes: one for all, or one each."""
    given = np.asarray(array_of(color), np.int64)
    return _triples(np.stack([given >> 16 & 255, given >> 8 & 255, given & 255], -1), count)


def float_colors(color, count):
    """The same of floats, of which the fourth, how opaque a thing is, changes nothing."""
    given = np.asarray(array_of(color), np.float64)[..., :3]
    return _triples(np.clip(given * 255 + 0.5, 0, 255), count)


def _triples(given, count):
    return np.broadcast_to(given.astype(np.uint8).reshape(-1, 3), (count, 3)).tolist()


def to_bytes(array):
    """The pixels of any array as bytes: floats count from 0 to 1."""
    array = array_of(array)
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind == "f":
        return (np.clip(np.nan_to_num(array), 0, 1) * 255 + 0.5).astype(np.uint8)
    if array.dtype.kind in "iu":
        return np.clip(array, 0, 255).astype(np.uint8)
    raise TypeError(f"img: got an array of {array.dtype}, allowed are integers and floats")


class Pixels:
    """A picture of width by height pixels."""

    def __init__(self, width, height):
        self.image_class, self.draw_class, self.fonts = pillow()
        self.size = int(width), int(height)
        self.fill((0, 0, 0))

    def fill(self, color):
        self._start(self.image_class.new("RGB", self.size, tuple(color)))

    def _start(self, image):
        self.image, self.draw = image, self.draw_class.Draw(image)

    def set_array(self, img):
        """Takes pixels [column, row], of one number or of up to four; other sizes are stretched."""
        array = to_bytes(img)
        if array.ndim == 3 and array.shape[2] in (1, 2):
            last = np.zeros((*array.shape[:2], 3), np.uint8)
            last[:, :, : array.shape[2]] = array
            array = last[:, :, 0] if array.shape[2] == 1 else last
        if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)):
            raise ValueError(
                f"img: got shape {array.shape}, allowed are columns by rows, of 1 to 4 numbers"
            )
        rows = np.ascontiguousarray(np.swapaxes(array, 0, 1)[::-1])
        image = self.image_class.fromarray(rows).convert("RGB")
        self._start(image if image.size == self.size else image.resize(self.size))

    def array(self):
        """The pixels [column, row] as three floats from 0 to 1."""
        rows = np.asarray(self.image, np.float32) / np.float32(255)
        return np.ascontiguousarray(np.swapaxes(rows[::-1], 0, 1))

    def save(self, path):
        self.image.save(path)

    def places(self, points):
        """Points as Pillow counts: from the middle of the upper left pixel."""
        width, height = self.size
        return points[:, :2] * (width, -height) + (-0.5, height - 0.5)

    def discs(self, points, radii, colors):
        """Radii in pixels."""
        for (x, y), r, color in zip(self.places(points).tolist(), radii, colors, strict=True):
            if r <= 0.75:
                self.draw.point((x, y), tuple(color))
            else:
                self.draw.ellipse((x - r, y - r, x + r, y + r), tuple(color))

    def segments(self, begins, ends, widths, colors):
        """Widths in pixels."""
        pairs = zip(self.places(begins).tolist(), self.places(ends).tolist(), strict=True)
        for (a, b), width, color in zip(pairs, widths, colors, strict=True):
            self.draw.line((*a, *b), tuple(color), max(1, round(width)))

    def polygons(self, corners, colors):
        """corners: for each polygon an array of its points."""
        for points, color in zip(corners, colors, strict=True):
            self.draw.polygon([*map(tuple, self.places(points).tolist())], tuple(color))

    def text(self, content, point, size, color):
        """point: the text's upper left corner."""
        ((x, y),) = self.places(point).tolist()
        self.draw.text((x, y), content, tuple(color), self.fonts.load_default(size))
