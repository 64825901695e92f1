# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, under the names of the Array API, MLX and NumPy, by the LAPACK of an OpenBLAS.

Matrices are the last two axes; all others are a batch. float32, float64, complex64 and complex128
are computed in their own precision, integers and bools in float32; half precision is refused. Of a
function with several results only those that are still held are computed. A matrix that has no such
result raises LinAlgError where its value is asked for.
"""

from operator import itemgetter as _itemgetter

from joggle import _core
from joggle._chain import product_of as _chain
from joggle._core import _LinAlgError as LinAlgError
from joggle._core import cross, kron, matmul, matrix_transpose, tensordot, vecdot

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_inv",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "kron",
    "lstsq",
    "lu",
    "lu_factor",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "tri_inv",
    "vecdot",
    "vector_norm",
]


def _result(name, *fields):
    """A tuple whose items have names, as namedtuple makes it, which takes long to load."""

    def show(self):
        items = ", ".join(f"{field}={item!r}" for field, item in zip(fields, self, strict=True))
        return f"{name}({items})"

    members = {field: property(_itemgetter(at)) for at, field in enumerate(fields)}
    members |= {"__slots__": (), "__module__": __name__, "__repr__": show, "_fields": fields}
    return type(name, (tuple,), members)


EighResult = _result("EighResult", "eigenvalues", "eigenvectors")
EigResult = _result("EigResult", "eigenvalues", "eigenvectors")
LstsqResult = _result("LstsqResult", "solution", "residuals", "rank", "singular_values")
QRResult = _result("QRResult", "Q", "R")
SlogdetResult = _result("SlogdetResult", "sign", "logabsdet")
SVDResult = _result("SVDResult", "U", "S", "Vh")


# ---- factors ----


def cholesky(a, upper=False, *, stream=None):
    """The triangle L with a = L @ L^H, or U with a = U^H @ U; of a only that triangle is read.

    Raises LinAlgError if a is not positive definite.

    >>> jg.linalg.cholesky(jg.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return _core.linalg_cholesky(a, upper, stream=stream)


def cholesky_inv(a, upper=False, *, stream=None):
    """The inverse of the matrix whose Cholesky factor a is.

    >>> jg.linalg.cholesky_inv(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[ 0.25  , -0.    ],
           [-0.    ,  0.0625]], dtype=float32)
    """
    return _core.linalg_cholesky_inv(a, upper, stream=stream)


def cholesky_solve(b, a, upper=False, *, stream=None):
    """x with A @ x = b, where a is the Cholesky factor of A.

    >>> jg.linalg.cholesky_solve(jg.array([[4.0], [16.0]]), jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[1.],
           [1.]], dtype=float32)
    """
    with _on(stream):
        b = _core.asarray(b)
        conjugate = _core.conj(_core.matrix_transpose(a))
        first, second = (conjugate, a) if upper else (a, conjugate)
        half = _core.linalg_solve_triangular(first, b, False)
        return _core.linalg_solve_triangular(second, half, True)


def lu(a, *, stream=None):
    """(p, L, U) with a = L[p, :] @ U: the order of the rows, and the triangles.

    >>> len(jg.linalg.lu(jg.eye(3)))
    3
    """
    return _core.linalg_lu(a, stream=stream)


def lu_factor(a, *, stream=None):
    """(LU, pivots): both triangles in one matrix, and the row, from 0, exchanged with each.

    >>> jg.linalg.lu_factor(jg.eye(2))[0]
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return _core.linalg_lu_factor(a, stream=stream)


def qr(a, mode="reduced", *, stream=None):
    """(Q, R) with a = Q @ R, Q with orthonormal columns and R upper triangular.

    Of an M by N matrix, "reduced" gives K = min(M, N) columns of Q, "complete" all M; "r" R alone.

    >>> [part.shape for part in jg.linalg.qr(jg.ones((3, 2)))]
    [(3, 2), (2, 2)]
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f'[qr] mode: got {mode!r}, allowed are "reduced", "complete" and "r"')
    result = QRResult(_core.linalg_qr(a, mode == "complete", stream=stream))
    return result.R if mode == "r" else result


