# SPDX-License-Identifier: Apache-2.0
"""What the tests of elementwise ops share: the rows of op.def, the dtypes that each type rule takes
and gives, samples, and a reference in NumPy or SciPy for every row.

References get operands in their own dtype if those are bools or integers that the op computes on as
such, else in float64 or complex128, and give what is right to nearly double precision.
"""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import scipy.special

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import optable

ROWS = {row["name"]: row for row in optable.ops()}
ALIASES = optable.aliases()
FORMS = ("UNARY", "ATTRIBUTE", "BINARY", "TERNARY", "DIVISION", "CLIP", "CLOSENESS", "REPLACEMENT")
FORMS += ("ROUNDED",)

BOOL, SIGNED = ["bool"], ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS, COMPLEX = ["float16", "bfloat16", "float32", "float64"], ["complex64", "complex128"]
INTEGERS = SIGNED + UNSIGNED
REAL, ALL = INTEGERS + FLOATS, BOOL + INTEGERS + FLOATS + COMPLEX
TAKES = {
    "same": ALL,
    "castable": ALL,
    "arithmetic": ALL,
    "numeric": REAL + COMPLEX,
    "real": REAL,
    "component": REAL + COMPLEX,
    "whole": REAL,
    "divide": ALL,
    "factored": BOOL + INTEGERS + ["float32", "float64"] + COMPLEX,
    "phase": ALL,
    "floating": BOOL + REAL,
    "extremum": BOOL + REAL,
    "order": BOOL + REAL,
    "compare": ALL,
    "logical": ALL,
    "bitwise": BOOL + INTEGERS,
    "integer": INTEGERS,
    "select": ALL,
    "random": INTEGERS,
    "sum": ALL,
}
EPSILON = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}
EPSILON |= {"complex64": 2**-23, "complex128": 2**-52}


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def kind(name):
    families = zip("biufc", (BOOL, SIGNED, UNSIGNED, FLOATS, COMPLEX), strict=True)
    return next(letter for letter, names in families if name in names)


def result_dtype(rule, name):
    """The dtype of the result of operands that all have the dtype."""
    if rule in ("order", "compare", "logical"):
        return "bool"
    if rule in ("divide", "floating", "phase") and kind(name) in "biu":
        return "float32"
    if rule in ("component", "phase") and kind(name) == "c":
        return {"complex64": "float32", "complex128": "float64"}[name]
    if rule == "sum" and kind(name) in "biu":
        return "uint64" if kind(name) == "u" else "int64"
    return name


# Where an op is defined, and neither overflows nor loses its digits in float16.
RANGES = dict.fromkeys(("asin", "acos", "atanh", "erfinv"), (-0.96875, 0.96875))
RANGES |= dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), (0.125, 8))
RANGES |= {"log1p": (-0.875, 8), "acosh": (1.0625, 8), "pow": (0.5, 4), "reciprocal": (0.125, 8)}
RANGES |= {"tan": (-1.25, 1.25), "nextafter": (0.5, 8)}


def sample(name, count=24, seed=0, within=(-7, 8)):
    """Values in the range, exact in any dtype: signed where it is, with fractions where it has
    them."""
    low, high = within
    rng = np.random.default_rng(seed)
    if kind(name) == "b":
        return rng.integers(0, 2, count).astype(bool)
    if kind(name) in "iu":
        least = 0 if kind(name) == "u" else low
        return rng.integers(int(np.ceil(max(low, least))), int(high) + 1, count).astype(name)
    values = np.clip(np.round(rng.uniform(low, high, count) * 32) / 32, low, high)
    values = values.astype(ml_dtypes.bfloat16).astype("f8")
    if kind(name) == "c":
        values = values + 1j * sample("float64", count, seed + 1, within)
    return values.astype(numpy_dtype(name))


def wide(array):
    """The same values where NumPy's functions are exact or nearly so."""
    if array.dtype.kind in "biuc":
        return array.astype("c16") if array.dtype.kind == "c" else array
    return array.astype("f8")


def check(x, reference, dtype, ulps=2.0):
    """Whether the array has the dtype, and the reference's shape and values."""
    values = np.asarray(x)
    assert x.dtype.name == dtype and x.shape == np.shape(reference)
    if kind(dtype) in "biu":
        assert np.array_equal(values, np.asarray(reference).astype(dtype))
        return
    tolerance = ulps * EPSILON[dtype]
    np.testing.assert_allclose(
        wide(values), np.asarray(reference), rtol=tolerance, atol=tolerance / 8
    )


