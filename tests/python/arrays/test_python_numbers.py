# SPDX-License-Identifier: Apache-2.0
"""round(), math.trunc(), math.floor(), math.ceil() and reversed() of arrays."""

import collections.abc
import math

import numpy as np
import pytest

import joggle as jg

NUMBERS = [2.5, -2.5, 3.7, -0.2, 0.0]


@pytest.mark.parametrize("function", [round, math.trunc, math.floor, math.ceil])
@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_number_becomes_an_int(function, value, dtype):
    x = jg.array(value, dtype=dtype)
    found, expected = function(x), function(x.item())
    assert type(found) is int and found == expected


@pytest.mark.parametrize("function", [round, math.trunc, math.floor, math.ceil])
def test_large_integers_stay_exact(function):
    for value, dtype in ((2**63 - 1, "int64"), (2**64 - 1, "uint64"), (-(2**62) - 1, "int64")):
        assert function(jg.array(value, dtype=dtype)) == value


def test_what_is_no_number_is_refused():
    for function, name in ((math.trunc, "trunc"), (math.floor, "floor"), (math.ceil, "ceil")):
        with pytest.raises(TypeError, match=rf"3 elements is not a number: write joggle\.{name}"):
            function(jg.ones(3))
        with pytest.raises(TypeError):
            function(jg.array(1j))
        with pytest.raises(OverflowError):
            function(jg.array(float("inf")))
        with pytest.raises(ValueError, match="NaN"):
            function(jg.array(float("nan")))
    with pytest.raises(TypeError, match="complex"):
        round(jg.array(1j))


@pytest.mark.parametrize("shape", [(5,), (2, 3), (0,), (1,)])
@pytest.mark.parametrize("digits", [None, 0, 2, -1])
def test_rounding_several_elements_gives_an_array(shape, digits):
    x = np.linspace(-30, 30, math.prod(shape)).reshape(shape)
    found = round(jg.array(x), digits)
    assert isinstance(found, jg.array) and found.dtype == jg.float64
    np.testing.assert_allclose(np.asarray(found), np.round(x, digits or 0), rtol=1e-15)


def test_rounding_a_number_to_digits_gives_an_array():
    found = round(jg.array(2.344, dtype="float64"), 2)
    assert isinstance(found, jg.array) and found.shape == () and found.item() == 2.34
    with pytest.raises(TypeError, match="decimals"):
        round(jg.ones(2), 1.5)


def test_rows_come_in_reverse():
    assert isinstance(jg.ones(3), collections.abc.Reversible)
    x = jg.array([[1, 2], [3, 4], [5, 6]])
    assert [row.tolist() for row in reversed(x)] == [[5, 6], [3, 4], [1, 2]]
    assert list(reversed(jg.zeros((0, 2)))) == []
    with pytest.raises(TypeError, match="0-d"):
        reversed(jg.array(1))


def test_ints_beyond_64_bits_are_floats_beside_floats():
    x = jg.array([1.0, 2.0])
    assert (x + 2**70).tolist() == [2.0**70, 2.0**70]
    assert (-(2**70) * x).tolist() == [-(2.0**70), -(2.0**71)]
    assert (x < 2**70).tolist() == [True, True] and (x > 2**70).tolist() == [False, False]
    assert (jg.array([1j]) * 2**64).tolist() == [2.0**64 * 1j]
    for refused in (lambda: jg.array([1]) + 2**70, lambda: jg.asarray(2**70), lambda: x + 10**400):
        with pytest.raises(OverflowError):
            refused()
