# SPDX-License-Identifier: Apache-2.0
"""Cases of quantised matrices, against the numbers that they stand for, and of random numbers,
against what their distributions allow."""

import choices as st
import ml_dtypes
import numpy as np
from drawing import (
    EPSILON,
    FLOATS,
    Case,
    array_of,
    flag,
    near,
    numbers,
    part_of,
    shapes,
    to_joggle,
    to_numpy,
)

import joggle as jg

AFFINE = [("affine", group, bits) for group in (32, 64) for bits in (2, 3, 4, 5, 6, 8)]
FORMATS = [*AFFINE, ("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)]
HALVES = ["float32", "float16", "bfloat16"]


def matrix(draw, lead=(), format=None, rows=None, columns=None, dtypes=HALVES):
    mode, group, bits = format or draw(st.sampled_from(FORMATS))
    rows = draw(st.integers(1, 4)) if rows is None else rows
    columns = columns or draw(st.sampled_from([group, 2 * group]))
    w = numbers(draw, draw(st.sampled_from(dtypes)), (*lead, rows, columns))
    return w, {"mode": mode, "group_size": group, "bits": bits}


def quantised(draw):
    w, how = matrix(draw)
    return (w,), how


def how_of(named):
    return {key: named[key] for key in ("mode", "group_size", "bits")}


def parts_of(w, how):
    """The words, scales and biases, by the op that is a case of its own."""
    return [to_numpy(part) for part in jg.quantize(to_joggle(w), **how)]


def values_of(w, how):
    parts = [to_joggle(part) for part in parts_of(w, how)]
    return to_numpy(jg.dequantize(*parts, **how, dtype="float32")).astype("f8")


def is_quantised(results, args, named):
    """One code for each number, and what they stand for lies within a step of it."""
    (w,), bits, group = args, named["bits"], named["group_size"]
    words, scales = results[:2]
    assert words.dtype == np.uint32 and words.shape[-1] * 32 == w.shape[-1] * bits
    assert scales.shape == (*w.shape[:-1], w.shape[-1] // group)
    assert len(results) == (3 if named["mode"] == "affine" else 2)
    groups = w.astype("f8").reshape(*scales.shape, group)
    steps = np.ptp(groups, axis=-1) / (2**bits - 1)
    if named["mode"] != "affine":
        steps = np.abs(groups).max(-1) / (2 if bits == 4 else 8)
    errors = np.abs(values_of(w, named).reshape(groups.shape) - groups).max(-1)
    assert (errors <= 1.05 * steps + 0.02 * np.abs(groups).max(-1)).all()


def dequantised(draw):
    w, how = matrix(draw)
    how |= {"dtype": draw(st.sampled_from(HALVES))}
    return tuple(parts_of(w, how_of(how))), how


def is_dequantised(results, args, named):
    """The affine formula, with codes taken out of the words bit by bit."""
    (values,), bits, group = results, named["bits"], named["group_size"]
    if named["mode"] != "affine":
        assert np.isfinite(values.astype("f8")).all()
        return
    words, scales, biases = args
    stream = np.unpackbits(words.view("u1"), axis=-1, bitorder="little")
    codes = stream.reshape(*stream.shape[:-1], -1, bits) @ (1 << np.arange(bits))
    spread = [np.repeat(part.astype("f8"), group, axis=-1) for part in (scales, biases)]
    near(
        values,
        (codes * spread[0] + spread[1]).astype(values.dtype),
        max(4, 4 * EPSILON[scales.dtype.name] / EPSILON[values.dtype.name]),
    )


def multiplied(draw):
    w, how = matrix(draw, dtypes=["float32"])
    transpose = how["mode"] == "affine" and flag(draw)
    k = w.shape[-1] if transpose else w.shape[-2]
    x = numbers(draw, "float32", (*shapes(draw, 1, 2, 1), k), (-1, 1))
    return (x, *parts_of(w, how)), how | {"transpose": transpose}


def is_product(results, args, named):
    x, *parts = args
    how = how_of(named)
    w = to_numpy(jg.dequantize(*map(to_joggle, parts), **how, dtype="float32")).astype("f8")
    w = np.swapaxes(w, -1, -2) if named["transpose"] else w
    near(results[0], (x.astype("f8") @ w).astype(results[0].dtype), 256)


def gathered(draw):
    lead = draw(st.integers(1, 3))
    w, how = matrix(draw, (lead,), dtypes=["float32"])
    x = numbers(draw, "float32", (draw(st.integers(1, 3)), 2, w.shape[-1]), (-1, 1))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    count = draw(st.integers(0, 3))
    named = {
        "lhs_indices": rng.integers(0, len(x), count),
        "rhs_indices": rng.integers(0, lead, count),
    }
    return (x, *parts_of(w, how)), how | named


def is_gathered(results, args, named):
    x, *parts = args
    how = how_of(named)
    w = to_numpy(jg.dequantize(*map(to_joggle, parts), **how, dtype="float32")).astype("f8")
    expected = x[named["lhs_indices"]] @ np.swapaxes(w, -1, -2)[named["rhs_indices"]]
    near(results[0], expected.astype(results[0].dtype), 256)


def both_quantised(draw):
    mode = draw(st.sampled_from(["mxfp8", "nvfp4"]))
    format = next(each for each in FORMATS if each[0] == mode)
    w, how = matrix(draw, format=format, dtypes=["float32"])
    x = numbers(draw, "float32", (draw(st.integers(1, 3)), w.shape[-1]))
    return (x, w), how


def is_product_of_quantised(results, args, named):
    x, w = (values_of(each, named) for each in args)
    near(results[0], (x @ np.swapaxes(w, -1, -2)).astype(results[0].dtype), 512)


def both_gathered(draw):
    (x, w), how = both_quantised(draw)
    return (np.stack([x, x[::-1]]), np.stack([w, -w])), how


def fp8(draw):
    return (array_of(draw, FLOATS, (-500, 500)),), {}


def as_fp8(x):
    x = np.clip(x.astype("f4"), -448, 448)
    return x.astype(ml_dtypes.float8_e4m3fn).view("u1")


def bytes_of(draw):
    x = numbers(draw, "uint8", shapes(draw), (0, 126))
    return (x,), {"dtype": draw(st.sampled_from(HALVES))}


def key(draw):
    return np.uint64(draw(st.integers(0, 2**64 - 1))).reshape(())


def ranged(dtypes, low, high):
    def draw(draw):
        shape = shapes(draw)
        lows = numbers(draw, "float32", part_of(draw, shape), low).astype(
            "i4" if "int32" in dtypes else "f4"
        )
        highs = np.abs(lows) + high
        dtype = draw(st.sampled_from(dtypes))
        return (key(draw), lows, highs.astype(lows.dtype), shape, dtype), {}

    return draw


def drawn(dtypes=("float32", "float16", "bfloat16")):
    return lambda draw: ((key(draw), shapes(draw), draw(st.sampled_from(dtypes))), {})


def lies_between(results, args, named):
    _, low, high, shape, dtype = args
    (x,) = results
    assert x.shape == shape
    low, high = (np.broadcast_to(each, shape).astype("f8") for each in (low, high))
    slack = {"float16": 0.01, "bfloat16": 0.1}.get(dtype, 1e-5)
    assert (x >= low - slack).all() and (x <= high + slack).all()
    assert dtype != "int32" or (x < high).all()


def is_finite(results, args, named):
    assert results[0].shape == args[1] and np.isfinite(results[0].astype("f8")).all()


def chances(draw):
    shape = shapes(draw)
    return (key(draw), numbers(draw, "float32", part_of(draw, shape), (0, 1)), shape), {}


def is_chance(results, args, named):
    _, p, shape = args
    (x,) = results
    p = np.broadcast_to(p, shape)
    assert x.shape == shape and not x[p == 0].any() and x[p == 1].all()


def categories(draw):
    logits = array_of(draw, FLOATS, min_ndim=1, least=1)
    axis = draw(st.integers(-logits.ndim, logits.ndim - 1))
    return (key(draw), logits, axis, draw(st.none() | st.integers(0, 4))), {}


def is_category(results, args, named):
    _, logits, axis, count = args
    shape = list(logits.shape)
    extent = shape.pop(axis)
    assert results[0].shape == (*shape, *([] if count is None else [count]))
    assert (results[0] < extent).all()


def counters(draw):
    both = part_of(draw, (3, 4)), part_of(draw, (3, 4))
    return tuple(numbers(draw, "uint64", shape, (0, 99)) for shape in both), {}


def is_bits(results, args, named):
    """Others for each pair of a counter and a key."""
    pairs = {}
    for bits, x, k in zip(
        results[0].ravel(), *(a.ravel() for a in np.broadcast_arrays(*args)), strict=True
    ):
        assert pairs.setdefault((int(x), int(k)), int(bits)) == int(bits)
    assert len(set(pairs.values())) == len(pairs)


def is_half(x, k):
    """32 of the 64 bits of threefry, the low ones for an even counter."""
    whole = to_numpy(jg._core.threefry(jg.array(x >> np.uint64(1)), jg.array(k)))
    return np.where(x & np.uint64(1), whole >> np.uint64(32), whole & np.uint64(2**32 - 1))


def split_key(draw):
    return (key(draw), draw(st.integers(0, 5))), {}


def are_keys(results, args, named):
    assert results[0].shape == (args[1],) and len(set(results[0].tolist())) == args[1]


def is_key_of_seed(results, args, named):
    assert results[0].shape == () and results[0] != to_numpy(jg.random.key(args[0] ^ 1))


def quantised_dtypes(args, how):
    if how["mode"] == "affine":
        return ["uint32", *[args[0].dtype.name] * 2]
    return ["uint32", "uint8"]


def fifth(args, named):
    return args[4]


SINGLE = {"dtype": "float32"}
CASES = {
    "quantize": Case(quantised, check=is_quantised, dtype=quantised_dtypes),
    "dequantize": Case(dequantised, check=is_dequantised, dtype=lambda a, n: n["dtype"]),
    "quantized_matmul": Case(multiplied, check=is_product, **SINGLE),
    "gather_qmm": Case(gathered, check=is_gathered, **SINGLE),
    "qqmm": Case(both_quantised, check=is_product_of_quantised, **SINGLE),
    "gather_qqmm": Case(both_gathered, check=is_product_of_quantised, **SINGLE),
    "to_fp8": Case(fp8, as_fp8, dtype="uint8"),
    "from_fp8": Case(
        bytes_of,
        lambda x, dtype: x.view(ml_dtypes.float8_e4m3fn).astype("f8"),
        dtype=lambda a, n: n["dtype"],
    ),
    "threefry": Case(counters, check=is_bits, dtype="uint64"),
    "threefry_half": Case(counters, is_half, dtype="uint64"),
    "random_key": Case(
        lambda draw: ((draw(st.integers(0, 2**63 - 1)),), {}), check=is_key_of_seed, dtype="uint64"
    ),
    "random_split": Case(split_key, check=are_keys, dtype="uint64"),
    "random_uniform": Case(
        ranged(["float32", "float16"], (-3, 3), 1), check=lies_between, dtype=fifth
    ),
    "random_randint": Case(
        ranged(["int32", "int64", "int8"], (-9, 9), 1), check=lies_between, dtype=fifth
    ),
    "random_truncated_normal": Case(
        ranged(["float32"], (-2, 2), 1), check=lies_between, dtype=fifth
    ),
    "random_normal": Case(drawn(), check=is_finite, dtype=lambda a, n: a[2]),
    "random_laplace": Case(drawn(), check=is_finite, dtype=lambda a, n: a[2]),
    "random_gumbel": Case(drawn(), check=is_finite, dtype=lambda a, n: a[2]),
    "random_categorical": Case(categories, check=is_category, dtype="int64"),
    "random_bernoulli": Case(chances, check=is_chance, dtype="bool"),
}
