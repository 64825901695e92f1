# SPDX-License-Identifier: Apache-2.0
"""Cases of norms, ranks, pseudo-inverses, and products of several matrices."""

import itertools

import choices as st
import numpy as np
from case_linalg import adjoint, computed, factor_of, own, real_of, right_side, stack
from drawing import Case, array_of, axes_of, flag, numbers, shapes
from elementwise import result_dtype

KINDS = ["fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"]
DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "bool"]


def whole(draw):
    """Matrices that are not empty."""
    a = stack(draw, square=flag(draw))
    return a if a.size else np.eye(3, dtype=a.dtype)


def matrix(draw):
    return (whole(draw),), {}


def factored(draw):
    (a,), named = factor_of(draw)
    b = right_side(draw, a)
    return (b[:, None] if b.ndim == 1 and a.ndim > 2 else b, a), named


def factored_solution(b, a, upper):
    whole = adjoint(a) @ a if upper else a @ adjoint(a)
    return np.linalg.solve(whole, b[:, None])[..., 0] if b.ndim == 1 else np.linalg.solve(whole, b)


def least_squares(draw):
    a = whole(draw)
    a = a.reshape(-1, *a.shape[-2:])[0]
    return (a, numbers(draw, a.dtype.name, (a.shape[0], draw(st.integers(1, 3))))), {}


def is_least(results, args, named):
    a, b = (computed(x) for x in args)
    expected, _, rank, values = np.linalg.lstsq(a, b, rcond=None)
    np.testing.assert_allclose(results[0], expected, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(results[3], values, rtol=1e-4, atol=1e-4)
    assert results[2] == rank


def condition(draw):
    (a,), _ = matrix(draw)
    return (a, draw(st.sampled_from(["2", "-2"]))), {}


def lengths(draw):
    a = array_of(draw, DTYPES, least=1)
    named = {"axis": axes_of(draw, a.ndim), "keepdims": flag(draw)}
    return (a,), named | {"ord": draw(st.sampled_from([1.0, 2.0, 3.0, 0.0, np.inf, -np.inf]))}


def length(a, axis, keepdims, ord):
    a = np.abs(a * 1.0)
    how = {"axis": axis, "keepdims": keepdims}
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(a, **how)
    if ord == 0:
        return np.sum(a != 0, **how) * 1.0
    return np.sum(a**ord, **how) ** (1 / ord)


def normed(draw):
    (a,), _ = matrix(draw)
    return (a,), {"keepdims": flag(draw), "ord": draw(st.sampled_from(KINDS))}


def matrix_norm(a, keepdims, ord):
    kind = ord if ord in ("fro", "nuc") else float(ord)
    return np.linalg.matrix_norm(computed(a), keepdims=keepdims, ord=kind)


def powered(draw):
    a = stack(draw, most=4)
    a = a.astype("f4") if a.dtype == bool else a
    return (a, draw(st.integers(0, 3))), {}


def chain(draw):
    extents = shapes(draw, 3, 5, least=1)
    dtype = draw(st.sampled_from(DTYPES[:5]))
    pairs = itertools.pairwise(extents)
    return ([numbers(draw, dtype, pair, (-2, 2)) for pair in pairs],), {}


def real_of_phase(args, named):
    return result_dtype("phase", args[0].dtype.name)


def parts_of_least(args, named):
    return [own(args, named), real_of(args, named), "int64", real_of(args, named)]


CASES = {
    "linalg_cholesky_solve": Case(
        factored, factored_solution, dtype=lambda a, n: a[1].dtype.name, ulps=512
    ),
    "linalg_pinv": Case(matrix, lambda a: np.linalg.pinv(computed(a)), dtype=own, ulps=512),
    "linalg_lstsq": Case(least_squares, check=is_least, dtype=parts_of_least),
    "linalg_matrix_rank": Case(matrix, lambda a: np.linalg.matrix_rank(computed(a)), dtype="int64"),
    "linalg_cond": Case(
        condition, lambda a, p: np.linalg.cond(computed(a), int(p)), dtype=real_of, ulps=4096
    ),
    "linalg_vector_norm": Case(lengths, length, dtype=real_of_phase, ulps=64),
    "linalg_matrix_norm": Case(normed, matrix_norm, dtype=real_of_phase, ulps=256),
    "linalg_matrix_power": Case(
        powered,
        lambda a, n: np.linalg.matrix_power(a, n),
        dtype=lambda a, n: a[0].dtype.name,
        ulps=512,
    ),
    "linalg_multi_dot": Case(
        chain,
        lambda arrays: np.linalg.multi_dot(arrays),
        dtype=lambda a, n: a[0][0].dtype.name,
        ulps=512,
    ),
}
