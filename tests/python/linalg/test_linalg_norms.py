# SPDX-License-Identifier: Apache-2.0
"""Norms, condition numbers, ranks and products, as NumPy has them."""

import numpy as np
import pytest
from matrices import DTYPES, close, random

import joggle as jg

INF = float("inf")
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


@each_dtype
@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, -1, -2.5, INF, -INF])
def test_vector_norms_are_numpys(dtype, ord):
    a = random((3, 4, 5), dtype)
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            expected = np.linalg.vector_norm(a, axis=axis, keepdims=keepdims, ord=ord)
            close(jg.linalg.vector_norm(a, axis=axis, keepdims=keepdims, ord=ord), expected)


@each_dtype
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
def test_matrix_norms_and_condition_numbers_are_numpys(dtype, ord):
    a = random((3, 4, 4), dtype)
    for keepdims in (False, True):
        expected = np.linalg.matrix_norm(a, keepdims=keepdims, ord=ord)
        close(jg.linalg.matrix_norm(a, keepdims=keepdims, ord=ord), expected)
        for axis in ((0, 1), (2, 0)):
            expected = np.linalg.norm(a, ord, axis, keepdims)
            close(jg.linalg.norm(a, ord, axis, keepdims), expected)
    if ord != "nuc":
        close(jg.linalg.cond(a, ord), np.linalg.cond(a, ord), 50)


def test_norm_is_numpys_without_axes():
    a = random((3, 4), np.float32)
    for x in (a, a[0], random((2, 3, 4), np.float32)):
        close(jg.linalg.norm(x), np.linalg.norm(x))
    close(jg.linalg.norm(a, 1), np.linalg.norm(a, 1))
    close(jg.linalg.norm(a[0], 3), np.linalg.norm(a[0], 3))
    close(jg.linalg.norm(np.arange(4)), np.float32(np.sqrt(14)))
    assert jg.linalg.norm(jg.array([3, 4], dtype=jg.float16)).dtype == jg.float16


@each_dtype
def test_ranks_and_condition_numbers_see_what_is_missing(dtype):
    a = random((4, 5, 3), dtype)
    a[1, :, 2] = a[1, :, 1]
    a[2] = 0
    assert jg.linalg.matrix_rank(a).tolist() == np.linalg.matrix_rank(a).tolist() == [3, 2, 0, 3]
    assert jg.linalg.matrix_rank(a, rtol=2.0).tolist() == [0, 0, 0, 0]
    assert jg.linalg.matrix_rank(a, tol=0.0).tolist()[2] == 0
    close(jg.linalg.cond(a[::3]), np.linalg.cond(a[::3]), 50)
    assert jg.linalg.cond(a[2]).item() == INF


@each_dtype
def test_traces_and_diagonals_are_of_the_last_axes(dtype):
    a = random((2, 4, 5), dtype)
    for offset in (-1, 0, 2):
        close(jg.linalg.trace(a, offset=offset), np.linalg.trace(a, offset=offset))
        close(jg.linalg.diagonal(a, offset=offset), np.linalg.diagonal(a, offset=offset))


KRON_SHAPES = [((2, 3), (4, 5)), ((3,), (2, 2)), ((2, 1, 3), (2, 2)), ((), (3,)), ((0, 2), (2,))]


@each_dtype
def test_kron_and_cross_are_numpys(dtype):
    for left, right in KRON_SHAPES:
        a, b = random(left, dtype), random(right, dtype, 1)
        close(jg.kron(a, b), np.kron(a, b))
    a, b = random((4, 1, 3), dtype), random((5, 3), dtype, 1)
    close(jg.linalg.cross(a, b), np.cross(a, b))
    other = random((3, 1, 4), dtype)
    close(jg.linalg.cross(a.T, other, axis=0), np.cross(a.T, other, axis=0))
    with pytest.raises(ValueError, match="x2: axis 0 has extent 2, allowed is 3"):
        jg.linalg.cross(a[0, 0], b[0, :2])


def test_multi_dot_finds_an_order_and_takes_vectors_at_the_ends():
    shapes = [(10, 100), (100, 5), (5, 50), (50, 2)]
    arrays = [random(shape, np.float64, at) for at, shape in enumerate(shapes)]
    close(jg.linalg.multi_dot(arrays), np.linalg.multi_dot(arrays))
    ends = [arrays[0][0], *arrays[1:3], arrays[3][:, 0]]
    close(jg.linalg.multi_dot(ends), np.linalg.multi_dot(ends))
    close(jg.linalg.multi_dot(ends[:3]), np.linalg.multi_dot(ends[:3]))
    with pytest.raises(ValueError, match=r"arrays\[1\]: has 3 axes"):
        jg.linalg.multi_dot([arrays[0], np.ones((1, 2, 3)), arrays[0]])


def test_axes_may_be_integers_of_numpy():
    a = random((3, 4), np.float64)
    close(jg.linalg.norm(a, axis=np.int64(1)), np.linalg.norm(a, axis=1))
    close(jg.linalg.norm(a, axis=np.array([1, 0])), np.linalg.norm(a, axis=(1, 0)))
    with pytest.raises(TypeError, match=r"\[linalg_matrix_norm\] ord: got None"):
        jg.linalg.matrix_norm(a, ord=None)


def test_outer_takes_vectors_alone():
    assert jg.linalg.outer([1, 2], [3, 4, 5]).tolist() == [[3, 4, 5], [6, 8, 10]]
    with pytest.raises(ValueError, match="x2: has 2 axes, allowed is one"):
        jg.linalg.outer([1, 2], [[3, 4]])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
@pytest.mark.parametrize("order", [1, 2, np.inf])
def test_lengths_over_nothing_are_0(shape, order):
    a = np.zeros(shape)
    expected = np.linalg.vector_norm(a, axis=0, ord=order)
    found = np.asarray(jg.linalg.vector_norm(jg.array(a), axis=0, ord=order))
    assert found.shape == expected.shape and np.array_equal(found, expected)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 0)])
@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, np.inf])
def test_norms_of_empty_matrices_are_0(shape, order):
    found = np.asarray(jg.linalg.matrix_norm(jg.zeros(shape), ord=order))
    assert found.shape == shape[:-2] and not found.any()
