# SPDX-License-Identifier: Apache-2.0
"""Derivatives of linear algebra. Factors are told up to a phase: what is checked of them does not
depend on it."""

import itertools

import numpy as np
import pytest
import torch
from checks import check

import joggle as jg

L = jg.linalg


def normal(*shape):
    return np.random.default_rng(11).standard_normal(shape)


def complex_normal(*shape):
    return normal(*shape) + 1j * np.random.default_rng(12).standard_normal(shape)


def hermitian(x):
    return x + L.matrix_transpose(jg.conj(x))


def positive(x):
    return x @ L.matrix_transpose(jg.conj(x)) + 2 * jg.eye(x.shape[-1], dtype=x.dtype)


def factor(x):
    """With a diagonal that is real and positive, as factors have."""
    unit = jg.eye(x.shape[-1])
    return x * (1 - unit) + (2 + jg.real(x) ** 2) * unit


def adjoint(x):
    return L.matrix_transpose(jg.conj(x))


def projector(columns):
    return columns @ adjoint(columns)


def _by_values(function, x):
    vectors = function(x).eigenvectors
    return projector(vectors[..., :, :1])


SQUARE = {
    "inverse": L.inv,
    "determinant": L.det,
    "logarithm of the determinant": lambda x: L.slogdet(x).logabsdet,
    "sign of the determinant": lambda x: L.slogdet(x).sign * jg.sum(x),
    "solution": lambda x: L.solve(x, x[..., :, :2] * 2),
    "solution for a vector": lambda x: L.solve(x, x[..., 0, :]) if x.ndim == 2 else x,
    "cholesky": lambda x: L.cholesky(positive(x)),
    "cholesky, upper": lambda x: L.cholesky(positive(x), upper=True),
    "inverse of cholesky": lambda x: L.cholesky_inv(L.cholesky(positive(x))),
    "inverse of a factor": lambda x: L.cholesky_inv(factor(x)),
    "inverse of an upper factor": lambda x: L.cholesky_inv(factor(x), upper=True),
    "inverse of a triangle": lambda x: L.tri_inv(x),
    "inverse of an upper triangle": lambda x: L.tri_inv(x, upper=True),
    "triangular solution": lambda x: L.solve_triangular(x, x[..., :, 1:]),
    "upper triangular solution": lambda x: L.solve_triangular(x, x[..., :, 1:], upper=True),
    "lu": lambda x: list(L.lu(x)[1:]),
    "lu in one": lambda x: L.lu_factor(x)[0],
    "matrix power": lambda x: L.matrix_power(x, 3),
    "negative power": lambda x: L.matrix_power(x, -2),
    "eigenvalues of a hermitian": lambda x: L.eigvalsh(hermitian(x)),
    "the other triangle": lambda x: L.eigvalsh(x, UPLO="U"),
    "an eigenvector's projector": lambda x: _by_values(L.eigh, hermitian(x)),
    "eigenvalues": lambda x: L.eigvals(x),
    "powers of eigenvalues": lambda x: jg.sum(L.eig(x).eigenvalues ** 3),
    "eigenvectors put together": lambda x: (
        lambda r: r.eigenvectors @ (r.eigenvalues[..., :, None] ** 2 * L.inv(r.eigenvectors))
    )(L.eig(x)),
    "condition": lambda x: L.cond(x),
}

ANY = {
    "qr": lambda x: list(L.qr(x)) if x.shape[-2] >= x.shape[-1] else L.qr(x)[0],
    "singular values": L.svdvals,
    "a singular vector's projector": lambda x: projector(L.svd(x, full_matrices=False)[0][..., :1]),
    "the other one's": lambda x: projector(adjoint(L.svd(x, full_matrices=False)[2][..., :1, :])),
    "both": lambda x: (lambda u, s, v: (u[..., :2] * s[..., None, :2] ** 3) @ v[..., :2, :])(
        *L.svd(x, full_matrices=False)
    ),
    "pseudo-inverse": L.pinv,
    "nuclear norm": lambda x: L.norm(x, "nuc") if x.ndim == 2 else L.matrix_norm(x, ord="nuc"),
    "spectral norm": lambda x: L.matrix_norm(x, ord=2),
}


