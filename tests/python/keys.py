# SPDX-License-Identifier: Apache-2.0
"""Strategies for arrays and for keys that may index them, for the tests of indexing."""

import numpy as np
from hypothesis import strategies as st

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]

bounds = st.none() | st.integers(-6, 6)
steps = st.none() | st.integers(-3, 3).filter(bool)
slices = st.builds(slice, bounds, bounds, steps)


@st.composite
def sources(draw, max_ndim=4, max_extent=4):
    """An array of distinct numbers in some layout: dense, transposed, stepped or reversed."""
    shape = draw(st.lists(st.integers(0, max_extent), max_size=max_ndim))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    whole = [extent * abs(step) for extent, step in zip(shape, steps, strict=True)]
    x = np.arange(int(np.prod(whole)), dtype="i4").reshape(whole)
    x = x[(..., *(slice(None, None, step) for step in steps))]
    return x.transpose(draw(st.permutations(range(x.ndim))))


def numbers(draw, extent, shape):
    dtype = draw(st.sampled_from(INTEGERS))
    holds = np.iinfo(dtype)
    values = st.integers(max(holds.min, -extent), min(holds.max, extent - 1))
    flat = [draw(values) for _ in range(int(np.prod(shape)))]
    return np.array(flat, dtype=dtype).reshape(shape)


@st.composite
def keys(draw, shape, arrays=True, distinct=False):
    """A key for an array of that shape, as a tuple. Index arrays broadcast with each other."""
    common = draw(st.lists(st.integers(0, 3), max_size=3))
    items, axis, ellipsis = [], 0, False
    while axis < len(shape) and draw(st.integers(0, 9)):
        extent = shape[axis]
        kinds = ["slice", "slice", "none"] + ["int"] * (extent > 0)
        kinds += ["array", "array", "mask"] * arrays + ["..."] * (not ellipsis)
        kind = draw(st.sampled_from(kinds))
        if kind == "slice":
            items.append(draw(slices))
        elif kind == "none":
            items.append(None)
            axis -= 1
        elif kind == "int":
            items.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "...":
            ellipsis = True
            items.append(...)
            axis += draw(st.integers(0, len(shape) - axis)) - 1
        elif kind == "mask":
            count = draw(st.integers(0, len(shape) - axis))
            size = int(np.prod(shape[axis : axis + count]))
            if ellipsis and not size:  # NumPy takes such masks for axes of any extent
                count, size = 0, 1
            # Masks broadcast with index arrays only where one is true or nothing else is there.
            truth = st.booleans() if not common else st.just(False)
            flat = [draw(truth) for _ in range(size)]
            if common and size:
                flat[draw(st.integers(0, size - 1))] = True
            items.append(np.array(flat, dtype=bool).reshape(shape[axis : axis + count]))
            axis += count - 1
        else:
            chosen = common[draw(st.integers(0, len(common))) :]
            chosen = [draw(st.sampled_from([1, each])) for each in chosen]
            if extent == 0:
                chosen = [0] * len(chosen) or [0]
            items.append(numbers(draw, max(extent, 1), chosen))
        axis += 1
    return tuple(items)


def same(x, reference):
    assert x.shape == reference.shape
    np.testing.assert_array_equal(np.asarray(x), reference)
