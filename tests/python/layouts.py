# SPDX-License-Identifier: Apache-2.0
"""Arrays that lie oddly in memory, each as a joggle array beside the NumPy array that it equals."""

import ml_dtypes
import numpy as np

import joggle as jg

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]
REAL = [name for name in DTYPES if not name.startswith("complex")]


def values(shape, dtype, seed=0):
    """Small whole numbers, so that sums are exact in every dtype."""
    numbers = np.random.default_rng(seed).integers(0, 5, shape)
    if np.dtype(dtype).kind == "c":
        numbers = numbers + 1j * np.random.default_rng(seed + 1).integers(-3, 3, shape)
    return numbers.astype(dtype)


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def to_joggle(x):
    """x as joggle's, in memory; bfloat16 goes by way of float32."""
    if x.dtype == ml_dtypes.bfloat16:
        return jg.array(x.astype("f4")).astype("bfloat16")
    return jg.array(x, copy=True)


def to_numpy(x):
    """The values of a joggle array, bfloat16 as ml_dtypes has it."""
    if x.dtype == jg.dtype("bfloat16"):
        return np.asarray(x.astype("float32")).astype(ml_dtypes.bfloat16)
    return np.asarray(x)


def layouts(dtype="float32"):
    """Pairs (joggle, NumPy): dense, transposed, reversed, strided, repeated, foreign, computed."""
    dtype = numpy_dtype(dtype)
    dense = values((4, 6, 5), dtype)
    own = to_joggle(dense)
    yield own, dense
    yield own.permute_dims((2, 0, 1)), dense.transpose(2, 0, 1)
    yield own[::-1, :, ::-2], dense[::-1, :, ::-2]
    yield own[1:, ::3], dense[1:, ::3]
    yield jg.broadcast_to(own[:, :1], (4, 3, 5)), np.broadcast_to(dense[:, :1], (4, 3, 5))
    yield own + own, dense + dense
    yield (own + own)[::-1].permute_dims((0, 2, 1)), (dense + dense)[::-1].transpose(0, 2, 1)
    if dtype != ml_dtypes.bfloat16:
        foreign = dense.transpose(1, 0, 2)[:, ::-1]
        yield jg.asarray(foreign, copy=False), foreign


def assert_same(x, reference):
    """Equal in dtype, shape and every value; NaN equals NaN."""
    assert x.shape == reference.shape
    found = to_numpy(x)
    assert found.dtype == reference.dtype
    np.testing.assert_array_equal(found, reference)
