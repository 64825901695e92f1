# SPDX-License-Identifier: Apache-2.0
"""Cases of products of matrices and vectors, of normalisations, and of attention."""

import choices as st
import numpy as np
import scipy.special
from drawing import (
    FLOATS,
    ROWS,
    TAKES,
    Case,
    array_of,
    flag,
    numbers,
    pair_of_shapes,
    part_of,
    shapes,
)


def matrices(draw):
    """Two stacks of matrices, or vectors, that can be multiplied."""
    dtype = draw(st.sampled_from(TAKES["numeric"]))
    first, second = pair_of_shapes(draw, max_ndim=2)
    n, k, m = shapes(draw, 3, 3, most=6)
    left, right = (*first, n, k), (*second, k, m)
    left = (k,) if not draw(st.integers(0, 4)) else left
    right = (k,) if not draw(st.integers(0, 4)) else right
    return (numbers(draw, dtype, left), numbers(draw, dtype, right)), {}


def vectors(name):
    """Operands whose last axes are alike, as inner and outer take them."""

    def draw(draw):
        dtype = draw(st.sampled_from(TAKES[ROWS[name]["types"]]))
        k = draw(st.integers(0, 5))
        both = [(*shapes(draw, max_ndim=2), k) if draw(st.integers(0, 5)) else () for _ in range(2)]
        return tuple(numbers(draw, dtype, shape) for shape in both), {}

    return draw


def pairs_along(name, extents):
    """Operands that broadcast but for an axis, along which they are alike."""

    def draw(draw):
        dtype = draw(st.sampled_from(TAKES[ROWS[name]["types"]]))
        shape = shapes(draw, 0, 2)
        axis = draw(st.integers(-len(shape) - 1, -1))
        extent = draw(st.sampled_from(extents))
        place = len(shape) + 1 + axis
        full = (*shape[:place], extent, *shape[place:])
        parts = [tuple(n if i == place or flag(draw) else 1 for i, n in enumerate(full))]
        return tuple(numbers(draw, dtype, s) for s in [full, *parts]), {"axis": axis}

    return draw


def vecdot(a, b, axis):
    return np.sum(np.conj(a) * b, axis=axis)


def cross(a, b, axis):
    a, b = np.broadcast_arrays(a, b)
    return np.cross(a, b, axis=axis) if a.size else np.zeros(a.shape, a.dtype)


def kron(draw):
    dtype = draw(st.sampled_from(TAKES["arithmetic"]))
    return tuple(numbers(draw, dtype, shapes(draw, most=3)) for _ in range(2)), {}


def dots(draw):
    """Axes by their number, or by two lists."""
    dtype = draw(st.sampled_from(TAKES["numeric"]))
    count = draw(st.integers(0, 2))
    inner = shapes(draw, count, count, most=3)
    first, second = shapes(draw, max_ndim=2), shapes(draw, max_ndim=2)
    x, y = numbers(draw, dtype, (*first, *inner)), numbers(draw, dtype, (*inner, *second))
    if flag(draw):
        return (x, y), {"axes": count}
    places = tuple(range(-count, 0)), tuple(range(count))
    return (x, y), {"axes": places}


def addmm(draw):
    (a, b), _ = matrices(draw)
    while a.ndim < 2 or b.ndim < 2:
        a, b = np.atleast_2d(a), b if b.ndim > 1 else b[:, None]
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    c = numbers(draw, a.dtype.name, part_of(draw, shape))
    return (c, a, b), {"alpha": 2.0, "beta": draw(st.sampled_from([0.0, 1.0, 3.0]))}


SUBSCRIPTS = [
    "ij,jk->ik",
    "ij,ij->",
    "ii->i",
    "ij->ji",
    "ij,jk,k",
    "i,j->ij",
    "...i,...i->...",
    "aab->b",
]


def einsum(draw):
    """Every label has an extent of its own."""
    subscripts = draw(st.sampled_from(SUBSCRIPTS))
    extent = {label: draw(st.integers(0, 4)) for label in "abijk"}
    dtype = draw(st.sampled_from(TAKES["numeric"]))
    lead = shapes(draw, max_ndim=1)
    operands = []
    for labels in subscripts.split("->")[0].split(","):
        shape = [*(lead if "..." in labels else ()), *(extent[x] for x in labels.strip("."))]
        operands.append(numbers(draw, dtype, tuple(shape)))
    return (subscripts, *operands), {}


def optional(draw, thing):
    return thing if flag(draw) else None


def normalised(name):
    def draw(draw):
        dtype = draw(st.sampled_from(FLOATS))
        x = numbers(draw, dtype, shapes(draw, 1, least=1))
        count = 1 if name == "rms_norm" else 2
        rest = [optional(draw, numbers(draw, dtype, x.shape[-1:])) for _ in range(count)]
        return (x, *rest, 0.5), {}

    return draw


def rms_norm(x, weight, eps):
    y = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    return y if weight is None else y * weight


def layer_norm(x, weight, bias, eps):
    y = x - np.mean(x, axis=-1, keepdims=True)
    y = rms_norm(y, weight, eps)
    return y if bias is None else y + bias


