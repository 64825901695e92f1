# SPDX-License-Identifier: Apache-2.0
"""Textures: pictures that kernels sample between their points, as memory of the CPU."""

import re
from enum import Enum

from joggle._fields.field import Storage, as_extents
from joggle._fields.make import make_ndarray
from joggle._fields.types import DTYPES, MatrixType

_KINDS = {"": "u", "u": "u", "i": "i", "f": "f"}  # of a format's end: of numbers in memory
_NAMES = [
    f"{channels}{bits}{kind}"
    for bits, kinds in (("8", ("", "u", "i")), ("16", ("", "u", "i", "f")), ("32", "uif"))
    for kind in kinds
    for channels in ("r", "rg", "rgb", "rgba")
    if (channels, bits) != ("rgb", "8")
]
_UNUSED = ("unknown", "rgba8srgb", "bgra8", "bgra8srgb")
_DEPTHS = ("depth16", "depth24stencil8", "depth32f")

Format = Enum("Format", [*_NAMES, *_UNUSED, *_DEPTHS])
Format.__doc__ = """What the points of a texture are: channels, bits, and u for whole numbers, i for
whole numbers with a sign, f for floats, nothing for 0 to 1 in steps."""


class Pixels:
    """The meaning of a format in memory. is_scaled: whether its whole numbers stand for 0 to 1."""

    def __init__(self, fmt):
        if not isinstance(fmt, Format):
            raise TypeError(f"fmt: got {fmt!r}, allowed is one of Format")
        if fmt.name not in _NAMES:
            raise NotImplementedError(
                f"fmt: got {fmt}, allowed are {', '.join(_NAMES)}; swap and curve colours yourself"
            )
        channels, bits, kind = re.fullmatch(r"([rgba]+)(\d+)(\w?)", fmt.name).groups()
        self.count, self.is_scaled = len(channels), kind == ""
        self.dtype = DTYPES[_KINDS[kind] + bits]
        self.largest = 2 ** int(bits) - 1


class Texture:
    """A picture of 1 to 3 axes for kernels: those with a parameter of qd.types.texture(n) sample
    and fetch, those of qd.types.rw_texture(n, fmt=...) load and store. It begins as zeros.

    fmt: a qd.Format. Raises ValueError for a shape.
    """

    def __init__(self, fmt, arr_shape):
        self._pixels = Pixels(fmt)
        self.fmt, self.shape = fmt, as_extents(arr_shape, "arr_shape")
        self.num_dims = len(self.shape)
        if not 1 <= self.num_dims <= 3 or min(self.shape) < 1:
            raise ValueError(f"arr_shape: got {self.shape}, allowed are 1 to 3 extents from 1")
        element = MatrixType(self._pixels.count, 1, self._pixels.dtype, ndim=1)
        self._texels = make_ndarray(element, self.shape)

    def from_ndarray(self, ndarray):
        """Takes the points of an ndarray of the same shape; of more than one channel, of vectors of
        as many. Whole numbers of a format without u or i stand for 0 to 1."""
        self._take("ndarray", ndarray)

    def from_field(self, field):
        """The same of a field."""
        self._take("field", field)

    def _take(self, name, source):
        if not isinstance(source, Storage):
            raise TypeError(f"{name}: got {type(source).__name__}, allowed are fields and ndarrays")
        channels = tuple(source.element_shape or (1,))
        wanted = (self.shape, (self._pixels.count,), self._pixels.dtype)
        if (tuple(source.shape), channels, source.dtype) != wanted:
            raise ValueError(
                f"{name}: got {source!r}, allowed is shape {self.shape} with {self._pixels.count} "
                f"of {self._pixels.dtype.name} each"
            )
        values = source.to_array()
        self._texels.from_array(values.reshape((*self.shape, self._pixels.count)))

    def from_image(self, image):
        """Takes a picture of Pillow, for a texture of rgba8 with its width and height as shape.
        Point (i, j) is its column i from the right, and its row j from above."""
        import numpy as np

        self._check_is_picture()
        if tuple(image.size) != self.shape:
            raise ValueError(f"image: got {image.size}, allowed is the texture's {self.shape}")
        rows = np.asarray(image.convert("RGBA"))
        points = np.swapaxes(rows, 0, 1)[::-1].copy()
        points[..., 3] = 255
        self._texels.from_numpy(points)

    def to_image(self):
        """A picture of Pillow without the fourth channel, as from_image takes it."""
        import numpy as np

        try:
            from PIL import Image
        except ImportError:
            raise ImportError("pictures are made by Pillow: pip install pillow") from None
        self._check_is_picture()
        rows = np.swapaxes(self._texels.to_numpy()[::-1, :, :3], 0, 1)
        return Image.fromarray(np.ascontiguousarray(rows))

    def _check_is_picture(self):
        if self.fmt is not Format.rgba8 or self.num_dims != 2:
            raise ValueError(
                f"image: got a texture of {self.fmt} and {self.num_dims} axes, allowed are 2 axes "
                "of Format.rgba8"
            )

    def __repr__(self):
        return f"<Texture {self.fmt.name}, shape {self.shape}>"


class TextureType:
    """A kernel's parameter that is a texture to read. num_dimensions: how many axes it has."""

    fmt = None  # any

    def __init__(self, num_dimensions):
        if num_dimensions not in (1, 2, 3):
            raise ValueError(f"num_dimensions: got {num_dimensions!r}, allowed are 1, 2 and 3")
        self.num_dimensions = num_dimensions


class RWTextureType(TextureType):
    """A kernel's parameter that is a texture to read and write. fmt: its qd.Format. lod: 0, the
    only level that there is."""

    def __init__(self, num_dimensions, lod=0, fmt=None):
        super().__init__(num_dimensions)
        if lod != 0:
            raise ValueError(f"lod: got {lod!r}, allowed is 0, as textures have one level")
        Pixels(fmt)
        self.lod, self.fmt = lod, fmt


texture, rw_texture = TextureType, RWTextureType