def svd(a, full_matrices=True, compute_uv=True, *, stream=None):
    """(U, S, Vh) with a = U @ diag(S) @ Vh, S from the largest down; without compute_uv S alone.

    Of an M by N matrix, U has M columns and Vh N rows, or min(M, N) without full_matrices.

    >>> jg.linalg.svd(jg.array([[3.0, 0.0], [0.0, 4.0]]))[1]
    array([4., 3.], dtype=float32)
    """
    if not compute_uv:
        return _core.linalg_svdvals(a, stream=stream)
    return SVDResult(_core.linalg_svd(a, full_matrices, stream=stream))


def svdvals(a, *, stream=None):
    """The singular values, from the largest down.

    >>> jg.linalg.svdvals(jg.array([[3.0, 0.0], [0.0, 4.0]]))
    array([4., 3.], dtype=float32)
    """
    return _core.linalg_svdvals(a, stream=stream)


def _is_upper(name, UPLO):
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f'[{name}] UPLO: got {UPLO!r}, allowed are "L" and "U"')
    return UPLO in ("U", "u")


def eigh(a, UPLO="L", *, stream=None):
    """(eigenvalues, eigenvectors) of a Hermitian matrix, of which one triangle is read.

    The values ascend; column i of the vectors belongs to value i.

    >>> jg.linalg.eigh(jg.array([[2.0, 0.0], [0.0, 1.0]]))[0]
    array([1., 2.], dtype=float32)
    """
    return EighResult(_core.linalg_eigh(a, _is_upper("eigh", UPLO), stream=stream))


def eigvalsh(a, UPLO="L", *, stream=None):
    """The eigenvalues of a Hermitian matrix, ascending.

    >>> jg.linalg.eigvalsh(jg.array([[2.0, 0.0], [0.0, 1.0]]))
    array([1., 2.], dtype=float32)
    """
    return _core.linalg_eigvalsh(a, _is_upper("eigvalsh", UPLO), stream=stream)


def eig(a, *, stream=None):
    """(eigenvalues, eigenvectors) of a square matrix, complex also where all are real.

    >>> jg.linalg.eig(jg.array([[2.0, 0.0], [0.0, 1.0]]))[0]
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    return EigResult(_core.linalg_eig(a, stream=stream))


def eigvals(a, *, stream=None):
    """The eigenvalues of a square matrix, complex also where all are real.

    >>> jg.linalg.eigvals(jg.array([[2.0, 0.0], [0.0, 1.0]]))
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    return _core.linalg_eigvals(a, stream=stream)


# ---- solutions and inverses ----


def solve(a, b, *, stream=None):
    """x with a @ x = b. A vector b is one column; other axes are broadcast.

    >>> jg.linalg.solve(jg.array([[2.0, 0.0], [0.0, 4.0]]), jg.array([2.0, 8.0]))
    array([1., 2.], dtype=float32)
    """
    return _core.linalg_solve(a, b, stream=stream)


def solve_triangular(a, b, *, upper=False, unit_diagonal=False, stream=None):
    """x with a @ x = b, where only one triangle of a is read, and perhaps not its diagonal.

    >>> jg.linalg.solve_triangular(jg.array([[2.0, 0.0], [0.0, 4.0]]), jg.array([2.0, 8.0]))
    array([1., 2.], dtype=float32)
    """
    return _core.linalg_solve_triangular(a, b, upper, unit_diagonal, stream=stream)


