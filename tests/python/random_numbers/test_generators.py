# SPDX-License-Identifier: Apache-2.0
"""Arrays that follow from their indices: eye, tri, linspace and their kin, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, assert_same, layouts, numpy_dtype, to_numpy, values

import joggle as jg

extents, diagonals = st.integers(0, 7), st.integers(-9, 9)


@given(extents, st.none() | extents, diagonals, st.sampled_from(DTYPES))
def test_matrices_of_ones_are_numpys(rows, columns, k, dtype):
    assert_same(jg.eye(rows, columns, k, dtype), np.eye(rows, columns, k, numpy_dtype(dtype)))
    assert_same(jg.tri(rows, columns, k, dtype), np.tri(rows, columns, k, numpy_dtype(dtype)))
    assert_same(jg.identity(rows, dtype), np.identity(rows, numpy_dtype(dtype)))


def test_the_default_dtype_is_float32():
    for x in (jg.eye(2), jg.identity(2), jg.tri(2), jg.linspace(0, 1), jg.eye(2, device="cpu")):
        assert x.dtype == jg.dtype("float32")


def test_diagonals_far_outside_are_empty():
    assert not np.asarray(jg.eye(3, k=2**62)).any() and not np.asarray(jg.eye(3, k=-(2**63))).any()
    assert np.asarray(jg.tri(3, k=2**63 - 1)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_of_odd_layouts_are_numpys(dtype):
    for x, reference in layouts(dtype):
        for k in (-2, 0, 1, 100, -(2**63)):
            assert_same(jg.tril(x, k), np.tril(reference, max(k, -100)))
            assert_same(x.triu(k), np.triu(reference, max(k, -100)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [-3, -1, 0, 2])
def test_diag_spreads_a_vector_and_takes_a_diagonal(dtype, k):
    vector, matrix = values((4,), numpy_dtype(dtype)), values((3, 5), numpy_dtype(dtype))
    x = jg.array(vector.astype("f4")).astype(dtype) if dtype == "bfloat16" else jg.array(vector)
    assert_same(jg.diag(x, k), np.diag(vector, k))
    assert_same(jg.diag(x[::-1], k), np.diag(vector[::-1], k))
    if dtype != "bfloat16":
        assert_same(jg.array(matrix).diag(k), np.diag(matrix, k))


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.integers(0, 20),
    st.booleans(),
    st.sampled_from(["float64", "float32", "float16", "int32", "complex64"]),
)
def test_linspace_is_numpys(start, stop, num, endpoint, dtype):
    with np.errstate(over="ignore"):
        expected = np.linspace(start, stop, num, endpoint, dtype=dtype)
    found = to_numpy(jg.linspace(start, stop, num, endpoint, dtype))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("start", "stop", "dtype"),
    [
        (np.float64(0.1), 0.7, "float64"),
        (np.float32(0.1), np.float64(0.7), "float64"),
        (1, np.float32(0.7), "float32"),
        (np.float16(0.5), np.float16(2), "float16"),
        (np.int64(1), np.int64(3), "float32"),
    ],
)
def test_floats_in_arrays_give_their_dtype(start, stop, dtype):
    bounds = [jg.asarray(each) if isinstance(each, np.generic) else each for each in (start, stop)]
    for ours, theirs in ((jg.linspace, np.linspace), (jg.logspace, np.logspace)):
        for num in (5, jg.array(5)):
            found = ours(*bounds, num)
            assert found.dtype.name == dtype
            exact = theirs(float(start), float(stop), 5)
            np.testing.assert_allclose(to_numpy(found), exact, rtol=2 * jg.finfo(dtype).eps)
    assert jg.logspace(0, 1, 3, base=jg.array(2.0, dtype="float64")).dtype == jg.float32


@given(
    st.floats(-5, 5),
    st.floats(-5, 5),
    st.integers(0, 20),
    st.booleans(),
    st.sampled_from([10.0, 2.0, 0.5]),
    st.sampled_from(["float64", "float32", "complex64"]),
)
def test_logspace_is_numpys(start, stop, num, endpoint, base, dtype):
    expected = np.logspace(start, stop, num, endpoint, base, dtype)
    found = to_numpy(jg.logspace(start, stop, num, endpoint, base, dtype))
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype != "float64" else 1e-14)
    assert jg.logspace(0, 1).dtype == jg.float32 and jg.logspace(0, 1).shape == (50,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vander_is_numpys(dtype):
    for x, reference in layouts(dtype):
        x, reference = x[1, :4, 0], reference[1, :4, 0]
        for n, increasing in ((None, False), (3, True), (0, False), (1, True), (5, False)):
            wide = reference.astype("f8") if dtype in ("float16", "bfloat16") else reference
            expected = np.vander(wide, n, increasing)
            found = jg.vander(x, n, increasing)
            assert found.dtype == x.cumprod(0).dtype
            np.testing.assert_array_equal(to_numpy(found), expected.astype(to_numpy(found).dtype))
    with pytest.raises(ValueError, match="x: has 2 axes"):
        jg.vander(jg.ones((2, 2)))
    with pytest.raises(ValueError, match="N: got -1"):
        jg.vander(jg.ones(2), -1)


def test_what_is_generated_fuses():
    x = jg.array(values((5, 5), "f4"))
    expected = np.asarray(x) * np.eye(5, k=1, dtype="f4") + np.tri(5, dtype="f4")
    y = x * jg.eye(5, k=1) + jg.tri(5)
    assert_same(y, expected)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.eye(-1), ValueError, "n_rows: got -1"),
        (lambda: jg.eye(2, -3), ValueError, "n_cols: got -3"),
        (lambda: jg.eye(2.5), TypeError, "n_rows"),
        (lambda: jg.eye(2, device="gpu"), ValueError, "device"),
        (lambda: jg.eye(2, None, 0, "float32", "cpu"), TypeError, "at most 4 positional"),
        (lambda: jg.linspace(0, 1, -1), ValueError, "num: got -1"),
        (lambda: jg.linspace(0, "a"), TypeError, "stop"),
        (lambda: jg.tril(jg.zeros(3)), ValueError, "2 or more"),
        (lambda: jg.diag(jg.zeros((2, 2, 2))), ValueError, "1 and 2"),
        (lambda: jg.diag(jg.zeros(3), -(2**63)), ValueError, "allowed are -4294967292 to"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
