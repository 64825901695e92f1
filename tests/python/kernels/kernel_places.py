# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels that write vectors, matrices, parts of them, and whole fields."""

import math

from kernel_parts import LETTERS
from kernel_values import INTS, cast, wrap

AUGMENTED = (("+", lambda x, y: x + y), ("-", lambda x, y: x - y), ("*", lambda x, y: x * y))


class PlaceStatements:
    """The part of a program that writes more than one number at a time: (lines, run)."""

    def vector(self):
        name, t, shape, _, _ = self.draw.random.choice(self.draw.vectors)
        text, run_it = self.draw.vector_of(shape, t, 3)
        if self.draw.chance(30):
            symbol, op = self.draw.pick(*AUGMENTED)

            def add(env):
                y = run_it(env)
                env[name] = [wrap(t, op(a, b)) for a, b in zip(env[name], y, strict=True)]

            return [f"{name} {symbol}= {text}"], add

        def run(env):
            env[name] = run_it(env)

        return [f"{name} = {text}"], run

    def item(self):
        name, t, shape, _, _ = self.draw.random.choice(self.draw.vectors)
        if self.draw.chance(15):
            e = self.draw.whole(1)

            def fill(env):
                env[name] = [wrap(t, e.run(env))] * math.prod(shape)

            return [f"{name}.fill({e.text})"], fill
        indices = [self.draw.index(n if n != 3 else 2) for n in shape]
        e = self.draw.whole(2)

        def run(env):
            at = 0
            for i, n in zip(indices, shape, strict=True):
                at = at * n + i.run(env)
            env[name][at] = wrap(t, e.run(env))

        return [f"{name}[{', '.join(i.text for i in indices)}] = {e.text}"], run

    def part(self):
        """A part of a variable: items of a swizzle, a row, a column or a slice."""
        name, t, shape, _, _ = self.draw.random.choice(self.draw.vectors)
        return self.part_of_place(name, t, shape, lambda env: env[name])

    def part_of_place(self, place, t, shape, items):
        """Writes a part of a place of a dtype; items(env): the list that it is in."""
        draw = self.draw
        if len(shape) == 1 and draw.chance(50):
            count = draw.random.randrange(2, shape[0] + 1)
            places = draw.random.sample(range(shape[0]), count)
            letters = draw.pick(*LETTERS)
            target, kept = f"{place}.{''.join(letters[k] for k in places)}", (count,)
        else:
            kept = draw.pick((2,), (shape[-1],), shape[-2:])
            found = draw.places_of_slice(shape, kept)
            if found is None:
                return self.assign()
            target, places = f"{place}[{found[0]}]", found[1]
        text, run_it = draw.vector_of(kept, t, 2)
        symbol, op = draw.pick(("", None), ("", None), *AUGMENTED)

        def run(env):
            values, into = run_it(env), items(env)
            for k, x in zip(places, values, strict=True):
                into[k] = wrap(t, op(into[k], x)) if op else x

        return [f"{target} {symbol}= {text}"], run

    def element(self):
        """An element of a field of vectors or matrices, whole or a part of it."""
        arrays = [a for a in self.draw.arrays if a.element and a.t in INTS]
        if not arrays:
            return self.store()
        array = self.draw.random.choice(arrays)
        indices = [self.draw.index(n) for n in array.shape]
        place, t = array.element_text(indices, self.draw.chance(30)), array.t
        symbol, op = self.draw.pick(("", None), ("", None), *AUGMENTED)

        def items(env):
            return env[array.key][tuple(e.run(env) for e in indices)]

        form = self.draw.random.randrange(3)
        if form == 0:
            return self.part_of_place(place, t, array.element, items)
        if form == 1:
            e = self.draw.whole(1)

            def fill(env):
                items(env)[:] = [wrap(t, e.run(env))] * array.count

            return [f"{place}.fill({e.text})"], fill
        text, run_it = self.draw.vector_of(array.element, t, 2)

        def run(env):
            values, into = run_it(env), items(env)
            into[:] = [wrap(t, op(x, y)) if op else y for x, y in zip(into, values, strict=True)]

        return [f"{place} {symbol}= {text}"], run

    def fill(self):
        """All elements of an array: of fields of vectors by a number or a vector, of structs by a
        number."""
        if self.draw.chance(15):
            return self.fill_structs()
        array = self.draw.random.choice(self.all)
        name = array.storage_text(self.draw.chance(30))
        if array.element and array.t in INTS and self.draw.chance(50):
            text, run_it = self.draw.vector_of(array.element, array.t, 2)
        else:
            e = self.value_for(array.t)
            text = e.text

            def run_it(env):
                return [cast(array.t, e.run(env))] * array.count

        def run(env):
            values = run_it(env)
            for items in env[array.key].values():
                items[:] = values

        return [f"{name}.fill({text})"], run

    def fill_structs(self):
        e = self.draw.plain_whole()
        members = [a for a in self.all if a.member]

        def run(env):
            x = e.run(env) & 15
            for array in members:
                for items in env[array.key].values():
                    items[:] = [cast(array.t, x)] * array.count

        return [f"s.fill({e.text} & 15)"], run
