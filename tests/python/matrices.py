# SPDX-License-Identifier: Apache-2.0
"""Matrices for tests of linear algebra, and how near results must be."""

import numpy as np

import joggle as jg

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(1, 1), (3, 3), (5, 5), (2, 17, 17), (7, 3), (3, 7), (2, 3, 6, 4), (4, 2, 2), (70, 70)]


def real_of(dtype):
    return np.zeros(0, dtype).real.dtype


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def identity_like(x):
    return np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def hermitian(shape, dtype):
    x = random(shape, dtype)
    return (x + adjoint(x)) / 2


def layouts(a):
    """The same matrices in memory of other layouts: as they are, turned, with gaps, in reverse, and
    in memory that NumPy owns."""
    yield jg.array(a)
    yield jg.from_dlpack(np.ascontiguousarray(np.swapaxes(a, -1, -2))).mT
    yield jg.from_dlpack(np.repeat(np.repeat(a, 2, -1), 3, -2)[..., ::3, ::2])
    yield jg.array(a[..., ::-1, ::-1].copy())[..., ::-1, ::-1]


def tolerance(dtype):
    return 200 * float(np.finfo(dtype).eps)


def close(mine, theirs, factor=1):
    """The same shape, and the same elements up to the dtype's tolerance times the largest."""
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
    if mine.size == 0:
        return
    bound = factor * tolerance(mine.dtype) * max(1, float(np.max(np.abs(theirs))))
    error = float(np.max(np.abs(mine - theirs)))
    assert error <= bound, (error, bound)
