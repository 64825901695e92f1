# SPDX-License-Identifier: Apache-2.0
"""Arrays put together along the axes that a name or a nesting says."""

from joggle import _core
from joggle._numpy._arguments import leading_ones as _leading_ones
from joggle._numpy._arguments import on_stream as _on_stream


def _arrays(given, name):
    if not isinstance(given, (list, tuple)) and not isinstance(given, _core.array):
        raise TypeError(
            f"[{name}] tup: got {type(given).__name__}, allowed is a sequence of arrays"
        )
    arrays = [_core.asarray(x) for x in given]
    if not arrays:
        raise ValueError(f"[{name}] tup: got none, allowed is one or more")
    return arrays


@_on_stream
def dstack(tup, *, stream=None):
    """The arrays one behind the other, along the third axis; vectors are rows before that.

    dtypes: promoted. shape: that of atleast_3d of each, the third axes added up.
    ValueError for shapes that do not fit.

    >>> jg.dstack([jg.array([1, 2]), jg.array([3, 4])])
    array([[[1, 3],
            [2, 4]]], dtype=int64)
    """
    return _core.concat([_core.atleast_3d(x) for x in _arrays(tup, "dstack")], 2)


@_on_stream
def column_stack(tup, *, stream=None):
    """The arrays side by side, along the second axis; vectors and scalars are columns.

    dtypes: promoted. shape: (n, m) for m columns of n.
    ValueError for shapes that do not fit.

    >>> jg.column_stack([jg.array([1, 2]), jg.array([3, 4])])
    array([[1, 3],
           [2, 4]], dtype=int64)
    """
    arrays = _arrays(tup, "column_stack")
    return _core.concat([_core.reshape(x, (x.size, 1)) if x.ndim < 2 else x for x in arrays], 1)


@_on_stream
def row_stack(tup, *, stream=None):
    """vstack: the arrays one above the other.

    >>> jg.row_stack([jg.array([1, 2]), jg.array([3, 4])])
    array([[1, 2],
           [3, 4]], dtype=int64)
    """
    return _core.vstack(_arrays(tup, "row_stack"))


def _depth(blocks, place="arrays"):
    """How deep lists are nested, which must be the same everywhere."""
    if isinstance(blocks, tuple):
        raise TypeError(f"[block] {place}: got a tuple, allowed are lists and arrays")
    if not isinstance(blocks, list):
        return 0
    depths = {_depth(each, f"{place}[{i}]") for i, each in enumerate(blocks)}
    if len(depths) != 1:
        raise ValueError(f"[block] {place}: got lists of depths {sorted(depths)}, allowed is one")
    return depths.pop() + 1


def _leaves(blocks):
    """The lists with their items converted to arrays."""
    return [_leaves(each) for each in blocks] if isinstance(blocks, list) else _core.asarray(blocks)


def _most_axes(blocks):
    return max(map(_most_axes, blocks)) if isinstance(blocks, list) else blocks.ndim


def _dtypes(blocks):
    """The common dtype of all blocks at once; joined line by line it could be lower."""
    if isinstance(blocks, list):
        return [dtype for each in blocks for dtype in _dtypes(each)]
    return [blocks.dtype]


def _assembled(blocks, ndim, axis, dtype):
    if not isinstance(blocks, list):
        return _leading_ones(blocks.astype(dtype, copy=False), ndim)
    return _core.concat([_assembled(each, ndim, axis + 1, dtype) for each in blocks], axis)


@_on_stream
def block(arrays, *, stream=None):
    """One array of nested lists of blocks: the innermost joined along the last axis, and so on.

    dtypes: promoted. shape: as many axes as the deepest list or the largest array has.
    TypeError for tuples, ValueError for lists of unequal depth and blocks that do not fit.

    >>> jg.block([[jg.ones((1, 1)), jg.zeros((1, 2))], [jg.zeros((1, 3))]])
    array([[1., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    depth = _depth(arrays)
    blocks = _leaves(arrays)
    ndim = max(depth, _most_axes(blocks))
    joined = _assembled(blocks, ndim, ndim - depth, _core.result_type(*_dtypes(blocks)))
    return joined if depth > 0 else _core.copy(joined)


@_on_stream
def append(arr, values, axis=None, *, stream=None):
    """arr with values after it along an axis; without one, both as vectors.

    dtypes: promoted. shape: that of arr, longer along the axis.
    AxisError for axis, ValueError for shapes that do not fit.

    >>> jg.append(jg.array([1, 2]), [[3], [4]])
    array([1, 2, 3, 4], dtype=int64)
    """
    return _core.concat([_core.asarray(arr), _core.asarray(values)], axis)
