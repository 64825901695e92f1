# SPDX-License-Identifier: Apache-2.0
"""Random graphs have the same bits fused and with JOGGLE_FUSE=0.

Graphs of whole numbers are exact in any order of summation, so they may reduce along any axis.
Graphs of other numbers reduce along rows that lie side by side, which are summed by the same blocks
however they come.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg

UNARY = (jg.negative, jg.abs, jg.floor, lambda x: jg.where(x > 2, x, 2 - x))
BINARY = (jg.add, jg.subtract, jg.maximum, jg.minimum, lambda x, y: jg.where(x < y, x, y + 1))
REDUCTIONS = (jg.sum, jg.max, jg.min)
DEAR = (
    jg.exp,
    lambda x: x * x,
    lambda x: jg.exp(x - 1),
    jg.tanh,
    lambda x: jg.sqrt(jg.abs(x)),
    lambda x: jg.log(jg.abs(x) + 1),
)
SHAPES = ((3, 40), (40,), (2, 3, 33), (5, 1), (1, 40), (36, 36), (3, 1025), ())


def leaf(rng, dtype, whole):
    shape = SHAPES[rng.integers(len(SHAPES))]
    values = rng.integers(-8, 9, shape) if whole else rng.standard_normal(shape)
    x = jg.asarray(values.astype(dtype))
    return jg.permute_dims(x, tuple(reversed(range(x.ndim)))) if whole and rng.random() < 0.2 else x


def bounded(x):
    """Small whole numbers, so that no later sum is rounded."""
    return jg.maximum(jg.minimum(x, 64), -64)


def pick(rng, choices):
    return choices[rng.integers(len(choices))]


def combined(rng, x, y):
    try:
        result = pick(rng, BINARY)(x, y)
    except ValueError:  # the shapes do not broadcast
        return pick(rng, BINARY)(x, x)
    return result if result.size < 20000 else x


def row_value(rng, x):
    """A value of each row, now and then with something of its own added."""
    value = pick(rng, (*REDUCTIONS, jg.mean))(x, axis=-1, keepdims=True)
    return value + 1 if rng.random() < 0.3 else value


def viewed(rng, x):
    choice = rng.integers(4)
    if choice == 0:
        return jg.permute_dims(x, tuple(reversed(range(x.ndim))))
    if choice == 1 and x.ndim:
        return x[..., :: -1 if rng.random() < 0.5 else 2]
    if choice == 2:
        return jg.reshape(x, (-1,))
    return jg.broadcast_to(x, (2, *x.shape)) if x.size < 2000 else x


def grown_whole(rng, nodes):
    x = pick(rng, nodes)
    choice = rng.integers(8)
    if choice < 2:
        return pick(rng, UNARY)(x)
    if choice < 4:
        return bounded(combined(rng, x, pick(rng, nodes)))
    if choice == 4 and x.ndim and x.size:
        axis = None if rng.random() < 0.2 else int(rng.integers(x.ndim))
        return bounded(pick(rng, REDUCTIONS)(x, axis=axis, keepdims=bool(rng.random() < 0.5)))
    if choice == 5 and x.ndim and x.size:
        return bounded(x - pick(rng, REDUCTIONS)(x, axis=-1, keepdims=True))
    if choice == 6 and x.ndim == 2 and x.shape[0] < 100:
        return bounded(jg.matmul(x, jg.matrix_transpose(x)))
    return viewed(rng, x)


def grown_rows(rng, nodes):
    x = pick(rng, nodes)
    choice = rng.integers(6)
    if choice == 0:
        return pick(rng, DEAR)(x)
    if choice == 1:
        return pick(rng, UNARY)(x)
    if choice in (2, 3) or x.ndim == 0 or x.shape[-1] < 32:
        return combined(rng, x, pick(rng, nodes))
    value = row_value(rng, x)
    return value if choice == 4 else pick(rng, (jg.subtract, jg.divide, jg.maximum))(x, value)


def evaluated(seed, dtype, whole, fusing):
    """The bytes of some nodes of a random graph; of the others some are held."""
    rng = np.random.default_rng(seed)
    nodes = [leaf(rng, dtype, whole) for _ in range(3)]
    for _ in range(int(rng.integers(4, 24))):
        nodes.append((grown_whole if whole else grown_rows)(rng, nodes))
        if len(nodes) > 6 and rng.random() < 0.4:
            nodes.pop(int(rng.integers(3, len(nodes) - 1)))
    roots = nodes[-int(rng.integers(1, 4)) :]
    jg.set_option("fuse", str(int(fusing)))
    try:
        jg.eval(*roots)
    finally:
        jg.set_option("fuse", "1")
    # Which of 0 and -0 is the larger depends on the order; adding 0 makes one of them.
    return [(np.asarray(root) + 0 if whole else np.asarray(root)).tobytes() for root in roots]


@settings(max_examples=500)
@given(seed=st.integers(0, 2**32), dtype=st.sampled_from(("int32", "int64", "float32", "float64")))
def test_graphs_of_whole_numbers_have_the_same_bits_fused(seed, dtype):
    assert evaluated(seed, dtype, True, True) == evaluated(seed, dtype, True, False)


@settings(max_examples=500)
@given(seed=st.integers(0, 2**32), dtype=st.sampled_from(("float16", "float32", "float64")))
def test_rows_of_any_numbers_have_the_same_bits_fused(seed, dtype):
    with np.errstate(all="ignore"):
        assert evaluated(seed, dtype, False, True) == evaluated(seed, dtype, False, False)


@pytest.mark.parametrize("count", [5, 15, 16, 25, 31, 32, 33, 70])
def test_any_number_of_parts_of_an_array_that_is_pending_are_joined(count):
    a = np.arange(2 * count, dtype="f4").reshape(2, count)
    x = jg.array(a)
    for work in (lambda part: part, jg.flip, lambda part: part + 1):

        def parts(y, work=work):
            return [work(y[:, i : i + 1]) for i in range(count)]

        wanted = np.hstack([np.asarray(part) for part in parts(x)])
        assert np.array_equal(np.asarray(jg.concat(parts(x * 2 / 2), 1)), wanted)
        parted = parts(x * 2 / 2)
        jg.eval(*parted)
        assert np.array_equal(np.hstack([np.asarray(part) for part in parted]), wanted)
