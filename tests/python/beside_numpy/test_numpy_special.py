# SPDX-License-Identifier: Apache-2.0
"""i0, sinc and kaiser: within a few units of the last digit of SciPy's and NumPy's."""

import numpy as np
import pytest
import scipy.special

import joggle as jg


@pytest.mark.parametrize("dtype, rtol", [("f8", 1.4e-15), ("f4", 2e-6)])
def test_i0_is_exact_to_the_last_digits(dtype, rtol):
    x = np.concatenate([np.linspace(-20, 20, 20001), np.linspace(-700, 700, 9999)])
    x = x[np.abs(x) < (700 if dtype == "f8" else 88)].astype(dtype).reshape(2, -1)[:, ::-1]
    found = np.asarray(jg.i0(jg.array(x)))
    assert found.dtype == dtype and found.shape == x.shape
    np.testing.assert_allclose(found, scipy.special.i0(x.astype("f8")), rtol=rtol)


def test_i0_is_right_for_large_and_special_numbers():
    found = np.asarray(jg.i0(jg.array([0, 700.0, 720, np.inf, -np.inf, np.nan], dtype="float64")))
    np.testing.assert_allclose(found, [1, scipy.special.i0(700), np.inf, np.inf, np.inf, np.nan])
    assert jg.i0(3).dtype == jg.float32 and jg.i0(jg.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("dtype, atol", [("f4", 1e-6), ("f8", 1e-15), ("c16", 1e-14)])
def test_sinc_is_numpys(dtype, atol):
    x = np.linspace(-9, 9, 145).astype(dtype)
    x = x + 0.25j if dtype == "c16" else x
    found = np.asarray(jg.sinc(jg.array(x)))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.sinc(x), atol=atol, rtol=1e-6 if dtype == "f4" else 1e-13)
    assert jg.sinc(0).tolist() == 1


@pytest.mark.parametrize("M", [0, 1, 2, 3, 12, 51])
@pytest.mark.parametrize("beta", [0, 5, 14.0, -8.6, 900.0])
def test_kaiser_windows_are_numpys(M, beta):
    found = np.asarray(jg.kaiser(M, beta))
    assert found.dtype == "f4" and found.shape == (M,)
    if beta < 700:  # NumPy's overflow
        np.testing.assert_allclose(found, np.kaiser(M, beta), atol=1e-7)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.i0(1j), TypeError, "x: got complex64"),
        (lambda: jg.kaiser(-1, 2.0), ValueError, "M: got -1"),
        (lambda: jg.kaiser(2.5, 2.0), TypeError, "M: got 2.5"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("x", [0.0, -0.0, 1e-30, 1e-8, 1e-3, 0.12, 0.13, 0.7, 2.0])
def test_sinc_has_its_derivatives_at_and_around_0(x):
    a = np.pi * x
    if abs(a) < 1e-2:  # by the series
        slope, bend = -a / 3 + a**3 / 30, -1 / 3 + a**2 / 10 - a**4 / 168
    else:
        slope = np.cos(a) / a - np.sin(a) / a**2
        bend = -np.sin(a) / a - 2 * np.cos(a) / a**2 + 2 * np.sin(a) / a**3
    x = jg.array(x, dtype=jg.float64)
    np.testing.assert_allclose(jg.grad(jg.sinc)(x).item(), np.pi * slope, rtol=1e-11)
    np.testing.assert_allclose(jg.grad(jg.grad(jg.sinc))(x).item(), np.pi**2 * bend, rtol=1e-11)
