# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, a hash of the values of every elementwise op, of random chains and of rows.
test_tier_bits.py runs it in processes of its own, as the level is chosen once and plans keep their
code."""

import hashlib
import itertools
import json

import numpy as np
from elementwise import ALL, kind, of_form, operands_for
from test_fusion_dtypes import evaluated

import joggle as jg

COUNT = 3000  # rows and what is left of them, of each number of lanes
ROWS = ("int32", "float16", "float32", "float64")
APART = ("float32",)
FORMS = ("UNARY", "BINARY", "TERNARY")


def digest(arrays):
    """NaNs are all alike."""
    whole = hashlib.md5()
    for x in arrays:
        a = np.ascontiguousarray(np.asarray(x))
        if a.dtype.kind in "fc":
            a = np.where(np.isnan(a), np.full_like(a, np.nan), a)
        whole.update(a.tobytes())
    return whole.hexdigest()


def wider(x):
    """The same values in a dtype of NumPy's."""
    return x.astype(jg.float32) if x.dtype == jg.bfloat16 else x


def full(a):
    """The same numbers with all digits that the dtype has."""
    if kind(a.dtype.name) != "f":
        return a
    spread = np.random.default_rng(5).uniform(0.999, 1, a.shape)
    return (a.astype("f8") * spread).astype(a.dtype)


def of_ops(dtypes, step):
    """Rows are compiled as vectors; elements that lie apart, as a loop."""
    for name, dtype in of_form(*FORMS):
        if dtype not in dtypes:
            continue
        operands = [jg.array(full(a)) for a in operands_for(name, dtype, COUNT * step)]
        yield f"{name} {dtype}", [wider(getattr(jg, name)(*(x[::step] for x in operands)))]


def of_chains():
    for dtype in ALL[:-2]:
        for seed in range(4):
            yield f"chain {dtype} {seed}", [x for _, x in evaluated(seed, dtype, True)]


def of_rows():
    """Rows that are reduced and passed over again, of all lengths; zeros and infinities in some."""
    for length in (32, 61, 64, 130, 1000, 1025, 2500):
        rng = np.random.default_rng(length)
        x = rng.standard_normal((6, length)).astype("f4")
        x[1:3] *= rng.random((2, length)) < 0.3
        x[2, ::7] = -np.inf
        x, w = jg.array(x), jg.array(x[0])
        e = jg.exp(x * 0.3 - jg.max(x, axis=-1, keepdims=True))
        centred = x - jg.mean(x, axis=-1, keepdims=True)
        variance = jg.mean(centred * centred, axis=-1, keepdims=True)
        yield f"softmax {length}", [e / jg.sum(e, axis=-1, keepdims=True)]
        yield f"norm {length}", [centred / jg.sqrt(variance + 1e-5) * w]
        yield f"least {length}", [x - jg.min(x + w, axis=-1, keepdims=True)]


def of_random():
    """Words of counters that follow one another, from even and odd ones on, and that do not."""
    draws = {
        "uniform": jg.random.uniform,
        "normal": jg.random.normal,
        "integers": lambda shape, key: jg.random.randint(0, 1000, shape, key=key),
    }
    key = jg.random.key(3)
    for name, draw in draws.items():
        for shape in ((1000,), (7, 131), (5, 200), (3, 130, 2)):
            x = draw(shape=shape, key=key)
            yield f"{name} {shape}", [x, draw(shape=shape, key=key) * jg.ones(shape)]
    for start in (0, 1, 2**32 - 70, 2**63 - 71):
        counters = jg.arange(start, start + 500, dtype=jg.uint64) + jg.zeros((1,), jg.uint64)
        yield f"words from {start}", [jg.random.uniform(shape=(500,), key=counters[0])]
    keys = jg.random.split(key, 300)
    yield "keys apart", [jg.random.uniform(shape=(300,), key=k) for k in (keys[0], keys[299])]


def results():
    for dtypes, step in ((ROWS, 1), (APART, 2)):
        for name, arrays in of_ops(dtypes, step):
            yield f"{name} by {step}", digest(arrays)
    for name, arrays in itertools.chain(of_chains(), of_rows(), of_random()):
        yield name, digest(arrays)


if __name__ == "__main__":
    print(json.dumps(dict(results())))
