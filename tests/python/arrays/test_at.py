# SPDX-License-Identifier: Apache-2.0
"""x.at[index].add(value) and its kin, and scatter: repeated places take in each value."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keys import keys, sources

import joggle as jg

UFUNCS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
REAL = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
TAKES = {
    "add": ["?", *REAL, "c8", "c16"],
    "subtract": [*REAL, "c8", "c16"],
    "multiply": ["?", *REAL, "c8", "c16"],
    "divide": ["f2", "f4", "f8", "c8", "c16"],
    "power": REAL,
    "maximum": ["?", *REAL],
    "minimum": ["?", *REAL],
}
CASES = [(name, dtype) for name in UFUNCS for dtype in TAKES[name]]


def close(x, reference):
    assert x.shape == reference.shape and np.dtype(str(x.dtype).split(".")[-1]) == reference.dtype
    tolerance = 2e-2 if reference.dtype == "f2" else 1e-5
    np.testing.assert_allclose(np.asarray(x), reference, rtol=tolerance)


def combined(name, x, key, value):
    x = x.copy()
    UFUNCS[name].at(x, key, value)
    return x


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_repeated_places_take_in_each_value(name, dtype):
    rng = np.random.default_rng(0)
    x = rng.integers(1, 4, (5, 6)).astype(dtype)
    key = np.array([0, 3, 3, -1, 0, 3])
    for index in (
        (key,),
        (slice(None), key),
        (key[:, None], [2, 2]),
        (slice(1, 4), slice(None, 2)),
    ):
        value = rng.integers(1, 3, x[index].shape).astype(dtype)
        place = jg.array(x).at[index]
        close(getattr(place, name)(value), combined(name, x, index, value))
        close(getattr(place, name)(value.flat[0]), combined(name, x, index, value.flat[0]))


@pytest.mark.parametrize("name", list(UFUNCS))
def test_half_precision_is_rounded_after_each_step(name):
    x = np.arange(1, 7).astype(ml_dtypes.bfloat16)
    index, value = [1, 1, 4, 1], np.array([1.5, 1.25, 3, 1]).astype(ml_dtypes.bfloat16)
    result = getattr(jg.array(x).at[index], name)(value)
    reference = combined(name, x, index, value).astype("f4")
    np.testing.assert_allclose(np.asarray(result.astype(jg.float32)), reference, rtol=1e-2)


@settings(max_examples=300)
@given(st.data(), st.sampled_from(["add", "subtract", "multiply", "maximum", "minimum"]))
def test_any_key_is_combined_as_numpy_combines_it(data, name):
    x = data.draw(sources())
    key = data.draw(keys(x.shape))
    try:
        shape = x[key].shape
    except IndexError:
        return
    value = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape) - 3
    close(getattr(jg.array(x).at[key], name)(value), combined(name, x, key, value))


@pytest.mark.parametrize("name", ["add", "maximum", "multiply"])
@pytest.mark.parametrize("mask", [True, False])
def test_masks_with_one_value_are_combined(name, mask):
    x = np.arange(12.0, dtype="f4").reshape(3, 4)
    key = (x > 4) if mask else (slice(None), [True, False, True, True])
    close(getattr(jg.array(x).at[key], name)(2), combined(name, x, key, 2))


def test_large_sums_are_those_of_taking_one_value_after_the_other():
    rng = np.random.default_rng(0)
    x, value = np.zeros(1000, "f4"), rng.random(200_000, dtype="f4")
    index = rng.integers(0, 1000, 200_000)
    result = jg.array(x).at[index].add(value)
    np.testing.assert_array_equal(np.asarray(result), combined("add", x, index, value))
    x, value = np.zeros((50, 96), "f4"), rng.random((20_000, 96), dtype="f4")
    index = rng.integers(0, 50, 20_000)
    result = jg.array(x).at[index].add(value)
    np.testing.assert_array_equal(np.asarray(result), combined("add", x, index, value))


def test_nan_wins_and_integers_wrap():
    nan = float("nan")
    for name in ("maximum", "minimum"):
        result = getattr(jg.array([1.0, nan, 2.0]).at[[0, 1, 2]], name)([nan, 5.0, 2.0])
        assert np.isnan(np.asarray(result)[:2]).all()
    assert jg.array([250], jg.uint8).at[[0, 0]].add([10, 1]).tolist() == [5]
    assert jg.array([2, -1, 3]).at[[0, 1, 2]].power([-1, -3, 4]).tolist() == [0, -1, 81]


def test_set_get_and_apply_leave_the_array_alone():
    x = jg.arange(5)
    assert x.at[[1, 3]].set(0).tolist() == [0, 0, 2, 0, 4]
    assert x.at[1:3].apply(jg.square).tolist() == [0, 1, 4, 3, 4]
    assert x.at[[0, 0]].get().tolist() == [0, 0]
    assert x.at[0].min(-1).at[4].max(9).at[1].mul(5).tolist() == [-1, 5, 2, 3, 9]
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_values_of_a_higher_kind_and_modes_without_meaning_are_refused():
    with pytest.raises(TypeError, match="float32 does not fit an array of int64"):
        jg.arange(3).at[0].add(0.5)
    with pytest.raises(TypeError, match="for which the result would be float32"):
        jg.arange(3).at[0].divide(2)
    with pytest.raises(TypeError, match="scatter_max"):
        jg.array([1j]).at[0].maximum(1)
    with pytest.raises(TypeError):
        jg.array([True]).at[0].subtract(True)
    with pytest.raises(AttributeError):
        jg.arange(3).at.add(1)


FUNCTIONS = {
    "scatter_add": "add",
    "scatter_subtract": "subtract",
    "scatter_multiply": "multiply",
    "scatter_divide": "divide",
    "scatter_power": "power",
    "scatter_max": "maximum",
    "scatter_min": "minimum",
}


@pytest.mark.parametrize("function", ["scatter", *FUNCTIONS])
def test_scatter_combines_at_index_arrays_along_axes(function):
    x = np.arange(1.0, 25, dtype="f4").reshape(2, 3, 4)
    rows, columns = np.array([[0], [1]]), np.array([3, 1])
    value = np.linspace(0.5, 2, 2 * 2 * 3, dtype="f4").reshape(2, 2, 3)
    call = getattr(jg, function)
    if function == "scatter":
        reference = x.copy()
        reference[rows, :, columns] = value
    else:
        reference = combined(FUNCTIONS[function], x, (rows, slice(None), columns), value)
    close(call(x, [rows, columns], value, (0, 2)), reference)
    close(call(x, [columns, rows], value, (-1, 0)), reference)
    with pytest.raises(ValueError):
        call(x, [rows, columns], np.zeros((5,)), (0, 2))
    with pytest.raises(ValueError, match="axes: got 1 for 2 index arrays"):
        call(x, [rows, columns], value, 0)
