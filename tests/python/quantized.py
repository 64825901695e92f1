# SPDX-License-Identifier: Apache-2.0
"""What the tests of quantised matrices share: every format that MLX has, arrays on both sides."""

import mlx.core as mx
import numpy as np

import joggle as jg

AFFINE = [("affine", group, bits) for group in (32, 64, 128) for bits in (1, 2, 3, 4, 5, 6, 8)]
FORMATS = [*AFFINE, ("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)]
DTYPES = ["float32", "float16", "bfloat16"]


def sample(shape, dtype="float32", seed=0):
    """A joggle array of normal numbers."""
    values = np.random.default_rng(seed).standard_normal(shape).astype("f4")
    return jg.asarray(values).astype(dtype)


def to_mlx(x):
    """The same array as MLX's; half precision goes by way of float32."""
    if x.dtype in (jg.float16, jg.bfloat16):
        return mx.array(np.asarray(x.astype("float32"))).astype(getattr(mx, x.dtype.name))
    return mx.array(np.asarray(x))


def numbers(x):
    """The values in NumPy, exact in float64 or as the integers that they are."""
    if isinstance(x, mx.array):
        return np.asarray(x.astype(mx.float32) if x.dtype in (mx.float16, mx.bfloat16) else x)
    return np.asarray(x.astype("float32") if x.dtype in (jg.float16, jg.bfloat16) else x)


def matrix(rows, columns, form, dtype="float32", seed=0, batch=()):
    """A quantised matrix: the arguments of products, and the numbers that it stands for."""
    mode, group, bits = form
    how = {"group_size": group, "bits": bits, "mode": mode}
    parts = jg.quantize(sample((*batch, rows, columns), dtype, seed), **how)
    wide = [part.astype("float32") if part.dtype in jg_floats() else part for part in parts]
    values = jg.dequantize(*wide, **how, dtype="float32")
    return parts, how, np.asarray(values).astype("f8")


def jg_floats():
    return (jg.float16, jg.bfloat16)
