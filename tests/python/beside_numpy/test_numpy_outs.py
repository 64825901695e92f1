# SPDX-License-Identifier: Apache-2.0
"""`out` of NumPy's: what is computed before it is written, and in which dtype."""

import numpy as np
import pytest

import joggle as jg


@pytest.mark.parametrize("name, rest", [("divmod", (4.0,)), ("modf", ()), ("frexp", ())])
def test_the_first_of_two_outs_may_be_the_memory_of_the_input(name, rest):
    function = getattr(np, name)
    values = np.array([7.5, 8.25, 9.0])
    expected = function(values, *rest)
    second = np.empty(3, dtype=expected[1].dtype)
    function(jg.asarray(values), *rest, out=(values, second))
    np.testing.assert_array_equal(values, expected[0])
    np.testing.assert_array_equal(second, expected[1])


CASES = [
    ("sum", [2**62] * 2, "int64", "float64"),
    ("prod", [3] * 70, "uint8", "float64"),
    ("prod", [300] * 40, "float16", "float64"),
    ("cumsum", [2**62] * 2, "int64", "float64"),
    ("cumprod", [2**40] * 2, "int64", "float64"),
    ("sum", [200] * 40, "uint8", "int16"),
    ("sum", [True] * 40, "bool", "int32"),
]


@pytest.mark.parametrize("call", [lambda name: getattr(np, name), lambda name: getattr(jg, name)])
@pytest.mark.parametrize("name, values, dtype, to", CASES)
def test_sums_are_computed_in_the_dtype_of_out(name, values, dtype, to, call):
    x = np.array(values, dtype=dtype)
    shape = x.shape if name.startswith("cum") else ()
    found, expected = np.zeros(shape, dtype=to), np.zeros(shape, dtype=to)
    call(name)(jg.array(x), out=found)
    getattr(np, name)(x, out=expected)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_methods_of_ufuncs_compute_in_the_dtype_of_out(method):
    x = np.array([2**62] * 2)
    shape = x.shape if method == "accumulate" else ()
    found, expected = np.zeros(shape), np.zeros(shape)
    getattr(np.add, method)(jg.array(x), out=found)
    getattr(np.add, method)(x, out=expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("values", [[0.0, 0.0], [1.0, 2.0], [0.0, 2.0]])
def test_reductions_of_truth_begin_with_the_initial_value(values, initial):
    for ufunc in (np.logical_and, np.logical_or):
        found = ufunc.reduce(jg.array(values), initial=initial)
        assert bool(found) == ufunc.reduce(np.array(values), initial=initial)
