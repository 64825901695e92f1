# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms on devices against NumPy's in double: the error is at most 3 units in the last
place, times the root of the sum of squares and the number of passes.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
UNITS = {"float32": 2**-24, "complex64": 2**-24, "float64": 2**-53, "complex128": 2**-53}
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30, 49, 61, 64, 77, 100, 128, 243, 360, 1000, 1024, 4096)


def numbers(shape, dtype, seed=9):
    draw = np.random.default_rng(seed).standard_normal
    made = draw(shape) + (1j * draw(shape) if dtype[0] == "c" else 0)
    return made.astype(dtype)


def check(function, wanted, x, *more, **named):
    """The function on the device, and NumPy's in double."""
    got = function(jg.asarray(x, device=DEVICE), *more, **named)
    assert got.device == DEVICE
    got = np.asarray(got.to_device("cpu"))
    exact = wanted(x.astype("c16" if x.dtype.kind == "c" else "f8"), *more, **named)
    assert got.shape == exact.shape
    assert got.dtype.itemsize == exact.dtype.itemsize // (1 + (UNITS[x.dtype.name] > 1e-10))
    passes = 3 + np.log2(1 + x.size)
    limit = 3 * passes * UNITS[x.dtype.name] * (np.linalg.norm(exact) + 1e-30)
    assert np.linalg.norm(got - exact) <= limit


@pytest.mark.parametrize("dtype", UNITS)
def test_lines_of_each_length_are_transformed(dtype):
    for length in LENGTHS:
        x = numbers((3, length), dtype)
        check(jg.fft.fft, np.fft.fft, x)
        check(jg.fft.ifft, np.fft.ifft, x)
        if dtype[0] == "f":
            check(jg.fft.rfft, np.fft.rfft, x)
        else:
            check(jg.fft.irfft, np.fft.irfft, x[:, : length // 2 + 1], length)


def test_long_lines_are_transformed():
    for length in (1 << 18, 3 * 5 * 7 * 1024, 200_000):
        check(jg.fft.fft, np.fft.fft, numbers(length, "complex64"))
        check(jg.fft.rfft, np.fft.rfft, numbers(length, "float32"))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_each_norm_divides_along_any_axis_as_in_numpy(norm):
    x = numbers((6, 10, 4), "complex64")
    for axis in (0, 1, 2):
        check(jg.fft.fft, np.fft.fft, x, axis=axis, norm=norm)
        check(jg.fft.ifft, np.fft.ifft, x[::-1, ::2], axis=axis, norm=norm)
    check(jg.fft.fft, np.fft.fft, x, 7, axis=1, norm=norm)
    check(jg.fft.fft, np.fft.fft, x, 16, axis=1, norm=norm)
    check(jg.fft.hfft, np.fft.hfft, x, 8, axis=0, norm=norm)
    check(jg.fft.ihfft, np.fft.ihfft, x.real.copy(), axis=1, norm=norm)


def test_several_axes_are_transformed_at_once():
    x = numbers((6, 10, 12), "complex64")
    check(jg.fft.fft2, np.fft.fft2, x)
    check(jg.fft.ifft2, np.fft.ifft2, x)
    check(jg.fft.fftn, np.fft.fftn, x)
    check(jg.fft.ifftn, np.fft.ifftn, x, axes=(0, 2))
    check(jg.fft.rfft2, np.fft.rfft2, x.real.copy())
    check(jg.fft.rfftn, np.fft.rfftn, x.real.copy())
    check(jg.fft.irfft2, np.fft.irfft2, x)
    check(jg.fft.irfftn, np.fft.irfftn, x)


def test_an_inverse_transform_gives_the_array_back():
    a = numbers((4, 3, 720), "float32")
    x = jg.asarray(a, device=DEVICE)
    back = jg.fft.irfft(jg.fft.rfft(x), 720)
    np.testing.assert_allclose(np.asarray(back.to_device("cpu")), a, rtol=1e-5, atol=1e-5)


def test_nan_stays_in_its_line_and_empty_arrays_stay_empty():
    x = numbers((2, 16), "complex64")
    x[0, 3] = np.nan
    got = np.asarray(jg.fft.fft(jg.asarray(x, device=DEVICE)).to_device("cpu"))
    assert np.isnan(got[0]).all() and not np.isnan(got[1]).any()
    assert jg.fft.fft(jg.asarray(numbers((0, 8), "complex64"), device=DEVICE)).shape == (0, 8)


@pytest.mark.parametrize("dtype", UNITS)
def test_lengths_with_large_prime_factors_are_transformed(dtype):
    long = [65_537] if dtype in ("float32", "complex128") else []
    for length in (67, 4 * 67, 521, 1009, *long):
        x = numbers((3, length), dtype)
        check(jg.fft.fft, np.fft.fft, x)
        check(jg.fft.ifft, np.fft.ifft, x[::-1])
        if dtype[0] == "f":
            check(jg.fft.rfft, np.fft.rfft, x)
        else:
            check(jg.fft.irfft, np.fft.irfft, x[:, : length // 2 + 1], length)


def test_longer_transforms_are_refused_by_name():
    line = jg.zeros((1 << 25) + 2, dtype=jg.complex64, device=DEVICE)
    with pytest.raises(NotImplementedError, match="33554434 numbers, only of up to 8388608 where"):
        jg.eval(jg.fft.fft(line))
