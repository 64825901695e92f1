# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms along one axis, against NumPy's in double precision."""

import numpy as np
import pytest
from layouts import layouts, to_numpy

import joggle as jg

# Of the root of the mean square; what rounding does to the reference is below.
TOLERANCE = {"float32": 4e-7, "float64": 1.5e-15}
COMPLEX = {"float32": "complex64", "float64": "complex128"}
FROM_REAL = ("rfft", "ihfft")
TO_REAL = ("irfft", "hfft")
NAMES = ("fft", "ifft", *FROM_REAL, *TO_REAL)
LONG = (67, 97, 127, 128, 243, 256, 500, 512, 1000, 1009, 1024, 2310, 4096, 5000, 8192, 10007)


def random(rng, shape, name, dtype):
    """An array that the transform takes."""
    real = rng.standard_normal(shape).astype(dtype)
    if name in FROM_REAL:
        return real
    return (real + 1j * rng.standard_normal(shape)).astype(COMPLEX[dtype])


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def check(found, reference, dtype, factor=1):
    found = to_numpy(found)
    assert found.shape == reference.shape
    assert found.dtype == (COMPLEX[dtype] if reference.dtype.kind == "c" else dtype)
    error = np.linalg.norm((found - reference).ravel())
    assert error <= factor * TOLERANCE[dtype] * np.linalg.norm(reference.ravel())


def compare(name, x, dtype, **more):
    reference = getattr(np.fft, name)(wide(x), **more)
    check(getattr(jg.fft, name)(jg.asarray(x), **more), reference, dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", NAMES)
def test_each_length_is_transformed_of_rows_and_of_columns(name, dtype):
    rng = np.random.default_rng(0)
    for n in (*range(2, 65), *LONG):
        for lines in (1, 3, 17) if n <= 1024 else (1, 2):
            x = random(rng, (lines, n), name, dtype)
            compare(name, x, dtype)
            compare(name, np.ascontiguousarray(x.T), dtype, axis=0)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_line_of_one_number_is_itself(dtype):
    x = random(np.random.default_rng(0), (3, 1), "fft", dtype)
    for name in ("fft", "ifft"):
        np.testing.assert_array_equal(to_numpy(getattr(jg.fft, name)(jg.asarray(x))), x)
    np.testing.assert_array_equal(to_numpy(jg.fft.rfft(jg.asarray(x.real))), x.real)
    np.testing.assert_array_equal(to_numpy(jg.fft.irfft(jg.asarray(x), n=1)), x.real)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", None])
def test_each_norm_divides_as_numpy_does(name, norm):
    rng = np.random.default_rng(1)
    for n in (12, 31, 256):
        compare(name, random(rng, (5, n), name, "float64"), "float64", norm=norm)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_cut_or_continued_with_zeros(name):
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 8, 9, 16, 23, 40):
        for axis in (0, 1, -1):
            compare(name, random(rng, (9, 16), name, "float32"), "float32", n=n, axis=axis)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_odd_layouts_are_transformed_along_each_axis(name, dtype):
    taken = dtype if name in FROM_REAL else COMPLEX[dtype]
    for x, reference in layouts(taken):
        for axis in range(reference.ndim):
            if reference.shape[axis] < 2:
                continue
            found = getattr(jg.fft, name)(x, axis=axis)
            check(found, getattr(np.fft, name)(wide(reference), axis=axis), dtype)


def test_an_axis_between_others_is_transformed():
    rng = np.random.default_rng(3)
    for shape in ((3, 20, 5), (2, 64, 33), (4, 7, 16)):
        for name in NAMES:
            for axis in (0, 1, 2):
                compare(name, random(rng, shape, name, "float32"), "float32", axis=axis)


@pytest.mark.parametrize("n", [2**15, 2**17, 3**9 * 5, 2**20, 99991])
def test_long_lines_go_through_memory_and_threads(n):
    rng = np.random.default_rng(4)
    for name in ("fft", "ifft", "rfft", "irfft"):
        compare(name, random(rng, (2, n), name, "float32"), "float32")


def test_a_transform_of_what_nobody_else_holds_goes_in_place():
    x = random(np.random.default_rng(5), (16, 1024), "fft", "float32")
    for n in (1024, 960):
        held = jg.asarray(x[:, :n])
        found = jg.fft.ifft(jg.fft.fft(held * 2))
        check(found, wide(x[:, :n]) * 2, "float32", factor=2)
        np.testing.assert_array_equal(to_numpy(held), x[:, :n])


def test_imported_memory_is_read_where_it_lies():
    x = random(np.random.default_rng(6), (6, 40), "fft", "float64")
    shared = jg.from_dlpack(x)
    x *= 2
    check(jg.fft.fft(shared[::2, ::-1]), np.fft.fft(x[::2, ::-1]), "float64")


def test_whatever_has_no_double_precision_is_transformed_in_single_precision():
    numbers = np.arange(12)
    for dtype in ("int8", "int64", "uint16", "bool", "float16", "bfloat16", "float32"):
        x = jg.asarray(numbers).astype(getattr(jg, dtype))
        assert jg.fft.fft(x).dtype == jg.complex64
        assert jg.fft.irfft(x).dtype == jg.float32
        check(jg.fft.rfft(x), np.fft.rfft(to_numpy(x.astype(jg.float64))), "float32")


def test_infinity_and_nan_spread_over_their_line_alone():
    x = np.ones((20, 8), np.complex64)
    x[3, 2] = np.nan
    x[4, 1] = np.inf
    found = to_numpy(jg.fft.fft(jg.asarray(x)))
    assert np.isfinite(np.delete(found, [3, 4], 0)).all()
    assert not np.isfinite(found[3:5]).any()


def test_numbers_that_a_hermitian_sequence_does_not_have_are_not_read():
    x = np.array([[1 + 5j, 2 - 1j, 3 + 7j]], np.complex128)
    for lines in (1, 9):
        compare("irfft", np.repeat(x, lines, 0), "float64")
        compare("irfft", np.repeat(x, lines, 0), "float64", n=5)


def test_what_cannot_be_transformed_is_refused():
    x = jg.ones((3, 4))
    with pytest.raises(ValueError, match="n: got 0"):
        jg.fft.fft(x, n=0)
    with pytest.raises(ValueError, match="n: got 0"):
        jg.fft.fft(jg.ones((3, 0)))
    with pytest.raises(ValueError, match="n: got 0"):
        jg.fft.irfft(jg.ones((3, 1)))
    with pytest.raises(ValueError, match='norm: got "unitary"'):
        jg.fft.fft(x, norm="unitary")
    with pytest.raises(IndexError, match="axis"):
        jg.fft.fft(x, axis=2)
    with pytest.raises(TypeError, match="complex"):
        jg.fft.rfft(x.astype(jg.complex64))
    assert jg.fft.fft(jg.ones((0, 4))).shape == (0, 4)
    assert jg.fft.rfft(jg.ones((0, 4))).shape == (0, 3)
