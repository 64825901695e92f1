# SPDX-License-Identifier: Apache-2.0
"""% and // of floats are exact: bit by bit what NumPy gives, in vector code and elsewhere."""

import numpy as np
import pytest

import joggle.fields as qd

SPECIAL = [
    0.0,
    -0.0,
    1,
    -1,
    2.5,
    np.inf,
    -np.inf,
    np.nan,
    5e-324,
    1e-45,
    1e308,
    3e38,
    2.0**52,
    2.0**60,
]


def operands(dtype, count=20_000):
    """Numbers of all sizes, quotients that are whole or just not, and special numbers."""
    rng = np.random.default_rng(1)
    raw = np.uint32 if dtype == np.float32 else np.uint64
    x, y = (rng.integers(0, np.iinfo(raw).max, count, raw, endpoint=True).view(dtype) for _ in "xy")
    with np.errstate(all="ignore"):
        whole = (y * rng.integers(1, 1 << 20, count).astype(dtype)).astype(dtype)
        beside = np.nextafter(whole, rng.choice(np.array([np.inf, -np.inf], dtype), count))
        special = np.array(SPECIAL).astype(dtype)
    small = rng.integers(-50, 50, count).astype(dtype) / 4
    left = [x, x, whole, beside, small, np.repeat(special, len(special))]
    right = [y, np.roll(x, 1), y, y, np.roll(small, 7), np.tile(special, len(special))]
    return np.concatenate(left), np.concatenate(right)


def same_bits(a, b):
    raw = np.uint32 if a.dtype == np.float32 else np.uint64
    return ((a.view(raw) == b.view(raw)) | (np.isnan(a) & np.isnan(b))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("stride", [1, 3])
def test_remainders_have_the_bits_of_numpy(compiler, dtype, stride):
    x, y = (np.repeat(a, stride)[::stride] for a in operands(dtype))
    rest, towards_zero, quotient = (np.empty(len(x), dtype) for _ in range(3))

    @qd.kernel(fast_math=False)
    def run(
        x: qd.types.ndarray(),
        y: qd.types.ndarray(),
        rest: qd.types.ndarray(),
        towards_zero: qd.types.ndarray(),
        quotient: qd.types.ndarray(),
    ):
        for i in x:
            rest[i] = x[i] % y[i]
            towards_zero[i] = qd.raw_mod(x[i], y[i])
            quotient[i] = x[i] // y[i]

    run(x, y, rest, towards_zero, quotient)
    with np.errstate(all="ignore"):
        assert same_bits(rest, np.remainder(x, y))
        assert same_bits(towards_zero, np.fmod(x, y))
        plain = np.isfinite(x) & np.isfinite(y) & (y != 0)
        assert same_bits(quotient[plain], np.floor_divide(x, y)[plain])
