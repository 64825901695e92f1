# SPDX-License-Identifier: Apache-2.0
"""Fields and arrays of random kernels: made, filled, and compared with what the tree has left."""

import itertools
import math

import numpy as np
from kernel_values import WIDTHS, cast, is_float

import joggle.fields as qd


@qd.func
def get_a(self):
    return self.a


@qd.func
def get_b(self):
    return self.b


@qd.func
def set_a(self, x):
    self.a = x


@qd.func
def set_b(self, x):
    y = x
    self.b = y


@qd.func
def swapped(self):
    return self.w.yx


METHODS = {f.__name__: f for f in (get_a, get_b, set_a, set_b, swapped)}
HIGH, LOW = 5, 2  # of floats in variables and arrays


class Array:
    """An array of one dtype: elements by index, each a flat list of items."""

    def __init__(self, name, t, shape, element=(), offset=None, member=None):
        self.name, self.t, self.shape, self.element = name, t, shape, element
        self.offset, self.member = offset, member
        self.count = math.prod(element)
        self.high = HIGH if is_float(t) else WIDTHS[t]
        self.low = LOW if is_float(t) else 0
        self.needs_grad = self.needs_dual = False

    def place(self, texts):
        """The source of an element."""
        offset = self.offset or (0,) * len(self.shape)
        moved = [f"qd.i32({x}) - {-o}" if o else x for x, o in zip(texts, offset, strict=True)]
        name = f"{self.name}[{', '.join(moved) or None}]"
        return f"{name}.{self.member}" if self.member else name

    def text(self, indices, item):
        """The source of a scalar in it."""
        place = self.place([e.text for e in indices])
        if len(self.element) == 1:
            return f"{place}[{item}]"
        if len(self.element) == 2:
            return f"{place}[{item // self.element[1]}, {item % self.element[1]}]"
        return place

    def other_text(self, indices, item):
        """The same, by way of a method."""
        at = f"[{', '.join(e.text for e in indices) or None}]"
        if self.member in ("a", "b"):
            return f"{self.name}{at}.get_{self.member}()"
        if self.member == "w":
            return f"{self.name}{at}.swapped()[{1 - item}]"
        if self.name == "v":
            return f"{self.name}.get_scalar_field({item}){at}"
        if self.name == "m":
            return f"{self.name}.get_scalar_field({item // 2}, {item % 2}){at}"
        return self.text(indices, item)

    def element_text(self, indices, by_method):
        """The source of a whole element."""
        if by_method and self.member:
            return f"{self.storage_text(True)}[{', '.join(e.text for e in indices)}]"
        return self.place([e.text for e in indices])

    def storage_text(self, by_method):
        """The source of the array itself."""
        if not self.member:
            return self.name
        return (
            f"{self.name}.get_member_field('{self.member}')"
            if by_method
            else (f"{self.name}.{self.member}")
        )

    @property
    def is_field(self):
        return self.name not in ("n0", "n1")

    @property
    def numpy_name(self):
        """The dtype of NumPy that its values are handed over in."""
        return "float32" if self.t == "bf16" else getattr(qd, self.t).name

    def facts(self, by_method):
        """What it says of itself: (source, a number or a truth)."""
        text, shape = self.storage_text(by_method), self.shape
        found = [(f"{text}.ndim", len(shape))]
        found += [(f"{text}.shape[{k}]", n) for k, n in enumerate(shape)]
        if self.element:
            found += [(f"{text}.n", self.element[0]), (f"{text}.m", (*self.element, 1)[1])]
        if self.is_field:
            found += [(f"{text}.has_grad()", self.needs_grad)]
            found += [(f"{text}.has_dual()", self.needs_dual)]
            found += [(f"len({text}.parent().shape)", len(shape))]
        return found

    def fill(self, env, x, count):
        """Sets the first items of each element."""
        for items in env[self.key].values():
            items[:count] = [x] * count

    @property
    def key(self):
        return self.name, self.member

    def get(self, env, indices, item):
        return env[self.key][tuple(e.run(env) for e in indices)][item]

    def set(self, env, indices, item, x):
        env[self.key][tuple(e.run(env) for e in indices)][item] = x


def make_storage(program):
    """The fields and NumPy arrays of a program, filled, and what the program starts from."""
    draw, env, fields = program.draw, {}, {}
    members = {a.member: a for a in program.all if a.member}
    types = {
        m: qd.types.vector(a.element[0], getattr(qd, a.t)) if a.element else getattr(qd, a.t)
        for m, a in members.items()
    }
    layouts = [draw.pick(qd.Layout.AOS, qd.Layout.SOA) for _ in range(3)]
    fields["s"] = qd.Struct.field(types, METHODS, shape=4, layout=layouts[0])
    for array in program.all:
        dtype = getattr(qd, array.t)
        if array.name == "v":
            fields["v"] = qd.Vector.field(array.element[0], dtype, array.shape, layout=layouts[1])
        elif array.name == "m":
            fields["m"] = qd.Matrix.field(2, 2, dtype, array.shape, layout=layouts[2])
        elif array.name == "n0":
            fields["n0"] = np.zeros(8, dtype.name)[::-2]
        elif array.name == "n1":
            fields["n1"] = np.zeros((2, 4), dtype.name).T
        elif not array.member:
            order = draw.pick(None, "ji") if len(array.shape) == 2 else None
            if not array.name.endswith(".grad"):
                place = {"order": order, "offset": array.offset}
                place |= {"needs_grad": array.needs_grad, "needs_dual": array.needs_dual}
                fields[array.name] = qd.field(dtype, array.shape, **place)
            else:
                fields[array.name] = fields[array.name.removesuffix(".grad")].grad
        values = fields[array.name]
        values = getattr(values, array.member) if array.member else values
        env[array.key] = start(draw, array, values)
    fields["out"] = qd.field(qd.f64, 64)
    return env, fields


def begin(program, env):
    """Sets the variables of the kernel to what they are when a launch begins."""
    for name, items in program.start:
        env[name] = list(items) if isinstance(items, list) else items


def start(draw, array, values):
    """Random values in storage, and the same as lists by index."""
    found = {}
    for index in itertools.product(*map(range, array.shape)):
        found[index] = [
            cast(
                array.t,
                draw.random.randrange(32) / 4 if is_float(array.t) else draw.random.getrandbits(64),
            )
            for _ in range(array.count)
        ]
    flat = np.array([x for items in found.values() for x in items], object)
    full = flat.reshape((*array.shape, *array.element)).astype(array.numpy_name)
    if isinstance(values, np.ndarray):
        values[...] = full
    else:
        values.from_numpy(full)
    return found


def differences(program, env, fields):
    """Where storage differs from what the program has left."""
    found = []
    for array in program.all:
        values = fields[array.name]
        values = getattr(values, array.member) if array.member else values
        got = np.asarray(values if isinstance(values, np.ndarray) else values.to_numpy(), object)
        got = got.reshape((*array.shape, array.count))
        for index, items in env[array.key].items():
            for item, x in enumerate(items):
                y = got[(*index, item)]
                if float(y) != float(x) or (not is_float(array.t) and int(y) != int(x)):
                    found.append(
                        (array.name, array.member, array.t, index, item, "got", y, "expected", x)
                    )
    out = fields["out"].to_numpy().tolist()
    for k, x in enumerate(program.expected_out(env)):
        if out[k] != x:
            found.append(("out", k, "got", out[k], "expected", x))
    return found
