# SPDX-License-Identifier: Apache-2.0
"""Statements of random programs that other parts of the runtime run: recorded, batched and
differentiated functions, files, index arrays beside slices, searching, and integers of any size."""

import numpy as np
from helpers import BINARY, LINEAR, UNARY, WAYS_OF_SLOPES
from statements import Statement

SUFFIXES = (".npy", ".npz", ".safetensors")
MANY = [
    "xp.floor_divide({0}, {1})", "xp.remainder({0}, {1})", "xp.bitwise_left_shift({0}, {1} & 7)",
    "xp.bitwise_right_shift({0}, {1} & 7)", "{0} * {1} + {0}", "xp.bitwise_xor({0}, {1})",
]  # fmt: skip
SEARCHED = [
    "xp.argmax({0}, axis={p})", "xp.argmin({0}, axis={p})",
    "argsorted(xp, xp.swapaxes({0}, {p}, -1))",
    "xp.take_along_axis({0}, xp.argmax({0}, axis={p}, keepdims=True), axis={p})",
    "xp.take_along_axis({0}, argsorted(xp, {0}), axis=-1)",
    "xp.cumulative_prod({0}, axis={p}, dtype={0}.dtype)",
    "xp.searchsorted(ordered(xp, xp.reshape({0}, (-1,)), 0), xp.reshape({0}, (-1,))[:9])",
    "xp.isin({0}, xp.reshape({0}, (-1,))[:3])", "ordered(xp, distinct(xp, {0}), 0)",
    "xp.rot90(xp.expand_dims({0}, axis=-1), 1, axes=(-2, -1))",
    "xp.pad({0}, 1, mode='edge')", "xp.pad({0}, 2)", "xp.outer({0}, xp.reshape({0}, (-1,))[:3])",
]  # fmt: skip


class CallStatements:
    def function_names(self, arrays):
        names = [self.random.choice(sorted(BINARY if arrays == 2 else UNARY))]
        return tuple(names + self.random.choices(sorted(UNARY), k=self.random.randint(0, 2)))

    def a_real(self, least=1):
        return self.pick(lambda v: v.ndim >= least and v.dtype.kind in "iuf" and 0 not in v.shape)

    def recorded(self):
        first = self.a_real()
        if first is None:
            return
        x = self.boxes[first].value
        if self.random.random() < 0.3:
            self.small("given_away(xp, {p}, {0})", [first], self.function_names(1))
        elif self.random.random() < 0.4:
            other = self.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape)
            self.small("recorded(xp, {p}, {0}, {1})", [first, other], self.function_names(2))
        else:
            self.small("recorded(xp, {p}, {0})", [first], self.function_names(1))

    def small(self, text, ins, p):
        """Only with numbers that no step on the way rounds."""
        values = [self.boxes[name].value for name in ins]
        if all(v.dtype.kind != "f" or np.max(np.abs(v)) * v.size <= 300 for v in values):
            self.add(text, ins, p)

    def batched(self):
        name = self.a_real(2)
        if name is not None:
            axis = self.random.randrange(-1, self.boxes[name].value.ndim)
            self.small("batched(xp, {p}[0], {0}, {p}[1])", [name], (self.function_names(1), axis))

    def differentiated(self):
        name = self.pick(
            lambda v: v.ndim > 0 and v.dtype.kind == "f" and v.itemsize > 2 and 0 < v.size <= 48
        )
        if name is not None:
            names = tuple(self.random.choices(sorted(LINEAR), k=2))
            way = self.random.choice(WAYS_OF_SLOPES)
            self.small("slope(xp, {p}[0], {0}, {p}[1])", [name], (names, way))

    def filed(self):
        name = self.pick()
        if name is not None:
            double = self.boxes[name].value.dtype == np.complex128
            suffix = self.random.choice(SUFFIXES[:2] if double else SUFFIXES)
            text = self.random.choice(["stored(xp, {0}, {p})", "pickled(xp, {0})"])
            self.add(text, [name], suffix)

    def searched(self):
        name = self.a_real()
        if name is not None:
            axis = self.axis(self.boxes[name].value)
            self.add(self.random.choice(SEARCHED), [name], axis, views=True)

    def whole(self):
        """Arithmetic of integers that wraps."""
        first = self.pick(lambda v: v.dtype.kind in "iu")
        if first is None:
            return
        x = self.boxes[first].value
        if self.random.random() < 0.3:
            limits = np.iinfo(x.dtype)
            number = self.random.choice([limits.max, limits.min, limits.max - 1, limits.max // 2])
            self.add(self.random.choice(["{0} + {p}", "{0} * {p}", "{p} - {0}"]), [first], number)
            return
        second = self.pick(lambda v: v.dtype == x.dtype and v.shape in (x.shape, ()))
        self.add(self.random.choice(MANY), [first, second])

    def mixed_index(self, value):
        """Index arrays, masks, slices and new axes beside each other."""
        together = self.random.choice([(2,), (3,), (2, 2), (0,), ()])
        index = []
        for n in value.shape[: self.random.randint(1, value.ndim)]:
            draw = self.random.random()
            if draw < 0.35 and n:
                rng = np.random.default_rng(self.random.randrange(2**32))
                index.append(rng.integers(-n, n, together))
            elif draw < 0.5 and n:
                index.append(self.random.randrange(-n, n))
            else:
                index.append(slice(None, None, self.random.choice([None, 1, 2, -1, -2])))
        for extra in self.random.sample([None, ...], self.random.randint(0, 2)):
            if extra is None or len(index) == value.ndim:
                index.insert(self.random.randint(0, len(index)), extra)
        return tuple(index)

    def indexed(self):
        name = self.pick(lambda v: v.ndim > 0)
        if name is not None:
            index = self.mixed_index(self.boxes[name].value)
            self.add("{0}[ours(xp, {p})]", [name], index, views=True)

    def set_mixed(self):
        name = self.pick(lambda v: v.ndim > 0 and v.size > 0)
        if name is None:
            return
        value = self.boxes[name].value.copy()
        index = self.mixed_index(value)
        try:
            shape = value[index].shape
            places = np.arange(value.size).reshape(value.shape)[index]
        except IndexError:
            return

        def suits(v):
            return v.dtype == value.dtype and v.shape in (shape, shape[1:], ())

        unique = len(np.unique(places)) == places.size
        other = self.pick(suits) if unique and self.random.random() < 0.6 else None
        if other is None:
            p = (index, bool(self.random.randint(0, 1)) if value.dtype == bool
                 else self.random.randint(0, 4))  # fmt: skip
            value[index] = p[1]
            self.rebind(name, value, Statement("set", (), (name,), p=p))
        else:
            value[index] = self.boxes[other].value
            self.rebind(name, value, Statement("set", (), (name, other), p=(index, None)))

    def put(self):
        name = self.a_real()
        if name is None:
            return
        x = self.boxes[name].value
        axis = self.axis(x)
        if self.random.random() < 0.5:
            self.add("put(xp, {0}, {p})", [name], axis)
        else:
            index = np.asarray(self.indices(x, 0), int)
            op = self.random.choice(["maximum", "minimum", "subtract"])
            text = f"updated_at(xp, {{0}}, xp.asarray({{p}}[0]), {{p}}[1], '{op}')"
            self.add(text, [name], (index, self.random.randint(0, 2)))
