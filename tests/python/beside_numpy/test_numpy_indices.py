# SPDX-License-Identifier: Apache-2.0
"""Indices as arrays, under NumPy's names."""

import itertools

import numpy as np
import pytest
from numpys import assert_numpys, assert_same, random

import joggle as jg


@pytest.mark.parametrize("dimensions", [(), (3,), (2, 3), (2, 0), (2, 1, 3)])
@pytest.mark.parametrize("dtype", ["int64", "int8", "float32"])
@pytest.mark.parametrize("sparse", [False, True])
def test_indices_of_a_shape_are_numpys(dimensions, dtype, sparse):
    found = jg.indices(dimensions, jg.dtype(dtype), sparse)
    assert_same(found, np.indices(dimensions, dtype, sparse))


def test_vectors_of_indices_span_a_grid():
    mask = np.array([True, False, True])
    for args in ([[1, 0], [2, 1, 0]], [mask, [0, 2]], [[], [1]], [np.array([1], "int8")], []):
        assert_numpys("ix_", *args)


@pytest.mark.parametrize(
    "name, of_array",
    [("tril_indices", "tril_indices_from"), ("triu_indices", "triu_indices_from")],
)
@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_indices_of_triangles_are_numpys(name, of_array, k):
    for n, m in [(3, None), (2, 4), (4, 2), (0, None), (0, 3)]:
        assert_numpys(name, n, k, m)
    assert_numpys(of_array, random((3, 5)), k)


def test_indices_of_diagonals_and_masks_are_numpys():
    for args in [(3,), (0,), (4, 3), (2, 1)]:
        assert_numpys("diag_indices", *args)
    assert_numpys("diag_indices_from", random((3, 3, 3)))
    assert_same(jg.mask_indices(3, jg.tril, -1), np.mask_indices(3, np.tril, -1))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (4, 1, 5), 7])
def test_flat_indices_become_several_and_back(order, shape):
    size = np.prod(shape)
    flat = np.arange(size)[::-1].reshape(-1, 1)
    assert_numpys("unravel_index", flat, shape, order)
    assert_numpys("unravel_index", flat[:0], shape, order)
    if shape != 7:
        several = np.unravel_index(flat, shape, order)
        assert_numpys("ravel_multi_index", several, shape, order=order)
    assert jg.unravel_index(0, ()) == ()
    assert [each.item() for each in jg.unravel_index(4, (2, 3))] == [1, 1]


@pytest.mark.parametrize("mode", ["wrap", "clip", ("wrap", "clip"), ("clip", "raise")])
def test_modes_take_indices_that_are_outside(mode):
    first = np.array([[-3, 0], [1, 9]])
    assert_numpys("ravel_multi_index", (first, np.array([2, 1])), (2, 3), mode)
    assert_numpys("ravel_multi_index", (first, 1), (2, 3), mode, "F")


@pytest.mark.parametrize("shape", [(), (2, 3), (0, 2), (1,)])
def test_iterators_go_row_by_row(shape):
    x = random(shape, "float32")
    assert list(jg.ndindex(*shape)) == list(jg.ndindex(shape)) == list(np.ndindex(shape))
    assert list(jg.ndenumerate(x.T)) == [(i, e.item()) for i, e in np.ndenumerate(x.T)]
    assert type(jg.ndenumerate([1.5]).__next__()[1]) is float


@pytest.mark.parametrize("shape", [(5000,), (3, 4097), (4097, 3), (2, 70, 90), (5000, 0)])
def test_iterators_of_many_elements_take_them_in_blocks(shape):
    x = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    assert list(jg.ndenumerate(x)) == [(i, e.item()) for i, e in np.ndenumerate(x)]
    assert list(jg.ndindex(shape)) == list(np.ndindex(shape))


def test_iterators_need_no_memory_for_what_they_have_not_reached():
    x = jg.broadcast_to(jg.arange(3), (1 << 40, 3))
    elements, indices = jg.ndenumerate(x), jg.ndindex(1 << 40, 3)
    for i, j in itertools.product(range(2000), range(3)):
        assert next(elements) == ((i, j), j) and next(indices) == (i, j)
    with pytest.raises(MemoryError, match="26388279066624 bytes for a copy of the elements"):
        x.tolist()


