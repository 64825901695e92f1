# SPDX-License-Identifier: Apache-2.0
"""Products of vectors, matrices and stacks of them, by NumPy's rules for axes."""

from joggle import _core
from joggle._numpy._arguments import on_stream


@on_stream
def dot(a, b, *, stream=None):
    """The sum of products over a's last axis and b's last but one, its only one for a vector.

    A number multiplies; two vectors give their inner product, two matrices the matrix product.

    dtypes: promoted; bool is refused.
    shape: a's other axes, then b's.
    raises: TypeError, ValueError for shapes that do not fit.

    >>> jg.dot(jg.array([[1, 2], [3, 4]]), jg.array([1, 1]))
    array([3, 7], dtype=int64)
    """
    a, b = _core.asarray(a), _core.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _core.multiply(a, b)
    over = b.ndim - 2 if b.ndim > 1 else 0
    if a.shape[-1] != b.shape[over]:
        raise ValueError(
            f"[dot] b: has {b.shape[over]} elements along axis {over}, allowed are {a.shape[-1]}"
        )
    if a.ndim <= 2 and b.ndim <= 2:
        return _core.matmul(a, b)
    return _core.tensordot(a, b, axes=((a.ndim - 1,), (over,)))


@on_stream
def vdot(a, b, /, *, stream=None):
    """The sum of products of a's elements, conjugated, and b's, in row-major order.

    dtypes: promoted; bool is refused.
    shape: ().
    raises: TypeError, ValueError for different numbers of elements.

    >>> jg.vdot(jg.array([1 + 2j]), jg.array([3.0]))
    array(3.-6.j, dtype=complex64)
    """
    a, b = _core.ravel(_core.asarray(a)), _core.ravel(_core.asarray(b))
    if a.size != b.size:
        raise ValueError(f"[vdot] b: has {b.size} elements, allowed are {a.size}")
    return _core.vecdot(a, b)


def _check(name, matrices, vectors, of_matrix, of_vector, axis):
    if matrices.ndim < 2 or vectors.ndim < 1:
        raise ValueError(
            f"[{name}] {of_matrix}: has {matrices.ndim} axes, {of_vector} {vectors.ndim}, allowed "
            f"are 2 and more, 1 and more"
        )
    if matrices.shape[axis] != vectors.shape[-1]:
        raise ValueError(
            f"[{name}] {of_vector}: has {vectors.shape[-1]} elements along its last axis, allowed "
            f"are {matrices.shape[axis]}"
        )


@on_stream
def matvec(x1, x2, /, *, stream=None):
    """Matrices, x1's last two axes, times vectors, x2's last; the other axes broadcast.

    dtypes: promoted; bool is refused.
    shape: the broadcast axes, then the rows of x1.
    raises: TypeError, ValueError for shapes that do not fit.

    >>> jg.matvec(jg.array([[1, 2], [3, 4]]), jg.array([[1, 0], [0, 1]]))
    array([[1, 3],
           [2, 4]], dtype=int64)
    """
    x1, x2 = _core.asarray(x1), _core.asarray(x2)
    _check("matvec", x1, x2, "x1", "x2", -1)
    return _core.matmul(x1, x2[..., None])[..., 0]


@on_stream
def vecmat(x1, x2, /, *, stream=None):
    """Vectors, x1's last axis, conjugated, times matrices, x2's last two; the others broadcast.

    dtypes: promoted; bool is refused.
    shape: the broadcast axes, then the columns of x2.
    raises: TypeError, ValueError for shapes that do not fit.

    >>> jg.vecmat(jg.array([1, 1]), jg.array([[1, 2], [3, 4]]))
    array([4, 6], dtype=int64)
    """
    x1, x2 = _core.asarray(x1), _core.asarray(x2)
    _check("vecmat", x2, x1, "x2", "x1", -2)
    return _core.matmul(_core.conj(x1)[..., None, :], x2)[..., 0, :]
