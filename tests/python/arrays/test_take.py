# SPDX-License-Identifier: Apache-2.0
"""take, take_along_axis, gather, and where an array is not zero."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keys import numbers, same, sources

import joggle as jg

REFERENCE = np.arange(2 * 3 * 4, dtype="i4").reshape(2, 3, 4)


@given(st.data())
def test_take_reads_what_numpys_reads(data):
    x = data.draw(sources().filter(lambda x: x.size > 0))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none())
    extent = x.size if axis is None else x.shape[axis]
    indices = numbers(data.draw, extent, data.draw(st.lists(st.integers(0, 3), max_size=2)))
    same(jg.take(jg.array(x), indices, axis), np.take(x, indices, axis))


@given(st.data())
def test_take_along_axis_reads_what_numpys_reads(data):
    x = data.draw(sources().filter(lambda x: x.size > 0 and x.ndim > 0))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = [data.draw(st.sampled_from([1, extent])) for extent in x.shape]
    shape[axis] = data.draw(st.integers(0, 5))
    indices = numbers(data.draw, x.shape[axis], shape)
    same(jg.take_along_axis(jg.array(x), indices, axis), np.take_along_axis(x, indices, axis))


def test_take_along_axis_goes_along_the_last_or_over_all():
    x = jg.array(REFERENCE)
    same(x.take_along_axis([[[3]]]), REFERENCE[:, :, 3:])
    same(jg.take_along_axis(x, [5, -1], axis=None), REFERENCE.ravel()[[5, -1]])
    with pytest.raises(ValueError, match="has 1 axes, allowed are x's 3"):
        x.take_along_axis([0])


def test_gather_puts_the_axes_of_the_index_arrays_first():
    x, rows, columns = jg.array(REFERENCE), [[0], [1]], [3, 2, 1]
    same(jg.gather(x, [rows, columns], (0, 2)), REFERENCE[rows, :, columns])
    same(jg.gather(x, [columns, rows], (-1, 0)), REFERENCE[rows, :, columns])
    same(jg.gather(x, [[2, 1]], 1), np.moveaxis(REFERENCE[:, [2, 1]], 1, 0))
    same(jg.gather(x, [], ()), REFERENCE)
    with pytest.raises(ValueError, match="axes: got 1 for 2 index arrays"):
        jg.gather(x, [[0], [0]], 0)
    with pytest.raises(ValueError):
        jg.gather(x, [[0], [0]], (1, 1))
    with pytest.raises(IndexError):
        jg.gather(x, [[0]], 3)


def test_indices_that_are_no_integers_are_refused():
    x = jg.array(REFERENCE)
    for call in (jg.take, jg.take_along_axis):
        with pytest.raises(TypeError, match="got an array of float32, allowed are integers"):
            call(x, jg.zeros((2, 3, 4)), 0)


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(5,), (0,), (3, 0, 2), (3, 4, 5), (1000, 333), (200_000,)])
def test_nonzero_finds_what_numpys_finds(shape, dtype):
    x = np.random.default_rng(1).integers(-1, 2, shape).astype(dtype)
    for source in (x, x.T, x[..., ::-1]):
        places = jg.nonzero(jg.array(source))
        assert type(places) is tuple
        for place, reference in zip(places, np.nonzero(source), strict=True):
            assert place.dtype is jg.int64
            same(place, reference)
        same(jg.argwhere(source), np.argwhere(source))
        same(jg.flatnonzero(source), np.flatnonzero(source))


def test_sparse_and_full_arrays_have_the_nonzero_places_of_numpy():
    for x in (np.zeros(100_001), np.ones(100_001), np.arange(100_001) % 30_000 == 7):
        same(jg.flatnonzero(x), np.flatnonzero(x))
    with pytest.raises(ValueError, match=r"\[nonzero\] x: has no axes"):
        jg.nonzero(1.0)
    same(jg.argwhere(jg.array(2.0)), np.argwhere(2.0))


def test_where_of_a_condition_alone_is_nonzero():
    for result in (jg.where(REFERENCE > 20), jg.where(jg.array(REFERENCE) > 20)):
        assert type(result) is tuple
        for place, reference in zip(result, np.where(REFERENCE > 20), strict=True):
            same(place, reference)
    with pytest.raises(TypeError, match="x2"):
        jg.where(REFERENCE > 20, 1)


def test_compress_and_extract_choose_where_a_condition_holds():
    x = jg.array(REFERENCE)
    same(jg.compress([0, 1, 1], x, axis=1), np.compress([0, 1, 1], REFERENCE, axis=1))
    same(jg.compress([True, False], x, -1), np.compress([True, False], REFERENCE, -1))
    same(jg.compress([False, True, True], x), np.compress([False, True, True], REFERENCE))
    same(jg.extract(x % 5 == 0, x), np.extract(REFERENCE % 5 == 0, REFERENCE))
    with pytest.raises(IndexError):
        jg.eval(jg.compress([0, 0, 0, 1], x, axis=1))
