# SPDX-License-Identifier: Apache-2.0
"""Cases of factors and solutions. Factors are not unique: what is tested is what they are of."""

import choices as st
import numpy as np
from drawing import EPSILON, Case, flag, kind, near, numbers, shapes

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "bool"]


def stack(draw, square=True, most=5):
    """Matrices whose inverses are tame: the diagonal is heavy."""
    dtype = draw(st.sampled_from(DTYPES))
    lead = shapes(draw, max_ndim=2, most=2)
    n = draw(st.integers(0, most))
    m = n if square else draw(st.integers(0, most))
    a = numbers(draw, dtype, (*lead, n, m), (-2, 2))
    heavy = np.eye(n, m) * (9 if a.dtype != bool else 1)
    return (a * (a.dtype != bool) + heavy).astype(a.dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def computed(a):
    """What the op sees: integers as float32, in double precision."""
    return a.astype("c16" if a.dtype.kind == "c" else "f8")


def in_floats(a, dtype):
    return a.astype(dtype if dtype.kind in "fc" else "f4")


def square(draw):
    return (stack(draw),), {}


def any_shape(draw):
    return (stack(draw, square=False),), {}


def hermitian(draw):
    a = stack(draw)
    b = computed(a)
    return ((b + adjoint(b)).astype(a.dtype if a.dtype.kind in "fc" else "f4"),), {
        "upper": flag(draw)
    }


def triangular(draw):
    a, upper = stack(draw), flag(draw)
    return (np.triu(a) if upper else np.tril(a),), {"upper": upper}


def right_side(draw, a):
    """A vector, or columns, for each matrix or for all."""
    shape = a.shape[:-1]
    if flag(draw):
        return numbers(draw, a.dtype.name, shape[-1:], (-2, 2))
    shape = (*shape, draw(st.integers(0, 3)))
    return numbers(draw, a.dtype.name, shape, (-2, 2))


def solution(draw):
    a = stack(draw)
    return (a, right_side(draw, a)), {}


def solve(a, b, **named):
    a, b = computed(a), computed(b)
    if b.ndim == 1:
        return np.linalg.solve(a, b[:, None])[..., 0]
    return np.linalg.solve(a, b)


def triangular_solution(draw):
    (a,), named = triangular(draw)
    return (a, right_side(draw, a)), named


def product_is(*order):
    """The product of some of the results is the matrix."""

    def check(results, args, named):
        product = results[order[0]]
        for place in order[1:]:
            product = product @ results[place]
        near(product, computed(args[0]).astype(product.dtype), 256)

    return check


def is_cholesky(results, args, named):
    (factor,), a = results, computed(args[0])
    upper = named["upper"]
    near(factor, np.triu(factor) if upper else np.tril(factor), 0)
    near(adjoint(factor) @ factor if upper else factor @ adjoint(factor), a, 256)


def is_lu(results, args, named):
    order, lower, upper = results
    a = computed(args[0])
    rows = np.take_along_axis(a, order[..., None].astype("i8"), -2)
    near(lower @ upper, rows.astype(lower.dtype), 256)


def is_lu_factor(results, args, named):
    packed, pivots = results
    near(packed, np.triu(packed) + np.tril(packed, -1), 0)
    assert pivots.shape == (*packed.shape[:-2], min(packed.shape[-2:]))


def is_svd(results, args, named):
    u, s, v = results
    k = s.shape[-1]
    near((u[..., :k] * s[..., None, :]) @ v[..., :k, :], computed(args[0]).astype(u.dtype), 256)
    assert (np.diff(s) <= 0).all() and (s >= 0).all()


def is_eigen(results, args, named):
    values, vectors = results
    a = computed(args[0])
    near((a @ vectors).astype(vectors.dtype), vectors * values[..., None, :], 512)


def are_eigenvalues(results, args, named):
    """Each makes the matrix all but singular, and they add up to the trace. Not those of NumPy: the
    eigenvalues of a matrix that has one twice are far more sensitive than its rounding errors."""
    a = computed(args[0])
    found = results[0].astype("c16")
    if found.size == 0:
        return
    size = np.linalg.norm(a, 2, axis=(-2, -1))[..., None] + 1
    near(found.sum(-1).astype(results[0].dtype), np.trace(a, axis1=-2, axis2=-1), 512)
    shifted = a[..., None, :, :] - found[..., None, None] * np.eye(a.shape[-1])
    least = np.linalg.svd(shifted, compute_uv=False)[..., -1]
    assert (least <= 256 * EPSILON[results[0].dtype.name] * size).all()


def real_of(a, n):
    return {"complex64": "float32", "complex128": "float64", "float64": "float64"}.get(
        a[0].dtype.name, "float32"
    )


def complex_of(a, n):
    return "complex128" if a[0].dtype.name in ("float64", "complex128") else "complex64"


def parts(*functions):
    return lambda a, n: [function(a, n) for function in functions]


def own(a, n):
    return a[0].dtype.name if kind(a[0].dtype.name) in "fc" else "float32"


def inverse(a, **named):
    return np.linalg.inv(computed(a))


def qr(draw):
    return (stack(draw, square=False),), {"complete": flag(draw)}


def svd(draw):
    return (stack(draw, square=False),), {"full_matrices": flag(draw)}


def uint32(a, n):
    return "uint32"


def positive(draw):
    a = stack(draw, most=4)
    b = computed(a)
    n = a.shape[-1]
    return ((b @ adjoint(b) + np.eye(n)).astype(a.dtype if a.dtype.kind in "fc" else "f4"),), {
        "upper": flag(draw)
    }


def gram_inverse(a, upper):
    a = computed(a)
    return np.linalg.inv(adjoint(a) @ a if upper else a @ adjoint(a))


def factor_of(draw):
    (a,), named = positive(draw)
    lower = np.linalg.cholesky(a)
    return (adjoint(lower) if named["upper"] else lower,), named


CASES = {
    "linalg_cholesky": Case(positive, check=is_cholesky, dtype=own),
    "linalg_cholesky_inv": Case(factor_of, gram_inverse, dtype=own, ulps=512),
    "linalg_tri_inv": Case(triangular, inverse, dtype=own, ulps=256),
    "linalg_inv": Case(square, inverse, dtype=own, ulps=256),
    "linalg_solve": Case(solution, solve, dtype=own, ulps=256),
    "linalg_solve_triangular": Case(triangular_solution, solve, dtype=own, ulps=256),
    "linalg_det": Case(square, lambda a: np.linalg.det(computed(a)), dtype=own, ulps=256),
    "linalg_slogdet": Case(
        square, lambda a: tuple(np.linalg.slogdet(computed(a))), dtype=parts(own, real_of), ulps=256
    ),
    "linalg_lu": Case(any_shape, check=is_lu, dtype=parts(uint32, own, own)),
    "linalg_lu_factor": Case(any_shape, check=is_lu_factor, dtype=parts(own, uint32)),
    "linalg_qr": Case(qr, check=product_is(0, 1), dtype=own),
    "linalg_svd": Case(svd, check=is_svd, dtype=parts(own, real_of, own)),
    "linalg_svdvals": Case(
        any_shape, lambda a: np.linalg.svd(computed(a), compute_uv=False), dtype=real_of, ulps=256
    ),
    "linalg_eigh": Case(hermitian, check=is_eigen, dtype=parts(real_of, own)),
    "linalg_eigvalsh": Case(
        hermitian, lambda a, upper: np.linalg.eigvalsh(computed(a)), dtype=real_of, ulps=256
    ),
    "linalg_eig": Case(square, check=is_eigen, dtype=complex_of),
    "linalg_eigvals": Case(square, check=are_eigenvalues, dtype=complex_of),
}
