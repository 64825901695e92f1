# SPDX-License-Identifier: Apache-2.0
"""Solutions, inverses and determinants, as NumPy and SciPy have them; small matrices, which have
loops of their own, and larger ones, which LAPACK computes."""

import numpy as np
import pytest
import scipy.linalg
from matrices import DTYPES, close, layouts, random

import joggle as jg

SQUARE = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (3, 2, 3, 3), (2, 20, 20), (64, 64)]
each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_square = pytest.mark.parametrize("shape", SQUARE, ids=str)


def regular(shape, dtype):
    return random(shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)


@each_dtype
@each_square
def test_inverses_and_determinants_are_numpys(dtype, shape):
    a = regular(shape, dtype)
    for x in layouts(a):
        close(jg.linalg.inv(x), np.linalg.inv(a), 20)
        determinant = np.asarray(jg.linalg.det(x))
        assert determinant.dtype == dtype
        bound = 1e3 * np.finfo(dtype).eps
        np.testing.assert_allclose(determinant, np.linalg.det(a), rtol=bound)
        sign, logarithm = jg.linalg.slogdet(x)
        expected = np.linalg.slogdet(a)
        close(sign, expected.sign, 10)
        close(logarithm, expected.logabsdet, 10)


@each_dtype
@each_square
def test_solutions_are_numpys(dtype, shape):
    a, n = regular(shape, dtype), shape[-1]
    for columns in (1, 3):
        b = random((*shape[:-1], columns), dtype, 1)
        for x, y in zip(layouts(a), layouts(b), strict=True):
            close(jg.linalg.solve(x, y), np.linalg.solve(a, b), 20)
    vector = random((n,), dtype, 2)
    expected = np.linalg.solve(a, np.broadcast_to(vector[:, None], (*shape[:-1], 1)))[..., 0]
    close(jg.linalg.solve(a, vector), expected, 20)


@each_dtype
def test_solve_broadcasts_both_sides(dtype):
    a, b = regular((3, 1, 5, 5), dtype), random((4, 5, 2), dtype)
    close(jg.linalg.solve(a, b), np.linalg.solve(a, b), 20)
    close(jg.linalg.solve(a[0, 0], b), np.linalg.solve(a[0, 0], b), 20)


@each_dtype
@pytest.mark.parametrize("upper", [False, True])
def test_triangles_are_solved_and_inverted(dtype, upper):
    a = random((2, 9, 9), dtype) / 4 + 2 * np.eye(9, dtype=dtype)
    triangle = np.triu(a) if upper else np.tril(a)
    for columns in (1, 4):
        b = random((2, 9, columns), dtype, 1)
        for x, y in zip(layouts(a), layouts(b), strict=True):
            close(jg.linalg.solve_triangular(x, y, upper=upper), np.linalg.solve(triangle, b), 20)
    for x in layouts(a):
        close(jg.linalg.tri_inv(x, upper=upper), np.linalg.inv(triangle), 20)
    expected = scipy.linalg.solve_triangular(a[0], b[0], lower=not upper, unit_diagonal=True)
    close(jg.linalg.solve_triangular(a[0], b[0], upper=upper, unit_diagonal=True), expected, 50)


@each_dtype
def test_pinv_and_lstsq_are_numpys(dtype):
    for shape in ((6, 4), (4, 6), (5, 5)):
        a, b = random(shape, dtype), random((shape[0], 2), dtype, 1)
        close(jg.linalg.pinv(a), np.linalg.pinv(a), 20)
        mine, theirs = jg.linalg.lstsq(a, b), np.linalg.lstsq(a, b, rcond=None)
        close(mine[0], theirs[0], 20)
        close(mine[1], theirs[1], 20)
        assert int(mine.rank) == theirs[2]
        close(mine.singular_values, theirs[3])
        close(jg.linalg.lstsq(a, b[:, 0]).solution, np.linalg.lstsq(a, b[:, 0], rcond=None)[0], 20)
    deficient = np.ones((4, 3), dtype)
    close(jg.linalg.pinv(deficient), np.linalg.pinv(deficient))
    close(jg.linalg.pinv(np.stack([deficient, deficient]), rtol=[0.1, 2.0])[1], 0 * deficient.T)
    assert jg.linalg.lstsq(deficient, deficient).residuals.shape == (0,)


@pytest.mark.parametrize("n", [3, 4, 16])
def test_large_batches_are_shared_by_threads(n):
    a = regular((3000, n, n), np.float32) + 2 * n * np.eye(n, dtype=np.float32)
    close(jg.linalg.inv(a), np.linalg.inv(a), 50)
    close(jg.linalg.det(a), np.linalg.det(a), 50)
    b = random((3000, n, 1), np.float32, 1)
    close(jg.linalg.solve(a, b), np.linalg.solve(a, b), 50)


def test_integers_and_bools_are_computed_in_float32():
    a = jg.array([[2, 1], [1, 3]])
    assert jg.linalg.inv(a).dtype == jg.float32
    close(jg.linalg.det(a), np.float32(5))
    close(jg.linalg.det([[True, False], [True, True]]), np.float32(1))


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5, 8])
def test_matrix_power_is_numpys(n):
    a = regular((2, 3, 3), np.float64)
    close(jg.linalg.matrix_power(a, n), np.linalg.matrix_power(a, n), 50)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 16, 17, 31, 32, 33])
def test_every_number_of_rows_solves_inverts_and_factors(dtype, n):
    a = regular((5, n, n), dtype) + n * np.eye(n, dtype=dtype)
    b = random((5, n, 33), dtype, 1)
    for columns in (1, 5, 32, 33):
        close(jg.linalg.solve(a, b[..., :columns]), np.linalg.solve(a, b[..., :columns]), 5)
    close(jg.linalg.inv(a[:, ::-1, ::-1]), np.linalg.inv(a[:, ::-1, ::-1]), 5)
    np.testing.assert_allclose(jg.linalg.slogdet(a[:, ::-1])[1], np.linalg.slogdet(a)[1], 1e-4)
    q, r = (np.asarray(part) for part in jg.linalg.qr(a))
    close(q @ r, a)
    symmetric = a @ np.swapaxes(a, -1, -2)
    factor = np.asarray(jg.linalg.cholesky(symmetric, upper=True))
    close(np.swapaxes(factor, -1, -2) @ factor, symmetric)


def test_small_matrices_of_extreme_numbers_have_logarithms_and_directions():
    for scale in (1e-30, 1e30):
        a = (np.eye(5) * scale).astype(np.float32)
        sign, logarithm = jg.linalg.slogdet(a)
        assert sign.item() == 1
        assert logarithm.item() == pytest.approx(5 * np.log(scale), rel=1e-5)
        q, r = jg.linalg.qr((np.ones((3, 2)) * scale).astype(np.float32))
        assert np.all(np.isfinite(np.asarray(q)))
        close(np.asarray(q @ r) / np.float32(scale), np.ones((3, 2), np.float32))
    q, r = jg.linalg.qr(np.array([[1e-200], [1e-200]]))
    assert r.item() == pytest.approx(-(2**0.5) * 1e-200)
