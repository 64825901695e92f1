# SPDX-License-Identifier: Apache-2.0
"""Writing by index arrays and masks, as NumPy has it: x[key] = value and put_along_axis."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keys import keys, numbers, same, sources

import joggle as jg

REFERENCE = np.arange(2 * 3 * 4, dtype="i4").reshape(2, 3, 4)


def updates(draw, shape):
    """Distinct negative numbers that broadcast to the shape."""
    shape = shape[draw(st.integers(0, len(shape))) :]
    shape = [draw(st.sampled_from([1, extent])) for extent in shape]
    return -1 - np.arange(int(np.prod(shape))).reshape(shape)


def written(x, key, value):
    x = x.copy()
    x[key] = value
    return x


@settings(max_examples=500)
@given(st.data())
def test_any_key_is_written_as_numpy_writes_it(data):
    reference = data.draw(sources())
    key = data.draw(keys(reference.shape))
    try:
        value = updates(data.draw, reference[key].shape)
    except IndexError:
        return
    x = jg.array(reference)
    before = x + 0
    x[key] = value
    same(x, written(reference, key, value))
    same(before, reference)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "f8", "c8", "c16"])
def test_elements_of_every_width_are_written(dtype):
    reference = REFERENCE.astype(dtype)
    for key in ([1, 0], (slice(None), [2, 0]), (..., [3, 1]), ([1], [2], [3]), reference != 0):
        for value in (reference[key][..., ::-1], reference.reshape(-1)[1]):
            x = jg.array(reference)
            x[key] = value
            same(x, written(reference, key, value))


def test_dtypes_that_are_only_stored_are_written_by_values_of_the_same():
    reference = np.arange(6).astype(ml_dtypes.float8_e4m3fn).reshape(2, 3)
    x = jg.array(reference)
    x[:, [0, 2]] = x[:, [2, 0]]
    same(jg.bitcast(x, jg.uint8), reference[:, [2, 1, 0]].view("u1"))
    x[1, [0, 1]] = 2.0
    x[[[True, False, True], [False] * 3]] = 3.0
    assert x.astype(jg.float32).tolist() == [[3, 1, 3], [2, 2, 3]]


def test_the_last_of_several_values_for_a_place_holds():
    rng = np.random.default_rng(0)
    index = rng.integers(0, 7, 100_000)
    value = np.arange(100_000)
    for shape, key, updates in (
        ((7,), index, value),
        ((7, 3), index, np.broadcast_to(value[:, None], (100_000, 3))),
        ((3, 7), (slice(None), index), value),
    ):
        x = jg.zeros(shape, dtype=jg.int64)
        x[key] = updates
        same(x, written(np.zeros(shape, "i8"), key, updates))


@pytest.mark.parametrize("shape", [(300, 700), (60, 50, 70)])
def test_large_arrays_are_written_in_parallel(shape):
    rng = np.random.default_rng(0)
    reference = rng.random(shape, dtype="f4")
    rows, columns = rng.permutation(shape[0])[:50], rng.permutation(shape[1])[:50]
    for source in (reference, reference[::-1], reference[..., ::2].repeat(2, -1)):
        for key in ((rows,), (slice(None), columns), (rows, columns), (rows[:, None], columns)):
            value = rng.random(source[key].shape, dtype="f4")
            x = jg.array(source)
            x[key] = value
            same(x, written(source, key, value))
        for key in ((slice(5, 40),), (..., slice(None, None, -2)), (3,), source > 0.5):
            x = jg.array(source)
            x[key] = 7
            same(x, written(source, key, 7))
    x = jg.array(reference.T)
    x[..., rows] = 0
    same(x, written(reference.T, (..., rows), 0))


def test_masks_with_one_value_are_not_evaluated():
    x, reference = jg.array(REFERENCE) + 0, REFERENCE.copy()
    mask = x > 7
    x[mask] = -1
    x[mask] = [-1]
    assert mask.status == x.status == "unscheduled"
    reference[reference > 7] = -1
    same(x, reference)


@pytest.mark.parametrize("value", [5, [1, 2, 3, 4], 2.75])
@pytest.mark.parametrize(
    "key",
    [
        [True, False],
        (slice(None), [True, False, True]),
        (1, [False, True, True]),
        (slice(None, None, -1), [False, True, True]),
        (None, [False, True]),
    ],
)
def test_masks_among_other_items_are_written_as_numpy_writes_them(key, value):
    x = jg.array(REFERENCE)
    x[key] = value
    same(x, written(REFERENCE, key, value))


def test_values_that_do_not_fit_are_refused():
    x = jg.array(REFERENCE)
    for key, value in (
        ([0, 1], np.zeros((3, 3, 4))),
        (REFERENCE > 5, [1, 2]),
        ([True, False], np.zeros((5, 4))),
        (slice(1), np.zeros((2, 3, 4))),
    ):
        with pytest.raises(ValueError):
            x[key] = value
    y = jg.zeros((2, 1))
    with pytest.raises(ValueError):
        y[[True, False]] = [1, 2, 3]
    same(x, REFERENCE)


def test_leading_axes_of_extent_one_are_left_out_of_a_value():
    x = jg.array(REFERENCE)
    x[0, 1] = [[[9]]]
    same(x, written(REFERENCE, (0, 1), 9))


@pytest.mark.parametrize("at", [3, -4])
@pytest.mark.parametrize("count", [1, 100_000])
def test_a_number_outside_its_axis_is_an_index_error_and_the_array_is_dropped(at, count):
    x = jg.array(REFERENCE)
    old = x + 0
    index = np.zeros(count, "i4")
    index[-1] = at
    x[:, index] = np.zeros((2, count, 4))
    message = rf"\[scatter\] index: {at} is out of range for axis 1 with extent 3"
    with pytest.raises(IndexError, match=message):
        jg.eval(x)
    same(old, REFERENCE)


def test_many_writes_in_a_row_are_seen():
    x, reference = jg.zeros(50), np.zeros(50)
    for i in range(50):
        x[i] = reference[i] = i
        x[[0, -1]] = reference[[0, -1]] = i
    same(x, reference)


@given(st.data())
def test_put_along_axis_writes_what_numpys_writes(data):
    reference = data.draw(sources().filter(lambda x: x.size > 0 and x.ndim > 0)).copy()
    axis = data.draw(st.integers(-reference.ndim, reference.ndim - 1))
    shape = [data.draw(st.sampled_from([1, extent])) for extent in reference.shape]
    shape[axis] = data.draw(st.integers(0, 5))
    indices = numbers(data.draw, reference.shape[axis], shape)
    x = jg.array(reference, copy=True)
    value = -np.arange(np.prod(shape)).reshape(shape)
    result = jg.put_along_axis(x, indices, value, axis)
    np.put_along_axis(reference, indices, value, axis)
    same(result, reference)


def test_put_along_axis_without_an_axis_goes_over_all():
    x = jg.array(REFERENCE)
    reference = REFERENCE.copy()
    reference.reshape(-1)[[5, -1]] = 100
    same(x.put_along_axis([5, -1], 100), reference)
    same(x, REFERENCE)


def test_an_array_that_nobody_else_holds_is_written_in_place():
    x = jg.array(np.zeros(1_000_000, "f4"), copy=True)
    jg.eval(x)
    before = jg.get_active_memory()
    jg.reset_peak_memory()
    for i in range(3):
        x[[i, -1 - i]] = i + 1
        jg.eval(x)
        x[10 * i + 10 : 10 * i + 20] = 5
        jg.eval(x)
    assert jg.get_peak_memory() < before + 1_000_000
    reference = np.zeros(1_000_000, "f4")
    reference[[0, 1, 2, -1, -2, -3]], reference[10:40] = [1, 2, 3, 1, 2, 3], 5
    same(x, reference)


@pytest.mark.parametrize("held", ["handle", "view", "export", "updates", "indices"])
def test_an_array_that_somebody_else_reads_is_not_written_in_place(held):
    reference = np.arange(200_000)
    x = jg.array(reference, copy=True)
    jg.eval(x)
    others = {"handle": x[:], "view": x[5:], "export": np.from_dlpack(x)}
    key, value = np.arange(100_000), -1 - np.arange(100_000)
    other = others.get(held)
    del others
    if held == "updates":
        value = x[:100_000][::-1]
    if held == "indices":
        key = x[50_000:150_000]
    x[key] = value
    jg.eval(x)
    key, value = np.asarray(key), np.asarray(value)
    if held == "updates":
        value = reference[:100_000][::-1]
    same(x, written(reference, key, value))
    if other is not None:
        np.testing.assert_array_equal(np.asarray(other), reference[5 if held == "view" else 0 :])


@pytest.mark.parametrize("mode", ["add", "set"])
def test_an_array_may_be_its_own_updates_and_indices(mode):
    reference = np.random.default_rng(0).permutation(100_000)
    x = jg.array(reference, copy=True)
    jg.eval(x)
    expected = reference.copy()
    if mode == "add":
        x = x.at[x].add(x)
        np.add.at(expected, reference, reference)
    else:
        x[x] = x
        expected[reference] = reference
    same(x, expected)


def test_a_chain_of_writes_that_is_evaluated_at_once_is_written_in_one_memory():
    x = jg.array(np.zeros(500_000, "f4"), copy=True)
    jg.eval(x)
    before = jg.get_active_memory()
    jg.reset_peak_memory()
    y = x[:]
    for i in range(20):
        y = y.at[[i, 499_999]].add(1)
    jg.eval(y)
    assert jg.get_peak_memory() < before + 2 * 4 * 500_000 + 1_000_000
    assert np.asarray(y)[:21].tolist() == [1.0] * 20 + [0.0] and np.asarray(y)[-1] == 20
    assert not np.asarray(x).any()


@pytest.mark.parametrize("values", [1.0, 0.1, [1.0, 0.0], np.zeros(0), np.zeros((0, 3))])
def test_a_write_by_a_mask_of_any_extent_needs_no_values(values):
    def function(x):
        y = x * 1
        y[y > 0.3] = 2.0
        return y

    x = jg.array(values, dtype=jg.float32)
    expected = np.where(np.asarray(x) > 0.3, np.float32(2.0), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(function(x)), expected)
    np.testing.assert_array_equal(np.asarray(jg.compile(function)(x)), expected)
    if x.ndim == 1:
        np.testing.assert_array_equal(np.asarray(jg.vmap(function)(x)), expected)


MASKS = [
    (lambda a: (True,), [7.0, 8.0, 9.0]),
    (lambda a: (False,), 5.0),
    (lambda a: (a.array(True),), np.full((1, 2, 3), 4.0)),
    (lambda a: (slice(None), a.array(True), 1), 9.0),
    (lambda a: (1, a.array(True)), [1.0, 2.0, 3.0]),
    (lambda a: (..., a.array(False)), [[1.0], [2.0], [3.0]]),
]


@pytest.mark.parametrize("index, value", MASKS)
def test_a_mask_without_axes_writes_all_or_nothing(index, value):
    theirs = np.arange(6.0).reshape(2, 3)
    ours = jg.array(theirs)
    ours[index(jg)] = jg.array(value)
    theirs[index(np)] = value
    np.testing.assert_array_equal(np.asarray(ours), theirs)


UNFIT = [
    (1j, "float32", TypeError),
    (1j, "bool", TypeError),
    (float("nan"), "uint8", ValueError),
    (float("inf"), "int32", ValueError),
    (-2.5, "uint8", ValueError),
    (300, "uint8", OverflowError),
    (2**70, "int64", OverflowError),
]


@pytest.mark.parametrize("number, dtype, error", UNFIT)
def test_a_number_that_does_not_fit_is_refused_as_by_full(number, dtype, error):
    x = jg.ones(2, dtype=dtype)
    for write in (
        lambda: x.__setitem__(0, number),
        lambda: x.at[0].set(number),
        lambda: x.at[...].set(number),
    ):
        with pytest.raises(error, match=r"does not fit|64 bits"):
            write()
    assert x.tolist() == [1, 1]


def test_numbers_are_rounded_to_what_they_are_written_to():
    x = jg.zeros(3, dtype=jg.int32)
    x[0], x[1], x[2] = 1.9, True, -2.5
    assert x.tolist() == [1, 1, -2]
    y = jg.zeros(2, dtype=jg.float32)
    y[0], y[1] = 2**70, 1e300
    assert y.tolist() == [2.0**70, float("inf")]
    z = jg.zeros(2, dtype=jg.bool)
    z[0], z[1] = 5, 0.0
    assert z.tolist() == [True, False]
