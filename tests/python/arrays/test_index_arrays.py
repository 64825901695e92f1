# SPDX-License-Identifier: Apache-2.0
"""Reading by index arrays and masks, as NumPy has it."""

import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from keys import INTEGERS, keys, same, sources

import joggle as jg

REFERENCE = np.arange(2 * 3 * 4, dtype="i4").reshape(2, 3, 4)


@settings(max_examples=500)
@given(st.data())
def test_any_key_means_what_it_means_to_numpy(data):
    x = data.draw(sources())
    key = data.draw(keys(x.shape))
    try:
        reference = x[key]
    except IndexError:
        reference = None
    if reference is not None:
        same(jg.array(x)[key], reference)


class Foreign:
    """An array of integers, as Dask has them: NumPy reads it, and it has an __index__ for one."""

    def __init__(self, values):
        self.values, self.ndim = np.array(values), np.ndim(values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __index__(self):
        return self.values.__index__()


@pytest.mark.parametrize("key", [[1, 0, 1], [1], [[0, 1]], 1, [], [True, False]])
def test_arrays_that_numpy_reads_are_indices(key):
    key = np.array(key) if key else np.array(key, "i8")
    same(jg.array(REFERENCE)[Foreign(key)], REFERENCE[key])
    if key.dtype != bool:
        same(jg.array(REFERENCE)[:, Foreign(key), 1:], REFERENCE[:, key, 1:])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numbers_of_every_integer_dtype_are_indices(dtype):
    key = np.array([[2, 0], [1, 1]], dtype)
    same(jg.array(REFERENCE)[:, key], REFERENCE[:, key])
    same(jg.array(REFERENCE)[:, jg.array(key)], REFERENCE[:, key])


@pytest.mark.parametrize(
    "key",
    [
        [1, 0],
        [[1, 0], [0, 0]],
        ([1, 0], slice(None), [2, 3]),
        ([1, 0], [[2], [1]]),
        (slice(None), [0, 2], 1),
        (0, slice(None), [3, 3]),
        (..., [0], None),
        [],
        True,
        False,
        [True, False],
        (slice(None), [True, False, True], 1),
        (1, [False] * 3),
    ],
)
def test_lists_and_bools_are_index_arrays(key):
    same(jg.array(REFERENCE)[key], REFERENCE[key])


@pytest.mark.parametrize("make", [torch.tensor, jnp.asarray, mx.array, jg.array, np.asarray])
def test_arrays_of_other_libraries_are_index_arrays(make):
    x = jg.array(REFERENCE)
    same(x[make([1])], REFERENCE[[1]])
    same(x[:, make([[2, 0]])], REFERENCE[:, [[2, 0]]])
    same(x[make(1)], REFERENCE[1])
    same(x[make([False, True])], REFERENCE[[False, True]])


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "f8", "c8", "c16"])
def test_elements_of_every_width_are_read(dtype):
    x = REFERENCE.astype(dtype)
    for key in ((slice(None), [2, 0]), (..., [3, 1, 1]), ([1], [2], [3]), x[..., ::-1] != 0):
        same(jg.array(x)[key], x[key])


def test_indices_and_sources_that_are_computed_are_read():
    x, index = jg.array(REFERENCE), jg.array([0, 1, 1])
    same((x * 2)[:, index + 1], (REFERENCE * 2)[:, [1, 2, 2]])
    same((x * 2)[x > 7] + 1, (REFERENCE * 2)[REFERENCE > 7] + 1)
    same((x + x)[:, ::-1, 1:3][[1, 0]], (REFERENCE + REFERENCE)[:, ::-1, 1:3][[1, 0]])


@pytest.mark.parametrize("shape", [(300, 700), (70, 50, 60)])
def test_large_gathers_are_read_in_parallel(shape):
    rng = np.random.default_rng(0)
    x = rng.random(shape, dtype="f4")
    count = 900 if len(shape) == 2 else 300
    rows = rng.integers(-shape[0], shape[0], count)
    columns = rng.integers(-shape[1], shape[1], count)
    for key in (
        (rows,),
        (slice(None), columns),
        (rows[:, None], columns),
        (rows, columns),
        x > 0.5,
    ):
        for source in (x, x[::-1], x[..., ::2].repeat(2, -1)):
            same(jg.array(source)[key], source[key])
    same(jg.array(x.T)[..., rows], x.T[..., rows])
    same(jg.broadcast_to(jg.array(x[0]), shape)[rows], np.broadcast_to(x[0], shape)[rows])


