# SPDX-License-Identifier: Apache-2.0
"""Textures in kernels: an array of their points, with what samples, fetches, loads and stores.

Points have up to four channels; a missing one reads as 0, the fourth as 1. Between points the value
is linear in each axis, and the picture repeats. A point outside reads as 0 and is not stored.
"""

import math
from itertools import product

from joggle._fields.texture import RWTextureType, Texture, TextureType
from joggle._fields.types import NdarrayType

from ..ir import arithmetic
from ..ir.arithmetic import convert, is_number, select
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..ir.promotion import is_float
from ..value.array import ArrayValue
from ..value.parameters import Array, annotated
from ..value.signatures import binding, signature_of
from ..value.values import Tensor, read

_DTYPE = "float32"  # of what is read


class TextureArgument(Array):
    """A texture: its points are passed as an array."""

    description = "w"

    def __init__(self, annotation):
        super().__init__(NdarrayType())
        self.annotation = annotation

    def wholes(self, argument):
        return [argument]

    def key(self, argument):
        wanted = self.annotation
        if not isinstance(argument, Texture):
            raise KernelTypeError(f"got {type(argument).__name__}, allowed are textures")
        if argument.num_dims != wanted.num_dimensions:
            raise KernelTypeError(
                f"got a texture of {argument.num_dims} dimensions, allowed are "
                f"{wanted.num_dimensions}, as the annotation says"
            )
        if wanted.fmt not in (None, argument.fmt):
            raise KernelTypeError(
                f"got a texture of {argument.fmt}, allowed is {wanted.fmt}, as the annotation says"
            )
        return argument.fmt, super().key(argument._texels)

    def declare(self, lowering, name, argument):
        array = super().declare(lowering, name, argument._texels)
        is_writable = isinstance(self.annotation, RWTextureType)
        return TextureValue(array, argument._pixels, is_writable)

    def passed(self, argument):
        return (argument._texels,)

    def parts(self, argument):
        return [[argument._texels]]

    def is_lasting(self, argument):
        return True


class TextureValue(ArrayValue):
    """A texture in a kernel; its indices are those of its points."""

    def __init__(self, array, pixels, is_writable):
        super().__init__(array.name, array.dtype, array.shape, array.element_shape)
        self.pixels, self.is_writable = pixels, is_writable

    def kernel_kind(self):
        return f"the texture {self.name}"

    def at(self, lowering, indices):
        raise KernelTypeError(
            f"{self.kernel_kind()} has no elements; allowed are {', '.join(self._methods())}"
        )

    def _methods(self):
        return ("load", "store") if self.is_writable else ("sample_lod", "fetch")

    def own_attribute(self, name):
        """The methods that textures have and arrays do not, or None."""
        return TextureMethod(self, name) if name in self._methods() else None

    def point(self, lowering, indices):
        """The four numbers at a point, which may lie outside."""
        emitter = lowering.emitter
        inside = self._is_inside(lowering, indices)
        pairs = zip(indices, self.extents(lowering), strict=True)
        return [
            select(emitter, inside, x, 0.0) for x in self._read(lowering, _clamped(emitter, pairs))
        ]

    def _is_inside(self, lowering, indices):
        found = True
        for index, extent in zip(indices, self.extents(lowering), strict=True):
            one = (index >= 0) & (index < extent)
            found = one if found is True else found & one
        return lowering.emitter.scalar(found)

    def _read(self, lowering, indices):
        """The channels that the format has, as floats, at a point inside."""
        emitter, place = lowering.emitter, self.stored_at(lowering, tuple(indices))
        items = [convert(emitter, x, _DTYPE) for x in place.read().items]
        return [x / float(self.pixels.largest) for x in items] if self.pixels.is_scaled else items

    def whole(self, emitter, channels):
        """A vector of four of the channels."""
        missing = (0.0, 0.0, 0.0, 1.0)[len(channels) :]
        return Tensor((4,), [emitter.scalar(x) for x in channels] + _floats(emitter, missing))