def test_an_iterator_gives_the_elements_that_there_were():
    x = jg.zeros(5000)
    elements = jg.ndenumerate(x)
    assert next(elements) == ((0,), 0)
    x[:] = 1
    assert all(element == 0 for _, element in elements)


KEYS = [
    np.s_[0:3],
    np.s_[0:5, 1:3],
    np.s_[-1:1:5j],
    np.s_[0:1:3j, 2:5],
    np.s_[:4:2, 5:0:-1],
    np.s_[0:1:0.25],
    np.s_[1:3:1j],
    np.s_[2:2, :3],
]


@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_slices_make_grids(name, key):
    assert_grid(getattr(jg, name)[key], getattr(np, name)[key])


def assert_grid(found, expected):
    """Floats are float32 with us, the default."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            assert_grid(one, other)
    else:
        name = expected.dtype.name
        assert found.dtype.name == ("float32" if name == "float64" else name)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


JOINED = [
    np.s_[1:4, 0, 5],
    np.s_[np.array([1, 2, 3]), 0, 0, np.array([4, 5])],
    np.s_[-1:1:6j, [0] * 3, 5, 6],
    np.s_["0,2", [1, 2, 3], [4, 5, 6]],
    np.s_["1,2,0", [1, 2, 3], [4, 5, 6]],
    np.s_["0,2,0", [1, 2, 3], [4, 5, 6]],
    np.s_["-1", np.ones((2, 1), "int8"), np.ones((2, 2), "uint8")],
    np.s_["0,3,-2", [1, 2], [[3, 4]]],
    np.s_["0,3,1", [1, 2], 0:2],
    np.s_[np.array([[1, 2]]), np.array([[3, 4]])],
    np.s_[0:3, 0:3],
    np.s_[np.array([1, 2], "int8"), 7],
    np.s_[3],
]


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("key", JOINED, ids=str)
def test_brackets_join_what_stands_in_them(name, key):
    try:
        expected = getattr(np, name)[key]
    except ValueError:
        with pytest.raises(ValueError, match="concat"):
            getattr(jg, name)[key]
    else:
        assert_grid(getattr(jg, name)[key], expected)


def test_keys_are_given_back():
    assert jg.s_[1:2, ..., None] == np.s_[1:2, ..., None] and jg.s_[3] == 3
    assert jg.index_exp[3] == (3,) and jg.index_exp[1:2, 0] == (slice(1, 2), 0)
    assert repr(jg.s_) == "joggle.s_"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.indices((-1,)), ValueError, r"\[indices\] dimensions: got \(-1,\)"),
        (lambda: jg.ix_([[1]]), ValueError, r"\[ix_\] args\[0\]: has 2 axes"),
        (lambda: jg.tril_indices_from(jg.ones(2)), ValueError, "arr: has 1 axes, allowed are two"),
        (lambda: jg.diag_indices_from(jg.ones((2, 3))), ValueError, "allowed are equal extents"),
        (lambda: jg.unravel_index([6], (2, 3)), ValueError, "indices: has 6, allowed is 0 to 5"),
        (lambda: jg.unravel_index([0.5], (2, 3)), TypeError, "indices: got float32"),
        (lambda: jg.unravel_index([0], (2, 3), "K"), ValueError, "order: got 'K'"),
        (lambda: jg.ravel_multi_index(([2], [0]), (2, 3)), ValueError, r"multi_index\[0\]: has 2"),
        (lambda: jg.ravel_multi_index(([2],), (2, 3)), ValueError, "multi_index: has 1 items"),
        (lambda: jg.ravel_multi_index((), ()), ValueError, "dims: got none"),
        (lambda: jg.mgrid[0:], ValueError, r"\[mgrid\] slice: got slice\(0, None, None\), allowed"),
        (lambda: jg.ogrid[0:2, 1], TypeError, r"\[ogrid\] key: got int"),
        (lambda: jg.r_["r", [1]], ValueError, r"\[r_\] key: got 'r'"),
        (lambda: jg.c_[[1], "0"], ValueError, r"\[c_\] key: got '0', allowed is text as first"),
        (lambda: jg.r_["0"], ValueError, r"\[r_\] key: got no arrays"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