@pytest.mark.parametrize("make", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
@pytest.mark.parametrize("name", SQUARE)
def test_ops_of_square_matrices_have_the_derivatives_of_differences(name, shape, make):
    x = make(*shape) + np.diag([3.0, -2.0, 1.0])
    check(SQUARE[name], x)


@pytest.mark.parametrize("make", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
@pytest.mark.parametrize("name", ANY)
def test_ops_of_any_matrices_have_the_derivatives_of_differences(name, shape, make):
    check(ANY[name], make(*shape))


def _beyond(shape, name):
    """A vector beyond the values, which any rotation may replace."""
    x = jg.asarray(normal(*shape))
    functions = {
        "linalg_qr": lambda a: L.qr(a, mode="complete")[0],
        "U": lambda a: L.svd(a)[0],
        "Vh": lambda a: L.svd(a)[2],
    }
    return lambda: jg.jvp(functions[name], [x], [x])


@pytest.mark.parametrize(("shape", "name"), [((4, 3), "linalg_qr"), ((4, 3), "U"), ((3, 4), "Vh")])
def test_vectors_beyond_the_values_have_no_derivative(shape, name):
    with pytest.raises(NotImplementedError, match=f"{name}.*has no derivative|Q of mode"):
        _beyond(shape, name)()


def test_values_that_meet_have_finite_derivatives():
    x = jg.asarray(np.diag([2.0, 2.0, 1.0]))
    slope = jg.grad(lambda a: jg.sum(L.eigh(a).eigenvectors * jg.asarray(normal(3, 3))))(x)
    assert np.isfinite(np.asarray(slope)).all()
    values = jg.grad(lambda a: jg.sum(L.eigvalsh(a) ** 3))(x)
    np.testing.assert_allclose(np.asarray(values), 3 * np.diag([4.0, 4.0, 1.0]), atol=1e-13)


def test_a_singular_matrix_has_the_gradient_of_its_determinant():
    x = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    minors = np.array([[-3.0, 6, -3], [6, -12, 6], [-3, 6, -3]])
    np.testing.assert_allclose(np.asarray(jg.grad(L.det)(jg.asarray(x))), minors, atol=1e-12)
    ones = jg.ones((3, 3), dtype=jg.float64)
    np.testing.assert_allclose(np.asarray(jg.grad(L.det)(ones)), np.zeros((3, 3)), atol=1e-14)
    check(L.det, x)


def second_minors(x):
    """The second derivatives of the determinant, which are minors of two rows and columns less."""
    n = len(x)
    bends = np.zeros((n,) * 4, dtype=x.dtype)
    for i, j, k, m in itertools.product(range(n), repeat=4):
        if i != k and j != m:
            rest = np.delete(np.delete(x, [i, k], 0), [j, m], 1)
            sign = (-1) ** (i + j + k + m + (k < i) + (m < j))
            bends[i, j, k, m] = sign * np.linalg.det(rest)
    return bends


@pytest.mark.parametrize("lost", range(5))
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_second_derivatives_of_a_determinant_are_right_at_every_rank(n, lost):
    rank = max(n - lost, 0)
    x = normal(n, rank) @ normal(rank, n) if rank else np.zeros((n, n))
    diagonal = np.diag([1.0] * rank + [0.0] * (n - rank))
    turned = complex_normal(n, n) @ diagonal @ complex_normal(n, n).conj()
    for matrix in (x, diagonal, turned):
        bends = second_minors(matrix)
        for take in (jg.hessian(L.det), jg.jacrev(jg.jacrev(L.det))):
            np.testing.assert_allclose(take(jg.asarray(matrix)), bends, rtol=1e-11, atol=1e-11)
    stack = jg.asarray(np.stack([x, diagonal, normal(n, n)]))
    bends = np.asarray(jg.vmap(jg.hessian(L.det))(stack))
    for got, matrix in zip(bends, stack, strict=True):
        np.testing.assert_allclose(got, second_minors(np.asarray(matrix)), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["inverse", "determinant", "cholesky", "eigenvalues"])
def test_float32_is_as_float64(name):
    x = normal(3, 3) + np.diag([3.0, -2.0, 1.0])

    def size(a):
        return jg.sum(jg.abs(SQUARE[name](a)) ** 2)

    wide = np.asarray(jg.grad(size)(jg.asarray(x)))
    narrow = np.asarray(jg.grad(size)(jg.asarray(x.astype(np.float32))))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, wide, rtol=1e-3, atol=1e-4 * np.abs(wide).max())


def test_gradients_are_torchs():
    a = normal(4, 4) + 3 * np.eye(4)
    cases = {
        "inv": (L.inv, torch.linalg.inv),
        "slogdet": (lambda x: L.slogdet(x).logabsdet, lambda x: torch.linalg.slogdet(x)[1]),
        "svdvals": (L.svdvals, torch.linalg.svdvals),
        "pinv": (L.pinv, torch.linalg.pinv),
        "qr": (lambda x: L.qr(x)[1], lambda x: torch.linalg.qr(x)[1]),
        "cholesky": (
            lambda x: L.cholesky(x @ L.matrix_transpose(x)),
            lambda x: torch.linalg.cholesky(x @ x.T),
        ),
    }
    for ours, theirs in cases.values():
        t = torch.tensor(a, requires_grad=True)
        (theirs(t) ** 2).sum().backward()
        got = np.asarray(jg.grad(lambda x, f=ours: jg.sum(f(x) ** 2))(jg.asarray(a)))
        np.testing.assert_allclose(got, t.grad.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_a_matrix_with_nan_has_nan_as_the_derivative_of_its_determinant(dtype):
    a = np.random.default_rng(0).normal(size=(5, 4, 4)).astype(dtype)
    a[1, 2, 3] = a[2] = np.nan
    a[3] = 0
    a[4] = np.outer(np.arange(4), np.ones(4))
    found = np.asarray(jg.grad(lambda x: jg.sum(jg.real(jg.linalg.det(x))))(jg.asarray(a)))
    x = torch.tensor(a, requires_grad=True)
    torch.linalg.det(x).real.sum().backward()
    expected = x.grad.numpy()
    np.testing.assert_allclose(found[[0, 3, 4]], expected[[0, 3, 4]], rtol=1e-4, atol=1e-4)
    assert np.isnan(found[[1, 2]]).all() and np.isnan(expected[[1, 2]]).all()
