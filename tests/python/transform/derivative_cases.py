# SPDX-License-Identifier: Apache-2.0
"""Calls of every public op that has a derivative, at points where it has one."""

from pathlib import Path

import numpy as np
import vmap_cases
from vmap_cases import leaves

import joggle as jg

LINES = (Path(__file__).parent / "no_derivative.txt").read_text().splitlines()
WITHOUT = dict(line.split(": ", 1) for line in LINES)

# Rounded values, or single precision: forward against reverse alone.
COARSE = {
    "block_masked_mm",
    "dequantize",
    "from_fp8",
    "gather_qmm",
    "gather_qqmm",
    "qqmm",
    "quantize",
    "quantized_matmul",
    "random_truncated_normal",
}

# Where an op of elements is defined, and has no jumps.
RANGES = {
    "acosh": (1.2, 3),
    "arccosh": (1.2, 3),
    "remainder": (0.3, 0.9),
    "fmod": (0.3, 0.9),
    "floor_divide": (0.3, 0.9),
    "erfinv": (-0.6, 0.6),
}


def draw(low, high, shape, seed):
    return np.random.default_rng(seed).uniform(low, high, shape)


def elementwise(name):
    count = {"UNARY": 1, "BINARY": 2, "TERNARY": 3}[vmap_cases.OPS[name]]
    low, high = RANGES.get(name, (0.1, 0.9))
    return [draw(low, high, shape, i) for i, shape in enumerate([(2, 3), (3,), (2, 1)][:count])]


def takes(function, *arguments):
    try:
        result = function(*map(jg.asarray, arguments))
    except TypeError:
        return False
    return any(is_inexact(np.asarray(x)) for x in leaves(result))


def is_inexact(x):
    return np.asarray(x).dtype.kind in "fc"


def of_floats(function, arguments):
    """The function of the floating arguments alone, and these; a list of its floating results."""
    floating = [i for i, x in enumerate(arguments) if is_inexact(x)]

    def inner(*given):
        whole = list(map(jg.asarray, arguments))
        for i, x in zip(floating, given, strict=True):
            whole[i] = x
        results = leaves(function(*whole))
        return [x for x in results if x.dtype.name.startswith(("float", "complex", "bfloat"))]

    return inner, [arguments[i] for i in floating]


# Those of vmap_cases.py have integers, or ask for values, which a batch has not.
MORE = [
    ("cummax", lambda x: jg.cummax(x, axis=0), vmap_cases.floats(3, 4)),
    ("min", lambda x: jg.min(x), vmap_cases.floats(3, 4)),
]
ASKS_FOR_VALUES = [
    ("compress", lambda x: jg.compress(x > 0, x), vmap_cases.floats(6)),
    ("extract", lambda x: jg.extract(x > 0, x), vmap_cases.floats(3, 4)),
    (
        "linalg_lstsq",
        lambda x, b: jg.linalg.lstsq(x, b)[0],
        vmap_cases.floats(5, 3),
        vmap_cases.floats(5),
    ),
    ("unique_values", lambda x: jg.unique_values(x), vmap_cases.floats(6)),
    ("unique_all", lambda x: jg.unique_all(x)[0], vmap_cases.floats(6)),
]

CASES = [
    case
    for case in vmap_cases.CASES + MORE
    if case[0] not in WITHOUT
    and any(is_inexact(make(np.random.default_rng(0))) for make in case[2:])
]


def specimens(case, random):
    return [np.asarray(make(random)) for make in case[2:]]


def arguments_of(case):
    """Specimens in double precision, without NaNs, as differences of these tell nothing."""
    random = np.random.default_rng(3)
    made = specimens(case, random)
    if case[0] in COARSE:
        return made
    wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in made]
    return [
        np.where(np.isnan(x), random.normal(size=x.shape), x) if is_inexact(x) else x for x in wide
    ]


EAGER = CASES + ASKS_FOR_VALUES
