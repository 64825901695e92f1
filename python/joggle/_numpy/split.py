# SPDX-License-Identifier: Apache-2.0
"""Parts of an array along the axis that a name says."""

from joggle import _core


def _split(x, parts, axis, least, name, stream):
    x = _core.asarray(x, stream=stream)
    if x.ndim < least:
        raise ValueError(f"[{name}] ary: has {x.ndim} axes, allowed are {least} and more")
    return _core.split(x, parts, axis, stream=stream)


def hsplit(ary, indices_or_sections, *, stream=None):
    """Parts of ary side by side: along the second axis, of a vector along its only one.

    As many equal parts as the number says, or parts that begin at the indices given.
    ValueError for a scalar, and for parts that are not equal.

    >>> jg.hsplit(jg.array([[1, 2], [3, 4]]), 2)[1]
    array([[2],
           [4]], dtype=int64)
    """
    ary = _core.asarray(ary, stream=stream)
    return _split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1, 1, "hsplit", stream)


def vsplit(ary, indices_or_sections, *, stream=None):
    """Parts of ary one above the other: along the first of two or more axes; else as hsplit.

    >>> jg.vsplit(jg.array([[1, 2], [3, 4]]), 2)[1]
    array([[3, 4]], dtype=int64)
    """
    return _split(ary, indices_or_sections, 0, 2, "vsplit", stream)


def dsplit(ary, indices_or_sections, *, stream=None):
    """Parts of ary one behind the other: along the third of three or more axes; else as hsplit.

    >>> jg.dsplit(jg.array([[[1, 2]]]), 2)[1]
    array([[[2]]], dtype=int64)
    """
    return _split(ary, indices_or_sections, 2, 3, "dsplit", stream)
