# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy's that write into their first argument."""

import numpy as np
import pytest
from numpys import DTYPES, assert_writes_as_numpy, random

import joggle as jg


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_are_copied_where_a_condition_holds(dtype):
    x = random((3, 4), dtype)
    assert_writes_as_numpy("copyto", x, random((4,), "bool"))
    assert_writes_as_numpy("copyto", x, random((3, 1), dtype), where=x != 0)
    assert_writes_as_numpy("copyto", x.T[::-1], True, where=[True, False, True])
    assert_writes_as_numpy("copyto", x[:0], x[:1], where=False)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_put_at_indices(mode, dtype):
    out = [] if mode == "raise" else [17, -20]
    for values in ([1], [1, 0, 1], random((2, 5), "bool"), []):
        assert_writes_as_numpy("put", random((3, 4), dtype), [0, 5, -1 + 12, *out], values, mode)
    assert_writes_as_numpy("put", random((3, 4), dtype).T, 5, 1, mode)
    assert_writes_as_numpy("put", random((), dtype), [], 1, mode)
    assert_writes_as_numpy("put", random((6,), dtype), [1, 1], [0, 1], mode)


def test_negative_indices_count_from_the_end():
    assert_writes_as_numpy("put", random((3, 4)), [[-1, -12]], [7, 8])


@pytest.mark.parametrize("name", ["place", "putmask"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 3, 12, 20])
def test_values_go_where_a_mask_holds(name, dtype, count):
    x = random((3, 4), dtype)
    values = random((count,), dtype, 1)
    assert_writes_as_numpy(name, x, x != 0, values)
    assert_writes_as_numpy(name, x.T[::-1], (x != 1).T, values)
    assert_writes_as_numpy(name, x[:0], x[:0] != 0, values)
    assert_writes_as_numpy(name, x, x * 0 != 0, values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (7, 3), (2, 5), (3, 3, 3), (0, 2), (4, 1)])
def test_diagonals_are_filled(dtype, wrap, shape):
    assert_writes_as_numpy("fill_diagonal", random(shape, dtype), 1, wrap)
    assert_writes_as_numpy("fill_diagonal", random(shape, dtype), np.array([1, 0]), wrap)
    assert_writes_as_numpy("fill_diagonal", random(shape, dtype), np.empty(0), wrap)
    assert_writes_as_numpy("fill_diagonal", random(shape[::-1], dtype).T, 1, wrap)


def test_who_holds_what_was_written_keeps_it():
    x = jg.zeros((2, 2))
    before, view = np.asarray(x), x[0]
    jg.fill_diagonal(x, 1)
    jg.copyto(x, 2, where=x == 1)
    assert x.tolist() == [[2, 0], [0, 2]]
    assert before.tolist() == [[0, 0], [0, 0]] and view.tolist() == [0, 0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.copyto([1], 2), TypeError, r"\[copyto\] dst: got list"),
        (lambda: jg.copyto(jg.ones(2), jg.ones(3)), ValueError, "broadcast"),
        (lambda: jg.put(jg.ones(2), [2], 1), IndexError, r"\[put\] ind: has 2, allowed is -2 to 1"),
        (lambda: jg.put(jg.ones(2), [0.5], 1), TypeError, r"\[put\] ind: got float32"),
        (lambda: jg.put(jg.ones(2), [0], 1, "x"), ValueError, r"\[put\] mode: got 'x'"),
        (lambda: jg.put(jg.ones(0), [0], 1, "clip"), IndexError, r"\[put\] ind: has 1 elements"),
        (lambda: jg.place(jg.ones(2), [True], [1]), ValueError, r"\[place\] mask: has 1 elements"),
        (lambda: jg.place(jg.ones(1), [True], []), ValueError, r"\[place\] vals: got none"),
        (lambda: jg.putmask(jg.ones(2), [True], [1]), ValueError, r"\[putmask\] mask: has 1"),
        (lambda: jg.fill_diagonal(jg.ones(2), 1), ValueError, "a: has 1 axes"),
        (lambda: jg.fill_diagonal(jg.ones((1, 1, 2)), 1), ValueError, "allowed are equal extents"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
