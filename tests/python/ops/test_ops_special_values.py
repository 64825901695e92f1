# SPDX-License-Identifier: Apache-2.0
"""Signed zeros, infinities and NaN: the tables of special cases in the Array API standard, which
are those of C's annex F, so that NumPy's float64 functions are the reference."""

import numpy as np
import pytest
import scipy.special
from elementwise import FLOATS, numpy_dtype

import joggle as jg

INF, NAN = float("inf"), float("nan")
NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, INF, -INF, NAN]

UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "log",
    "log10",
    "log1p",
    "log2",
    "negative",
    "positive",
    "reciprocal",
    "round",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
BINARY = [
    "atan2",
    "copysign",
    "divide",
    "floor_divide",
    "hypot",
    "logaddexp",
    "maximum",
    "minimum",
    "pow",
    "remainder",
]


def floor_divide(x, y):
    """The standard prefers floor(x / y) of infinities, where Python and NumPy go by x % y."""
    infinite = np.isinf(x) | np.isinf(y)
    return np.where(infinite, np.floor(np.divide(x, y)), np.floor_divide(x, y))


NOT_OF_NUMPY = {
    "floor_divide": floor_divide,
    "erf": scipy.special.erf,
    "erfinv": lambda x: np.copysign(scipy.special.erfinv(x), x),  # SciPy drops the sign of zero
}


def kinds(values):
    """What must agree: which are NaN, infinite or zero, and the sign of the latter two."""
    values = np.asarray(values, "f8")
    special = np.where(np.signbit(values), -1, 1) * (3 + np.isinf(values))
    special = np.where(np.isinf(values) | (values == 0), special, 0)
    return np.where(np.isnan(values), 9, special)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number_have_special_values_of_c(name, dtype):
    a = np.array(NUMBERS).astype(numpy_dtype(dtype))
    with np.errstate(all="ignore"):
        reference = NOT_OF_NUMPY.get(name, getattr(np, name, None))(a.astype("f8"))
    result = np.asarray(getattr(jg, name)(a).astype("float64"))
    assert np.array_equal(kinds(result), kinds(reference)), np.stack([result, reference])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers_have_special_values_of_c(name, dtype):
    a, b = (np.ravel(grid) for grid in np.meshgrid(NUMBERS, NUMBERS))
    x, y = a.astype(numpy_dtype(dtype)), b.astype(numpy_dtype(dtype))
    with np.errstate(all="ignore"):
        reference = NOT_OF_NUMPY.get(name, getattr(np, name))(a, b)
    result = np.asarray(getattr(jg, name)(x, y).astype("float64"))
    if name in ("maximum", "minimum"):  # of two zeros either may be the result
        result, reference = result + 0.0, reference + 0.0
        result[result == 0] = reference[reference == 0] = 0
    differ = kinds(result) != kinds(reference)
    assert not differ.any(), np.stack([a, b, result, reference])[:, differ]


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_that_numpy_lacks_have_their_special_values(dtype):
    a = np.array([INF, -INF, NAN, 0.0, -0.0]).astype(numpy_dtype(dtype))

    def values(name):
        return np.asarray(getattr(jg, name)(a).astype("float64")).tolist()

    assert str(values("sigmoid")) == "[1.0, 0.0, nan, 0.5, 0.5]"
    assert str(values("rsqrt")) == "[0.0, nan, nan, inf, -inf]"
    assert str(values("softplus")[:3]) == "[inf, 0.0, nan]"
    assert jg.signbit(a).tolist()[:2] == [False, True] and jg.signbit(a).tolist()[3:] == [
        False,
        True,
    ]
    assert jg.isfinite(a).tolist() == [False, False, False, True, True]
    assert jg.isinf(a).tolist() == [True, True, False, False, False]
    assert jg.isnan(a).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_arguments_are_reduced_exactly(name, dtype):
    a = np.array([1e5, 999999.0, 1e6, 1e7, 1e15, 1e22, 1e30, -1e38, 3.0], dtype)
    reference = getattr(np, name)(a.astype("f8"))
    tolerance = {"float32": 2e-7, "float64": 5e-16}[dtype]
    np.testing.assert_allclose(np.asarray(getattr(jg, name)(a)), reference, rtol=tolerance)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_complex_numbers_become_numbers(dtype):
    values = [complex(np.nan, 1), complex(np.inf, np.nan), complex(2, -np.inf), 3 + 4j]
    a = np.array([values, values], dtype)
    for x, expected in ((a, a), (a.T, a.T), (a[0, 0], a[0, 0]), (a[:0], a[:0])):
        found = np.asarray(jg.nan_to_num(jg.array(x)))
        assert found.dtype == dtype and np.array_equal(found, np.nan_to_num(expected))
    assert np.asarray(jg.nan_to_num(jg.array(a), nan=7))[0, 0] == 7 + 1j
