# SPDX-License-Identifier: Apache-2.0
"""Matrix products: of each floating dtype, transposed, batched, and of a few rows."""

import os

import ml_dtypes
import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "matrix products"
EXTENTS = (64, 256, 1024, 2048, 4096)
GOALS = (Goal(1.05),)
MLX_LIMIT = 2**25  # multiplications; its own loops take seconds beyond
# PyTorch multiplies bfloat16 by plain loops where oneDNN may not use AVX-512: minutes beyond.
PLAIN_LIMIT = 2**25


def product(xp, x, y):
    return x @ y


def transposed(xp, x, y):
    return x.T @ y


def narrow_product(np, x, y):
    return (x.astype(np.float32) @ y.astype(np.float32)).astype(x.dtype)


def _work(name, x, y, function=product, **more):
    multiplications = x.size * y.shape[-1]
    own = {"torch.compile": "the same library", "mlx.compile": "the same loops"}
    if multiplications > MLX_LIMIT:
        own["mlx"] = "seconds a product"
    own |= more.pop("own", {})
    return Work(name, function, {"x": x, "y": y}, GOALS, own=own, **more)


def _bfloat16(x, y):
    x, y = x.astype(ml_dtypes.bfloat16), y.astype(ml_dtypes.bfloat16)
    own = {"numpy": "it has no bfloat16"}
    if x.size * y.shape[-1] > PLAIN_LIMIT and os.environ.get("ONEDNN_MAX_CPU_ISA") == "AVX2":
        own["torch"] = "minutes a product"
    return _work(
        f"bfloat16 {len(x)}",
        x,
        y,
        own=own,
        reference=lambda: narrow_product(np, x, y),
        tolerance=0.02,
    )


def cases(quick):
    rng = np.random.default_rng(0)
    make = lambda *shape: rng.standard_normal(shape, np.float32)  # noqa: E731
    for extent in (16,) if quick else EXTENTS:
        x, y = make(extent, extent), make(extent, extent)
        yield _work(f"float32 {extent}", x, y)
        yield _work(f"float64 {extent}", x.astype(np.float64), y.astype(np.float64))
        yield _bfloat16(x, y)
    extent = 8 if quick else 1024
    yield _work(f"float32 {extent}, x.T", make(extent, extent), make(extent, extent), transposed)
    for rows in (1, 8):
        yield _work(f"float32 {rows}x{extent}x{extent}", make(rows, extent), make(extent, extent))
    for batch, size in ((2, 4),) if quick else ((4096, 4), (1024, 16), (256, 64), (16, 256)):
        yield _work(f"float32 {batch} of {size}", make(batch, size, size), make(batch, size, size))
