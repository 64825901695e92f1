# SPDX-License-Identifier: Apache-2.0
"""Runs the text of a kernel on NumPy, statement by statement: what tests compare compilers with.

Slow, serial and simple: values are NumPy scalars, blocks are lists, a jump is a word that a block
returns. It shares no code with the package.
"""

import math
import re
import statistics
import string

import ml_dtypes
import numpy as np

from joggle import _core

DTYPES = {name: np.dtype(name) for name in ("bool", "float16", "float32", "float64")}
DTYPES |= {
    f"{u}int{bits}": np.dtype(f"{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)
}
DTYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|%?[\w.+-]+|[\[\]{}=:,*@#]')


class Reference:
    """A kernel of a text; called with arrays and numbers in the order of their declarations."""

    def __init__(self, text):
        self.text, self.declared, self.results = text, [], []
        lines = [line.split(" # ")[0].strip() for line in text.splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        start = lines.index("{")
        for line in lines[1:start]:
            word, *rest = line.split()
            if word == "result":
                self.results.append(DTYPES[rest[0]])
            else:
                self.declared.append((word, rest[0], DTYPES[rest[1]], line))
        self.body, _ = _block(lines, start + 1)
        self.writes = _core.Kernel(text).writes

    def __call__(self, *arguments):
        run = _Run()
        assert len(arguments) == len(self.declared), (len(arguments), self.declared)
        for (word, name, dtype, line), argument in zip(self.declared, arguments, strict=True):
            if word == "array":
                run.arrays[name] = _array(argument, dtype, line)
                run.lowest[name] = _lowest(line)
            else:
                run.values["%" + name] = _cast(np.asarray(argument)[()], dtype)
        with np.errstate(all="ignore"):
            run.block(self.body)
        results = tuple(x.item() for x in run.returned)
        return results if len(results) > 1 else (results[0] if results else None)


def _array(x, dtype, line):
    if not isinstance(x, np.ndarray):
        x = np.asarray(x._plane()[0] if hasattr(x, "_plane") else x)
    assert x.dtype == dtype, (x.dtype, line)
    extents = re.findall(r"\[([^\]]*)\]", line)[0].split(",")
    extents = [e.strip() for e in extents if e.strip()]
    assert len(extents) == x.ndim, (line, x.shape)
    for extent, actual in zip(extents, x.shape, strict=True):
        assert extent == "*" or int(extent) == actual, (line, x.shape)
    return x


def _lowest(line):
    """What messages call the first index of each axis, where it is not 0."""
    found = re.search(r" from \[([^\]]*)\]", line)
    return [int(x) for x in found[1].split(",")] if found else None


def _block(lines, at):
    """The statements from a line on to the closing brace; blocks are (head, body, otherwise)."""
    body = []
    while not lines[at].startswith("}"):
        if lines[at].endswith("{"):
            head = lines[at][:-1].strip()
            inside, at = _block(lines, at + 1)
            otherwise = []
            if lines[at] == "} else {":
                otherwise, at = _block(lines, at + 1)
            body.append((_TOKEN.findall(head), inside, otherwise))
        else:
            body.append(_TOKEN.findall(lines[at]))
        at += 1
    return body, at


def _cast(x, dtype):
    if dtype.kind == "b":
        return np.bool_(x != 0)
    x = np.asarray(x)
    if x.dtype.kind == "f" and dtype.kind in "iu":
        return np.asarray(int(x) if np.isfinite(x) else 0).astype(dtype)[()]
    return x.astype(dtype)[()]


class _Texts(string.Formatter):
    """Python's formats, and the least number of digits of an integer, as printf has it."""

    def format_field(self, value, spec):
        if "." in spec and spec.endswith("d"):
            return f"%{spec}" % value
        return super().format_field(value, spec)


class _Run:
    def __init__(self):
        self.values, self.arrays, self.locals, self.returned = {}, {}, {}, ()
        self.lowest = {}
        self.random = np.random.default_rng(0)

    def block(self, body):
        for statement in body:
            run = self.nested if isinstance(statement, tuple) else self.line
            jump = run(*statement) if run == self.nested else run(statement)
            if jump:
                return jump
        return None

    def nested(self, head, body, otherwise):
        word = head[0]
        if word == "if":
            return self.block(body if self.values[head[1]] else otherwise)
        if word == "loop":
            while self.block(body) != "break":
                pass
            return None
        ranges = self.ranges(head)
        if word == "for":
            ((name, dtype, low, high),) = ranges
            step = int(head[head.index("step") + 1]) if "step" in head else 1
            for index in range(low, high, step):
                self.values[name] = dtype.type(index)
                if self.block(body) == "break":
                    break
            return None
        for place in np.ndindex(*(max(high - low, 0) for _, _, low, high in ranges)):
            for index, (name, dtype, low, _) in zip(place, ranges, strict=True):
                self.values[name] = dtype.type(low + index)
            assert self.block(body) != "break", "break in a parallel loop"
        return None

    def ranges(self, head):
        found = []
        for at, token in enumerate(head):
            if token == "to":
                name, dtype = head[at - 5 + 1 - 1], DTYPES[head[at - 3]]
                low, high = int(self.values[head[at - 1]]), int(self.values[head[at + 1]])
                found.append((name, dtype, low, high))
        return found

    def line(self, tokens):
        if "@" in tokens:
            tokens = tokens[: tokens.index("@")]
        word = tokens[0]
        if word in ("break", "continue"):
            return word
        if word.startswith("%"):
            dtype, rest = DTYPES[tokens[2]], tokens[4:]
            self.values[word] = self.compute(dtype, rest)
        else:
            getattr(self, f"do_{word}")(tokens[1:])
        return "return" if word == "return" else None

    def do_local(self, rest):
        name, dtype, *count = rest
        self.locals[name] = np.zeros(int(count[0]) if count else (), DTYPES[dtype])

    def do_stack(self, rest):
        self.locals[rest[0]] = []

    def do_push(self, rest):
        self.locals[rest[0]].append(self.values[rest[1]])

    def do_set(self, rest):
        index = self.index(self.locals, rest[0], rest[1:-2])
        self.locals[rest[0]][index] = self.values[rest[-1]]

    def do_store(self, rest):
        index = self.index(self.arrays, rest[0], rest[1:-2])
        self.arrays[rest[0]][index] = self.values[rest[-1]]

    def do_return(self, rest):
        self.returned = tuple(self.values[name] for name in rest)

    def do_assert(self, rest):
        condition, *rest = rest
        kind = {"index": IndexError, "value": ValueError}.get(rest[0], AssertionError)
        if not self.values[condition]:
            raise kind(self.message(rest[1:] if kind is not AssertionError else rest))

    def do_fence(self, rest):
        """Nothing runs at the same time."""

    def do_print(self, rest):
        print(self.message(rest), end="")

    def message(self, rest):
        text = rest[0][1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
        return _Texts().format(text, *(self.values[name] for name in rest[1:]))

    def index(self, memory, name, tokens):
        """The indices between brackets; () for none. One out of bounds is always an error."""
        found = tuple(int(self.values[t]) for t in tokens if t.startswith("%"))
        lowest = (memory is self.arrays and self.lowest[name]) or [0] * len(found)
        for axis, (i, low) in enumerate(zip(found, lowest, strict=True)):
            extent = memory[name].shape[axis]
            if not 0 <= i < extent:
                allowed = f"allowed {low} to below {extent + low}"
                raise IndexError(f"index {axis} of {name}: got {i + low}, {allowed}")
        return found

    def compute(self, dtype, rest):
        word, *rest = rest
        if word == "const":
            return _constant(rest[0], dtype)
        if word == "extent":
            return dtype.type(self.arrays[rest[0]].shape[int(rest[1])])
        if word in ("load", "get"):
            memory = self.arrays if word == "load" else self.locals
            index = self.index(memory, rest[0], rest[1:])
            return memory[rest[0]][index][()]
        if word == "pop":
            return self.locals[rest[0]].pop()
        if word in ("atomic", "update"):
            return self.atomic(dtype, *rest)
        if word == "random":
            return _cast(self.random.random(), dtype)
        operands = [self.values[name] for name in rest]
        return INSTRUCTIONS[word](dtype, *operands)

    def atomic(self, dtype, operator, name, *rest):
        memories = self.arrays if name in self.arrays else self.locals
        memory = memories[name]
        value, stored = self.values[rest[-1]], 2 if operator == "compare_exchange" else 1
        index = self.index(memories, name, rest[:-stored])
        old = memory[index][()]
        if operator == "compare_exchange":
            memory[index] = value if old == self.values[rest[-2]] else old
        elif operator == "exchange":
            memory[index] = value
        else:
            memory[index] = INSTRUCTIONS[operator](dtype, old, value)
        return old


def _constant(text, dtype):
    if dtype.kind == "b":
        return np.bool_(text == "true")
    if dtype.kind in "iu":
        return dtype.type(int(text))
    return dtype.type(float.fromhex(text) if "0x" in text else float(text))


def _checked(function):
    """The operands must have the dtype of the result."""

    def apply(dtype, *operands):
        for x in operands:
            assert np.asarray(x).dtype == dtype, (np.asarray(x).dtype, dtype)
        return np.asarray(function(*operands)).astype(dtype)[()]

    return apply


def _compares(function):
    def apply(dtype, x, y):
        assert dtype.kind == "b" and np.asarray(x).dtype == np.asarray(y).dtype, (x, y)
        return np.bool_(function(x, y))

    return apply


def _divides(function):
    def apply(x, y):
        if np.asarray(x).dtype.kind in "iu" and y == 0:
            return 0
        return function(x, y)

    return apply


def _floor_divide(x, y):
    """The standard's: of infinities the floor of the quotient; NumPy goes by the remainder."""
    infinite = np.isinf(x) or np.isinf(y)
    return np.floor(np.divide(x, y)) if infinite else np.floor_divide(x, y)


def _power(x, y):
    if np.asarray(x).dtype.kind in "iu":
        if y < 0:
            return {1: 1, -1: (-1) ** int(y)}.get(int(x), 0)
        bits = np.asarray(x).dtype.itemsize * 8
        return np.uint64(pow(int(x), int(y), 1 << bits))
    return np.power(x, y)


def _shift(left):
    def apply(x, y):
        bits = np.asarray(x).dtype.itemsize * 8
        if not 0 <= y < bits:
            return 0 if left or x >= 0 else -1
        return np.left_shift(x, y) if left else np.right_shift(x, y)

    return apply


def _trunc_divide(x, y):
    if np.asarray(x).dtype.kind in "iu":
        return abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1)
    return np.trunc(x / y)


def _overflows(function):
    def apply(dtype, x, y):
        info = np.iinfo(np.asarray(x).dtype)
        return np.bool_(not info.min <= function(int(x), int(y)) <= info.max)

    return apply


def _select(dtype, c, x, y):
    assert np.asarray(c).dtype == bool and np.asarray(x).dtype == np.asarray(y).dtype == dtype
    return x if c else y


INSTRUCTIONS = {
    "cast": lambda dtype, x: _cast(x, dtype),
    "bitcast": lambda dtype, x: x.view(dtype),
    "select": _select,
    "is_nan": lambda dtype, x: np.bool_(np.isnan(x)),
    "is_infinite": lambda dtype, x: np.bool_(np.isinf(x)),
    "less": _compares(np.less),
    "less_equal": _compares(np.less_equal),
    "equal": _compares(np.equal),
    "not_equal": _compares(np.not_equal),
    "negate": _checked(np.negative),
    "abs": _checked(np.abs),
    "not": _checked(np.invert),
    "copy": _checked(lambda x: x),
    "round": _checked(np.round),
    "erf": _checked(lambda x: math.erf(x)),
    "erfinv": _checked(lambda x: statistics.NormalDist().inv_cdf((float(x) + 1) / 2) / 2**0.5),
    "sigmoid": _checked(lambda x: 1 / (1 + np.exp(-x))),
    "log_add_exp": _checked(np.logaddexp),
    "fma": _checked(lambda x, y, z: x * y + z),
    "popcount": _checked(np.bitwise_count),
    "count_leading_zeros": _checked(
        lambda x: x.dtype.itemsize * 8 - (int(x) % (1 << x.dtype.itemsize * 8)).bit_length()
    ),
    "count_trailing_zeros": _checked(
        lambda x: (int(x) & -int(x)).bit_length() - 1 if x else x.dtype.itemsize * 8
    ),
    "divide": _checked(np.divide),
    "floor_divide": _checked(_divides(_floor_divide)),
    "remainder": _checked(_divides(np.remainder)),
    "trunc_divide": _checked(_divides(_trunc_divide)),
    "trunc_remainder": _checked(_divides(np.fmod)),
    "gcd": _checked(np.gcd),
    "power": _checked(_power),
    "and": _checked(np.bitwise_and),
    "or": _checked(np.bitwise_or),
    "xor": _checked(np.bitwise_xor),
    "shift_left": _checked(_shift(True)),
    "shift_right": _checked(_shift(False)),
    "add_overflows": _overflows(lambda x, y: x + y),
    "subtract_overflows": _overflows(lambda x, y: x - y),
    "multiply_overflows": _overflows(lambda x, y: x * y),
}
for _name in [
    "floor",
    "ceil",
    "trunc",
    "sign",
    "sqrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
]:
    INSTRUCTIONS[_name] = _checked(getattr(np, _name))
for _name in ["tanh", "add", "subtract", "multiply", "maximum", "minimum", "hypot", "copysign"]:
    INSTRUCTIONS[_name] = _checked(getattr(np, _name))
for _name in ["asin", "acos", "atan", "asinh", "acosh", "atanh"]:
    INSTRUCTIONS[_name] = _checked(getattr(np, "arc" + _name[1:]))
INSTRUCTIONS["atan2"] = _checked(np.arctan2)
