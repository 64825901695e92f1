# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices in random kernels: what kernel_trees.py draws of them."""

import math

from kernel_parts import PartDrawing
from kernel_values import INTS, Expr, floor_divide, promote, remainder, wrap


class VectorDrawing(PartDrawing):
    """The part of a drawing that makes vectors, matrices and numbers of them."""

    def made_by_class(self, shape, t):
        """A vector or matrix by a function of its class."""
        count, square = math.prod(shape), len(shape) == 2 and shape[0] == shape[1]
        sizes, name = ", ".join(map(str, shape)), "Vector" if len(shape) == 1 else "Matrix"
        ones = [f"qd.{name}.one(qd.{t}, {sizes})", f"qd.{name}.zero(qd.{t}, {sizes})"]
        if square and self.chance(50):
            n = shape[0]
            eye = [int(i == j) for i in range(n) for j in range(n)]
            if self.chance(50):
                return f"qd.Matrix.identity(qd.{t}, {n})", lambda env: list(eye)
            e = self.narrowed(self.scalar(1), t)
            text = f"qd.cast(qd.Matrix.diag({n}, qd.{t}({e.text})), qd.{t})"

            def diagonal(env):
                x = wrap(t, e.run(env))
                return [one * x for one in eye]

            return text, diagonal
        if len(shape) == 1 and self.chance(50):
            i = self.random.randrange(count)
            return f"qd.Vector.unit({count}, {i}, qd.{t})", lambda env: [
                int(k == i) for k in range(count)
            ]
        if len(shape) == 2:
            kind, n = self.pick(("rows", shape[0]), ("cols", shape[1]))
            parts = [self.vector_of((count // n,), t, 1) for _ in range(n)]
            text = f"qd.Matrix.{kind}([{', '.join(text for text, _ in parts)}])"

            def joined(env):
                rows = [run(env) for _, run in parts]
                rows = rows if kind == "rows" else zip(*rows, strict=True)
                return [x for row in rows for x in row]

            return text, joined
        value = self.random.randrange(2)
        return ones[1 - value], lambda env: [value] * count

    def vector_of(self, shape, t, depth=2):
        """A vector or matrix of whole numbers, of that dtype: (text, run of a flat list)."""
        found = self.part_of(shape, t) if depth and self.chance(20) else None
        if found is not None:
            return found
        same = [v for v in self.vectors if v[2] == shape and v[1] == t]
        kind = self.random.randrange(7) if depth and same else 6
        if kind == 6 or not same:
            if depth and self.chance(30):
                return self.made_by_class(shape, t)
            count = math.prod(shape)
            items = [
                self.narrowed(self.scalar(1), t if t[0] == "i" else "i32") for _ in range(count)
            ]
            text = [f"qd.{t}({e.text})" for e in items]
            if len(shape) == 2:
                width = shape[1]
                rows = ["[" + ", ".join(text[i : i + width]) + "]" for i in range(0, count, width)]
                text = rows
            maker = "Vector" if len(shape) == 1 else "Matrix"
            return (
                f"qd.{maker}([{', '.join(text)}])",
                lambda env: [wrap(t, e.run(env)) for e in items],
            )
        if kind == 0:
            name = self.random.choice(same)[0]
            return name, lambda env: list(env[name])
        if kind == 1 and len(shape) == 2 and self.chance(40):
            (x, run_x), (y, run_y) = (self.vector_of((n,), t, depth - 1) for n in shape)

            def outer(env):
                right = run_y(env)
                return [wrap(t, p * q) for p in run_x(env) for q in right]

            return f"{x}.outer_product({y})", outer
        a, run_a = self.vector_of(shape, t, depth - 1)
        if kind == 2 and self.chance(30):
            u = self.pick(*INTS)
            text = f"qd.cast({a}.cast(qd.{u}), qd.{t})"
            return text, lambda env: [wrap(t, wrap(u, x)) for x in run_a(env)]
        if kind == 1 and len(shape) == 2 and shape[0] == shape[1]:
            n = shape[0]
            return f"{a}.transpose()", lambda env: [
                run_a(env)[j * n + i] for i in range(n) for j in range(n)
            ]
        if kind == 2:
            return f"(-{a})", lambda env: [wrap(t, -x) for x in run_a(env)]
        if kind == 3 and shape == (3,):
            b, run_b = self.vector_of(shape, t, depth - 1)

            def cross(env):
                x, y = run_a(env), run_b(env)
                pairs = ((1, 2), (2, 0), (0, 1))
                return [wrap(t, x[i] * y[j] - x[j] * y[i]) for i, j in pairs]

            return f"{a}.cross({b})", cross
        b, run_b = self.vector_of(shape, t, depth - 1)
        if kind == 4 and len(shape) == 2 and shape[0] == shape[1]:
            n = shape[0]

            def product(env):
                x, y = run_a(env), run_b(env)
                return [
                    wrap(t, sum(x[i * n + k] * y[k * n + j] for k in range(n)))
                    for i in range(n)
                    for j in range(n)
                ]

            return f"({a} @ {b})", product
        symbol, run = self.pick(
            ("+", lambda x, y: x + y),
            ("-", lambda x, y: x - y),
            ("*", lambda x, y: x * y),
            ("//", floor_divide),
            ("%", remainder),
            ("&", lambda x, y: x & y),
            ("^", lambda x, y: x ^ y),
            ("and", lambda x, y: x and y),
            ("or", lambda x, y: x or y),
        )
        return (
            f"({a} {symbol} {b})",
            lambda env: [wrap(t, run(x, y)) for x, y in zip(run_a(env), run_b(env), strict=True)],
        )

    def of_vector(self, depth):
        """A scalar of a vector or matrix, by a method."""
        whole = [v for v in self.vectors if v[1] in INTS]
        if not whole:
            return None
        _, t, shape, _, _ = self.random.choice(whole)
        a, run_a = self.vector_of(shape, t, 1)
        b, run_b = self.vector_of(shape, t, 1)
        n = shape[0]
        methods = {
            "sum": (f"{a}.sum()", lambda env: sum(run_a(env))),
            "max": (f"{a}.max()", lambda env: max(run_a(env))),
            "min": (f"{a}.min()", lambda env: min(run_a(env))),
            "norm_sqr": (f"{a}.norm_sqr()", lambda env: sum(x * x for x in run_a(env))),
            "python sum": (f"sum({a})", lambda env: sum(run_a(env))),
            "python max": (f"max({a})", lambda env: max(run_a(env))),
            "python min": (f"min({a})", lambda env: min(run_a(env))),
            "frobenius": (
                f"{a}.frobenius_inner({b})",
                lambda env: sum(x * y for x, y in zip(run_a(env), run_b(env), strict=True)),
            ),
        }
        if len(shape) == 1:
            methods["dot"] = (
                f"{a}.dot({b})",
                lambda env: sum(x * y for x, y in zip(run_a(env), run_b(env), strict=True)),
            )
            methods["at"] = (f"({a} @ {b})", methods["dot"][1])
        else:
            del methods["python sum"], methods["python max"], methods["python min"]
        if shape == (2,):

            def cross(env):
                x, y = run_a(env), run_b(env)
                return x[0] * y[1] - x[1] * y[0]

            methods["cross"] = (f"{a}.cross({b})", cross)
        if len(shape) == 2 and n == shape[1]:
            methods["trace"] = (
                f"{a}.trace()",
                lambda env: sum(run_a(env)[i * n + i] for i in range(n)),
            )
            methods["determinant"] = (f"{a}.determinant()", lambda env: determinant(run_a(env), n))
        name = self.pick(*methods)
        text, run = methods[name]
        t = promote(t, self.ip) if name == "python sum" else t  # which begins with a literal 0
        return Expr(text, lambda env: wrap(t, run(env)), t, None, 0, True)

    def all_or_any(self):
        whole = [v for v in self.vectors if v[1] in INTS]
        if not whole:
            return self.condition(0)
        _, t, shape, _, _ = self.random.choice(whole)
        a, run_a = self.vector_of(shape, t, 1)
        b, run_b = self.vector_of(shape, t, 1)
        name = self.pick("any", "all")
        run = any if name == "any" else all
        form = self.random.randrange(4)
        if form == 0:
            return Expr(f"{a}.{name}()", lambda env: run(run_a(env)), "u1", 1)
        if form == 1:
            return Expr(f"{name}({a})", lambda env: run(run_a(env)), "u1", 1)
        text = f"{name}({a} == {b})" if form == 2 else f"({a} == {b}).{name}()"
        return Expr(
            text,
            lambda env: run(x == y for x, y in zip(run_a(env), run_b(env), strict=True)),
            "u1",
            1,
        )


def determinant(items, n):
    """The determinant of n rows in one list."""
    if n == 1:
        return items[0]
    rows = [items[i : i + n] for i in range(n, n * n, n)]
    minors = [[x for row in rows for k, x in enumerate(row) if k != j] for j in range(n)]
    return sum((-1) ** j * items[j] * determinant(minors[j], n - 1) for j in range(n))