def integer_quotient(a, b):
    if a.dtype.kind not in "iu":
        return np.floor_divide(a, b)
    with np.errstate(divide="ignore"):
        return np.where(b == 0, 0, a // np.where(b == 0, 1, b))


def integer_rest(a, b):
    if a.dtype.kind not in "iu":
        return np.remainder(a, b)
    with np.errstate(divide="ignore"):
        return np.where(b == 0, 0, a % np.where(b == 0, 1, b))


def integer_fmod(a, b):
    if a.dtype.kind not in "iu":
        return np.fmod(a, b)
    return np.where(b == 0, 0, np.fmod(a, np.where(b == 0, 1, b)))


def integer_power(a, b):
    if a.dtype.kind not in "iu":
        return np.power(a, b)
    with np.errstate(over="ignore"):
        powers = np.power(a, np.where(b < 0, 0, b).astype(a.dtype))
    minus_one = np.where(b % 2, -1, 1)
    inverse = np.where(a == 1, 1, np.where((a < 0) & (a + 1 == 0), minus_one, 0))
    return np.where(b < 0, inverse, powers)


def left_shift(a, b):
    """By a count that may reach the width."""
    bits = 8 * a.itemsize
    return np.where(b < bits, np.left_shift(a, np.minimum(b, bits - 1)), 0).astype(a.dtype)


def right_shift(a, b):
    return np.right_shift(a, np.minimum(b, 8 * a.itemsize - 1))


def in_floats(function):
    return lambda *operands: function(*(wide(a) * 1.0 for a in operands))


def gelu(x):
    return x * scipy.special.ndtr(x)


def gelu_approx(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def classify(function):
    return lambda x: function(wide(x))


REFERENCES = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": in_floats(np.divide),
    "floor_divide": integer_quotient,
    "remainder": integer_rest,
    "divmod": lambda a, b: (integer_quotient(a, b), integer_rest(a, b)),
    "fmod": integer_fmod,
    "gcd": np.gcd,
    "lcm": np.lcm,
    "float_power": None,  # gives float64
    "pow": integer_power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "heaviside": in_floats(np.heaviside),
    "negative": np.negative,
    "positive": np.positive,
    "stop_gradient": np.copy,
    "abs": np.abs,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conj,
    "angle": in_floats(np.angle),
    "sign": np.sign,
    "square": lambda x: x * x,
    "reciprocal": in_floats(np.reciprocal),
    "copysign": in_floats(np.copysign),
    "nextafter": None,  # those of None are in properties/case_elementwise.py
    "spacing": None,
    "fabs": in_floats(np.fabs),
    "clip": np.clip,
    "nan_to_num": lambda x: x,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": classify(np.isposinf),
    "isneginf": classify(np.isneginf),
    "signbit": lambda x: x < 0,
    "isclose": in_floats(np.isclose),
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "logical_not": np.logical_not,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_invert": np.invert,
    "bitwise_left_shift": left_shift,
    "bitwise_right_shift": right_shift,
    "bitwise_count": None,  # gives uint8
    "exp": in_floats(np.exp),
    "exp2": in_floats(np.exp2),
    "expm1": in_floats(np.expm1),
    "log": in_floats(np.log),
    "log2": in_floats(np.log2),
    "log10": in_floats(np.log10),
    "log1p": in_floats(np.log1p),
    "logaddexp": in_floats(np.logaddexp),
    "logaddexp2": in_floats(np.logaddexp2),
    "cbrt": in_floats(np.cbrt),
    "sqrt": in_floats(np.sqrt),
    "rsqrt": in_floats(lambda x: 1 / np.sqrt(x)),
    "hypot": in_floats(np.hypot),
    "sin": in_floats(np.sin),
    "cos": in_floats(np.cos),
    "tan": in_floats(np.tan),
    "asin": in_floats(np.asin),
    "acos": in_floats(np.acos),
    "atan": in_floats(np.atan),
    "atan2": in_floats(np.atan2),
    "sinh": in_floats(np.sinh),
    "cosh": in_floats(np.cosh),
    "tanh": in_floats(np.tanh),
    "asinh": in_floats(np.asinh),
    "acosh": in_floats(np.acosh),
    "atanh": in_floats(np.atanh),
    "degrees": in_floats(np.degrees),
    "radians": in_floats(np.radians),
    "erf": in_floats(scipy.special.erf),
    "erfinv": in_floats(scipy.special.erfinv),
    "sigmoid": in_floats(scipy.special.expit),
    "softplus": in_floats(lambda x: np.logaddexp(x, 0)),
    "silu": in_floats(lambda x: x * scipy.special.expit(x)),
    "gelu": in_floats(gelu),
    "gelu_approx": in_floats(gelu_approx),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "where": np.where,
    "copy": np.copy,
}

ELEMENTWISE = {name: ROWS[name] for name in REFERENCES}


def of_form(*forms):
    """Every pair of an elementwise op of the forms and a dtype that it takes."""
    return [
        (name, dtype)
        for name, row in ELEMENTWISE.items()
        if row["form"] in forms
        for dtype in TAKES[row["types"]]
        if (name, dtype) != ("subtract", "bool")
    ]


ARITY = {"UNARY": 1, "ATTRIBUTE": 1, "REPLACEMENT": 1, "ROUNDED": 1, "TERNARY": 2, "CLIP": 3}


def operands_for(name, dtype, count=24):
    """Operands that the op is at home with."""
    within = RANGES.get(name, (-7, 8))
    condition = ROWS[name]["form"] == "TERNARY"
    arity = ARITY.get(ROWS[name]["form"], 2)
    operands = [sample(dtype, count, seed, within) for seed in range(arity)]
    if name.startswith("bitwise") and name.endswith("shift"):
        operands[1] = np.abs(operands[1])
    if name in ("divide", "floor_divide", "remainder", "divmod") and kind(dtype) in "fc":
        operands[1][operands[1] == 0] = 1
    if name == "clip":
        operands[1:] = [np.minimum(*operands[1:]), np.maximum(*operands[1:])]
    return [sample("bool", count, 9), *operands] if condition else operands


def reference_of(name, operands):
    with np.errstate(all="ignore"):
        return REFERENCES[name](*map(wide, operands))