class TextureMethod:
    """texture.name, which a kernel calls."""

    def __init__(self, texture, name):
        self.texture, self.name = texture, name

    def call(self, lowering, args, kwargs):
        return _METHODS[self.name](lowering, [self.texture, *map(read, args)], kwargs)


def _floats(emitter, numbers):
    return [emitter.constant(x, _DTYPE) for x in numbers]


def _clamped(emitter, pairs):
    """Indices moved into their extents."""
    for index, extent in pairs:
        high = arithmetic.binary(emitter, "minimum", index, extent - 1)
        yield arithmetic.binary(emitter, "maximum", high, 0)


def _items(lowering, texture, name, x):
    """The numbers of a position, one for each axis."""
    items = [x] if is_number(x) else lowering.as_tensor(x).items
    if len(items) != len(texture.shape):
        raise KernelTypeError(
            f"{name}: got {describe(x)}, allowed are {len(texture.shape)} numbers, as the texture "
            "has so many axes"
        )
    return items


def _index(lowering, texture, x):
    items = _items(lowering, texture, "index", x)
    for item in items:
        if is_float(lowering.emitter.dtype_of(item)):
            raise KernelTypeError(f"index: got {describe(item)}, allowed are integers")
    return [lowering.emitter.scalar(item) for item in items]


def _fetch(lowering, args, kwargs):
    texture, index, *_ = args
    index = _index(lowering, texture, index)
    return texture.whole(lowering.emitter, texture.point(lowering, index))


def _sample(lowering, args, kwargs):
    """The mean of the points around a position, weighted by how near they are."""
    texture, uv, _ = args
    emitter, axes = lowering.emitter, []
    for x, extent in zip(
        _items(lowering, texture, "uv", uv), texture.extents(lowering), strict=True
    ):
        place = convert(emitter, x, _DTYPE) * convert(emitter, extent, _DTYPE) - 0.5
        low = arithmetic.function(emitter, "floor", math.floor, place)
        right = place - low
        first = emitter.cast(low, emitter.default_ip)
        axes.append(((first % extent, 1.0 - right), ((first + 1) % extent, right)))
    total = None
    for corner in product(*axes):
        weight = math.prod(share for _, share in corner)
        channels = texture._read(lowering, [index for index, _ in corner])
        shares = [x * weight for x in channels]
        total = shares if total is None else [a + b for a, b in zip(total, shares, strict=True)]
    return texture.whole(emitter, total)


def _store(lowering, args, kwargs):
    texture, index, value = args
    emitter, pixels = lowering.emitter, texture.pixels
    items = lowering.as_tensor(value).items
    if len(items) != 4:
        raise KernelTypeError(f"value: got {describe(value)}, allowed are vectors of 4 numbers")
    index = _index(lowering, texture, index)
    with emitter.when(texture._is_inside(lowering, index)):
        place = texture.stored_at(lowering, tuple(index))
        for channel, x in zip(place.items, items, strict=False):
            channel.write(convert(emitter, _in_memory(emitter, pixels, x), texture.dtype))


def _in_memory(emitter, pixels, x):
    """A number as the format has it: 0 to 1 as a whole number."""
    if not pixels.is_scaled:
        return x
    x = convert(emitter, x, _DTYPE)
    x = arithmetic.binary(emitter, "minimum", arithmetic.binary(emitter, "maximum", x, 0.0), 1.0)
    return emitter.instruct(_DTYPE, "floor", x * float(pixels.largest) + 0.5)


def _method(name, parameters, handler):
    return name, binding(name, signature_of(parameters), handler)


_METHODS = dict(
    (
        _method("fetch", "texture, index, lod", _fetch),
        _method("load", "texture, index", _fetch),
        _method("sample_lod", "texture, uv, lod", _sample),
        _method("store", "texture, index, value", _store),
    )
)


@annotated
def _kind(annotation):
    return TextureArgument(annotation) if isinstance(annotation, TextureType) else None
