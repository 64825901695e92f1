# SPDX-License-Identifier: Apache-2.0
"""Indexing, shapes, linear algebra and spectra. Each takes a namespace and a (3, 4) array."""

import numpy as np

ROWS = np.array([2, 0, 2, 1])
PLACES = np.array([[3, 0], [1, 1], [2, 3]])


def _square(xp, x):
    """A regular (3, 3) matrix."""
    return x[:, :3] + 4 * xp.eye(3)


def _positive(xp, x):
    return x @ x.T + 2 * xp.eye(3)


def _symmetric(xp, x):
    return x[:, :3] + x[:, :3].T + xp.diag(xp.asarray(np.array([0.0, 3.0, 7.0])))


SHAPES = {
    "transpose": lambda xp, x: x.T @ x,
    "reshape": lambda xp, x: xp.reshape(x, (2, 6)) * xp.arange(6.0),
    "reversed": lambda xp, x: x[::-1, ::-1] * x,
    "steps": lambda xp, x: x[::2, 1::2] ** 2,
    "one row": lambda xp, x: x[1] * x[-1],
    "last column": lambda xp, x: x[:, -1:] * x,
    "new axes": lambda xp, x: x[:, None, :] - x[None, :, :],
    "pairwise distances": lambda xp, x: xp.sum((x[:, None] - x[None]) ** 2, axis=-1),
    "outer": lambda xp, x: xp.outer(x[0], x[:, 1]),
    "kronecker": lambda xp, x: xp.kron(x[:2, :2], x[:, :2]),
    "concatenated": lambda xp, x: xp.concatenate([x, xp.sin(x), x[:1]], axis=0),
    "stacked": lambda xp, x: xp.stack([x, x * x], axis=1),
    "split": lambda xp, x: xp.split(x, 2, axis=1)[0] * xp.split(x, 2, axis=1)[1],
    "tiled": lambda xp, x: xp.tile(x, (2, 1)) * xp.arange(24.0).reshape(6, 4),
    "repeated": lambda xp, x: xp.repeat(x, 2, axis=1) ** 2,
    "rolled": lambda xp, x: xp.roll(x, 1, axis=1) * x,
    "padded": lambda xp, x: xp.pad(x, ((1, 0), (0, 2))) * 3,
    "padded by edges": lambda xp, x: xp.pad(x, ((1, 1), (2, 0)), mode="edge") ** 2,
    "padded by reflection": lambda xp, x: xp.pad(x, ((1, 1), (2, 1)), mode="reflect") ** 2,
    "broadcast": lambda xp, x: xp.broadcast_to(x[:1], (5, 4)) * xp.arange(20.0).reshape(5, 4),
    "squeezed": lambda xp, x: xp.squeeze(xp.expand_dims(x, 1), 1) ** 2,
    "swapped": lambda xp, x: xp.swapaxes(x[None], 0, 2) ** 2,
    "moved": lambda xp, x: xp.moveaxis(x[None] * 2, 0, -1) ** 2,
    "flipped": lambda xp, x: xp.flip(x, axis=0) * x,
    "triangles": lambda xp, x: xp.tril(x) @ xp.triu(x).T,
    "diagonal": lambda xp, x: xp.diagonal(x[:, :3]) * xp.diagonal(x, 1),
    "diagonal matrix": lambda xp, x: xp.diag(x[0]) @ x.T,
    "trace": lambda xp, x: xp.trace(x[:, :3] @ x[:, 1:]),
    "rows by numbers": lambda xp, x: x[xp.asarray(ROWS)] * x[1],
    "columns by numbers": lambda xp, x: xp.take(x, xp.asarray(ROWS), axis=1) ** 2,
    "places along an axis": lambda xp, x: xp.take_along_axis(x, xp.asarray(PLACES), 1) ** 3,
    "sorted by first row": lambda xp, x: xp.take(x, xp.argsort(x[0]), axis=1) * xp.arange(4.0),
    "masked": lambda xp, x: xp.where(xp.asarray(np.eye(3, 4) > 0), x, 0.0) ** 2,
    "second differences": lambda xp, x: x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2],
    "laplacian": lambda xp, x: xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) - 3 * x,
    "moving sums": lambda xp, x: sum(x[:, i : i + 2] for i in range(3)),
    "meshed": lambda xp, x: (lambda grid: grid[0] * xp.sin(grid[1]))(xp.meshgrid(x[0], x[:, 1])),
    "einsum of two": lambda xp, x: xp.einsum("ij,kj->ik", x, xp.sin(x)),
    "einsum of three": lambda xp, x: xp.einsum("ij,jk,kl->il", x, x.T, x),
    "einsum to a number": lambda xp, x: xp.einsum("ij,ij->", x, xp.exp(x)),
    "einsum of a diagonal": lambda xp, x: xp.einsum("ii->i", x[:, :3]) ** 2,
    "tensordot": lambda xp, x: xp.tensordot(x, x, axes=((1,), (1,))),
    "inner": lambda xp, x: xp.inner(x, x * 2),
    "cross": lambda xp, x: xp.cross(x[:, :3], x[:, 1:]),
}

