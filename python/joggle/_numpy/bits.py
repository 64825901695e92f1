# SPDX-License-Identifier: Apache-2.0
"""Bits packed into bytes, and taken out of them: eight at a time, as the bytes of one word."""

from joggle import _core
from joggle._numpy._arguments import axis_of as _axis_of
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of

# In words of eight bytes, the first byte lowest: the lowest bit of each, and all but the highest.
_ONES, _LOW = 0x0101010101010101, 0x7F7F7F7F7F7F7F7F
# Byte k has one bit, 7 - k or k. A product with the other order moves bit 8 k of a word to that bit
# of its highest byte, without a carry.
_BITS = {"big": 0x0102040810204080, "little": 0x8040201008040201}
_PRODUCTS = {"big": _BITS["little"], "little": _BITS["big"]}


def _word_of(words, order, name):
    _one_of(order, tuple(words), name, "bitorder")
    return words[order]


def _ones_of(words):
    """1 in each byte that is not 0."""
    carried = _core.bitwise_or(_core.add(_core.bitwise_and(words, _LOW), _LOW), words)
    return _core.bitwise_and(_core.right_shift(carried, 7), _ONES)


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
    product = _word_of(_PRODUCTS, bitorder, "packbits")
    rows, axis = _along_last(a, axis, "packbits")
    if rows.dtype.itemsize > 1:
        rows = _core.not_equal(rows, 0)
    if missing := -rows.shape[-1] % 8:
        rows = _core.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
    words = _core.multiply(_ones_of(_core.bitcast(rows, _core.uint64)), product)
    packed = _core.right_shift(words, 56).astype(_core.uint8)
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
    places = _word_of(_BITS, bitorder, "unpackbits")
    rows, axis = _along_last(a, axis, "unpackbits")
    extent = rows.shape[-1] * 8
    copies = _core.multiply(rows.astype(_core.uint64), _ONES)
    bits = _core.bitcast(_ones_of(_core.bitwise_and(copies, places)), _core.uint8)
    wanted = extent if count is None else count if count >= 0 else extent + count
    if wanted < 0:
        raise ValueError(f"[unpackbits] count: got {count}, allowed is {-extent} and above")
    if wanted > extent:
        bits = _core.pad(bits, [(0, 0)] * (rows.ndim - 1) + [(0, wanted - extent)])
    return _core.moveaxis(bits[..., :wanted], -1, axis)
