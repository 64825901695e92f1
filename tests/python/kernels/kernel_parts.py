# SPDX-License-Identifier: Apache-2.0
"""Parts of vectors and matrices in random kernels, and what fields, vectors and matrices say of
themselves: slices, swizzles, elements of fields, products, sizes, dtypes, gradients."""

import itertools
import math

from kernel_values import INTS, WIDTHS, Expr, cast, fits, is_float, promote, wrap

LETTERS = ("xyzw", "rgba", "stpq")


def slices_of(extent, count):
    """The slices of an axis that pick so many: (source, positions)."""
    bounds, found = (*range(extent + 1), None), []
    for start, stop, step in itertools.product(bounds, bounds, (None, 2, -1)):
        places = list(range(extent)[start:stop:step])
        if len(places) == count:
            text = ":".join("" if x is None else str(x) for x in (start, stop))
            found.append((text if step is None else f"{text}:{step}", places))
    return found


def grid(shape, rows, columns):
    """Positions in a flat list of a matrix."""
    return [r * shape[1] + c for r in rows for c in columns]


class PartDrawing:
    """The part of a drawing that takes vectors and matrices apart, and multiplies them."""

    def converted(self, text, run, own, t):
        """A vector or matrix of one dtype, given in another."""
        if own == t and self.chance(60):
            return text, run
        forms = [f"{text}.cast(qd.{t})", f"qd.{t}({text})", f"qd.cast({text}, qd.{t})"]
        forms += [f"int({text})"] * 3 if t == self.ip else []
        return self.pick(*forms), lambda env: [wrap(t, x) for x in run(env)]

    def vector_variable(self, keep):
        """A variable whose shape passes a test: its name, dtype and shape; or None."""
        found = [v[:3] for v in self.vectors if v[1] in INTS and keep(v[2])]
        return self.random.choice(found) if found else None

    def part_of(self, shape, t):
        """A vector or matrix of that shape and dtype by a slice, a swizzle, an element or a
        product; None where the one that is drawn cannot be had."""
        form = self.pick(self.swizzled, self.sliced, self.sliced, self.element_of, self.product)
        return form(shape, t)

    def swizzled(self, shape, t):
        found = self.vector_variable(lambda s: len(s) == 1)
        if found is None or len(shape) != 1:
            return None
        name, own, (n,) = found
        places = [self.random.randrange(n) for _ in range(shape[0])]
        letters = self.pick(*LETTERS)
        text = f"{name}.{''.join(letters[k] for k in places)}"
        return self.converted(text, lambda env: [env[name][k] for k in places], own, t)

    def sliced(self, shape, t):
        found = self.vector_variable(lambda s: True)
        picked = found and self.places_of_slice(found[2], shape)
        if not picked:
            return None
        (name, own, _), (index, places) = found, picked
        return self.converted(
            f"{name}[{index}]", lambda env: [env[name][k] for k in places], own, t
        )

    def places_of_slice(self, whole, part):
        """An index that picks that shape out of another: (source, positions); None for none."""
        found = []
        if len(whole) == 1 and len(part) == 1:
            found = slices_of(whole[0], part[0])
        elif len(whole) == 2 and len(part) == 2:
            rows, columns = slices_of(whole[0], part[0]), slices_of(whole[1], part[1])
            if rows and columns:
                (r, at), (c, beside) = self.random.choice(rows), self.random.choice(columns)
                found = [(f"{r}, {c}", grid(whole, at, beside))]
                found += [(r, grid(whole, at, range(whole[1])))] if part[1] == whole[1] else []
        elif len(whole) == 2:
            row, column = (self.random.randrange(n) for n in whole)
            found = [
                (f"{row}, {c}", grid(whole, [row], at)) for c, at in slices_of(whole[1], *part)
            ]
            found += [
                (f"{r}, {column}", grid(whole, at, [column]))
                for r, at in slices_of(whole[0], *part)
            ]
            found += [(str(row), grid(whole, [row], range(whole[1])))] * (whole[1] == part[0])
        return self.random.choice(found) if found else None

    def element_of(self, shape, t):
        """An element of a field of vectors or matrices."""
        arrays = [a for a in self.arrays if a.element == shape]
        if not arrays:
            return None
        array = self.random.choice(arrays)
        indices = [self.index(n) for n in array.shape]
        text = array.element_text(indices, self.chance(30))
        text += ".cast(qd.i32)" if is_float(array.t) else ""  # no unsigned dtype holds what is < 0

        def run(env):
            return [int(x) for x in env[array.key][tuple(e.run(env) for e in indices)]]

        return self.converted(text, run, "i32" if is_float(array.t) else array.t, t)

    def product(self, shape, t):
        """A product of a matrix with a matrix or a vector."""
        if len(shape) == 2:
            left = self.vector_variable(lambda s: len(s) == 2 and s[0] == shape[0])
            right = left and self.vector_variable(lambda s: s == (left[2][1], shape[1]))
        elif self.chance(50):
            left = self.vector_variable(lambda s: len(s) == 2 and s[0] == shape[0])
            right = left and self.vector_variable(lambda s: s == left[2][1:])
        else:
            right = self.vector_variable(lambda s: len(s) == 2 and s[1] == shape[0])
            left = right and self.vector_variable(lambda s: s == right[2][:1])
        if not left or not right:
            return None
        a, run_a = self.converted(left[0], lambda env: list(env[left[0]]), left[1], t)
        b, run_b = self.converted(right[0], lambda env: list(env[right[0]]), right[1], t)
        inner, width = right[2][0], math.prod(right[2][1:])

        def run(env):
            x, y = run_a(env), run_b(env)
            rows = [x[i : i + inner] for i in range(0, len(x), inner)]
            return [
                wrap(t, sum(row[k] * y[k * width + j] for k in range(inner)))
                for row in rows
                for j in range(width)
            ]

        return f"({a} @ {b})", run

    # What is known when compiling.

    def fact(self, depth):
        """What storage, a vector or a matrix tells about itself, or a cast to its dtype."""
        if self.arrays and self.chance(60):
            array = self.random.choice(self.arrays)
            if self.chance(30):
                return self.cast_to_dtype(array.storage_text(self.chance(30)), array.t)
            return self.constant(*self.pick(*array.facts(self.chance(30))))
        if not self.vectors:
            return None
        name, t, shape, _, _ = self.random.choice(self.vectors)
        if self.chance(30):
            return self.cast_to_dtype(name, t)
        k = self.random.randrange(math.prod(shape))
        if self.chance(40):
            return Expr(f"{name}.entries[{k}]", lambda env: env[name][k], t)
        facts = [(f"{name}.n", shape[0]), (f"{name}.m", (*shape, 1)[1])]
        facts += [(f"{name}.ndim", len(shape)), (f"{name}.shape[-1]", shape[-1])]
        facts += [(f"len({name})", shape[0])]
        return self.constant(*self.pick(*facts))

    def constant(self, text, x):
        t = "u1" if isinstance(x, bool) else self.pick(*INTS)
        return Expr(f"qd.{t}({text})", lambda env: x, t, 3 if t != "u1" else 1)

    def cast_to_dtype(self, text, t):
        e = self.narrowed(self.scalar(1))
        if is_float(t) and not fits(t, e.high, 0):
            return None
        high = e.high if is_float(t) else WIDTHS[t]
        return Expr(f"qd.cast({e.text}, {text}.dtype)", lambda env: cast(t, e.run(env)), t, high)

    def held(self, depth):
        """How many items of two vectors or matrices are equal."""
        found = self.vector_variable(lambda s: True)
        if found is None:
            return None
        a, run_a = self.vector_of(found[2], found[1], 1)
        b, run_b = self.vector_of(found[2], found[1], 1)
        name, run = self.pick(("sum", sum), ("max", max), ("min", min))

        def count(env):
            return run(x == y for x, y in zip(run_a(env), run_b(env), strict=True))

        t = promote(self.ip, "u1") if name == "sum" else "u1"
        return Expr(f"({a} == {b}).{name}()", lambda env: cast(t, count(env)), t, 4)