def inv(a, *, stream=None):
    """The inverse of a square matrix. Raises LinAlgError if it is singular.

    >>> jg.linalg.inv(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    return _core.linalg_inv(a, stream=stream)


def tri_inv(a, upper=False, *, stream=None):
    """The inverse of a triangular matrix, of which only the triangle is read.

    >>> jg.linalg.tri_inv(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[ 0.5 ,  0.  ],
           [-0.  ,  0.25]], dtype=float32)
    """
    return _core.linalg_tri_inv(a, upper, stream=stream)


def pinv(a, rtol=None, *, stream=None):
    """The pseudo-inverse; singular values of at most rtol times the largest count as zero.

    rtol is a number or an array over the batch, max(M, N) times the dtype's epsilon unless given.

    >>> jg.linalg.pinv(jg.array([[2.0, 0.0], [0.0, 4.0]])).shape
    (2, 2)
    """
    with _on(stream):
        u, s, vh = _core.linalg_svd(_floating(a), False)
        weights = _inverse_values(s, _cutoff(s, vh.shape[-1], u.shape[-2], rtol))
        return _core.matmul(_adjoint(vh) * weights[..., None, :], _adjoint(u))


def lstsq(a, b, rcond=None, *, stream=None):
    """(solution, residuals, rank, singular_values): x that makes the length of b - a @ x least.

    Of several such x, the shortest. The residuals are squared lengths, one for each column; there
    are none unless a has more rows than columns and full rank, which of a batch is not looked at.

    >>> a = jg.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> jg.linalg.lstsq(a, jg.array([3.0, 4.0, 0.0]))[0]
    array([3., 2.], dtype=float32)
    """
    with _on(stream):
        a, b = _floating(a), _floating(b)
        rows, columns = a.shape[-2:]
        right = b[..., None] if b.ndim == 1 else b
        u, s, vh = _core.linalg_svd(a, False)
        cutoff = _cutoff(s, rows, columns, rcond)
        weights = _inverse_values(s, cutoff)[..., None]
        solution = _core.matmul(_adjoint(vh), weights * _core.matmul(_adjoint(u), right))
        rank = _core.sum(s > cutoff, axis=-1)
        missed = right - _core.matmul(a, solution)
        residuals = _core.sum(_core.square(_core.abs(missed)), axis=-2)
        if rows <= columns or (a.ndim == 2 and int(rank) < columns):
            residuals = residuals[..., :0]
        if b.ndim == 1:
            solution = solution[..., 0]
        return LstsqResult((solution, residuals, rank, s))


def matrix_power(a, n, /, *, stream=None):
    """a multiplied with itself n times; of a negative n, the inverse.

    >>> jg.linalg.matrix_power(jg.array([[1.0, 1.0], [0.0, 1.0]]), 5)
    array([[1., 5.],
           [0., 1.]], dtype=float32)
    """
    if not isinstance(n, int):
        raise TypeError(f"[matrix_power] n: got {n!r}, allowed is an int")
    with _on(stream):
        a = _core.linalg_inv(a) if n < 0 else _square("matrix_power", a)
        power, n = None, abs(n)
        while n > 0:
            if n & 1:
                power = a if power is None else _core.matmul(power, a)
            n >>= 1
            if n > 0:
                a = _core.matmul(a, a)
        if power is None:
            power = _core.broadcast_to(_core.eye(a.shape[-1], dtype=a.dtype), a.shape)
        return power


# ---- numbers of a matrix ----


def det(a, *, stream=None):
    """The determinant.

    >>> jg.linalg.det(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array(8., dtype=float32)
    """
    return _core.linalg_det(a, stream=stream)


def slogdet(a, *, stream=None):
    """(sign, logabsdet) with det(a) = sign * exp(logabsdet); of a singular matrix 0 and -inf.

    >>> jg.linalg.slogdet(jg.array([[2.0, 0.0], [0.0, -4.0]])).sign
    array(-1., dtype=float32)
    """
    return SlogdetResult(_core.linalg_slogdet(a, stream=stream))


def matrix_rank(a, tol=None, *, rtol=None, stream=None):
    """How many singular values are above tol, or above rtol times the largest.

    >>> jg.linalg.matrix_rank(jg.ones((3, 3)))
    array(1, dtype=int64)
    """
    with _on(stream):
        a = _floating(a)
        if a.ndim < 2:
            return _core.astype(_core.any(a != 0), _core.int64)
        s = _core.linalg_svdvals(a)
        if tol is None:
            return _core.sum(s > _cutoff(s, *a.shape[-2:], rtol), axis=-1)
        tol = _core.asarray(tol, dtype=s.dtype)
        return _core.sum(s > (tol[..., None] if tol.ndim else tol), axis=-1)


def cond(a, p=None, *, stream=None):
    """The condition number by a norm: how much errors may grow. Of a singular matrix infinity.

    >>> jg.linalg.cond(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array(2., dtype=float32)
    """
    with _on(stream):
        a = _floating(a)
        if p is None or p in (2, -2):
            s = _core.linalg_svdvals(a)
            ratio = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        else:
            inverse = _core.linalg_inv(a, True)
            ratio = matrix_norm(a, ord=p) * matrix_norm(inverse, ord=p)
        known = _core.logical_or(
            _core.logical_not(_core.isnan(ratio)), _core.any(_core.isnan(a), axis=(-2, -1))
        )
        return _core.where(known, ratio, _core.asarray(float("inf"), dtype=ratio.dtype))


def trace(x, /, *, offset=0, dtype=None, stream=None):
    """The sum of the diagonal of the last two axes.

    >>> jg.linalg.trace(jg.array([[1, 2], [3, 4]]))
    array(5, dtype=int64)
    """
    return _core.trace(x, offset, -2, -1, dtype, stream=stream)


def diagonal(x, /, *, offset=0, stream=None):
    """The diagonal of the last two axes.

    >>> jg.linalg.diagonal(jg.array([[1, 2], [3, 4]]))
    array([1, 4], dtype=int64)
    """
    return _core.diagonal(x, offset, -2, -1, stream=stream)


# ---- norms ----


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2, stream=None):
    """The length of vectors along one axis or several, all of them if None.

    (sum |x|^ord)^(1/ord); of inf the largest |x|, of -inf the smallest, of 0 how many are not zero.

    >>> jg.linalg.vector_norm(jg.array([3.0, 4.0]))
    array(5., dtype=float32)
    """
    with _on(stream):
        return _vector_norm(_floating(x, half=True), axis, keepdims, ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro", stream=None):
    """The norm of the matrices of the last two axes.

    "fro" is the root of the sum of squares, "nuc" the sum of the singular values, 2 and -2 the
    largest and the smallest of them, 1 and -1 those of the sums of columns, inf and -inf of rows.

    >>> jg.linalg.matrix_norm(jg.array([[3.0, 0.0], [0.0, 4.0]]))
    array(5., dtype=float32)
    """
    with _on(stream):
        x = _floating(x, half=True)
        if x.ndim < 2:
            raise ValueError(f"[matrix_norm] x: has {x.ndim} axes, allowed are two or more")
        return _matrix_norm(x, keepdims, ord)


def norm(a, /, ord=None, axis=None, keepdims=False, *, stream=None):
    """A vector norm along one axis, a matrix norm over two; of None for ord, of all elements.

    >>> jg.linalg.norm(jg.array([3.0, 4.0]))
    array(5., dtype=float32)
    """
    with _on(stream):
        a = _floating(a, half=True)
        if axis is None:
            if ord is None:
                return _vector_norm(a, None, keepdims, 2)
            axis = tuple(range(a.ndim))
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
        if len(axes) == 1:
            return _vector_norm(a, axes, keepdims, 2 if ord is None else ord)
        if len(axes) != 2:
            raise ValueError(f"[norm] axis: got {len(axes)} axes, allowed are one and two")
        result = _matrix_norm(_core.moveaxis(a, axes, (-2, -1)), False, ord or "fro")
        return _core.expand_dims(result, tuple(at % a.ndim for at in axes)) if keepdims else result


def _vector_norm(x, axis, keepdims, ord):
    size = _core.abs(x)
    if ord == 2:
        return _core.sqrt(_core.sum(_core.square(size), axis=axis, keepdims=keepdims))
    if ord == 1:
        return _core.sum(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return _core.sum(_core.astype(x != 0, size.dtype), axis=axis, keepdims=keepdims)
    if ord in (_INFINITY, -_INFINITY):
        extremum = _core.max if ord > 0 else _core.min
        return extremum(size, axis=axis, keepdims=keepdims)
    if isinstance(ord, (int, float)):
        return _core.pow(_core.sum(size**ord, axis=axis, keepdims=keepdims), 1 / ord)
    raise ValueError(f"[vector_norm] ord: got {ord!r}, allowed are numbers")


def _matrix_norm(x, keepdims, ord):
    if ord == "fro":
        return _vector_norm(x, (-2, -1), keepdims, 2)
    if ord in ("nuc", 2, -2):
        reduce = {"nuc": _core.sum, 2: _core.max, -2: _core.min}[ord]
        result = reduce(_core.linalg_svdvals(x), axis=-1)
        return _core.expand_dims(result, (-2, -1)) if keepdims else result
    if ord in (1, -1, _INFINITY, -_INFINITY):
        along, across = (-2, -1) if ord in (1, -1) else (-1, -2)
        sums = _core.sum(_core.abs(x), axis=along, keepdims=True)
        result = (_core.max if ord > 0 else _core.min)(sums, axis=across, keepdims=True)
        return result if keepdims else _core.squeeze(result, (-2, -1))
    raise ValueError(
        f'[matrix_norm] ord: got {ord!r}, allowed are "fro", "nuc", 1, -1, 2, -2, inf and -inf'
    )


# ---- products ----


def outer(x1, x2, /, *, stream=None):
    """Every element of the vector x1 times every element of the vector x2.

    >>> jg.linalg.outer(jg.array([1, 2]), jg.array([3, 4]))
    array([[3, 4],
           [6, 8]], dtype=int64)
    """
    for name, x in (("x1", x1), ("x2", x2)):
        if len(_core.asarray(x).shape) != 1:
            raise ValueError(f"[outer] {name}: has {_core.asarray(x).ndim} axes, allowed is one")
    return _core.outer(x1, x2, stream=stream)


def multi_dot(arrays, /, *, stream=None):
    """The matrix product of several matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors.

    >>> jg.linalg.multi_dot([jg.ones((2, 3)), jg.ones((3, 4)), jg.ones((4, 1))])
    array([[12.],
           [12.]], dtype=float32)
    """
    arrays = [_core.asarray(array) for array in arrays]
    if len(arrays) < 2:
        raise ValueError(f"[multi_dot] arrays: got {len(arrays)}, allowed are two or more")
    with _on(stream):
        first, last = arrays[0].ndim == 1, arrays[-1].ndim == 1
        arrays[0] = arrays[0][None, :] if first else arrays[0]
        arrays[-1] = arrays[-1][:, None] if last else arrays[-1]
        for at, array in enumerate(arrays):
            if array.ndim != 2:
                raise ValueError(
                    f"[multi_dot] arrays[{at}]: has {array.ndim} axes, allowed are two"
                )
        product = _chain(arrays)
        dropped = (0,) * first + (-1,) * last
        return _core.squeeze(product, dropped) if dropped else product


# ---- what several of them need ----

_INFINITY = float("inf")
_EPSILON = {_core.float32: 2.0**-23, _core.float64: 2.0**-52}
_HALF = (_core.float16, _core.bfloat16)
_FLOATING = (*_HALF, _core.float32, _core.float64, _core.complex64, _core.complex128)


class _Nothing:
    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None


def _on(stream):
    return _Nothing() if stream is None else _core.stream(stream)


def _floating(x, half=False):
    """x as an array of a dtype that is computed on: integers and bools become float32."""
    x = _core.asarray(x)
    if x.dtype in _HALF and not half:
        raise TypeError(f"a: got {x.dtype}, allowed are float32, float64, complex64 and complex128")
    return x if x.dtype in _FLOATING else _core.astype(x, _core.float32)


def _square(name, a):
    a = _core.asarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"[{name}] a: has the shape {a.shape}, allowed are square matrices")
    return a


def _adjoint(x):
    return _core.conj(_core.matrix_transpose(x))


def _cutoff(s, rows, columns, rtol):
    """The singular value that counts as zero, with an axis of extent 1 for the values."""
    if s.shape[-1] == 0:
        return _core.zeros((*s.shape[:-1], 1), dtype=s.dtype)
    if rtol is None:
        rtol = max(rows, columns) * _EPSILON[s.dtype]
    rtol = _core.asarray(rtol, dtype=s.dtype)
    return _core.max(s, axis=-1, keepdims=True) * (rtol[..., None] if rtol.ndim else rtol)


def _inverse_values(s, cutoff):
    """1 / s, and 0 where s counts as zero."""
    zero = _core.asarray(0, dtype=s.dtype)
    return _core.where(s > cutoff, _core.reciprocal(s), zero)
