# SPDX-License-Identifier: Apache-2.0
"""Walsh-Hadamard transforms against SciPy's matrices and MLX's."""

import mlx.core as mx
import numpy as np
import pytest
import scipy.linalg
from quantized import DTYPES, numbers, sample, to_mlx

import joggle as jg

POWERS = [1, 2, 4, 8, 16, 32, 128, 256, 1024, 8192]
TOLERANCES = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}


@pytest.mark.parametrize("extent", POWERS)
def test_powers_of_two_are_scipys_matrix(extent):
    x = sample((3, extent))
    expected = numbers(x).astype("f8") @ scipy.linalg.hadamard(extent)
    np.testing.assert_allclose(
        jg.hadamard_transform(x, 1.0), expected, rtol=1e-5, atol=1e-5 * extent**0.5
    )
    whole = np.asarray(jg.hadamard_transform(jg.hadamard_transform(x)))
    np.testing.assert_allclose(whole, np.asarray(x), atol=2e-6)  # orthonormal, its own inverse


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", [8, 12, 20, 28, 24, 40, 28 * 16, 12 * 128, 4096])
def test_every_order_is_mlxs(extent, dtype):
    x = sample((2, 3, extent), dtype)
    for scale in (None, 0.5):
        ours, theirs = jg.hadamard_transform(x, scale), mx.hadamard_transform(to_mlx(x), scale)
        assert ours.dtype == x.dtype and ours.shape == x.shape
        size = abs(numbers(theirs)).max()
        np.testing.assert_allclose(
            numbers(ours) / size, numbers(theirs) / size, atol=TOLERANCES[dtype]
        )


def test_odd_layouts_and_pending_arrays_are_transformed():
    x = np.array(sample((6, 4, 64)))
    for view in (
        x.transpose(1, 0, 2),
        x[::-1, ::2],
        x[..., ::-2],
        x[:0],
        x.swapaxes(1, 2)[..., :4],
    ):
        y = jg.hadamard_transform(jg.asarray(view), 1.0)
        expected = view @ scipy.linalg.hadamard(view.shape[-1])
        np.testing.assert_allclose(np.asarray(y), expected, atol=1e-4)
    held = jg.asarray(x, copy=True) * 2
    y = jg.hadamard_transform(held, 1.0)
    np.testing.assert_allclose(np.asarray(y), 2 * x @ scipy.linalg.hadamard(64), atol=2e-4)
    np.testing.assert_array_equal(np.asarray(held), 2 * x)
    assert jg.hadamard_transform(jg.array(3.0)).item() == 3.0
    assert jg.hadamard_transform(jg.arange(8)).dtype == jg.float32


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.hadamard_transform(jg.ones((2, 7))), ValueError, "a: got a last extent of 7"),
        (lambda: jg.hadamard_transform(jg.ones((2, 0))), ValueError, "a: got a last extent of 0"),
        (
            lambda: jg.hadamard_transform(jg.ones(8, dtype="complex64")),
            TypeError,
            "a: got complex64",
        ),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("extent", [4, 64, 12 * 16, 28 * 8])
def test_float64_is_worked_in_float64(extent):
    x = np.random.default_rng(3).normal(size=(3, extent))
    whole = jg.hadamard_transform(jg.hadamard_transform(jg.array(x)))
    assert whole.dtype == jg.float64
    signs = np.asarray(jg.hadamard_transform(jg.eye(extent, dtype=jg.float64), 1.0))
    np.testing.assert_array_equal(abs(signs), 1)
    np.testing.assert_allclose(
        np.asarray(jg.hadamard_transform(jg.array(x), 1.0)), x @ signs, rtol=1e-13, atol=1e-12
    )
    if extent & (extent - 1) == 0:
        np.testing.assert_allclose(np.asarray(whole), x, atol=1e-14)
