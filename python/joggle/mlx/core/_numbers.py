# SPDX-License-Identifier: Apache-2.0
"""Functions whose meaning, and not only the dtype of whose results, is another in MLX."""

import joggle
from joggle import _core
from joggle.mlx.core import _functions
from joggle.mlx.core._functions import multiply, sum

__all__ = [
    *("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "can_cast", "divmod"),
    *("meshgrid", "quantize", "sign", "topk", "unique", "vecdot"),
]

_OF_UNIQUE = (_core.uint32, _core.uint32, _core.int32)  # index, inverse and counts
_sign, _quantize = (_core._narrowed(f, "kept", None) for f in (_core.sign, _core.quantize))


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


def broadcast_arrays(*arrays, stream=None):
    """A list of the arrays, repeated without a copy to the shape that they have together.

    >>> [x.shape for x in mx.broadcast_arrays(mx.ones(2), mx.ones((3, 1)))]
    [(3, 2), (3, 2)]
    """
    return list(_functions.broadcast_arrays(*arrays, stream=stream))


def _listed(found):
    return list(found) if isinstance(found, tuple) else found


def atleast_1d(*arrays, stream=None):
    """The array with one axis if it has none; of several arrays the list.

    >>> mx.atleast_1d(mx.array(3)).shape
    (1,)
    """
    return _listed(_functions.atleast_1d(*arrays, stream=stream))


def atleast_2d(*arrays, stream=None):
    """The array with axes of extent 1 before its own, up to two; of several arrays the list.

    >>> mx.atleast_2d(mx.array([1, 2])).shape
    (1, 2)
    """
    return _listed(_functions.atleast_2d(*arrays, stream=stream))


def atleast_3d(*arrays, stream=None):
    """The array with axes of extent 1 beside its own, up to three; of several arrays the list.

    >>> mx.atleast_3d(mx.array([1, 2])).shape
    (1, 2, 1)
    """
    return _listed(_functions.atleast_3d(*arrays, stream=stream))


def can_cast(from_, to):
    """Whether what is of the one dtype, or an array of it, promotes to the other with it.

    >>> mx.can_cast(mx.int32, to=mx.float32)
    True
    """
    return _core.can_cast(from_, to)


def divmod(a, b, /, *, stream=None):
    """The list of floor_divide(a, b) and remainder(a, b).

    >>> mx.divmod(mx.array(7), 2)
    [array(3, dtype=int32), array(1, dtype=int32)]
    """
    return list(_functions.divmod(a, b, stream=stream))


def quantize(w, /, group_size=None, bits=None, mode="affine", *, global_scale=None, stream=None):
    """The list of words of codes of a few bits, a scale for each group of them, and in affine mode
    a bias.

    >>> [part.shape for part in mx.quantize(mx.ones((2, 64)), group_size=64, bits=4)]
    [(2, 8), (2, 1), (2, 1)]
    """
    settings = {"mode": mode, "global_scale": global_scale, "stream": stream}
    return list(_quantize(w, group_size, bits, **settings))


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