def rope(draw):
    x = array_of(draw, FLOATS, min_ndim=3, max_ndim=4, least=1)
    x = np.concatenate([x, x], -1)  # an even number of features
    dims = 2 * draw(st.integers(1, x.shape[-1] // 2))
    return (x, dims, flag(draw), 100.0, 0.5, draw(st.integers(0, 3))), {}


def rotated(x, dims, traditional, base, scale, offset):
    half = dims // 2
    angles = (np.arange(x.shape[-2])[:, None] + offset) * scale * base ** (-np.arange(half) / half)
    pairs = (
        (slice(0, dims, 2), slice(1, dims, 2)) if traditional else (slice(half), slice(half, dims))
    )
    y = x.copy()
    y[..., pairs[0]] = x[..., pairs[0]] * np.cos(angles) - x[..., pairs[1]] * np.sin(angles)
    y[..., pairs[1]] = x[..., pairs[0]] * np.sin(angles) + x[..., pairs[1]] * np.cos(angles)
    return y


def entropy(draw):
    x = array_of(draw, FLOATS, min_ndim=1, least=1)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return (x, rng.integers(0, x.shape[-1], x.shape[:-1])), {}


def cross_entropy(x, targets):
    chosen = np.take_along_axis(x, targets[..., None], -1)[..., 0]
    return np.logaddexp.reduce(x, axis=-1) - chosen


def attention(draw):
    dtype = draw(st.sampled_from(FLOATS))
    batch, heads, groups, length, span = (draw(st.integers(1, 3)) for _ in range(5))
    q = numbers(draw, dtype, (batch, heads * groups, length, 4), (-1, 1))
    k, v = (numbers(draw, dtype, (batch, heads, span, 4), (-1, 1)) for _ in range(2))
    mask = optional(draw, numbers(draw, dtype, (length, span), (-1, 1)))
    return (q, k, v, 0.5), {"mask": mask, "causal": mask is None and length <= span and flag(draw)}


def attend(q, k, v, scale, mask, causal):
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = scale * q @ np.swapaxes(k, -1, -2)
    length, span = scores.shape[-2:]
    if causal:
        scores = np.where(np.tri(length, span, span - length, dtype=bool), scores, -np.inf)
    scores = scores if mask is None else scores + mask
    return scipy.special.softmax(scores, axis=-1) @ v


def gathered(draw):
    dtype = draw(st.sampled_from(FLOATS))
    n, k, m = shapes(draw, 3, 3)
    a = numbers(draw, dtype, (draw(st.integers(1, 3)), n, k))
    b = numbers(draw, dtype, (draw(st.integers(1, 3)), k, m))
    count = draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return (a, b, rng.integers(0, len(a), count), rng.integers(0, len(b), count)), {}


def masked(draw):
    n, k, m = shapes(draw, 3, 3, least=1, most=70)
    a, b = numbers(draw, "float32", (n, k)), numbers(draw, "float32", (k, m))
    masks = [numbers(draw, "bool", (-(-r // 64), -(-c // 64))) for r, c in ((n, m), (n, k), (k, m))]
    return (a, b, 64, *(optional(draw, mask) for mask in masks)), {}


def block_masked(a, b, block, out, left, right):
    def kept(x, mask):
        if mask is None:
            return x
        return x * mask.repeat(block, 0).repeat(block, 1)[: x.shape[0], : x.shape[1]]

    return kept(kept(a, left) @ kept(b, right), out)


def segmented(draw):
    n, k, m = shapes(draw, 3, 3, least=1)
    ends = np.sort(np.array([[draw(st.integers(0, k)) for _ in "ab"] for _ in range(3)]), axis=1)
    return (numbers(draw, "float32", (n, k)), numbers(draw, "float32", (k, m)), ends), {}


def segments(a, b, ends):
    return np.stack([a[:, low:high] @ b[low:high] for low, high in ends])


def at_least_float32(args, named):
    return "float64" if args[0].dtype.itemsize == 8 else "float32"


CASES = {
    "matmul": Case(matrices, np.matmul, ulps=32),
    "inner": Case(vectors("inner"), np.inner, ulps=32),
    "outer": Case(vectors("outer"), np.outer, ulps=4),
    "vecdot": Case(pairs_along("vecdot", [0, 1, 5]), vecdot, ulps=32),
    "cross": Case(pairs_along("cross", [3]), cross, ulps=8),
    "kron": Case(kron, np.kron),
    "tensordot": Case(dots, np.tensordot, ulps=64),
    "einsum": Case(einsum, np.einsum, ulps=64),
    "addmm": Case(addmm, lambda c, a, b, alpha, beta: alpha * (a @ b) + beta * c, ulps=32),
    "rms_norm": Case(normalised("rms_norm"), rms_norm, ulps=16),
    "layer_norm": Case(normalised("layer_norm"), layer_norm, ulps=32),
    "rope": Case(rope, rotated, ulps=16),
    "cross_entropy": Case(entropy, cross_entropy, dtype=at_least_float32, ulps=16),
    "scaled_dot_product_attention": Case(attention, attend, ulps=16),
    "gather_mm": Case(
        gathered, lambda a, b, i, j: a[i] @ b[j], dtype=lambda a, n: a[0].dtype.name, ulps=32
    ),
    "block_masked_mm": Case(masked, block_masked, dtype="float32", ulps=64),
    "segmented_mm": Case(segmented, segments, dtype="float32", ulps=32),
}
