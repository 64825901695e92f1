# SPDX-License-Identifier: Apache-2.0
"""Random graphs that mix all dtypes and odd layouts have the same values fused and with
JOGGLE_FUSE=0. Sums are of integers, exact in any order; extrema are of everything real."""

import numpy as np
import pytest
from layouts import DTYPES, layouts

import joggle as jg

GRAPHS = 300  # of each dtype that the leaves begin with
LEAVES = {dtype: [x for x, _ in layouts(dtype)] for dtype in DTYPES}
FLOATING = (jg.exp, jg.tanh, jg.sqrt, jg.log, jg.sin, jg.reciprocal, jg.expm1)
REAL = (jg.sign, jg.abs, jg.floor, jg.round, lambda x: jg.clip(x, 0, 3))
NUMERIC = (jg.negative, jg.square, jg.positive, lambda x: x * 2, lambda x: 3 - x)
BINARY = (jg.add, jg.multiply, jg.equal, lambda x, y: jg.where(jg.not_equal(x, y), x, y))
ORDERED = (jg.maximum, jg.minimum, jg.less, lambda x, y: jg.where(x < y, y, x))


def pick(rng, choices):
    return choices[int(rng.integers(len(choices)))]


def is_complex(x):
    return x.dtype.name.startswith("complex")


def is_integer(x):
    return "int" in x.dtype.name


def leaf(rng, dtype):
    x = pick(rng, LEAVES[dtype])
    if rng.random() < 0.5:
        return x
    return x[0] if rng.random() < 0.7 else x[:, 0, 0][:, None, None]


def unary(rng, x, _):
    if x.dtype == jg.bool:
        return jg.logical_not(x)
    kinds = [FLOATING, NUMERIC] if is_complex(x) else [FLOATING, REAL, NUMERIC]
    return pick(rng, pick(rng, kinds))(x)


def binary(rng, x, y):
    ops = BINARY if is_complex(x) or is_complex(y) else BINARY + ORDERED
    try:
        result = pick(rng, ops)(x, y)
    except ValueError:  # the shapes do not broadcast
        result = pick(rng, ops)(x, x)
    return result if result.size < 10000 else x


def cast(rng, x, _):
    """Values that every dtype has are the same in any order of casts."""
    if is_complex(x):
        return jg.real(x)
    return jg.clip(jg.nan_to_num(jg.astype(x, jg.float32), 0, 3, 0), 0, 7).astype(pick(rng, DTYPES))


def reduction(rng, x, _):
    if is_complex(x) or x.ndim == 0 or x.size == 0:
        return x
    axis = pick(rng, [None, 0, -1, tuple(range(x.ndim))])
    keepdims = bool(rng.random() < 0.7)
    if is_integer(x) or x.dtype == jg.bool:
        return pick(rng, (jg.sum, jg.max, jg.any))(x, axis=axis, keepdims=keepdims)
    return pick(rng, (jg.max, jg.min))(x, axis=axis, keepdims=keepdims) + 0


def row(rng, x, _):
    """Elements of a row and a value of it."""
    if is_complex(x) or x.ndim == 0 or x.size == 0:
        return x
    return jg.maximum(x, jg.max(x, axis=-1, keepdims=True) / 2)


def view(rng, x, _):
    return pick(
        rng,
        (
            lambda x: jg.permute_dims(x, tuple(reversed(range(x.ndim)))),
            lambda x: x[..., ::-1] if x.ndim else x,
            lambda x: jg.reshape(x, (-1,)),
            lambda x: x[None],
            lambda x: jg.broadcast_to(x, (2, *x.shape)) if x.size < 3000 else x,
        ),
    )(x)


GROW = (unary, unary, binary, binary, binary, cast, reduction, row, view)


def evaluated(seed, dtype, fusing):
    """Some nodes of a random graph, in NumPy."""
    rng = np.random.default_rng((seed, DTYPES.index(dtype)))
    nodes = [leaf(rng, dtype), leaf(rng, dtype), leaf(rng, pick(rng, DTYPES))]
    for _ in range(int(rng.integers(5, 20))):
        nodes.append(pick(rng, GROW)(rng, pick(rng, nodes), pick(rng, nodes)))
        if len(nodes) > 6 and rng.random() < 0.4:
            nodes.pop(int(rng.integers(3, len(nodes) - 1)))
    roots = nodes[-int(rng.integers(1, 4)) :]
    jg.set_option("fuse", str(int(fusing)))
    try:
        jg.eval(*roots)
    finally:
        jg.set_option("fuse", "1")
    return [(root.dtype, np.asarray(root.astype(wide(root)))) for root in roots]


def wide(x):
    return jg.complex128 if is_complex(x) else x.dtype if is_integer(x) else jg.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_graphs_of_mixed_dtypes_have_the_same_values_fused(dtype):
    for seed in range(GRAPHS):
        fused, unfused = evaluated(seed, dtype, True), evaluated(seed, dtype, False)
        for (dtype_a, a), (dtype_b, b) in zip(fused, unfused, strict=True):
            assert dtype_a == dtype_b
            assert np.array_equal(a, b, equal_nan=not is_integer_array(a)), (seed, dtype)


def is_integer_array(a):
    return a.dtype.kind in "iu"
