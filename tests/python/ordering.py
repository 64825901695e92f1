# SPDX-License-Identifier: Apache-2.0
"""Numbers to be put in order, and the order that they have: that of a stable sort."""

import numpy as np
from layouts import numpy_dtype, to_joggle, to_numpy


def special(count, few, rng):
    """Floats with NaN, infinities and zeros of either sign among them."""
    x = rng.integers(-1, 2, count) * 1.0 if few else rng.standard_normal(count)
    for value in (np.nan, -np.nan, -0.0, 0.0, np.inf, -np.inf):
        x[rng.random(count) < 0.02] = value
    return x


def sample(dtype, count, few, seed=0):
    """A vector of the dtype; with few, of few different numbers."""
    rng = np.random.default_rng([seed, count])
    kind = numpy_dtype(dtype)
    if kind == np.dtype(bool):
        return rng.integers(0, 2, count).astype(bool)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        low, high = (0, 3) if few else (info.min, info.max)
        return rng.integers(low, high, count, kind, endpoint=True)
    if kind.kind == "c":
        x = np.empty(count, kind)
        x.real, x.imag = special(count, few, rng), special(count, few, rng)
        return x
    if dtype == "bfloat16":
        return to_numpy(to_joggle(special(count, few, rng).astype("f4")).astype(dtype))
    return special(count, few, rng).astype(kind)


def comparable(x):
    return x if x.dtype.kind != "V" and x.dtype.name != "bfloat16" else x.astype("f4")


def order(x):
    """The places of a vector's elements in ascending order, equal ones as they stand."""
    return np.argsort(comparable(x), kind="stable")


def descending_order(x):
    return len(x) - 1 - np.argsort(comparable(x)[::-1], kind="stable")[::-1]
