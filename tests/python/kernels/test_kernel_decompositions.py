# SPDX-License-Identifier: Apache-2.0
"""svd, polar_decompose, eig and sym_eig of small matrices."""

import numpy as np
import pytest
import torch

import joggle.fields as qd
import joggle.torch

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


def scaled_matrices(n, dtype):
    """Matrices of all sizes that the dtype has, and such whose rows or columns differ in size."""
    draw = np.random.default_rng(n)
    largest, smallest = np.finfo(dtype).maxexp - 4, np.finfo(dtype).minexp
    powers = np.linspace(smallest, largest, 40).astype(int)
    a = draw.normal(size=(4, len(powers), n, n))
    a[0] *= 2.0 ** powers[:, None, None]
    grades = 2.0 ** draw.integers(-40, 40, size=(3, len(powers), n))
    a[1] *= grades[0][:, :, None]
    a[2] *= grades[1][:, None, :]
    a[3] = grades[2][:, :, None] * np.linalg.qr(a[3])[0]
    return a.reshape(-1, n, n).astype(dtype)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_decompositions_hold_for_matrices_of_all_sizes(n, dtype):
    element = qd.f32 if dtype == np.float32 else qd.f64
    matrix = qd.types.matrix(n, n, element)
    arrays = qd.types.ndarray(dtype=matrix, ndim=1)
    vectors = qd.types.ndarray(dtype=qd.types.vector(n, element), ndim=1)

    @qd.kernel
    def decompose(a: arrays, u: arrays, s: arrays, v: arrays, r: arrays, p: arrays):
        for i in range(a.shape[0]):
            u[i], s[i], v[i] = qd.svd(a[i], element)
            r[i], p[i] = qd.polar_decompose(a[i], element)

    @qd.kernel
    def eigenvalues(a: arrays, w: vectors, v: arrays):
        for i in range(a.shape[0]):
            w[i], v[i] = qd.sym_eig(a[i], element)

    a = scaled_matrices(n, dtype)
    u, s, v, r, p = (np.zeros_like(a) for _ in range(5))
    decompose(a, u, s, v, r, p)
    a, u, s, v, r, p = (x.astype(np.float64) for x in (a, u, s, v, r, p))
    size = np.abs(a).max((1, 2), keepdims=True)
    tolerance = 40 * np.finfo(dtype).eps
    for orthogonal in (u, v, r):
        assert np.abs(orthogonal @ orthogonal.swapaxes(1, 2) - np.eye(n)).max() < tolerance
    assert np.abs(u @ (s / size) @ v.swapaxes(1, 2) - a / size).max() < 2 * tolerance
    assert np.abs(r @ (p / size) - a / size).max() < 2 * tolerance
    values = -np.sort(-np.abs(np.diagonal(s / size, axis1=1, axis2=2)), axis=1)
    assert np.abs(values - np.linalg.svd(a / size, compute_uv=False)).max() < tolerance

    a = (a + a.swapaxes(1, 2)) / 2
    w, v = np.zeros(a.shape[:2], dtype), np.zeros(a.shape, dtype)
    eigenvalues(a.astype(dtype), w, v)
    size = np.abs(a).max((1, 2))[:, None]
    assert np.abs(w / size - np.linalg.eigvalsh(a / size[:, :, None])).max() < tolerance


@pytest.mark.parametrize("n", [2, 3])
def test_the_symmetric_factor_has_its_gradient(n):
    arrays = qd.types.ndarray(dtype=qd.types.matrix(n, n, qd.f64), ndim=1)

    @qd.kernel
    def stretch(a: arrays, p: arrays):
        for i in range(a.shape[0]):
            _, p[i] = qd.polar_decompose(a[i])

    draw = np.random.default_rng(n)
    a, weights = draw.normal(size=(2, 30, n, n))
    a *= 2.0 ** draw.integers(-300, 300, size=(30, 1, 1))
    x = torch.tensor(a, requires_grad=True)
    p = joggle.torch.function(stretch, outputs={"p": "a"})(x)
    (p * torch.tensor(weights)).sum().backward()
    expected = torch.tensor(a, requires_grad=True)
    u, s, v = torch.linalg.svd(expected)
    signs = torch.ones_like(s)
    if n == 3:  # there the orthogonal factor is a rotation
        signs[:, 2] = torch.sign(torch.linalg.det(u @ v))
    (v.mT @ ((s * signs)[:, :, None] * v) * torch.tensor(weights)).sum().backward()
    np.testing.assert_allclose(x.grad, expected.grad, rtol=1e-6, atol=1e-9)


def test_float32_keeps_its_precision():
    @qd.kernel
    def function(a: qd.types.matrix(3, 3, qd.f32)) -> qd.types.matrix(3, 3, qd.f32):
        u, s, v = qd.svd(a)
        return u @ s @ v.transpose()

    a = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    np.testing.assert_allclose(function(a).to_numpy(), a, atol=2e-6)


def test_matrices_of_float16_are_decomposed_in_float32():
    @qd.kernel
    def function(a: qd.types.matrix(3, 3, qd.f16)) -> qd.types.matrix(3, 3, qd.f16):
        u, s, v = qd.svd(a, qd.f16)
        return u @ s @ v.transpose()

    a = (300 * np.random.default_rng(0).normal(size=(3, 3))).astype(np.float16)
    np.testing.assert_allclose(function(a).to_numpy(), a, atol=4)


def test_other_shapes_are_refused():
    @qd.kernel
    def function(a: qd.types.matrix(2, 3, qd.f32)) -> qd.f32:
        return qd.svd(a)[1][0, 0]

    with pytest.raises(TypeError, match="svd: got a 2 by 3 matrix, allowed are 2 by 2 and 3 by 3"):
        function([[1, 2, 3], [4, 5, 6]])
