# SPDX-License-Identifier: Apache-2.0
"""Cases of elementwise ops, from the references of tests/python/elementwise.py."""

import choices as st
import numpy as np
from drawing import (
    ALL,
    ROWS,
    TAKES,
    Case,
    array_of,
    flag,
    kind,
    numbers,
    pair_of_shapes,
    part_of,
    result_dtype,
    shapes,
)
from elementwise import RANGES, REFERENCES

SHIFTS = ("bitwise_left_shift", "bitwise_right_shift")
# By numbers that have no inverse or leave the dtype's range, NumPy's integers do something else.
TAME = {"pow", "floor_divide", "remainder", "divmod", "fmod"}


def dtypes_of(name):
    return [each for each in TAKES[ROWS[name]["types"]] if (name, each) != ("subtract", "bool")]


def unary(name):
    def draw(draw):
        within = RANGES.get(name, (-7, 8))
        return (array_of(draw, dtypes_of(name), within, special=True),), {}

    return draw


def binary(name):
    def draw(draw):
        first, second = pair_of_shapes(draw)
        dtype = draw(st.sampled_from(dtypes_of(name)))
        within = RANGES.get(name, (-7, 8))
        special = name not in TAME
        operands = [numbers(draw, dtype, shape, within, special) for shape in (first, second)]
        if name in SHIFTS:
            operands[1] = np.abs(operands[1])
        if name in ("floor_divide", "remainder", "divmod", "fmod"):
            operands[1] = np.where(operands[1] == 0, 1, operands[1]).astype(operands[1].dtype)
        return tuple(operands), {}

    return draw


def scaled(draw):
    x = array_of(draw, TAKES["floating"], special=True)
    exponents = numbers(draw, draw(st.sampled_from(["int8", "int32", "int64"])), x.shape)
    return (x, exponents), {}


def rounded(draw):
    x = array_of(draw, TAKES["numeric"], special=True)
    return (x,), {"decimals": draw(st.sampled_from([0, 0, 1]))}


def choice(draw):
    shape = shapes(draw)
    dtype = draw(st.sampled_from(ALL))
    operands = [numbers(draw, dtype, part_of(draw, shape), special=True) for _ in range(2)]
    return (numbers(draw, "bool", part_of(draw, shape)), *operands), {}


def clipped(draw):
    shape = shapes(draw)
    dtype = draw(st.sampled_from(TAKES["real"]))
    low, high = (numbers(draw, dtype, part_of(draw, shape)) for _ in range(2))
    low, high = np.asarray(np.minimum(low, high)), np.asarray(np.maximum(low, high))
    return (numbers(draw, dtype, shape, special=True), low, high), {}


def closeness(draw):
    operands, _ = binary("equal")(draw)
    return operands, {"rtol": 0.1, "atol": 0.5, "equal_nan": flag(draw)}


def equality(draw):
    operands, _ = binary("equal")(draw)
    if flag(draw):
        operands = (operands[0], operands[0])
    return operands, {"equal_nan": kind(operands[0].dtype.name) in "fc" and flag(draw)}


def replacement(draw):
    x = array_of(draw, ALL, special=True)
    return (x,), {"nan": 1.5, "posinf": 7.0, "neginf": -7.0}


def cast(draw):
    return (array_of(draw, ALL), draw(st.sampled_from(["float64", "complex128", "bool"]))), {}


def next_after(a, b):
    """Bools and integers are steps of float32, where NumPy would take float16 for the narrow."""
    a, b = (x if x.dtype.kind in "fV" else x.astype("f4") for x in (a, b))
    return np.nextafter(a, b)


def scalar(function):
    return lambda a, b, **named: np.asarray(function(a, b, **named))


def float_of_first(args, named):
    return result_dtype("floating", args[0].dtype.name)


def dtype_of_power(args, named):
    return "complex128" if args[0].dtype.kind == "c" else "float64"


def spacing(x):
    """NumPy has none of bfloat16; of integers ours is that of the default float."""
    x = x.astype("f4") if x.dtype.kind in "biu" else x
    size = np.abs(x)
    step = np.nextafter(size, np.asarray(np.inf, x.dtype)) - size
    step = np.where(np.isfinite(size), step, np.nan).astype(x.dtype)
    return np.where(x < 0, -step, step)


DRAW = {
    "UNARY": unary,
    "ATTRIBUTE": unary,
    "BINARY": binary,
    "DIVISION": binary,
    "DECOMPOSED": unary,
}
CASES = {
    name: Case(DRAW[ROWS[name]["form"]](name), reference, ulps=24 if "gelu" in name else 4)
    for name, reference in REFERENCES.items()
    if reference and ROWS[name]["form"] in DRAW
}
CASES |= {
    "round": Case(rounded, lambda x, decimals: np.round(x, decimals)),
    "where": Case(choice, np.where),
    "clip": Case(clipped, np.clip),
    "nan_to_num": Case(
        replacement, lambda x, **n: np.nan_to_num(x, **n) if x.dtype.kind in "fc" else x
    ),
    "astype": Case(cast, lambda x, t: x.astype(t), dtype=lambda args, named: args[1]),
    "ldexp": Case(scaled, lambda x, n: np.ldexp(x * 1.0, n.astype("i4")), dtype=float_of_first),
    "frexp": Case(unary("frexp"), lambda x: np.frexp(x * 1.0), dtype=["", "int32"]),
    "modf": Case(unary("modf"), lambda x: np.modf(x * 1.0)),
    "float_power": Case(binary("float_power"), np.float_power, dtype=dtype_of_power),
    "bitwise_count": Case(unary("bitwise_count"), np.bitwise_count, dtype="uint8"),
    "spacing": Case(unary("spacing"), spacing, exact=True),
    "nextafter": Case(binary("nextafter"), next_after, exact=True),
    "allclose": Case(closeness, scalar(lambda a, b, **n: np.allclose(1.0 * a, 1.0 * b, **n))),
    "array_equal": Case(equality, scalar(np.array_equal)),
}
CASES["isclose"] = Case(closeness, lambda a, b, **n: np.isclose(1.0 * a, 1.0 * b, **n))
CASES["signbit"] = Case(unary("signbit"), lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0)
