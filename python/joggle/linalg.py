# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, under the names of the Array API, MLX and NumPy, by the LAPACK of an OpenBLAS.

Matrices are the last two axes; all others are a batch. float32, float64, complex64 and complex128
are computed in their own precision, integers and bools in float32; half precision is refused. Of a
function with several results only those that are still held are computed. A matrix that has no such
result raises LinAlgError where its value is asked for.
"""

from operator import itemgetter as _itemgetter

from joggle import _core
from joggle._core import _LinAlgError as LinAlgError
from joggle._core import cross, kron, matmul, matrix_transpose, tensordot, vecdot
from joggle._integers import integer_of

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
    "tensorinv",
    "tensorsolve",
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
    return _core.linalg_cholesky_solve(b, a, upper, stream=stream)


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
        raise ValueError(
            f'[linalg_qr] mode: got {mode!r}, allowed are "reduced", "complete" and "r"'
        )
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
        raise ValueError(f'[linalg_{name}] UPLO: got {UPLO!r}, allowed are "L" and "U"')
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
    return _core.linalg_pinv(a, _limit(rtol), stream=stream)


def lstsq(a, b, rcond=None, *, stream=None):
    """(solution, residuals, rank, singular_values): x that makes the length of b - a @ x least.

    Of several such x, the shortest. The residuals are squared lengths, one for each column; there
    are none unless a has more rows than columns and full rank, which of a batch is not looked at.

    >>> a = jg.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> jg.linalg.lstsq(a, jg.array([3.0, 4.0, 0.0]))[0]
    array([3., 2.], dtype=float32)
    """
    return LstsqResult(_core.linalg_lstsq(a, b, _limit(rcond), stream=stream))


def matrix_power(a, n, /, *, stream=None):
    """a multiplied with itself n times; of a negative n, the inverse.

    >>> jg.linalg.matrix_power(jg.array([[1.0, 1.0], [0.0, 1.0]]), 5)
    array([[1., 5.],
           [0., 1.]], dtype=float32)
    """
    return _core.linalg_matrix_power(a, n, stream=stream)


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
    return _core.linalg_matrix_rank(a, _limit(tol), _limit(rtol), stream=stream)


def cond(a, p=None, *, stream=None):
    """The condition number by a norm: how much errors may grow. Of a singular matrix infinity.

    >>> jg.linalg.cond(jg.array([[2.0, 0.0], [0.0, 4.0]]))
    array(2., dtype=float32)
    """
    return _core.linalg_cond(a, "2" if p is None else _name("cond", "p", p), stream=stream)


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


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2, stream=None):
    """The length of vectors along one axis or several, all of them if None.

    (sum |x|^ord)^(1/ord); of inf the largest |x|, of -inf the smallest, of 0 how many are not zero.

    >>> jg.linalg.vector_norm(jg.array([3.0, 4.0]))
    array(5., dtype=float32)
    """
    return _core.linalg_vector_norm(x, axis, keepdims, ord, stream=stream)


def matrix_norm(x, /, *, keepdims=False, ord="fro", stream=None):
    """The norm of the matrices of the last two axes.

    "fro" is the root of the sum of squares, "nuc" the sum of the singular values, 2 and -2 the
    largest and the smallest of them, 1 and -1 those of the sums of columns, inf and -inf of rows.

    >>> jg.linalg.matrix_norm(jg.array([[3.0, 0.0], [0.0, 4.0]]))
    array(5., dtype=float32)
    """
    return _core.linalg_matrix_norm(x, keepdims, _name("matrix_norm", "ord", ord), stream=stream)


def norm(a, /, ord=None, axis=None, keepdims=False, *, stream=None):
    """A vector norm along one axis, a matrix norm over two; of None for ord, of all elements.

    >>> jg.linalg.norm(jg.array([3.0, 4.0]))
    array(5., dtype=float32)
    """
    if axis is None and ord is None:
        return vector_norm(a, keepdims=keepdims, stream=stream)
    a = _core.asarray(a)
    axes = tuple(range(a.ndim)) if axis is None else _axes(axis)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"[linalg_norm] ord: got {ord!r}, allowed for one axis is a number")
        return vector_norm(
            a, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord, stream=stream
        )
    if len(axes) != 2:
        raise ValueError(f"[linalg_norm] axis: got {len(axes)} axes, allowed are one and two")
    matrices = _core.moveaxis(a, axes, (-2, -1), stream=stream)
    ord = _name("norm", "ord", "fro" if ord is None else ord)
    result = _core.linalg_matrix_norm(matrices, False, ord, stream=stream)
    if not keepdims:
        return result
    return _core.expand_dims(result, tuple(at % a.ndim for at in axes), stream=stream)


def outer(x1, x2, /, *, stream=None):
    """Every element of the vector x1 times every element of the vector x2.

    >>> jg.linalg.outer(jg.array([1, 2]), jg.array([3, 4]))
    array([[3, 4],
           [6, 8]], dtype=int64)
    """
    for name, x in (("x1", x1), ("x2", x2)):
        ndim = _core.asarray(x, stream=stream).ndim
        if ndim != 1:
            raise ValueError(f"[linalg_outer] {name}: has {ndim} axes, allowed is one")
    return _core.outer(x1, x2, stream=stream)


def multi_dot(arrays, /, *, stream=None):
    """The matrix product of several matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors.

    >>> jg.linalg.multi_dot([jg.ones((2, 3)), jg.ones((3, 4)), jg.ones((4, 1))])
    array([[12.],
           [12.]], dtype=float32)
    """
    return _core.linalg_multi_dot(arrays, stream=stream)


def tensorsolve(a, b, axes=None, *, stream=None):
    """x with tensordot(a, x, x.ndim) = b: a's first axes are b's, its last ones x's.

    axes of a are moved to the end first. Raises LinAlgError if the equations are singular.

    >>> a = jg.reshape(2 * jg.eye(6), (2, 3, 2, 3))
    >>> jg.linalg.tensorsolve(a, jg.ones((2, 3)))
    array([[0.5, 0.5, 0.5],
           [0.5, 0.5, 0.5]], dtype=float32)
    """
    a, b = _core.asarray(a), _core.asarray(b)
    if axes is not None:
        axes = _axes(axes)
        a = _core.moveaxis(a, axes, tuple(range(a.ndim - len(axes), a.ndim)), stream=stream)
    shape = a.shape[b.ndim :]
    if a.shape[: b.ndim] != b.shape or _count(shape) != b.size:
        raise ValueError(
            f"[linalg_tensorsolve] a: has shape {a.shape}, allowed is b's, {b.shape}, and axes of "
            f"as many elements, {b.size}"
        )
    matrix = _core.reshape(a, (b.size, b.size), stream=stream)
    found = solve(matrix, _core.reshape(b, (-1,), stream=stream), stream=stream)
    return _core.reshape(found, shape, stream=stream)


def tensorinv(a, ind=2, *, stream=None):
    """The inverse of a for tensordot over ind axes: a's first ind axes are the result's last.

    Raises LinAlgError if there is none.

    >>> jg.linalg.tensorinv(jg.reshape(2 * jg.eye(6), (2, 3, 6))).shape
    (6, 2, 3)
    """
    if ind < 1:
        raise ValueError(f"[linalg_tensorinv] ind: got {ind}, allowed is 1 and above")
    a = _core.asarray(a)
    rows, columns = a.shape[:ind], a.shape[ind:]
    if _count(rows) != _count(columns):
        raise ValueError(
            f"[linalg_tensorinv] a: has shape {a.shape}, allowed are as many elements in the first "
            f"{ind} axes as in the others"
        )
    matrix = _core.reshape(a, (_count(rows), _count(columns)), stream=stream)
    return _core.reshape(inv(matrix, stream=stream), columns + rows, stream=stream)


def _axes(axis):
    """One axis or several, as a tuple; an integer may be NumPy's."""
    one = integer_of(axis)
    return tuple(axis) if one is None else (one,)


def _count(shape):
    """How many elements an array of that shape has."""
    count = 1
    for extent in shape:
        count *= extent
    return count


def _limit(limit):
    """A limit of singular values as an array, in a dtype that holds it exactly."""
    return None if limit is None else _core.asarray(limit, dtype=_core.float64)


def _name(function, argument, norm):
    """The name of a matrix norm, which may be a number."""
    if isinstance(norm, str):
        return norm
    try:
        return f"{norm:g}"
    except (TypeError, ValueError):
        raise TypeError(
            f"[linalg_{function}] {argument}: got {norm!r}, allowed are names of norms and numbers"
        ) from None
