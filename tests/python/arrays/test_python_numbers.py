# SPDX-License-Identifier: Apache-2.0
"""round(), math.trunc(), math.floor(), math.ceil() and reversed() of arrays."""

import collections.abc
import math

import numpy as np
import pytest
from numpys import assert_same

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


WIDE = [2**64, 2**70 + 1, -(2**63) - 1, -(10**300)]


@pytest.mark.parametrize("number", WIDE)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_ints_beyond_64_bits_are_floats_in_a_dtype_of_floats(number, dtype):
    like = jg.zeros((2,), dtype)
    for data in (number, [number, 1.5], [[1, number]], (number, np.float32(1))):
        assert_same(jg.array(data, dtype=dtype), np.array(data).astype(dtype))
    for full in (jg.full((2,), number, dtype), jg.full_like(like, number)):
        assert_same(full, np.full((2,), float(number)).astype(dtype))
    assert_same(jg.full_like(jg.zeros(2, "int8"), number, dtype), np.asarray(full))


@pytest.mark.filterwarnings("ignore:overflow")
def test_ints_beyond_64_bits_are_floats_in_a_list_that_has_some():
    for number in WIDE:
        assert_same(jg.array([1.5, number]), np.array([1.5, number], "float32"))
        assert_same(jg.array([[number], [1j]]), np.array([[number], [1j]], "complex64"))
        assert_same(jg.array([np.float64(1), number]), np.array([1.0, number], "float64"))
        assert_same(jg.array([jg.ones(1), [number]]), np.array([[1], [number]], "float32"))


@pytest.mark.parametrize("number", WIDE)
def test_ints_beyond_64_bits_are_refused_elsewhere(number):
    message = f"an int of 64 bits: got {number}, allowed are"
    for data, dtype in (
        (number, None),
        ([1, number], None),
        ([number], "int64"),
        ([1.5, number], "uint64"),
        ([True, number], None),
        ([np.int8(1), number], None),
        (number, "bool"),
    ):
        with pytest.raises(OverflowError, match=message):
            jg.array(data, dtype=dtype)
    for call in (
        lambda: jg.full((2,), number),
        lambda: jg.full((2,), number, "int64"),
        lambda: jg.full_like(jg.ones(2, "int8"), number),
    ):
        with pytest.raises(OverflowError, match=message):
            call()
    for call in (lambda: jg.array([10**400, 1.5]), lambda: jg.full(2, 10**400, "float64")):
        with pytest.raises(OverflowError, match="int too large to convert to float"):
            call()
