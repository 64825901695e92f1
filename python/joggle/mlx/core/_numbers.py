# SPDX-License-Identifier: Apache-2.0
"""Functions whose meaning, and not only the dtype of whose results, is another in MLX."""

import joggle
from joggle import _core
from joggle.mlx.core._functions import multiply, sum

__all__ = ["meshgrid", "sign", "topk", "unique", "vecdot"]

_OF_UNIQUE = (_core.uint32, _core.uint32, _core.int32)  # index, inverse and counts
_sign = _core._narrowed(_core.sign, "kept", None)


def sign(a, /, *, stream=None):
    """-1, 0 or 1; 0 for NaN and for False, 1 for True. A complex number over its absolute value.

    >>> mx.sign(mx.array([-2.0, mx.nan]))
    array([-1.,  0.], dtype=float32)
    """
    x = _core.asarray(a, stream=stream) if isinstance(a, _core.array) else a
    if isinstance(x, bool) or (isinstance(x, _core.array) and x.dtype == _core.bool):
        return _core.astype(x, _core.bool, stream=stream)
    found = _sign(x, stream=stream)
    if not _core.isdtype(found.dtype, "real floating"):
        return found
    return _core.where(_core.isnan(found, stream=stream), 0, found, stream=stream)


def topk(a, /, k, axis=-1, *, stream=None):
    """The k largest elements along an axis, in ascending order; of all elements without one.

    >>> mx.topk(mx.array([1, 4, 2, 3]), 2)
    array([3, 4], dtype=int32)
    """
    a = _core.asarray(a, stream=stream)
    if axis is None:
        a, axis = _core.flatten(a, stream=stream), 0
    return _core.flip(_core.topk(a, k, axis, stream=stream), axis, stream=stream)


def meshgrid(*arrays, sparse=False, indexing="xy", stream=None):
    """Coordinates of a grid over vectors; what has other axes is taken as one vector.

    >>> [x.shape for x in mx.meshgrid(mx.array([1, 2]), mx.array([1, 2, 3]))]
    [(3, 2), (3, 2)]
    """
    lines = [_core.reshape(x, (-1,), stream=stream) for x in arrays]
    return joggle.meshgrid(*lines, sparse=sparse, indexing=indexing, stream=stream)


def unique(
    a,
    /,
    size,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    fill_value=None,
    *,
    stream=None,
):
    """The distinct elements of a in ascending order: size of them, the last repeated or fill_value.

    On request also, in this order, the index of the first of each and where each element of a is
    among them, as uint32, and how often each occurs, as int32.

    >>> mx.unique(mx.array([3, 1, 3]), 2)
    array([1, 3], dtype=int32)
    """
    asked = (return_index, return_inverse, return_counts)
    found = joggle.unique(a, size, *asked, fill_value=fill_value, stream=stream)
    if not any(asked):
        return found
    dtypes = [None] + [t for t, wanted in zip(_OF_UNIQUE, asked, strict=True) if wanted]
    return tuple(
        x if t is None else _core.astype(x, t, copy=False, stream=stream)
        for x, t in zip(found, dtypes, strict=True)
    )


def vecdot(a, b, /, *, axis=-1, stream=None):
    """The sum of the products along an axis; of the conjugate of a where it is complex.

    >>> mx.vecdot(mx.array([1, 2]), mx.array([3, 4]))
    array(11, dtype=int32)
    """
    product = multiply(a, b, stream=stream)
    if _core.isdtype(product.dtype, ("bool", "integral")):
        return sum(product, axis, stream=stream)
    a = _core.astype(a, product.dtype, copy=False, stream=stream)
    b = _core.astype(b, product.dtype, copy=False, stream=stream)
    return _core.vecdot(a, b, axis=axis, stream=stream)
