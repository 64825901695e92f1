# SPDX-License-Identifier: Apache-2.0
"""dot, vdot, matvec, vecmat, and equations of tensors: NumPy's results."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(0)


def numbers(shape, dtype):
    drawn = RNG.integers(-9, 9, shape)
    return (drawn + 1j * RNG.integers(-9, 9, shape) if dtype[0] == "c" else drawn).astype(dtype)


def same(ours, theirs):
    found, theirs = np.asarray(ours), np.asarray(theirs)
    assert found.dtype == theirs.dtype and found.shape == theirs.shape
    np.testing.assert_allclose(found, theirs, rtol=1e-6)


DTYPES = [("i4", "i8"), ("f4", "f4"), ("f8", "c16"), ("c8", "c8")]


@pytest.mark.parametrize("dtypes", DTYPES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((), (3,)),
        ((2, 3), ()),
        ((3,), (3,)),
        ((0,), (0,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((5, 2, 3), (4, 3, 2)),
        ((3,), (2, 4, 3, 2)),
    ],
)
def test_dot_is_numpys(dtypes, shapes):
    a, b = (numbers(*each) for each in zip(shapes, dtypes, strict=True))
    same(jg.dot(jg.array(a), jg.array(b)), np.dot(a, b))


@pytest.mark.parametrize("dtypes", DTYPES)
def test_vdot_conjugates_the_first_and_flattens_both(dtypes):
    a, b = numbers((3, 4), dtypes[0]), numbers((4, 3), dtypes[1])
    same(jg.vdot(jg.array(a), jg.array(b)), np.vdot(a, b))
    same(jg.vdot(jg.array(a.T), jg.array(b)), np.vdot(a.T, b))
    same(jg.vdot(jg.array(a[0, 0]), jg.array(b[0, 0])), np.vdot(a[0, 0], b[0, 0]))


@pytest.mark.parametrize("dtypes", DTYPES)
@pytest.mark.parametrize("batches", [((), ()), ((5,), ()), ((), (5,)), ((2, 1), (5,)), ((0,), ())])
def test_stacks_of_matrices_and_vectors_are_numpys(dtypes, batches):
    first, second = batches
    matrix, vector = numbers((*first, 3, 4), dtypes[0]), numbers((*second, 4), dtypes[1])
    same(jg.matvec(jg.array(matrix), jg.array(vector)), np.matvec(matrix, vector))
    vector = numbers((*second, 3), dtypes[1])
    same(jg.vecmat(jg.array(vector), jg.array(matrix)), np.vecmat(vector, matrix))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_equations_of_tensors_are_solved(dtype):
    a, b = np.eye(2 * 3 * 4, dtype=dtype) + 0.1 * RNG.random((24, 24)), RNG.random((2, 3, 4))
    a = a.reshape(2, 3, 4, 2, 3, 4)
    same(jg.linalg.tensorsolve(jg.array(a), jg.array(b)), np.linalg.tensorsolve(a, b))
    wide = a.reshape(6, 4, 24)
    same(jg.linalg.tensorinv(jg.array(wide), 2), np.linalg.tensorinv(wide, 2))
    same(jg.linalg.tensorinv(jg.array(a), ind=3), np.linalg.tensorinv(a, ind=3))


def test_axes_of_equations_go_to_the_end():
    a, b = (np.eye(6) + 0.1 * RNG.random((6, 6))).reshape(2, 3, 6), RNG.random((2, 3))
    moved = np.moveaxis(a, -1, 0)
    expected = np.linalg.tensorsolve(moved, b, axes=(0,))
    same(jg.linalg.tensorsolve(jg.array(moved), jg.array(b), axes=(0,)), expected)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: jg.dot(x, x), ValueError, "b: has 2 elements along axis 0, allowed are 3"),
        (lambda x: jg.vdot(x, x[0]), ValueError, "b: has 3 elements, allowed are 6"),
        (lambda x: jg.matvec(x, x[:, 0]), ValueError, "x2: has 2 elements along its last axis"),
        (lambda x: jg.vecmat(x[0], x), ValueError, "x1: has 3 elements along its last axis"),
        (lambda x: jg.matvec(x[0], x[0]), ValueError, "x1: has 1 axes"),
        (lambda x: jg.linalg.tensorinv(x, 0), ValueError, "ind: got 0"),
        (lambda x: jg.linalg.tensorinv(x, 1), ValueError, "a: has shape"),
        (lambda x: jg.linalg.tensorsolve(x, x[0]), ValueError, "a: has shape"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(jg.ones((2, 3)))
