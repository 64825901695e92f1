# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices: they multiply to what they came from, over dtypes, batches and layouts, and
what NumPy and SciPy determine uniquely is what they have."""

import numpy as np
import pytest
import scipy.linalg
from matrices import (
    DTYPES,
    SHAPES,
    adjoint,
    close,
    hermitian,
    identity_like,
    layouts,
    random,
    real_of,
)

import joggle as jg
from joggle import fields

SQUARE = [shape for shape in SHAPES if shape[-1] == shape[-2]]
each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
each_square = pytest.mark.parametrize("shape", SQUARE, ids=str)


@each_dtype
@each_square
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_gives_a_triangle_with_the_product(dtype, shape, upper):
    root = random(shape, dtype)
    a = root @ adjoint(root) + shape[-1] * np.eye(shape[-1], dtype=dtype)
    for x in layouts(a):
        factor = np.asarray(jg.linalg.cholesky(x, upper=upper))
        assert factor.dtype == dtype
        close(adjoint(factor) @ factor if upper else factor @ adjoint(factor), a)
        assert np.array_equal(factor, np.triu(factor) if upper else np.tril(factor))
    inverse = jg.linalg.cholesky_inv(factor, upper=upper)
    close(np.asarray(inverse) @ a, identity_like(a), 100)
    close(jg.linalg.cholesky_solve(root, factor, upper=upper), np.linalg.solve(a, root), 100)
    row = np.ones(shape[-1], dtype)
    solved = np.linalg.solve(a, np.broadcast_to(row[:, None], (*shape[:-1], 1)))[..., 0]
    close(jg.linalg.cholesky_solve(row, factor, upper=upper), solved, 100)


@each_dtype
@each_shape
def test_qr_multiplies_to_the_matrix_with_orthonormal_columns(dtype, shape):
    a = random(shape, dtype)
    for x in layouts(a):
        for mode, columns in (("reduced", min(shape[-2:])), ("complete", shape[-2])):
            q, r = jg.linalg.qr(x, mode)
            assert q.shape == (*shape[:-1], columns)
            assert r.shape == (*shape[:-2], columns, shape[-1])
            q, r = np.asarray(q), np.asarray(r)
            close(q @ r, a)
            inner = adjoint(q) @ q
            close(inner, identity_like(inner))
            assert np.array_equal(r, np.triu(r)) and q.dtype == r.dtype == dtype
        close(jg.linalg.qr(x, "r"), r[..., : min(shape[-2:]), :])


@each_dtype
@each_shape
@pytest.mark.parametrize("full", [False, True])
def test_svd_multiplies_to_the_matrix(dtype, shape, full):
    a = random(shape, dtype)
    expected = np.linalg.svd(a, full_matrices=full)
    for x in layouts(a):
        result = jg.linalg.svd(x, full_matrices=full)
        assert [part.shape for part in result] == [part.shape for part in expected]
        u, s, vh = (np.asarray(part) for part in result)
        assert u.dtype == vh.dtype == dtype and s.dtype == real_of(dtype)
        close(s, expected.S)
        k = s.shape[-1]
        close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a)
        for inner in (adjoint(u) @ u, vh @ adjoint(vh)):
            close(inner, identity_like(inner))
        close(jg.linalg.svdvals(x), expected.S)
        close(jg.linalg.svd(x, compute_uv=False), expected.S)


@each_dtype
@each_square
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh_reads_one_triangle_and_ascends(dtype, shape, triangle):
    a = hermitian(shape, dtype)
    other = np.triu(random(shape, dtype), 1)
    spoilt = a + (other if triangle == "L" else adjoint(other))
    for x in layouts(spoilt):
        w, v = jg.linalg.eigh(x, triangle)
        assert w.dtype == jg.dtype(real_of(dtype)) and v.dtype == jg.dtype(dtype)
        w, v = np.asarray(w), np.asarray(v)
        close(w, np.linalg.eigvalsh(a))
        close(a @ v, v * w[..., None, :], 10)
        close(jg.linalg.eigvalsh(x, triangle), w)


@each_dtype
@each_square
def test_eig_gives_complex_pairs(dtype, shape):
    a = random(shape, dtype)
    for x in layouts(a):
        w, v = (np.asarray(part) for part in jg.linalg.eig(x))
        assert w.dtype == v.dtype == np.result_type(dtype, np.complex64)
        close(a.astype(w.dtype) @ v, v * w[..., None, :], 20)
        close(np.sort_complex(w), np.sort_complex(np.linalg.eigvals(a).astype(w.dtype)), 100)
        close(np.sort_complex(np.asarray(jg.linalg.eigvals(x))), np.sort_complex(w), 100)


@each_dtype
@each_shape
def test_lu_multiplies_to_the_rows_in_their_order(dtype, shape):
    a = random(shape, dtype)
    for x in layouts(a):
        p, lower, upper = (np.asarray(part) for part in jg.linalg.lu(x))
        close(np.take_along_axis(lower, p[..., None].astype(int), -2) @ upper, a)
        assert np.array_equal(lower, np.tril(lower)) and np.array_equal(upper, np.triu(upper))
        assert p.dtype == np.uint32 and lower.dtype == upper.dtype == dtype
    if len(shape) == 2 and 0 not in shape:
        factors, pivots = jg.linalg.lu_factor(a)
        expected = scipy.linalg.lu_factor(a)
        close(factors, expected[0])
        assert np.array_equal(np.asarray(pivots), expected[1])


def test_results_have_names():
    a = jg.array(np.eye(3))
    assert jg.linalg.qr(a).Q.shape == jg.linalg.svd(a).Vh.shape == (3, 3)
    assert jg.linalg.eigh(a).eigenvalues.tolist() == [1, 1, 1]
    assert jg.linalg.slogdet(a).logabsdet.item() == 0
    assert repr(jg.linalg.slogdet(a)).startswith("SlogdetResult(sign=")


def test_evaluating_one_factor_computes_the_others():
    u, s, vh = jg.linalg.svd(jg.array(random((5, 4), np.float32)))
    s.wait()
    assert u.status == vh.status == "available"
    q, r = jg.linalg.qr(jg.array(random((5, 4), np.float32)))
    del q
    assert len(jg.explain(r).splitlines()) == 2


EMPTY = [(0, 0), (3, 0, 0), (0, 4, 4), (0, 3), (3, 0), (2, 0, 3)]


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_empty_matrices_have_empty_factors(shape):
    a = np.zeros(shape, np.float32)
    for mode in ("reduced", "complete"):
        for mine, theirs in zip(jg.linalg.qr(a, mode), np.linalg.qr(a, mode), strict=True):
            close(mine, theirs)
    for mine, theirs in zip(jg.linalg.svd(a), np.linalg.svd(a), strict=True):
        close(mine, theirs)
    if shape[-1] == shape[-2]:
        close(jg.linalg.eigh(a).eigenvectors, np.linalg.eigh(a).eigenvectors)
        close(jg.linalg.cholesky(a), np.linalg.cholesky(a))
        close(jg.linalg.inv(a), np.linalg.inv(a))
        close(jg.linalg.det(a), np.linalg.det(a))
        close(jg.linalg.slogdet(a)[1], np.linalg.slogdet(a)[1])


def test_factors_of_a_field_are_those_from_before_it_was_written():
    field = fields.field(fields.f32, shape=(3, 3))
    field.from_numpy(np.diag([1, 2, 4]).astype(np.float32))
    u, s, vh = jg.linalg.svd(jg.asarray(field))
    del u
    field.fill(0)  # computes what is pending, and all that is held of it
    assert s.tolist() == [4, 2, 1]
    assert vh.status == "available" and abs(vh[0, 2].item()) == 1
