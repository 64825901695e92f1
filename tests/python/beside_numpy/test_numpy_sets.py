# SPDX-License-Identifier: Apache-2.0
"""Vectors as sets, sort_complex and lexsort: NumPy's results, NaN aside, which equals nothing."""

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(0)
SETS = ("intersect1d", "union1d", "setdiff1d", "setxor1d")
SHAPES = [((), (3,)), ((0,), (4,)), ((4,), (0,)), ((30,), (20,)), ((4, 5), (3, 2))]


def numbers(shape, dtype):
    drawn = RNG.integers(0, 12, shape)
    return (drawn + 1j * RNG.integers(0, 2, shape) if dtype[0] == "c" else drawn).astype(dtype)


def same(ours, theirs):
    found = np.asarray(ours)
    assert found.dtype == theirs.dtype and found.shape == theirs.shape
    np.testing.assert_array_equal(found, theirs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("dtypes", [("bool", "bool"), ("i4", "i8"), ("f4", "f8"), ("c8", "c16")])
def test_sets_are_numpys(name, shapes, dtypes):
    first, second = (numbers(*each) for each in zip(shapes, dtypes, strict=True))
    same(getattr(jg, name)(jg.array(first), jg.array(second)), getattr(np, name)(first, second))


@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d"])
def test_elements_said_to_be_distinct_are_not_looked_at_again(name):
    first, second = RNG.permutation(30)[:20], RNG.permutation(30)[:15]
    found = getattr(jg, name)(jg.array(first), jg.array(second), assume_unique=True)
    same(found, getattr(np, name)(first, second, assume_unique=True))


@pytest.mark.parametrize("distinct", [False, True])
def test_places_of_common_elements_are_those_of_the_first(distinct):
    first, second = numbers((6, 5), "i8"), numbers(25, "i4")
    if distinct:
        first, second = RNG.permutation(30), RNG.permutation(20).reshape(4, 5)
    found = jg.intersect1d(jg.array(first), jg.array(second), distinct, return_indices=True)
    expected = np.intersect1d(first, second, distinct, return_indices=True)
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)


def test_nan_equals_nothing():
    x = jg.array([np.nan, 1.0, np.nan])
    assert jg.intersect1d(x, x).tolist() == [1.0]
    assert jg.union1d(x, x).shape == (5,) and jg.setdiff1d(x, x).shape == (2,)


def test_arrays_may_lie_in_any_order():
    x = np.arange(24).reshape(4, 6)
    same(jg.setxor1d(jg.array(x).T[::-1, ::2], [3, 99]), np.setxor1d(x.T[::-1, ::2], [3, 99]))


@pytest.mark.parametrize("dtype", ["bool", "i2", "i8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(0,), (5,), (3, 4)])
def test_complex_numbers_are_sorted_by_their_parts(dtype, shape):
    x = numbers(shape, dtype)
    found = jg.sort_complex(jg.array(x))
    np.testing.assert_array_equal(np.asarray(found), np.sort_complex(x))
    assert found.dtype == jg.result_type(jg.array(x), jg.complex64)


@pytest.mark.parametrize("dtype", ["bool", "i4", "f8", "c8"])
@pytest.mark.parametrize(
    "shape, axis", [((), -1), ((0,), -1), ((20,), 0), ((7, 9), 0), ((7, 9), -1), ((2, 5, 3), -2)]
)
def test_places_are_ordered_by_several_keys(dtype, shape, axis):
    keys = [numbers(shape, dtype) for _ in range(3)]
    theirs = np.lexsort(keys, axis)
    same(jg.lexsort([jg.array(key) for key in keys], axis), np.asarray(theirs))
    same(jg.lexsort(jg.array(np.stack(keys)), axis), np.asarray(theirs))


def test_an_order_by_keys_is_lazy():
    x = jg.array([2, 1]) + 0
    jg.lexsort((x, x))
    assert x.status != jg.array([1]).status


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.lexsort(()), TypeError, "keys: got none"),
        (lambda: jg.lexsort((jg.zeros(2), jg.zeros(3))), ValueError, r"keys\[1\]: has shape"),
        (lambda: jg.lexsort((jg.zeros(2),), 1), IndexError, "axis: got 1, allowed"),
        (lambda: jg.sort_complex(jg.array(1.0)), IndexError, "axis"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
