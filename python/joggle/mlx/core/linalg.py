# SPDX-License-Identifier: Apache-2.0
"""mlx.core.linalg: joggle's, with MLX's parameters."""

from joggle import _core
from joggle.linalg import (
    cholesky,
    cholesky_inv,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lu,
    lu_factor,
    norm,
    pinv,
    qr,
    slogdet,
    solve,
    solve_triangular,
    tri_inv,
)
from joggle.linalg import svd as _svd
from joggle.linalg import svdvals as _svdvals

__all__ = [
    "cholesky",
    "cholesky_inv",
    "cross",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lu",
    "lu_factor",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "tri_inv",
]


def svd(a, compute_uv=True, *, stream=None):
    """U, S and Vt with a = U @ diag(S) @ Vt, U and Vt square; S alone without compute_uv.

    >>> mx.linalg.svd(mx.eye(2), compute_uv=False)
    array([1., 1.], dtype=float32)
    """
    return tuple(_svd(a, stream=stream)) if compute_uv else _svdvals(a, stream=stream)


def cross(a, b, axis=-1, *, stream=None):
    """The cross product of vectors of three numbers, or of two, whose third is 0.

    >>> mx.linalg.cross(mx.array([1, 0, 0]), mx.array([0, 1, 0]))
    array([0, 0, 1], dtype=int32)
    """
    a, b = (_core.asarray(x, stream=stream) for x in (a, b))
    extents = a.shape[axis], b.shape[axis]
    if extents == (2, 2):
        x, y = _ends(a, axis, stream), _ends(b, axis, stream)
        return _core.subtract(x[0] * y[1], x[1] * y[0], stream=stream)
    a, b = (_of_three(x, axis, stream) for x in (a, b))
    return _core.cross(a, b, axis=axis, stream=stream)


def _ends(x, axis, stream):
    return _core.unstack(x, axis=axis, stream=stream)


def _of_three(x, axis, stream):
    if x.shape[axis] != 2:
        return x
    sides = [(0, 0)] * x.ndim
    sides[axis] = (0, 1)
    return _core.pad(x, sides, stream=stream)
