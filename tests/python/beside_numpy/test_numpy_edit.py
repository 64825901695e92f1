# SPDX-License-Identifier: Apache-2.0
"""Elements put in, taken out, and in another order, under NumPy's names."""

import numpy as np
import pytest
from numpys import DTYPES, assert_numpys, assert_same, ours, random

import joggle as jg

PLACES = [0, 3, -1, [1], [0, 0, 2], [-1, 1], [], slice(None, None, 2), slice(3, 0, -1)]


@pytest.mark.parametrize("place", [*PLACES, np.array([True, False, True, False])], ids=str)
@pytest.mark.parametrize("axis", [0, -1, None])
def test_elements_are_put_in_and_taken_out(place, axis):
    x = random((4, 4), "int64")
    if axis is None and not isinstance(place, (int, list, slice)):
        x = x[0]
    assert_numpys("insert", x, place, 7, axis)
    assert_numpys("insert", x.T[::-1] if x.ndim > 1 else x, place, 7.5, axis)
    assert_numpys("delete", x, place, axis)
    assert_numpys("delete", x.T[::-1] if x.ndim > 1 else x, place, axis)


@pytest.mark.parametrize(
    "place, values, axis",
    [
        (1, [[7], [8]], 1),
        (1, [7, 8], 1),
        ([1], [[7], [8]], 1),
        ([0, 2], [7, 8, 9], 0),
        ([0, 2], [[7, 8]], 1),
        (slice(0, 3, 2), [[1, 2], [3, 4]], 1),
        ([2, 0], [7, 8], None),
        (0, [7, 8, 9], None),
    ],
)
def test_values_are_broadcast_to_what_is_put_in(place, values, axis):
    assert_numpys("insert", random((2, 3), "int16"), place, values, axis)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [0, 4, (2, 3), (3, 5), (0, 2), ()])
def test_elements_go_on_and_on_in_a_resized_array(dtype, shape):
    for x in (random((2, 3), dtype), random((3, 2), dtype).T, random((), dtype)):
        assert_numpys("resize", x, shape)
    assert_numpys("resize", random((0, 2), dtype), shape)


@pytest.mark.parametrize("trim", ["fb", "F", "b"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
def test_zeros_are_trimmed(trim, axis, dtype):
    x = np.zeros((5, 6), dtype)
    x[1:4:2, 2:4] = 1
    for each in (x, x.T, x * 0, x[:0]):
        assert_numpys("trim_zeros", each, trim, axis)
    if axis in (None, 0):
        assert_numpys("trim_zeros", x[:, 2], trim, axis)
        assert_numpys("trim_zeros", x[:, 0], trim, axis)


def test_indices_of_narrow_integers_reach_as_far_as_they_can():
    x, places = np.arange(300), np.array([5, 127, 0], "int8")
    for narrow in (ours(places.astype("int8")), ours(places.astype("uint8"))):
        assert_same(jg.insert(ours(x), narrow, 7), np.insert(x, places.astype(int), 7))
        assert_same(jg.delete(ours(x), narrow), np.delete(x, places))
        assert_same(jg.unravel_index(narrow, (3, 100)), np.unravel_index(places, (3, 100)))


def test_axes_are_rolled_and_flipped():
    x = random((2, 3, 4))
    for axis in range(-3, 3):
        for start in range(-3, 4):
            assert_numpys("rollaxis", x, axis, start)
    for each in (x, x[0].T, x[:0], x[:, :0]):
        assert_numpys("fliplr", each)
        assert_numpys("flipud", each)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [-2, 0, 1])
def test_elements_become_a_diagonal(dtype, k):
    for shape in ((), (3,), (2, 3), (0,)):
        assert_numpys("diagflat", random(shape, dtype), k)


def test_where_the_shape_is_known_nothing_is_computed():
    x = jg.ones((3, 4)) + 1
    known = [jg.insert(x, 1, 5, 0), jg.delete(x, -1, 1), jg.resize(x, 5), jg.fliplr(x)]
    assert {each.status for each in known} == {"unscheduled"}


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.insert(jg.ones(3), 4, 1), IndexError, r"\[insert\] obj: has 4, allowed is -3"),
        (lambda: jg.insert(jg.ones(3), [[1]], 1), ValueError, r"\[insert\] obj: has 2 axes"),
        (lambda: jg.insert(jg.ones(3), 1.5, 1), TypeError, r"\[insert\] obj: got float32"),
        (lambda: jg.insert(jg.ones(3), [0, 1], [1, 2, 3]), ValueError, "broadcast"),
        (lambda: jg.insert(jg.ones(3), 0, 1, 1), IndexError, r"\[insert\] axis: got 1"),
        (
            lambda: jg.delete(jg.ones(3), 3),
            IndexError,
            "obj: got 3, allowed for 3 elements is -3 to 2",
        ),
        (
            lambda: jg.delete(jg.ones(0), 0),
            IndexError,
            "obj: got 0, allowed for 0 elements are none",
        ),
        (lambda: jg.delete(jg.ones(3), [0, -4]), IndexError, r"\[delete\] obj: has -4"),
        (lambda: jg.delete(jg.ones(3), [True]), ValueError, r"obj: has shape \(1,\)"),
        (lambda: jg.resize(jg.ones(3), -1), ValueError, r"new_shape: got \(-1,\)"),
        (lambda: jg.trim_zeros(jg.ones(3), "x"), ValueError, "trim: got 'x'"),
        (lambda: jg.trim_zeros(jg.ones(3), axis=1), IndexError, "axis: got 1"),
        (lambda: jg.rollaxis(jg.ones(3), 1), IndexError, "axis: got 1"),
        (lambda: jg.rollaxis(jg.ones(3), 0, 2), IndexError, "start: got 2"),
        (lambda: jg.fliplr(jg.ones(3)), ValueError, "m: has 1 axes"),
        (lambda: jg.flipud(jg.ones(())), ValueError, "m: has 0 axes"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
