# SPDX-License-Identifier: Apache-2.0
"""Basic indexing and assignment by index, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import joggle as jg

REFERENCE = np.arange(2 * 3 * 4, dtype="i4").reshape(2, 3, 4)


def same(x, reference):
    assert x.shape == reference.shape
    assert np.array_equal(np.asarray(x), reference)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, 2),
        (1, -1, 3),
        slice(None),
        slice(1, None),
        slice(None, None, -1),
        (slice(None), 1),
        (slice(None), slice(None, None, 2)),
        (Ellipsis, 0),
        (0, Ellipsis),
        Ellipsis,
        None,
        (None, 1, None),
        (slice(5, 1), 0),
        (slice(-100, 100), slice(2, 0, -1)),
        (),
        np.int64(1),
        (np.uint8(1), slice(0, 2)),
        (slice(None, None, -2), slice(None, None, 3), slice(3, None, -3)),
    ],
)
def test_a_key_means_what_it_means_to_numpy(key):
    same(jg.array(REFERENCE)[key], REFERENCE[key])


bounds = st.none() | st.integers(-6, 6)
steps = st.none() | st.integers(-3, 3).filter(bool)
items = st.one_of(st.integers(-2, 1), st.builds(slice, bounds, bounds, steps), st.none())


@given(st.lists(items, max_size=3).map(tuple), st.booleans())
def test_any_basic_key_means_what_it_means_to_numpy(key, ellipsis):
    key = (*key, ...) if ellipsis else key
    same(jg.array(REFERENCE)[key], REFERENCE[key])


@given(
    st.lists(st.builds(slice, bounds, bounds, steps), min_size=1, max_size=3).map(tuple),
    st.integers(-9, 9),
)
def test_assignment_by_any_slices_writes_what_numpy_writes(key, value):
    x, reference = jg.array(REFERENCE, copy=True), REFERENCE.copy()
    x[key], reference[key] = value, value
    same(x, reference)


@pytest.mark.parametrize("key", [2, -3, (0, 3), (0, 0, 4)])
def test_an_index_outside_its_axis_is_an_index_error(key):
    with pytest.raises(IndexError):
        jg.array(REFERENCE)[key]
    with pytest.raises(IndexError):
        jg.array(REFERENCE)[key] = 1


def test_too_many_indices_and_step_zero_are_refused():
    x = jg.array(REFERENCE)
    with pytest.raises(IndexError):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError):
        x[..., 0, ...]
    with pytest.raises(ValueError):
        x[::0]
    with pytest.raises(IndexError):
        x[2**80]


@pytest.mark.parametrize(
    "key", ["a", 1.0, [0.5], np.ones(2), (slice(None), "x"), slice("a", None), object()]
)
def test_other_keys_are_type_errors(key):
    with pytest.raises(TypeError):
        jg.array(REFERENCE)[key]


def test_an_array_of_one_integer_is_an_index():
    same(jg.array(REFERENCE)[jg.array(1)], REFERENCE[1])


def test_len_and_iteration_go_over_rows():
    x = jg.array(REFERENCE)
    assert len(x) == 2
    for row, reference in zip(x, REFERENCE, strict=True):
        same(row, reference)
    for call in (len, iter, list):
        with pytest.raises(TypeError):
            call(jg.array(1))


def test_assignment_gives_the_handle_another_value_and_leaves_views_and_exports_alone():
    x = jg.array([1, 2, 3, 4])
    view, export, other = x[1:], np.from_dlpack(x), x
    x[1] = 20
    assert x.tolist() == [1, 20, 3, 4]
    assert other is x
    assert view.tolist() == [2, 3, 4]
    assert export.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "value", [7, [1, 2, 3, 4], jg.array([[5], [6], [7]]), np.arange(4), np.float64(2.0)]
)
def test_an_assigned_value_is_broadcast_and_cast(value):
    x, reference = jg.array(REFERENCE), REFERENCE.copy()
    x[1] = value
    reference[1] = np.asarray(value)
    assert x.dtype is jg.int32
    same(x, reference)


def test_imported_memory_is_not_written_by_assignment():
    source = np.arange(4.0)
    x = jg.from_dlpack(source)
    x[0] = 100
    assert source[0] == 0 and x.tolist() == [100, 1, 2, 3]


def test_assignment_refuses_what_does_not_fit():
    x = jg.zeros((2, 3))
    with pytest.raises(ValueError):
        x[0] = [1, 2]
    with pytest.raises(TypeError):
        x[0] = "a"
    with pytest.raises(TypeError):
        del x[0]
    assert x.tolist() == [[0] * 3] * 2


def test_tolist_and_item_give_python_numbers():
    assert jg.array(REFERENCE).tolist() == REFERENCE.tolist()
    for value in (True, 5, 2.5, 1 + 2j):
        item = jg.array(value).item()
        assert item == value and type(item) is type(value)
        assert jg.array([[value]]).item() == value
    with pytest.raises(ValueError):
        jg.array([1, 2]).item()
