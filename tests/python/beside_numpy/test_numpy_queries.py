# SPDX-License-Identifier: Apache-2.0
"""What arrays and dtypes are, and further names of functions, under NumPy's names."""

import numpy as np
import pytest
from numpys import DTYPES, assert_numpys, assert_same, ours, random

import joggle as jg

SHAPES = [(), (3,), (2, 3), (0, 2)]
ALIASES = "half single double csingle cdouble byte ubyte short ushort intc uintc int_ uint long"
ALIASES += " ulong longlong ulonglong intp uintp"


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_told(shape):
    x = random(shape)
    for given in (x, x.T, x.tolist()):
        for name in ("ndim", "shape", "size"):
            assert_numpys(name, given)
    for axis in range(-x.ndim, x.ndim):
        assert_numpys("size", x, axis)
    assert_numpys("size", x, tuple(range(x.ndim)))


@pytest.mark.parametrize("name", ["amax", "amin"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_extremes_are_numpys(name, dtype, axis, keepdims):
    x = random((3, 4), dtype)
    for each in (x, x.T[::-1]):
        assert_numpys(name, each, axis, keepdims=keepdims)
        assert_numpys(name, each, axis, keepdims=keepdims, initial=1)
    assert_numpys(name, x[:, :0], axis, keepdims=keepdims, initial=1)


@pytest.mark.parametrize("decimals", [-1, 0, 2])
def test_numbers_are_rounded(decimals):
    for dtype in ("int64", "float32", "float64"):
        assert_numpys("around", random((3, 4), dtype) * 7, decimals)
    assert_numpys("around", np.array([0.5, 1.5, -2.5, 0.125]), decimals)


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((2, 3), (2,)), ((), (0,)), ((2, 0), (1,))])
def test_arrays_are_equivalent_if_they_broadcast_and_are_equal(shapes):
    one, other = (np.ones(shape) for shape in shapes)
    for pair in ((one, other), (one, other * 2), (one, one)):
        assert jg.array_equiv(*map(ours, pair)).item() == np.array_equiv(*pair)


def test_arrays_are_taken_as_they_are():
    x = jg.ones((2, 3)).T
    assert jg.asanyarray(x) is x and jg.asanyarray([1], jg.float64).dtype == jg.float64
    assert jg.asarray_chkfinite(x) is x and jg.asarray_chkfinite([1j]).dtype == jg.complex64
    assert jg.ascontiguousarray(x).strides == (8, 4)
    assert jg.ascontiguousarray(3.0).shape == (1,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_complex_elements_are_told_from_real_ones(dtype, shape):
    x = random(shape, dtype)
    for name in ("iscomplex", "isreal"):
        assert_same(getattr(jg, name)(ours(x)), np.asarray(getattr(np, name)(x)))
    for name in ("iscomplexobj", "isrealobj"):
        assert_numpys(name, x)


@pytest.mark.parametrize("tol", [100, 1e-3, 1])
@pytest.mark.parametrize("dtype", ["int64", "float32", "complex64", "complex128"])
def test_what_is_nearly_real_becomes_it(tol, dtype):
    for imaginary in (0, 1e-15, 1e-9, 1e-2):
        x = np.ones((2, 3)) if dtype[0] != "c" else np.ones((2, 3)) + 1j * imaginary
        assert_numpys("real_if_close", x.astype(dtype), tol)


def test_scalars_are_no_arrays():
    for element in (3, 2.5, 1j, True, "a", b"a", None, [1], np.float32(1), np.ones(())):
        assert_numpys("isscalar", element)


@pytest.mark.parametrize("one", [d for d in DTYPES if d != "complex64"])
@pytest.mark.parametrize("other", ["bool", "int8", "uint16", "int64"])
def test_integers_promote_as_numpys_do(one, other):
    if "float" not in one:
        assert jg.promote_types(one, other).name == np.promote_types(one, other).name
    assert jg.promote_types(jg.float32, other) == jg.float32


NUMBERS = [0, 1, 255, 256, -1, -128, -129, 2**31, 2**32, 2**63, 2**64 - 1, -(2**63), True]
NUMBERS += [1.5, 65000.0, 64999.0, 1e10, 1e300, float("inf"), 1j, 1e300j]


@pytest.mark.parametrize("number", NUMBERS)
def test_min_scalar_type_gives_the_smallest_dtype_that_holds_a_number(number):
    assert jg.min_scalar_type(number).name == np.min_scalar_type(number).name
    x = np.array(number)
    assert jg.min_scalar_type(ours(x)).name == np.min_scalar_type(x).name
    assert jg.min_scalar_type(ours(x[None])).name == x.dtype.name


@pytest.mark.parametrize("name", ALIASES.split())
def test_dtypes_have_the_names_of_types_of_c(name):
    assert isinstance(getattr(jg, name), jg.dtype)
    assert getattr(jg, name).name == np.dtype(getattr(np, name)).name


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.size([1], 1), IndexError, r"\[size\] axis: got 1"),
        (lambda: jg.amax(jg.zeros(0)), ValueError, "max"),
        (lambda: jg.amax([1], 1, initial=3), IndexError, r"\[max\] axis: got 1"),
        (lambda: jg.asarray_chkfinite([1.0, np.inf]), ValueError, "a: has inf as its element 1"),
        (lambda: jg.promote_types("int8", "int7"), TypeError, "dtype: got 'int7'"),
        (lambda: jg.min_scalar_type("a"), TypeError, "got str"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
