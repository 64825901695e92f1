# SPDX-License-Identifier: Apache-2.0
"""Convolutions by their definition, in NumPy: what the tests of every kind compare with."""

import itertools

import numpy as np


def _per_axis(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value)


def spread(x, steps):
    """x (batch, space..., channels) with steps - 1 zeros between neighbours."""
    shape = [(n - 1) * step + 1 for n, step in zip(x.shape[1:-1], steps, strict=True)]
    y = np.zeros((len(x), *shape, x.shape[-1]), x.dtype)
    y[(slice(None), *(slice(None, None, step) for step in steps))] = x
    return y


def convolution(
    x, w, stride=1, low=0, high=None, dilation=1, input_dilation=1, groups=1, flip=False
):
    """In float64 or complex128, channels last; low and high are the padding."""
    rank = x.ndim - 2
    stride, low, dilation = (_per_axis(value, rank) for value in (stride, low, dilation))
    high = low if high is None else _per_axis(high, rank)
    wide = np.complex128 if x.dtype.kind == "c" or w.dtype.kind == "c" else np.float64
    x, w = x.astype(wide), w.astype(wide)
    x = spread(x, _per_axis(input_dilation, rank))
    x = np.pad(x, ((0, 0), *zip(low, high, strict=True), (0, 0)))
    if flip:
        w = np.flip(w, tuple(range(1, rank + 1)))
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[1:-1], dilation, strict=True)]
    extents = [(n - s) // t + 1 for n, s, t in zip(x.shape[1:-1], spans, stride, strict=True)]
    y = np.zeros((len(x), *extents, len(w)), wide)
    each, results = w.shape[-1], len(w) // groups
    for tap in itertools.product(*map(range, w.shape[1:-1])):
        places = tuple(
            slice(k * d, k * d + (n - 1) * t + 1, t)
            for k, d, n, t in zip(tap, dilation, extents, stride, strict=True)
        )
        for g in range(groups):
            pixels = x[(slice(None), *places, slice(g * each, (g + 1) * each))]
            part = slice(g * results, (g + 1) * results)
            y[..., part] += pixels @ w[(part, *tap)].T
    return y


def first(x):
    """Channels after the first axis instead of last."""
    return np.moveaxis(x, -1, 1)
