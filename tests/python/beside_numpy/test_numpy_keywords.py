# SPDX-License-Identifier: Apache-2.0
"""Methods with the keywords of NumPy's: dtype, out, keepdims, where and initial."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from numpys import assert_numpys, assert_same, near, random

import joggle as jg

WHERE = np.array([True, False, True, True])
KEYWORDS = {
    "all": {"axis": [None, 1], "keepdims": [False, True], "where": [None, WHERE]},
    "any": {"axis": [None, (0, 1)], "keepdims": [False, True], "where": [None, WHERE]},
    "argmax": {"axis": [None, 1], "keepdims": [False, True]},
    "argmin": {"axis": [None, 0], "keepdims": [False, True]},
    "cumprod": {"axis": [None, 1], "dtype": [None, "float64"]},
    "cumsum": {"axis": [None, 0], "dtype": [None, "float64"]},
    "max": {"axis": [None, 1], "keepdims": [False, True], "initial": [2.0], "where": [None, WHERE]},
    "mean": {
        "axis": [None, 0],
        "keepdims": [False, True],
        "dtype": [None, "float64"],
        "where": [None, WHERE],
    },
    "min": {"axis": [None, 0], "initial": [None, -9.0], "keepdims": [False, True]},
    "prod": {
        "axis": [None, 1],
        "keepdims": [False, True],
        "initial": [None, 3.0],
        "where": [None, WHERE],
    },
    "ptp": {"axis": [None, 1], "keepdims": [False, True]},
    "round": {"decimals": [0, 2]},
    "std": {
        "axis": [None, (0, 1)],
        "ddof": [0, 1],
        "keepdims": [False, True],
        "where": [None, WHERE],
    },
    "sum": {
        "axis": [None, 0, (0, 1)],
        "dtype": [None, "float64"],
        "initial": [None, 3.0],
        "keepdims": [False, True],
        "where": [None, WHERE],
    },
    "trace": {"offset": [0, 1], "dtype": [None, "float64"]},
    "var": {"axis": [None, 1], "correction": [0, 1], "where": [None, WHERE]},
}


def calls(name):
    rows = KEYWORDS[name]
    for values in itertools.product(*rows.values()):
        yield {key: value for key, value in zip(rows, values, strict=True) if value is not None}


@pytest.mark.parametrize("name", KEYWORDS)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_methods_and_functions_take_numpys_keywords(name, dtype):
    a = random((3, 4), dtype)
    x = jg.asarray(a)
    for named in calls(name):
        expected = np.asarray(getattr(np, name)(a, **named))
        ours = {key: jg.asarray(v) if key == "where" else v for key, v in named.items()}
        for found in (getattr(x, name)(**ours, out=None), getattr(x, name)(**ours)):
            assert found.shape == expected.shape, named
            rtol = 1e-12 if found.dtype == jg.float64 else 1e-5
            np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, err_msg=str(named))
        out = np.zeros(expected.shape, expected.dtype)
        assert getattr(x, name)(**ours, out=out) is out
        np.testing.assert_allclose(out, expected, rtol=1e-12, err_msg=str(named))


def test_functions_take_numpys_keywords_beside_a_stream():
    x = jg.array([[1.0, 2.0], [3.0, 4.0]])
    found = jg.sum(x, axis=0, where=[True, False], initial=10, stream=jg.new_stream())
    assert found.tolist() == [14, 10]
    out = jg.zeros(2)
    assert jg.sum(x, 0, out=out) is out and out.tolist() == [4, 6]
    assert jg.clip(x, 2, 3, out=np.zeros((2, 2))).tolist() == [[2, 2], [3, 3]]
    assert x.take([0], axis=1, out=jg.zeros((2, 1))).tolist() == [[1], [3]]


def test_numpys_keywords_do_not_import_numpy():
    code = """
import sys, joggle as jg
print(jg.ones((2, 2)).sum(axis=0, where=[True, False], initial=1).tolist(), "numpy" in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "[3.0, 1.0] False\n", result.stderr


def test_nothing_of_an_empty_array_is_the_initial_value():
    x = jg.zeros((0, 2))
    assert x.sum(axis=0, initial=3).tolist() == [3, 3]
    assert x.max(axis=0, initial=3).tolist() == [3, 3]
    assert np.isnan(x.mean(axis=0, where=[True, True]).tolist()).all()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("where", lambda x: x.argmax(where=[True])),
        ("where", lambda x: x.cumsum(where=[True])),
        ("initial", lambda x: x.mean(initial=1, where=[True])),
        ("initial", lambda x: x.all(initial=True, out=None)),
        ("dtype", lambda x: x.max(dtype="float64", where=[True])),
        ("dtype", lambda x: x.all(dtype="bool", where=[True])),
        ("out", lambda x: x.sum(out=[0])),
        ("out", lambda x: x.reshape(2, out=None)),
        ("order", lambda x: x.sum(order="C", out=None)),
        ("casting", lambda x: x.cumsum(casting="safe", out=None)),
    ],
)
def test_what_a_method_does_not_take_is_refused_by_name(name, call):
    with pytest.raises(TypeError, match=name):
        call(jg.ones(1))