LINEAR_ALGEBRA = {
    "products": lambda xp, x: x @ x.T @ x,
    "quadratic form": lambda xp, x: x[0] @ (x.T @ x) @ x[1],
    "inverse": lambda xp, x: xp.linalg.inv(_square(xp, x)),
    "determinant": lambda xp, x: xp.linalg.det(_square(xp, x)),
    "log determinant": lambda xp, x: xp.linalg.slogdet(_square(xp, x))[1],
    "solution": lambda xp, x: xp.linalg.solve(_square(xp, x), x),
    "solution of a vector": lambda xp, x: xp.linalg.solve(_square(xp, x), x[:, 0]),
    "cholesky": lambda xp, x: xp.linalg.cholesky(_positive(xp, x)),
    "whitening": lambda xp, x: xp.linalg.solve(xp.linalg.cholesky(_positive(xp, x)), x),
    "gaussian likelihood": lambda xp, x: (
        lambda c: -0.5 * x[:, 0] @ xp.linalg.solve(c, x[:, 0]) - 0.5 * xp.linalg.slogdet(c)[1]
    )(_positive(xp, x)),
    "eigenvalues": lambda xp, x: xp.linalg.eigvalsh(_symmetric(xp, x)),
    "spectral sum": lambda xp, x: xp.sum(xp.exp(xp.linalg.eigvalsh(_symmetric(xp, x)) / 5)),
    "projector": lambda xp, x: (lambda v: v[:, :1] @ v[:, :1].T)(
        xp.linalg.eigh(_symmetric(xp, x))[1]
    ),
    "singular values": lambda xp, x: xp.linalg.svd(x, full_matrices=False)[1],
    "nuclear norm": lambda xp, x: xp.sum(xp.linalg.svd(x, full_matrices=False)[1]),
    "best of rank one": lambda xp, x: (lambda u, s, v: s[0] * xp.outer(u[:, 0], v[0]))(
        *xp.linalg.svd(x, full_matrices=False)
    ),
    "triangular factor": lambda xp, x: xp.abs(xp.linalg.qr(x.T)[1]),
    "pseudo-inverse": lambda xp, x: xp.linalg.pinv(x),
    "least squares": lambda xp, x: xp.linalg.solve(x @ x.T, x @ xp.arange(4.0)),
    "ridge": lambda xp, x: xp.linalg.solve(x.T @ x + xp.eye(4), x.T @ xp.arange(3.0)),
    "matrix power": lambda xp, x: xp.linalg.matrix_power(_square(xp, x), 3),
    "norm": lambda xp, x: xp.linalg.norm(x) + xp.linalg.norm(x, axis=1),
    "normalised rows": lambda xp, x: x / xp.linalg.norm(x, axis=1, keepdims=True),
    "power iteration": lambda xp, x: _power(xp, _positive(xp, x)),
    "neumann series": lambda xp, x: _neumann(xp, x[:, :3] / 20),
    "series of exp of a matrix": lambda xp, x: _exp_of(xp, x[:, :3] / 3),
    "gram-schmidt": lambda xp, x: _orthogonal(xp, x),
    "conjugate gradients": lambda xp, x: _conjugate_gradients(xp, _positive(xp, x), x[:, 0]),
    "spectrum": lambda xp, x: xp.abs(xp.fft.rfft(x, axis=1)) ** 2,
    "filtered": lambda xp, x: xp.real(
        xp.fft.ifft(xp.fft.fft(x, axis=1) * xp.exp(-xp.arange(4.0)), axis=1)
    ),
    "autocorrelation": lambda xp, x: xp.fft.irfft(xp.abs(xp.fft.rfft(x)) ** 2 + 0j),
    "plane spectrum": lambda xp, x: xp.real(xp.fft.fft2(x)) * xp.imag(xp.fft.fft2(x)),
    "phases": lambda xp, x: xp.real(xp.exp(1j * x) * (2 + 1j)) + xp.imag((x + 2j) ** 2),
    "modulus": lambda xp, x: xp.abs(x + 1j * xp.sin(x)) ** 3,
    "convolution": lambda xp, x: xp.convolve(x[0], x[1, :3]),
}


def _power(xp, a):
    v = xp.ones((3,))
    for _ in range(4):
        v = a @ v
        v = v / xp.sqrt(v @ v)
    return v @ a @ v


def _neumann(xp, a):
    term = total = xp.eye(3)
    for _ in range(5):
        term = term @ a
        total = total + term
    return total


def _exp_of(xp, a):
    term = total = xp.eye(3)
    for n in range(1, 8):
        term = term @ a / n
        total = total + term
    return total


def _orthogonal(xp, x):
    rows = []
    for i in range(3):
        row = x[i]
        for other in rows:
            row = row - (row @ other) * other
        rows.append(row / xp.sqrt(row @ row))
    return xp.stack(rows)


def _conjugate_gradients(xp, a, b):
    x, r = xp.zeros((3,)), b
    p = r
    for _ in range(2):
        q = a @ p
        step = (r @ r) / (p @ q)
        x, after = x + step * p, r - step * q
        p = after + (after @ after) / (r @ r) * p
        r = after
    return x
