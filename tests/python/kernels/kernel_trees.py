# SPDX-License-Identifier: Apache-2.0
"""Random kernels as trees: each part writes its source, and is run by Python on numbers of its own.

The rules for types here are those of docs/kernels.md, written down a second time. Whole numbers are
Python's, wrapped to their width after each operation. Floats that may decide something are exact: a
tree knows how large a value can be and what it is a multiple of, and only grows while that fits the
mantissa. Other floats ("loose") come with a bound of how far off they may be.
"""

import math
import random

from kernel_values import (
    INTS,
    WIDTHS,
    Expr,
    cast,
    fits,
    floor_divide,
    is_float,
    promote,
    remainder,
    wrap,
)
from kernel_vectors import VectorDrawing


class Drawing(VectorDrawing):
    """Draws expressions. env: what the variables hold, as a program runs."""

    def __init__(self, seed, ip, fp):
        self.random = random.Random(seed)
        self.ip, self.fp = ip, fp
        self.level = 0  # of expressions that are being drawn inside of others
        self.scope = []  # (name, dtype, high, low) of scalar variables that can be read
        self.vectors = []  # (name, dtype, shape, high, low) of vectors and matrices
        self.arrays = []  # Array objects
        self.functions = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # Scalars.

    def literal(self):
        if self.chance(50):
            x = self.random.randrange(0, 100)
            return Expr(str(x), lambda env: x, self.ip, 7)
        x = self.random.randrange(0, 64) / 4
        return Expr(repr(x), lambda env: x, self.fp, 4, 2)

    def leaf(self):
        kind = self.random.randrange(10)
        if kind < 6 and self.scope:
            name, t, high, low = self.random.choice(self.scope)
            return Expr(name, lambda env: env[name], t, high, low)
        if kind < 8 and self.vectors:
            name, t, shape, high, low = self.random.choice(self.vectors)
            place = [self.random.randrange(n) for n in shape]
            at = place[0] if len(shape) == 1 else place[0] * shape[1] + place[1]
            text = f"{name}[{', '.join(map(str, place))}]"
            if len(shape) == 1 and shape[0] <= 4 and self.chance(40):
                text = f"{name}.{'xyzw'[at]}"
            return Expr(text, lambda env: env[name][at], t, high, low)
        if kind == 8 and self.arrays:
            return self.element(self.random.choice(self.arrays))
        return self.literal()

    def typed_leaf(self):
        """A leaf that is no literal."""
        for _ in range(20):
            e = self.leaf()
            if not e.text[0].isdigit():
                return e
        t = self.pick(*INTS)
        x = self.random.randrange(100)
        return Expr(f"qd.{t}({x})", lambda env: x, t, 7)

    def index(self, count):
        """An index of an axis with 4 or 2 elements."""
        if self.chance(40):
            x = self.random.randrange(count)
            return Expr(str(x), lambda env: x, self.ip)
        e = self.plain_whole()
        if self.chance(40):
            f = self.plain_whole()
            t = promote(e.t, f.t)
            text = f"(({e.text} + {f.text}) & {count - 1})"
            return Expr(text, lambda env: (e.run(env) + f.run(env)) & (count - 1), t, 3)
        return Expr(f"({e.text} & {count - 1})", lambda env: e.run(env) & (count - 1), e.t, 3)

    def plain_whole(self):
        """A variable of whole numbers, or a number."""
        names = [v for v in self.scope if v[1] in INTS]
        if names:
            name, t, high, _ = self.random.choice(names)
            return Expr(name, lambda env: env[name], t, high)
        t, x = self.pick(*INTS), self.random.randrange(100)
        return Expr(f"qd.{t}({x})", lambda env: x, t, 7)

    def element(self, array):
        indices = [self.index(n) for n in array.shape]
        item = self.random.randrange(array.count)
        write = array.other_text if self.chance(25) else array.text
        places = write(indices, item)
        t, high, low = array.t, array.high, array.low
        return Expr(places, lambda env: array.get(env, indices, item), t, high, low)

    def scalar(self, depth=3):
        """An exact scalar expression of any dtype."""
        if depth == 0 or self.level > 3 or self.chance(12):
            return self.leaf()
        self.level += 1
        try:
            return self.formed(depth)
        finally:
            self.level -= 1

    def formed(self, depth):
        forms = [self.arithmetic] * 5 + [self.bits, self.bits, self.unary, self.unary, self.ternary]
        forms += [self.extremum, self.casted, self.select, self.boolean, self.of_vector, self.power]
        forms += [self.fact, self.held]
        forms += [self.called] if self.functions else []
        for _ in range(8):
            e = self.random.choice(forms)(depth - 1)
            if e is not None:
                return e
        return self.leaf()

    def whole(self, depth=2):
        """An expression of whole numbers."""
        for _ in range(6):
            e = self.scalar(depth)
            if e.t in INTS:
                return e
        e = self.typed_leaf()
        return e if e.t in INTS else self.narrowed(e)

    def narrowed(self, e, t=None):
        """A small whole number of any expression."""
        t = t or self.pick(*INTS)
        if is_float(e.t):
            return (
                Expr(
                    f"qd.cast({e.text}, qd.{t})" if e.high < 7 else f"qd.i32({e.text})",
                    lambda env: int(e.run(env)),
                    t if e.high < 7 else "i32",
                    e.high,
                )
                if t[0] == "i" or e.high >= 7
                else self.narrowed(e, "i32")
            )
        mask = self.pick(7, 15, 31)
        found = promote(e.t, self.ip)
        return Expr(f"({e.text} & {mask})", lambda env: wrap(found, e.run(env)) & mask, found, 5)

    def as_exact_float(self, e, t):
        """e so small that t holds it."""
        if is_float(e.t) or e.t == "u1" or fits(t, e.high, e.low):
            return e
        return self.narrowed(e)

    def arithmetic(self, depth):
        a, b = self.scalar(depth), self.scalar(depth)
        if a.text[0].isdigit() and b.text[0].isdigit():
            a = self.typed_leaf()
        symbol = self.pick("+", "-", "*", "+", "-", "*", "//", "%")
        t = promote(a.t, b.t)
        if t == "u1":
            t = self.ip
        if is_float(t):
            a, b = self.as_exact_float(a, t), self.as_exact_float(b, t)
            t = promote(a.t, b.t)
            if not fits(t, a.high, a.low) or not fits(t, b.high, b.low) or symbol in ("//", "%"):
                return None
            run = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y}[
                symbol
            ]
            high = a.high + b.high if symbol == "*" else max(a.high, b.high) + 1
            low = a.low + b.low if symbol == "*" else max(a.low, b.low)
            if not fits(t, high, low):
                return None
            return Expr(
                f"({a.text} {symbol} {b.text})",
                lambda env: run(a.run(env), b.run(env)),
                t,
                high,
                low,
            )
        run = {
            "+": lambda x, y: x + y,
            "-": lambda x, y: x - y,
            "*": lambda x, y: x * y,
            "//": floor_divide,
            "%": remainder,
        }[symbol]
        high = a.high + b.high if symbol == "*" else max(a.high, b.high) + 1
        high = high if symbol in "+-*" else WIDTHS[t]
        return Expr(
            f"({a.text} {symbol} {b.text})",
            lambda env: wrap(t, run(wrap(t, a.run(env)), wrap(t, b.run(env)))),
            t,
            min(high, WIDTHS[t]),
            0,
            wraps=symbol in "+-*",
        )

    def bits(self, depth):
        a, b = self.whole(depth), self.whole(depth)
        if a.text[0].isdigit():
            a = self.typed_leaf()
        if a.t not in INTS:
            return None
        symbol = self.pick("&", "|", "^", "<<", ">>")
        if symbol in ("<<", ">>"):
            n = self.random.randrange(0, min(WIDTHS[a.t], 30))
            t = a.t
            run = (lambda x: x << n) if symbol == "<<" else (lambda x: x >> n)
            return Expr(f"({a.text} {symbol} {n})", lambda env: wrap(t, run(a.run(env))), t)
        t = promote(a.t, b.t)
        run = {"&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y}[symbol]
        return Expr(
            f"({a.text} {symbol} {b.text})",
            lambda env: wrap(t, run(wrap(t, a.run(env)), wrap(t, b.run(env)))),
            t,
        )

    def unary(self, depth):
        a = self.scalar(depth)
        if a.text[0].isdigit():
            return None
        form = self.pick("-", "~", "abs", "qd.abs", "+", "floor", "ceil", "sign")
        t = a.t
        if form in ("floor", "ceil") and is_float(t):
            run = math.floor if form == "floor" else math.ceil
            if not fits(t, a.high + 1, 0):
                return None
            return Expr(
                f"qd.{form}({a.text})", lambda env: float(run(a.run(env))), t, a.high + 1, 0
            )
        if form == "sign" and t != "u1":
            return Expr(
                f"qd.sign({a.text})", lambda env: cast(t, (a.run(env) > 0) - (a.run(env) < 0)), t, 1
            )
        if form == "~" and t in INTS:
            return Expr(f"(~{a.text})", lambda env: wrap(t, ~a.run(env)), t)
        if form in ("abs", "qd.abs") and t != "u1":
            return Expr(
                f"{form}({a.text})", lambda env: cast(t, abs(a.run(env))), t, a.high, a.low, True
            )
        if form in ("-", "+"):
            t = self.ip if t == "u1" else t
            run = (lambda x: -x) if form == "-" else (lambda x: x)
            high = a.high if is_float(t) or form == "+" else WIDTHS[t]
            return Expr(
                f"({form}{a.text})", lambda env: cast(t, run(a.run(env))), t, high, a.low, True
            )
        return None

    def power(self, depth):
        a = self.scalar(depth)
        n = self.random.randrange(0, 5)
        if a.text[0].isdigit() or a.t == "u1":
            return None
        t = a.t
        high, low = max(a.high * n, 1), a.low * n
        if is_float(t):
            if not fits(t, high, low):
                return None
            return Expr(f"({a.text} ** {n})", lambda env: a.run(env) ** n, t, high, low)
        return Expr(
            f"({a.text} ** {n})", lambda env: wrap(t, a.run(env) ** n), t, WIDTHS[t], 0, True
        )

    def meeting(self, a, b):
        """Two expressions that can stand for one another, and the dtype in which they meet."""
        t = promote(a.t, b.t)
        if is_float(t):
            a, b = self.as_exact_float(a, t), self.as_exact_float(b, t)
            t = promote(a.t, b.t)
            if not fits(t, a.high, a.low) or not fits(t, b.high, b.low):
                return None
        high = max(a.high, b.high) if a.t[0] == b.t[0] or is_float(t) else WIDTHS[t]
        return a, b, t, (high if is_float(t) else min(high, WIDTHS[t])), max(a.low, b.low)

    def ternary(self, depth):
        found = self.meeting(self.scalar(depth), self.scalar(depth))
        if found is None or (found[0].text[0].isdigit() and found[1].text[0].isdigit()):
            return None
        a, b, t, high, low = found
        c = self.condition(1)
        return Expr(
            f"({a.text} if {c.text} else {b.text})",
            lambda env: cast(t, a.run(env) if c.run(env) else b.run(env)),
            t,
            high,
            low,
            a.wraps or b.wraps,
        )

    def select(self, depth):
        found = self.meeting(self.scalar(depth), self.scalar(depth))
        if found is None:
            return None
        a, b, t, high, low = found
        c = self.condition(1)
        return Expr(
            f"qd.select({c.text}, {a.text}, {b.text})",
            lambda env: cast(t, a.run(env) if c.run(env) else b.run(env)),
            t,
            high,
            low,
            a.wraps or b.wraps,
        )

    def extremum(self, depth):
        found = self.meeting(self.scalar(depth), self.scalar(depth))
        if found is None or (found[0].text[0].isdigit() and found[1].text[0].isdigit()):
            return None
        a, b, t, high, low = found
        name = self.pick("max", "min", "qd.max", "qd.min")
        run = max if name.endswith("max") else min
        return Expr(
            f"{name}({a.text}, {b.text})",
            lambda env: run(cast(t, a.run(env)), cast(t, b.run(env))),
            t,
            high,
            low,
            a.wraps or b.wraps,
        )

    def casted(self, depth):
        e, t = self.scalar(depth), self.pick(*INTS, "f32", "f64", "u1", "f16", "bf16")
        if is_float(t):
            e = self.as_exact_float(e, t)
            if not fits(t, e.high, e.low):
                return None
            low = e.low
        else:
            low = 0
            if (
                is_float(e.t)
                and ((t[0] == "u" and t != "u1") or WIDTHS[t] <= e.high + 1)
                and t != "u1"
            ):
                return None
        text = self.pick(f"qd.{t}({e.text})", f"qd.cast({e.text}, qd.{t})")
        high = e.high if is_float(t) else WIDTHS[t]
        return Expr(text, lambda env: cast(t, e.run(env)), t, high, low, e.wraps)

    def boolean(self, depth):
        return self.condition(min(depth, 2))

    def called(self, depth):
        f = self.random.choice(self.functions)
        arguments = []
        for t, high, low in f.parameters:
            e = self.scalar(depth)
            if is_float(t):
                e = self.as_exact_float(e, t)
                if not fits(t, e.high, e.low) or e.high > high or e.low > low:
                    e = self.narrowed(self.typed_leaf())
                    if e.high > high:
                        return None
            elif is_float(e.t):
                e = self.narrowed(e)
            arguments.append(e)
        text = ", ".join(e.text for e in arguments)

        def run(env):
            values = [cast(p[0], e.run(env)) for p, e in zip(f.parameters, arguments, strict=True)]
            return f.run(env, values)

        return Expr(f"{f.name}({text})", run, f.t, f.high, f.low)

    # Conditions.

    def condition(self, depth=2):
        """A truth value."""
        kind = self.random.randrange(8) if self.level < 3 else 7
        if depth and kind == 0:
            a = self.condition(depth - 1)
            return Expr(f"(not {a.text})", lambda env: not a.run(env), "u1", 1)
        if depth and kind in (1, 2):
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            if kind == 1:
                return Expr(
                    f"({a.text} and {b.text})", lambda env: a.run(env) and b.run(env), "u1", 1
                )
            return Expr(f"({a.text} or {b.text})", lambda env: a.run(env) or b.run(env), "u1", 1)
        if kind == 3 and self.vectors:
            return self.all_or_any()
        a, b = self.compared(), self.compared()
        symbol = self.pick("<", "<=", "==", "!=", ">", ">=")
        run = {
            "<": lambda x, y: x < y,
            "<=": lambda x, y: x <= y,
            "==": lambda x, y: x == y,
            "!=": lambda x, y: x != y,
            ">": lambda x, y: x > y,
            ">=": lambda x, y: x >= y,
        }[symbol]
        found = self.meeting(a, b)
        if found is None or (a.text[0].isdigit() and b.text[0].isdigit()):
            a = b = self.typed_leaf()
            found = self.meeting(a, b)
        a, b, t = found[:3]
        if a.wraps or b.wraps:  # of what an index is made of, comparisons take the exact number
            return self.condition(0) if not depth else self.condition(depth - 1)
        return Expr(
            f"({a.text} {symbol} {b.text})",
            lambda env: run(cast(t, a.run(env)), cast(t, b.run(env))),
            "u1",
            1,
        )

    def compared(self):
        for _ in range(4):
            e = self.scalar(1)
            if not e.wraps:
                return e
        return self.typed_leaf()