def test_a_mask_without_a_number_to_begin_with_is_refused():
    with pytest.raises(ValueError, match=r"\[max\] where: got \w+ without initial"):
        jg.ones(2).max(where=[True, False])


def test_out_must_fit():
    x = jg.ones((2, 3))
    with pytest.raises(ValueError, match="out: has shape"):
        x.sum(axis=0, out=np.zeros(2))
    with pytest.raises(TypeError, match="same_kind"):
        x.sum(axis=0, out=np.zeros(3, int))
    with pytest.raises(TypeError, match="same_kind"):
        x.sum(axis=0, out=jg.zeros(3, dtype="int32"))


def test_a_dtype_in_the_place_of_keepdims_is_no_truth():
    for dtype in (np.float64, "float32", jg.float32, float):
        with pytest.raises(TypeError, match="True and False"):
            jg.ones(2).sum(0, dtype)


@pytest.mark.parametrize("deg", [False, True])
@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64"])
def test_angles_are_in_degrees_too(deg, dtype):
    z = random((3, 4), dtype)
    near(jg.angle(jg.asarray(z), deg=deg), np.angle(z, deg))
    near(jg.grad(lambda y: jg.angle(1j * y, deg=deg).sum())(jg.ones(2)), np.zeros(2, "float32"))


def test_what_is_unique_is_sought_as_all_is():
    x, y = np.array([3, 1, 4]), np.array([4, 9, 1])
    for said in (False, True):
        assert_numpys("isin", x, y, assume_unique=said, invert=not said)
        assert_same(jg.unique(jg.asarray(x), sorted=said), np.unique(x))
    with pytest.raises(TypeError, match=r"\[isin\] assume_unique: got 'yes', allowed are True and"):
        jg.isin(x, y, assume_unique="yes")
    with pytest.raises(TypeError, match=r"\[unique\] sorted: got None, allowed are True and False"):
        jg.unique(x, sorted=None)
    with pytest.raises(TypeError, match=r"\[angle\] deg: got 90, allowed are True and False"):
        jg.angle(1j, deg=90)


@pytest.mark.parametrize("shape", [None, 3, (), (2, 0), [2, 3]])
@pytest.mark.parametrize("dtype", [None, "int8"])
def test_arrays_like_another_have_another_shape(shape, dtype):
    x = random((2, 2))
    for name, *fill in (("zeros_like",), ("ones_like",), ("full_like", 7), ("empty_like",)):
        expected = getattr(np, name)(x, *fill, shape=shape, dtype=dtype)
        found = getattr(jg, name)(jg.asarray(x), *fill, shape=shape, dtype=dtype)
        if name == "empty_like":
            assert (found.shape, found.dtype.name) == (expected.shape, expected.dtype.name)
        else:
            assert_same(found, expected)
    each = jg.vmap(lambda row: jg.full_like(row, 2, shape=(3,)) * row[0])(jg.asarray(x))
    assert_same(each, np.full((2, 3), 2.0) * x[:, :1])
    with pytest.raises(ValueError, match=r"shape\[0\]: got -1"):
        jg.zeros_like(x, shape=-1)


@pytest.mark.parametrize("ndmin", [-1, 0, 1, 2, 4])
@pytest.mark.parametrize("data", [5, [1.0, 2.0], np.ones((2, 3)), np.zeros((0,))])
def test_an_array_has_at_least_ndmin_axes(ndmin, data):
    dtype = np.asarray(data).dtype.name
    found = jg.array(data, dtype, ndmin=ndmin)
    assert_same(found, np.array(data, dtype, ndmin=ndmin))
    if isinstance(data, np.ndarray):
        assert np.shares_memory(np.asarray(found), data) == (data.size > 0)
        assert_same(jg.array(data, copy=True, ndmin=ndmin), np.array(data, ndmin=ndmin))


def test_ndmin_has_a_limit_and_is_an_int():
    with pytest.raises(ValueError, match="ndmin: got 65, allowed is up to 64"):
        jg.array(1, ndmin=65)
    with pytest.raises(TypeError, match="ndmin: got float"):
        jg.array(1, ndmin=1.5)
