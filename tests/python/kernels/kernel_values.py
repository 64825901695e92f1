# SPDX-License-Identifier: Apache-2.0
"""Numbers of random kernels: dtypes, how they meet and wrap, and expressions of one dtype."""

WIDTHS = {
    "u1": 1,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "u8": 8,
    "u16": 16,
    "u32": 32,
    "u64": 64,
}
MANTISSA = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
INTS = [t for t in WIDTHS if t != "u1"]
LARGEST = 9  # floats stay below 2^9 where they are kept: f16 has no more than 2^16


def is_float(t):
    return t in MANTISSA


def promote(a, b):
    if a == b or b == "u1":
        return a
    if a == "u1":
        return b
    if is_float(a) or is_float(b):
        if not (is_float(a) and is_float(b)):
            return a if is_float(a) else b
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        if width[a] == width[b]:
            return "f32"
        return a if width[a] > width[b] else b
    if WIDTHS[a] != WIDTHS[b]:
        return a if WIDTHS[a] > WIDTHS[b] else b
    return a if a[0] == "u" else b


def wrap(t, x):
    """A whole number in a dtype."""
    if t == "u1":
        return bool(x)
    x &= (1 << WIDTHS[t]) - 1
    return x - (1 << WIDTHS[t]) if t[0] == "i" and x >> (WIDTHS[t] - 1) else x


def cast(t, x):
    """An exact number in a dtype that holds it, but for whole numbers, which wrap."""
    if is_float(t):
        return float(x)
    return bool(x) if t == "u1" else wrap(t, int(x))


class Expr:
    """text and run(env) of an expression of a dtype. Its size is below 2^high, and it is a multiple
    of 2^-low; wraps: whether its last operation may leave the dtype."""

    def __init__(self, text, run, t, high=None, low=0, wraps=False):
        self.text, self.run, self.t, self.wraps = text, run, t, wraps
        self.high = WIDTHS[t] if high is None else high
        self.low = low


def fits(t, high, low):
    return not is_float(t) or (high + low <= MANTISSA[t] and high <= LARGEST and low <= 8)


def floor_divide(a, b):
    return a // b if b else 0


def remainder(a, b):
    return a % b if b else 0
