# SPDX-License-Identifier: Apache-2.0
"""Window functions against NumPy's in double precision and against MLX's."""

import mlx.core as mx
import numpy as np
import pytest

import joggle as jg

NAMES = ["hanning", "hamming", "blackman", "bartlett"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 51, 1000])
def test_windows_are_numpys_rounded_to_float32(name, count):
    window = getattr(jg, name)(count)
    assert window.dtype == jg.float32 and window.shape == (count,)
    expected = getattr(np, name)(count)
    np.testing.assert_allclose(np.asarray(window), expected, rtol=1e-7, atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_windows_are_symmetric_and_agree_with_mlx(name):
    window = np.asarray(getattr(jg, name)(65))
    np.testing.assert_allclose(window, window[::-1], rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(window, np.asarray(getattr(mx, name)(65)), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_window_without_a_number_of_points_is_refused(name):
    with pytest.raises(ValueError, match=rf"\[{name}\] M: got -1"):
        getattr(jg, name)(-1)
    with pytest.raises(TypeError, match="M"):
        getattr(jg, name)(2.5)