@pytest.mark.parametrize("at", [5, -6, 2**40])
@pytest.mark.parametrize("count", [1, 100_000])
def test_a_number_outside_its_axis_is_an_index_error_when_it_is_run(at, count):
    index = np.zeros(count, "i8")
    index[-1] = at
    y = jg.zeros((2, 5))[:, index]
    message = rf"\[gather\] index: {at} is out of range for axis 1 with extent 5"
    with pytest.raises(IndexError, match=message):
        jg.eval(y)


def test_large_unsigned_numbers_are_out_of_range():
    y = jg.arange(5)[np.array([2**64 - 1], "u8")]
    with pytest.raises(IndexError, match="18446744073709551615 is out of range for axis 0"):
        jg.eval(y)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.ones((2, 2), bool), "the mask has extent 2 where axis 1 has 3"),
        (np.ones((2, 3, 4, 1), bool), "names 4 axes, allowed are at most the array's 3"),
        (([0, 1], [0, 1, 2]), r"arrays of shapes \(2,\) and \(3,\) cannot be broadcast"),
        (([0], [0], [0], [0]), "names 4 axes, allowed are at most the array's 3"),
    ],
)
def test_keys_that_do_not_fit_are_index_errors(key, message):
    with pytest.raises(IndexError, match=message):
        jg.array(REFERENCE)[key]


def test_an_index_array_that_is_written_meanwhile_is_read_as_it_is_when_evaluated():
    index = np.array([0, 1])
    y = jg.arange(5)[index]
    index[:] = 4
    assert y.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("shape", "extents"), [((3,), (0,)), ((3, 4), (0,)), ((3, 4), (3, 0)), ((3, 4), (0, 4))]
)
def test_a_mask_with_an_axis_of_extent_zero_chooses_nothing(shape, extents):
    values, mask = np.arange(float(np.prod(shape))).reshape(shape), np.zeros(extents, bool)
    result = np.asarray(jg.asarray(values)[mask])
    assert result.shape == values[mask].shape
    written = jg.array(values)
    written[mask] = 7.0
    np.testing.assert_array_equal(np.asarray(written), values)


EMPTY = [(3, 0), (0, 3), (0,), (0, 0), (2, 0, 3)]
NUMBERS = [[5], [-9], [0], [], [[0, 1], [2, 5]]]


def put_in(x, key):
    x[key] = 1


def outcome(work, x):
    try:
        found = work(x)
        return found.shape if found is not None else x.shape, np.asarray(x).shape
    except IndexError:
        return IndexError


@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_numbers_out_of_range_are_refused_where_nothing_is_read_or_written(shape, numbers):
    numbers = np.array(numbers, dtype="i8")
    for axis in range(len(shape)):
        key = (slice(None),) * axis + (numbers,)
        both = (*key, np.zeros((0,) + (1,) * numbers.ndim, "i8")) if axis + 1 < len(shape) else key
        expected = outcome(lambda x, key=key: x[key], np.zeros(shape))
        for each in (key, both):
            read = outcome(lambda x, key=each: x[key], np.zeros(shape))
            ours = tuple(jg.asarray(k) if isinstance(k, np.ndarray) else k for k in each)
            assert outcome(lambda x, key=ours: evaluated(x[key]), jg.zeros(shape)) == read
        for write in (
            lambda x, key=key: put_in(x, key),
            lambda x, key=key: evaluated(x.at[key].add(1)),
            lambda x, axis=axis: evaluated(jg.take(x, jg.asarray(numbers), axis)),
        ):
            assert (outcome(write, jg.zeros(shape)) is IndexError) == (expected is IndexError)


def evaluated(x):
    jg.eval(x)
    return x
