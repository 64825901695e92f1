# SPDX-License-Identifier: Apache-2.0
"""What a random program does to its fields between two launches, in Python's scope."""

import math

from kernel_values import INTS, WIDTHS, cast, is_float

LIBRARIES = ("numpy", "torch", "jax", "array")


class OutsideStatements:
    """The part of a program that runs outside of its kernel: (lines, run)."""

    def make_between(self, count):
        """Lines and runs of so many statements."""
        lines, runs = [], []
        forms = [self.fill_outside, self.from_values, self.from_values, self.round_trip]
        forms += [self.round_trip, self.copied, self.copied_between, self.elements, self.structs]
        for _ in range(count):
            text, run = self.draw.pick(*forms)()
            lines += text
            runs.append(run)
        return lines, runs

    def field(self):
        """An array that is a field, or a member of one, and its source."""
        array = self.draw.random.choice([a for a in self.all if a.is_field])
        return array, array.storage_text(self.draw.chance(50))

    def value(self, t):
        """A number of a dtype, of floats one that stays exact."""
        random = self.draw.random
        return cast(t, random.randrange(32) / 4 if is_float(t) else random.getrandbits(64))

    def fill_outside(self):
        array, text = self.field()
        x = self.value(array.t)
        if array.element and self.draw.chance(50):
            text += ".get_scalar_field(" + ", ".join("0" * len(array.element)) + ")"
            return [f"{text}.fill({x})"], lambda env: array.fill(env, x, 1)
        return [f"{text}.fill({x})"], lambda env: array.fill(env, x, array.count)

    def from_values(self):
        """New values by from_numpy, or written into the memory itself."""
        array, text = self.field()
        count = math.prod(array.shape) * array.count
        flat = [self.value(array.t) for _ in range(count)]
        values = f"np.array({flat}, {array.numpy_name!r}).reshape({(*array.shape, *array.element)})"

        def run(env):
            for k, items in enumerate(env[array.key].values()):
                items[:] = flat[k * array.count : (k + 1) * array.count]

        if self.draw.chance(30):
            return [f"{text}.to_numpy(copy=False)[...] = {values}"], run
        return [f"{text}.from_numpy({values})"], run

    def round_trip(self):
        """Out to a library, zeros, and back."""
        array, text = self.field()
        libraries = [k for k in LIBRARIES if k != "jax" or WIDTHS.get(array.t, 16) < 64]
        library = self.draw.pick(*[k for k in libraries if k != "jax" or array.t != "f64"])
        if array.member and self.draw.chance(30):
            wide = any(a.t in ("f64", "i64", "u64") for a in self.all if a.member)
            text, library = "s", "numpy" if library == "jax" and wide else library
        lines = [f"kept = {text}.to_{library}()", f"{text}.fill(0)"]
        return [*lines, f"{text}.from_{library}(kept)"], lambda env: None

    def copied(self):
        """Out to a field that lies by another layout, and back."""
        array, text = self.field()
        sizes = "".join(f"{n}, " for n in array.element)
        maker = ("qd.field", "qd.Vector.field", "qd.Matrix.field")[len(array.element)]
        order = ", order='ji'" if len(array.shape) == 2 else ""
        if self.draw.chance(40):
            maker, order = maker.removesuffix("field") + self.draw.pick("ndarray", "tensor"), ""
        lines = [f"kept = {maker}({sizes}qd.{array.t}, shape={array.shape}{order})"]
        lines += [
            self.draw.pick(f"kept.copy_from({text})", f"kept.from_dlpack({text}.to_dlpack())")
        ]
        lines += [f"{text}.fill(0)", f"{text}.copy_from(kept)"]
        return lines, lambda env: None

    def copied_between(self):
        """From one field to another of its shape, cast."""
        array, text = self.field()
        like = [
            a
            for a in self.all
            if a.is_field and a.t in INTS and (a.shape, a.element) == (array.shape, array.element)
        ]
        if array.t not in INTS:
            return self.copied()
        other = self.draw.random.choice(like)

        def run(env):
            for index, items in env[array.key].items():
                items[:] = [cast(array.t, x) for x in env[other.key][index]]

        return [f"{text}.copy_from({other.storage_text(False)})"], run

    def elements(self):
        """An element of vectors or matrices from another, by way of Python's values."""
        array = self.draw.random.choice([a for a in self.all if a.element and len(a.shape) == 1])
        i, j = (self.draw.random.randrange(array.shape[0]) for _ in range(2))
        text = array.storage_text(self.draw.chance(50))
        form, places = self.draw.pick(
            ("", None),
            (".to_list()", None),
            (".to_numpy()", None),
            (".transpose()", [0, 2, 1, 3]) if len(array.element) == 2 else (".yx", [1, 0]),
        )
        if form == ".yx" and array.count != 2:
            form, places = ".zyx", [2, 1, 0]

        def run(env):
            items = env[array.key][(j,)]
            env[array.key][(i,)][:] = [items[k] for k in places or range(len(items))]

        return [f"{text}[{i}] = {text}[{j}]{form}"], run

    def structs(self):
        """An element of structs from another, or all of them to another field and back."""
        i, j = (self.draw.random.randrange(4) for _ in range(2))
        members = [a for a in self.all if a.member]
        form = self.draw.pick(".to_dict()", "", ".entries")
        if self.draw.chance(30):
            types = [
                f"{a.member!r}: qd.types.vector({a.count}, qd.{a.t})"
                if a.element
                else f"{a.member!r}: qd.{a.t}"
                for a in members
            ]
            layout = self.draw.pick("AOS", "SOA")
            maker = f"qd.Struct.field({{{', '.join(types)}}}, shape=4, layout=qd.Layout.{layout})"
            lines = [f"kept = {maker}", "kept.copy_from(s)", "s.fill(0)", "s.copy_from(kept)"]
            return lines, lambda env: None

        def run(env):
            for array in members:
                env[array.key][(i,)][:] = list(env[array.key][(j,)])

        names = [a.member for a in members]
        lines = [f"assert s.keys == list(s.field_dict) == s[{j}].keys == {names}"]
        return [*lines, f"s[{i}] = s[{j}]{form}"], run
