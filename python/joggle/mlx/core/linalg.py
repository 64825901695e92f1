# SPDX-License-Identifier: Apache-2.0
"""mlx.core.linalg: joggle's, with MLX's parameters."""

from joggle import _core, linalg

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


def _refusing(*names):
    """The functions of joggle.linalg, with errors that are also of MLX's kinds."""
    return [_core._narrowed(getattr(linalg, name), "kept", None) for name in names]


cholesky, cholesky_inv, eig, eigh, eigvals, eigvalsh, inv = _refusing(
    "cholesky", "cholesky_inv", "eig", "eigh", "eigvals", "eigvalsh", "inv"
)
lu, lu_factor, norm, pinv, qr, solve, solve_triangular, tri_inv = _refusing(
    "lu", "lu_factor", "norm", "pinv", "qr", "solve", "solve_triangular", "tri_inv"
)
_det, _slogdet, _svd, _svdvals = _refusing("det", "slogdet", "svd", "svdvals")


def _widened(a, stream):
    """The array that a determinant is computed of, and the dtype of the result."""
    a = _core.asarray(a, stream=stream)
    is_half = a.dtype in (_core.float16, _core.bfloat16)
    return (_core.astype(a, _core.float32, stream=stream) if is_half else a), a.dtype


def svd(a, compute_uv=True, *, stream=None):
    """U, S and Vt with a = U @ diag(S) @ Vt, U and Vt square; S alone without compute_uv.

    >>> mx.linalg.svd(mx.eye(2), compute_uv=False)
    array([1., 1.], dtype=float32)
    """
    return tuple(_svd(a, stream=stream)) if compute_uv else _svdvals(a, stream=stream)


def det(a, *, stream=None):
    """The determinant; of halves a half, computed in float32.

    >>> mx.linalg.det(mx.array([[2.0, 0.0], [0.0, 4.0]]))
    array(8., dtype=float32)
    """
    a, dtype = _widened(a, stream)
    return _core.astype(_det(a, stream=stream), dtype, copy=False, stream=stream)


def slogdet(a, *, stream=None):
    """(sign, logabsdet) with det(a) = sign * exp(logabsdet); of a singular matrix 0 and -inf.

    >>> mx.linalg.slogdet(mx.array([[2.0, 0.0], [0.0, -4.0]]))[0]
    array(-1., dtype=float32)
    """
    a, dtype = _widened(a, stream)
    found = _slogdet(a, stream=stream)
    if a.dtype == dtype:
        return found
    return type(found)(_core.astype(part, dtype, stream=stream) for part in found)


def cross(a, b, axis=-1, *, stream=None):
    """The cross product of vectors of three numbers, or of two, whose third is 0.

    >>> mx.linalg.cross(mx.array([1, 0, 0]), mx.array([0, 1, 0]))
    array([0, 0, 1], dtype=int32)
    """
    a, b = (_core.asarray(x, stream=stream) for x in (a, b))
    a, b = (_of_three(x, axis, stream) for x in (a, b))
    return _core.cross(a, b, axis=axis, stream=stream)


def _of_three(x, axis, stream):
    if x.shape[axis] != 2:
        return x
    sides = [(0, 0)] * x.ndim
    sides[axis] = (0, 1)
    return _core.pad(x, sides, stream=stream)
