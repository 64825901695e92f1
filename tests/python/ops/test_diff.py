# SPDX-License-Identifier: Apache-2.0
"""diff, and reshape's copy=."""

import numpy as np
import pytest
from elementwise import ALL, numpy_dtype

import joggle as jg

RNG = np.random.default_rng(6)


def sample(shape, name="float64"):
    return (RNG.standard_normal(shape) * 20).astype(numpy_dtype(name))


@pytest.mark.parametrize("name", ALL)
def test_differences_are_numpys(name):
    x = np.abs(sample((4, 5, 6))).astype(numpy_dtype(name))
    for axis in (0, 1, -1):
        for n in (0, 1, 2, 4, 9):
            got, want = jg.diff(jg.asarray(x), axis=axis, n=n), np.diff(x, n, axis)
            assert got.shape == want.shape and got.dtype.name == name
            assert np.array_equal(np.asarray(got), want)


def test_ends_are_joined_first():
    x, rows = sample((3, 4)), sample((2, 4))
    a = jg.asarray(x)
    for ends in ({"prepend": rows}, {"append": rows}, {"prepend": rows, "append": rows[:1]}):
        got = jg.diff(a, axis=0, **{key: jg.asarray(end) for key, end in ends.items()})
        assert np.array_equal(got, np.diff(x, axis=0, **ends))
    assert np.array_equal(jg.diff(a, prepend=1.5, append=2), np.diff(x, prepend=1.5, append=2))
    assert jg.diff(jg.ones(3, "int8"), prepend=jg.zeros(1, "int16")).dtype is jg.int16


def test_odd_layouts_are_read_in_place():
    x = sample((6, 8))
    for view in (x.T, x[::-1], x[:, ::2], np.broadcast_to(x[:1], (5, 8)), x[:0], x[:, :1]):
        for axis in (0, 1):
            assert np.array_equal(jg.diff(jg.asarray(view), axis=axis), np.diff(view, axis=axis))


def test_bad_arguments_of_diff_are_refused():
    for arguments in ({"axis": 1}, {"axis": -2}):
        with pytest.raises(IndexError):
            jg.diff(jg.ones(3), **arguments)
    with pytest.raises(IndexError):
        jg.diff(jg.ones(()))
    with pytest.raises(ValueError, match="n: got -1"):
        jg.diff(jg.ones(3), n=-1)
    with pytest.raises(ValueError):
        jg.diff(jg.ones((3, 4)), prepend=jg.ones((2, 1)))


def test_reshape_shares_copies_or_refuses_as_asked():
    owner = sample((4, 6))
    x = jg.asarray(owner)
    assert np.shares_memory(np.asarray(jg.reshape(x, (24,), copy=False)), owner)
    assert np.shares_memory(np.asarray(x.reshape((6, 4))), owner)
    copied = np.asarray(jg.reshape(x, shape=(24,), copy=True))
    assert np.array_equal(copied, owner.reshape(24)) and not np.shares_memory(copied, owner)
    assert jg.reshape(x.mT, -1).shape == (24,)
    with pytest.raises(jg.CopyError):
        jg.reshape(x.mT, (24,), copy=False)
    with pytest.raises(ValueError):
        jg.reshape(x, (25,), copy=True)
