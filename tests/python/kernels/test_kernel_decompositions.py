# SPDX-License-Identifier: Apache-2.0
"""svd, polar_decompose, eig and sym_eig of small matrices."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def matrices(n):
    """Ordinary, reflecting, symmetric, rank-deficient, diagonal and zero matrices."""
    ordinary = np.random.default_rng(n).normal(size=(3, n, n))
    rank_one = np.outer(np.arange(1, n + 1), np.arange(n, 0, -1)).astype(float)
    return [
        *ordinary,
        -ordinary[0],
        rank_one,
        np.diag(np.arange(n) - 1.0),
        np.zeros((n, n)),
        np.eye(n),
    ]


@pytest.mark.parametrize("n", [2, 3])
def test_svd_gives_rotations_and_singular_values(n):
    matrix = qd.types.matrix(n, n, qd.f64)

    @qd.kernel
    def function(a: matrix) -> tuple[matrix, matrix, matrix]:
        u, s, v = qd.svd(a)
        return u, s, v

    for a in matrices(n):
        u, s, v = (x.to_numpy() for x in function(a))
        np.testing.assert_allclose(u @ s @ v.T, a, atol=1e-12)
        np.testing.assert_allclose(u @ u.T, np.eye(n), atol=1e-12)
        np.testing.assert_allclose(v @ v.T, np.eye(n), atol=1e-12)
        assert np.linalg.det(v) == pytest.approx(1)
        np.testing.assert_allclose(np.abs(np.diag(s)), np.linalg.svd(a)[1], atol=1e-12)


@pytest.mark.parametrize("n", [2, 3])
def test_polar_decomposition_gives_a_frame_and_a_symmetric_matrix(n):
    matrix = qd.types.matrix(n, n, qd.f64)

    @qd.kernel
    def function(a: matrix) -> tuple[matrix, matrix]:
        r, s = qd.polar_decompose(a)
        return r, s

    for a in matrices(n):
        r, s = (x.to_numpy() for x in function(a))
        np.testing.assert_allclose(r @ s, a, atol=1e-12)
        np.testing.assert_allclose(r @ r.T, np.eye(n), atol=1e-12)
        np.testing.assert_allclose(s, s.T, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3])
def test_symmetric_eigenvalues_ascend(n):
    matrix, vector = qd.types.matrix(n, n, qd.f64), qd.types.vector(n, qd.f64)

    @qd.kernel
    def function(a: matrix) -> tuple[vector, matrix]:
        values, vectors = qd.sym_eig(a)
        return values, vectors

    for a in matrices(n):
        a = a + a.T
        values, vectors = (x.to_numpy() for x in function(a))
        np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-12)
        np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, a, atol=1e-12)


def test_eigenvalues_of_2_by_2_matrices_may_be_complex():
    matrix = qd.types.matrix(2, 2, qd.f64)

    @qd.kernel
    def function(a: matrix) -> tuple[matrix, qd.types.matrix(4, 2, qd.f64)]:
        values, vectors = qd.eig(a)
        return values, vectors

    for a in [
        *matrices(2),
        np.array([[0.0, -1.0], [1.0, 0.0]]),
        np.array([[1.0, 2.0], [0.0, 3.0]]),
    ]:
        values, vectors = (x.to_numpy() for x in function(a))
        for i in range(2):
            value = complex(*values[i])
            vector = vectors[0::2, i] + 1j * vectors[1::2, i]
            np.testing.assert_allclose(a @ vector, value * vector, atol=1e-12)
            assert np.linalg.norm(vector) == pytest.approx(1)


def test_float32_keeps_its_precision():
    @qd.kernel
    def function(a: qd.types.matrix(3, 3, qd.f32)) -> qd.types.matrix(3, 3, qd.f32):
        u, s, v = qd.svd(a)
        return u @ s @ v.transpose()

    a = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    np.testing.assert_allclose(function(a).to_numpy(), a, atol=2e-6)


def test_other_shapes_are_refused():
    @qd.kernel
    def function(a: qd.types.matrix(2, 3, qd.f32)) -> qd.f32:
        return qd.svd(a)[1][0, 0]

    with pytest.raises(TypeError, match="svd: got a 2 by 3 matrix, allowed are 2 by 2 and 3 by 3"):
        function([[1, 2, 3], [4, 5, 6]])
