# SPDX-License-Identifier: Apache-2.0
"""Bits packed into bytes, and taken out of them."""

from joggle import _core
from joggle._numpy._arguments import axis_of as _axis_of
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of


def _places(bitorder, name):
    """How far each of the eight bits is shifted."""
    _one_of(bitorder, ("big", "little"), name, "bitorder")
    places = list(range(8))
    return _core.asarray(places[::-1] if bitorder == "big" else places, dtype=_core.uint8)


def _along_last(a, axis, name):
    """a with the axis as its last one, and the axis; without one, a vector of all elements."""
    if axis is None:
        return _core.ravel(a), 0
    axis = _axis_of(axis, a.ndim, name)
    return _core.moveaxis(a, axis, -1), axis


@_on_stream
def packbits(a, /, axis=None, bitorder="big", *, stream=None):
    """Bytes of eight elements along an axis each, whose bits say which of them are not zero.

    bitorder "big" begins with the highest bit, "little" with the lowest; the last byte is filled up
    with zeros. Without an axis, a is a vector of all elements. dtypes: uint8 of bool and integers.
    TypeError for others, AxisError for axis, ValueError for bitorder.

    >>> jg.packbits([1, 0, 1])
    array([160], dtype=uint8)
    """
    a = _core.asarray(a)
    if not _core.isdtype(a.dtype, ("bool", "integral")):
        raise TypeError(f"[packbits] a: got {a.dtype.name}, allowed are bool and integers")
    places = _places(bitorder, "packbits")
    rows, axis = _along_last(a, axis, "packbits")
    count = -(-rows.shape[-1] // 8)
    padding = [(0, 0)] * (rows.ndim - 1) + [(0, count * 8 - rows.shape[-1])]
    bits = _core.pad(_core.not_equal(rows, 0).astype(_core.uint8, copy=False), padding)
    bits = _core.left_shift(_core.reshape(bits, (*rows.shape[:-1], count, 8)), places)
    packed = _core.sum(bits, axis=-1, dtype=_core.uint8)
    return _core.moveaxis(packed, -1, axis)


@_on_stream
def unpackbits(a, /, axis=None, count=None, bitorder="big", *, stream=None):
    """The bits of bytes as elements 0 and 1, eight for each byte along an axis.

    count is how many along the axis are wanted, the rest filled up with zeros; a negative one is
    how many are left out at the end. Without an axis, a is a vector of all elements. dtypes: uint8.
    TypeError for others, AxisError for axis, ValueError for bitorder.

    >>> jg.unpackbits(jg.array([160], dtype=jg.uint8))
    array([1, 0, 1, 0, 0, 0, 0, 0], dtype=uint8)
    """
    a = _core.asarray(a)
    if a.dtype != _core.uint8:
        raise TypeError(f"[unpackbits] a: got {a.dtype.name}, allowed is uint8")
    places = _places(bitorder, "unpackbits")
    rows, axis = _along_last(a, axis, "unpackbits")
    extent = rows.shape[-1] * 8
    bits = _core.bitwise_and(_core.right_shift(rows[..., None], places), 1)
    bits = _core.reshape(bits, (*rows.shape[:-1], extent))
    wanted = extent if count is None else count if count >= 0 else extent + count
    if wanted < 0:
        raise ValueError(f"[unpackbits] count: got {count}, allowed is {-extent} and above")
    if wanted > extent:
        bits = _core.pad(bits, [(0, 0)] * (rows.ndim - 1) + [(0, wanted - extent)])
    return _core.moveaxis(bits[..., :wanted], -1, axis)
