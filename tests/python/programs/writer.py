# SPDX-License-Identifier: Apache-2.0
"""Writes random programs. All numbers in them are whole and so small that no format and no order of
additions rounds them: values are compared exactly, and no error hides in a tolerance."""

import random

import numpy as np
from calls import CallStatements
from statements import IN_PLACE, INTEGERS, Box, Statement, function_of

MAX_SIZE = 4096  # elements of an array, 64 times as many in a large program
MAX_STATEMENTS = 200
MAX_NAMES = 14
FLOATS = ("float16", "float32", "float64")
DTYPES = ("float32",) * 4 + FLOATS + INTEGERS + ("bool", "complex64", "complex128")
# Whole numbers that the format has, whatever is added or multiplied on the way to them.
LIMITS = {"float16": 2**11, "float32": 2**24, "float64": 2**52}
LIMITS |= {"complex64": 2**22, "complex128": 2**50}
LAYOUTS = ("", "", "turned", "reverse", "gaps", "window")

UNARY = {
    "number": ["-{0}", "xp.positive({0})", "xp.square({0})", "{0} + 0", "{0} * 2", "3 - {0}"],
    "real": [
        "xp.abs({0})", "xp.sign({0})", "xp.minimum({0}, 3)", "xp.clip({0}, 1, 5)",
        "xp.floor_divide({0}, 2)", "xp.remainder({0}, 3)", "xp.floor({0})",
        "xp.where({0} > 1, {0}, 0)",
    ],
    "integer": ["{0} & 5", "~{0}", "{0} ^ 3", "{0} >> 1"],
    "bool": ["xp.logical_not({0})", "~{0}", "{0} & True", "xp.where({0}, False, True)"],
    "complex": ["xp.conj({0})", "{0} * 1j"],
}  # fmt: skip
COPIES = [
    "{0}.copy()", "xp.array({0}, copy=True)", "xp.asarray({0}, copy=True)", "duplicate(xp, {0})",
    "xp.astype({0}, {0}.dtype)", "xp.astype({0}, {0}.dtype, copy=True)",
]  # fmt: skip
BINARY = {
    "number": ["{0} + {1}", "{0} - {1}", "{0} * {1}", "xp.where({0} == {1}, {0}, {1})"],
    "real": ["xp.minimum({0}, {1})", "xp.maximum({0}, {1})", "xp.where({0} < {1}, {1}, {0})"],
    "integer": ["{0} & {1}", "{0} | {1}", "{0} ^ {1}"],
    "bool": ["{0} & {1}", "{0} | {1}", "xp.logical_xor({0}, {1})"],
    "complex": [],
}
COMPARED = ["{0} == {1}", "{0} != {1}", "xp.not_equal({0}, {1})"]
ORDERED = ["{0} < {1}", "xp.greater_equal({0}, {1})"]
REDUCED = {
    "number": ["sum"],
    "real": ["sum", "max", "min", "count_nonzero"],
    "bool": ["any", "all", "sum", "count_nonzero"],
}


def kinds_of(dtype):
    """The keys of the tables above that hold for the dtype."""
    name = str(dtype)
    if name == "bool":
        return ["bool"]
    if name.startswith("complex"):
        return ["number", "complex"]
    return ["number", "real"] + (["integer"] if name in INTEGERS else [])


def is_exact(value):
    """Whether the value's format has every whole number of its size."""
    limit = LIMITS.get(str(value.dtype))
    return limit is None or value.size == 0 or np.max(np.abs(value)) <= limit


def is_exact_sum(value, dtype):
    """The same for a sum of values' magnitudes."""
    limit = LIMITS.get(str(dtype))
    return limit is None or value.size == 0 or np.max(np.abs(value)) <= limit


def is_exact_product(x, y):
    """The same for a matrix product."""
    return is_exact_sum(np.abs(x).astype(float) @ np.abs(y).astype(float), x.dtype)


class Writer(CallStatements):
    """Writes a program statement by statement, while NumPy runs it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.large = self.random.random() < 0.04
        self.boxes = {}
        self.statements = []
        self.made = 0
        longest = 30 if self.large else self.random.choice([12, 40, MAX_STATEMENTS])
        self.length = self.random.randint(4, longest)
        extents = [1, 64, 257, 1000] if self.large else [1, 2, 3, 4, 4, 5, 8, 17]
        self.base = [self.random.choice(extents) for _ in range(self.random.randint(1, 3))]
        while np.prod(self.base) > self.max_size:
            self.base.pop()
        self.base = self.base or [64]
        if self.random.random() < 0.03:
            self.base[0] = 0
        self.names = self.random.randint(2, MAX_NAMES)
        self.dtypes = self.random.sample(DTYPES, 3)

    @property
    def max_size(self):
        return MAX_SIZE * (64 if self.large else 1)

    def write(self):
        choices = [
            (self.leaf, 2), (self.unary, 5), (self.copied, 4), (self.binary, 8), (self.scalar, 3),
            (self.compared, 1), (self.in_place, 9), (self.set_item, 6), (self.at, 2),
            (self.view, 7), (self.reduced, 5), (self.scanned, 2), (self.moved, 4),
            (self.joined, 3), (self.product, 2), (self.parts, 2), (self.alias, 2), (self.drop, 6),
            (self.evaluated, 5), (self.exported, 2), (self.shared, 1), (self.owner_writes, 1),
            (self.updated, 4), (self.by_row, 3), (self.cast, 3), (self.numpys, 2),
            (self.streamed, 0.5), (self.by_axis, 2), (self.recorded, 4), (self.batched, 3),
            (self.differentiated, 2), (self.filed, 1), (self.searched, 3), (self.whole, 3),
            (self.indexed, 3), (self.set_mixed, 3), (self.put, 2),
        ]  # fmt: skip
        # Some kinds of statement only, so that those which are there meet more often.
        kept = [c for c in choices if c[0] == self.leaf or self.random.random() < 0.4]
        methods, weights = zip(*kept, strict=True)
        self.leaf()
        for method in self.random.choices(methods, weights, k=self.length):
            if not self.boxes:
                self.leaf()
            method()
            if len(self.boxes) > self.names:
                self.drop()
        return self.statements

    # -- small choices

    def pick(self, accepts=lambda value: True):
        """The name of a value that is accepted, or None."""
        names = [name for name, box in self.boxes.items() if accepts(box.value)]
        if len(names) > 3 and self.random.random() < 0.6:
            names = names[-3:]  # what was made last is what a program goes on with
        return self.random.choice(names) if names else None

    def add(self, text, ins, p=None, views=False, bound=None):
        """Appends `name = text` unless a number would be rounded or the result is too large."""
        values = [self.boxes[name].value for name in ins]
        if bound is not None and not bound(*values):
            return None
        try:
            result = function_of(text)(np, p, *values)
        except (ValueError, IndexError, TypeError):
            return None
        results = [np.asarray(r) for r in result] if isinstance(result, (tuple, list)) else None
        for r in results or [np.asarray(result)]:
            if r.size > self.max_size or r.ndim > 6 or not is_exact(r):
                return None
        owners = frozenset().union(*(self.boxes[name].owners for name in ins)) if views else ()
        made = []
        for r in results or [np.asarray(result)]:
            self.made += 1
            made.append(f"v{self.made}")
            self.boxes[made[-1]] = Box(r, frozenset(owners))
        kind = "values" if results is not None else "value"
        self.statements.append(Statement(kind, tuple(made), tuple(ins), text, p, views))
        return made

    def literal(self, shape, dtype):
        """Small whole numbers, as bytes that print short."""
        size = int(np.prod(shape))
        low = 0 if dtype[0] in "ub" else -3
        values = np.random.default_rng(self.random.randrange(2**32)).integers(low, 5, size)
        return values.reshape(shape).astype(dtype)

    def some_shape(self):
        shape = [n if self.random.random() < 0.85 else 1 for n in self.base]
        return tuple(shape[self.random.choice([0, 0, 0, 0, 1, len(shape)]) :])

    def axis(self, value):
        return self.random.randrange(-value.ndim, value.ndim)

    # -- statements that make values

    def leaf(self):
        dtype = self.random.choice(self.dtypes)
        value = self.literal(self.some_shape(), dtype)
        self.made += 1
        name = f"v{self.made}"
        imports = self.random.random() < 0.3
        owners = frozenset([name]) if imports else frozenset()
        self.boxes[name] = Box(value.copy(), owners)
        layout = self.random.choice(LAYOUTS) if imports else ""
        kind = "import" if imports else "leaf"
        self.statements.append(Statement(kind, (name,), text=layout, p=value))

    def unary(self):
        name = self.pick()
        if name is not None:
            texts = [t for k in kinds_of(self.boxes[name].value.dtype) for t in UNARY[k]]
            self.add(self.random.choice(texts), [name])

    def copied(self):
        name = self.pick()
        if name is not None:
            self.add(self.random.choice(COPIES), [name])

    def cast(self):
        name = self.pick(lambda v: v.dtype.kind != "c")
        if name is None:
            return
        value, dtype = self.boxes[name].value, self.random.choice(self.dtypes)
        if dtype in INTEGERS and value.size:
            limits = np.iinfo(dtype)
            if int(value.min()) < limits.min or int(value.max()) > limits.max:
                return
        elif dtype in LIMITS and value.size and np.max(np.abs(value)) > LIMITS[dtype]:
            return
        self.add("xp.astype({0}, getattr(xp, {p}))", [name], dtype)

    def two(self):
        """Two names of one dtype whose shapes broadcast, or None."""
        first = self.pick()
        if first is None:
            return None
        x = self.boxes[first].value

        def suits(y):
            try:
                shape = np.broadcast_shapes(x.shape, y.shape)
            except ValueError:
                return False
            return y.dtype == x.dtype and np.prod(shape) <= self.max_size

        return first, self.pick(suits)

    def binary(self):
        names = self.two()
        if names is not None:
            texts = [t for k in kinds_of(self.boxes[names[0]].value.dtype) for t in BINARY[k]]
            self.add(self.random.choice(texts), names)

    def compared(self):
        names = self.two()
        if names is not None:
            ordered = "real" in kinds_of(self.boxes[names[0]].value.dtype)
            self.add(self.random.choice(COMPARED + ORDERED * ordered), names)

    def scalar(self):
        name = self.pick(lambda v: v.dtype != bool)
        if name is not None:
            text = self.random.choice(["{0} + {p}", "{p} - {0}", "{0} * {p}", "{p} + {0}"])
            self.add(text, [name], self.random.randint(0, 3))

    def reduced(self):
        name = self.pick()
        if name is None:
            return
        value = self.boxes[name].value
        kinds = [k for k in kinds_of(value.dtype) if k in REDUCED]
        op = self.random.choice([op for k in kinds for op in REDUCED[k]])
        p = {}
        if value.ndim and self.random.random() < 0.7:
            p["axis"] = self.axis(value)
        if self.random.random() < 0.5:
            p["keepdims"] = True

        def bound(x):
            return op != "sum" or is_exact_sum(np.sum(np.abs(x), axis=p.get("axis")), x.dtype)

        self.add(f"xp.{op}({{0}}, **{{p}})", [name], p, bound=bound)

    def by_axis(self):
        """A reduction whose result meets what was reduced, as in a normalisation."""
        name = self.pick(lambda v: v.ndim > 0 and v.dtype != bool and v.dtype.kind != "c")
        if name is None:
            return
        text = self.random.choice([
            "{0} - xp.max({0}, axis={p}, keepdims=True)",
            "xp.where({0} == xp.min({0}, axis={p}, keepdims=True), {0}, 1)",
            "xp.sum({0} * {0}, axis={p})",
            "xp.max({0} + 1, axis={p}) - 1",
        ])  # fmt: skip
        axis = self.axis(self.boxes[name].value)
        self.add(text, [name], axis, bound=lambda x: is_exact_sum(
            np.sum(np.square(x.astype(np.float64)), axis=axis), x.dtype))  # fmt: skip

    def scanned(self):
        name = self.pick(lambda v: v.ndim > 0 and v.dtype != bool)
        if name is None:
            return
        value = self.boxes[name].value
        axis = self.axis(value)
        texts = ["xp.cumulative_sum({0}, axis={p}, dtype={0}.dtype)"]
        if value.dtype.kind != "c":
            texts += ["ordered(xp, {0}, {p})", "xp.diff({0}, axis={p})"]
        self.add(self.random.choice(texts), [name], axis,
                 bound=lambda x: is_exact_sum(np.sum(np.abs(x), axis=axis), x.dtype))  # fmt: skip

    def product(self):
        name = self.pick(lambda v: v.ndim >= 2 and v.dtype != bool)
        if name is None:
            return
        x = self.boxes[name].value
        rows = x.size // max(x.shape[-1], 1)

        def suits(y):
            return (
                y.dtype == x.dtype
                and y.ndim in (1, 2)
                and y.shape[0] == x.shape[-1]
                and rows * (y.size // max(len(y), 1)) <= self.max_size
            )

        other = self.pick(suits)
        if other is not None:
            self.add("{0} @ {1}", [name, other], bound=is_exact_product)
        elif x.ndim == 2 and rows * rows <= self.max_size:
            self.add("{0} @ {0}.T", [name], bound=lambda x: is_exact_product(x, x.T))

    def moved(self):
        name = self.pick(lambda v: v.ndim > 0)
        if name is None:
            return
        value = self.boxes[name].value
        axis = self.axis(value)
        text, p = self.random.choice([
            ("xp.roll({0}, {p}[0], axis={p}[1])", (self.random.randint(-3, 3), axis)),
            ("xp.repeat({0}, {p}[0], axis={p}[1])", (self.random.randint(0, 3), axis)),
            ("xp.tile({0}, {p})", (self.random.randint(1, 2),)),
            ("xp.take({0}, xp.asarray({p}[0]), axis={p}[1])", (self.indices(value, axis), axis)),
            ("xp.tril({0})" if value.ndim > 1 else "{0} + 0", None),
            ("hadamard(xp, {0})", None),
            ("{0}[{p}]", self.boolean(value)),
        ])  # fmt: skip
        if text.startswith("hadamard"):
            self.add(text, [name], bound=lambda x: x.dtype in (np.float32, np.float64)
                     and x.shape[-1] in (1, 2, 4, 8, 64)
                     and is_exact_sum(np.sum(np.abs(x), axis=-1), x.dtype))  # fmt: skip
        else:
            self.add(text, [name], p)

    def indices(self, value, axis):
        count = value.shape[axis]
        wanted = self.random.randint(0, 5) if count else 0
        return [self.random.randrange(-count, count) for _ in range(wanted)] or np.zeros(0, int)

    def boolean(self, value):
        rng = np.random.default_rng(self.random.randrange(2**32))
        return rng.integers(0, 2, value.shape[0]).astype(bool)

    def joined(self):
        first = self.pick(lambda v: v.ndim > 0)
        if first is None:
            return
        x = self.boxes[first].value
        axis = self.axis(x)

        def suits(y):
            rest = list(range(x.ndim))
            del rest[axis]
            return y.dtype == x.dtype and y.ndim == x.ndim and all(
                x.shape[d] == y.shape[d] for d in rest)  # fmt: skip

        names = [first] + [self.pick(suits) for _ in range(self.random.randint(1, 2))]
        slots = ", ".join(f"{{{i}}}" for i in range(len(names)))
        op = self.random.choice(["concat", "concat", "stack"])
        self.add(f"xp.{op}([{slots}], axis={{p}})", names, axis)

    def parts(self):
        """Ops with several results."""
        name = self.pick(lambda v: v.ndim > 0)
        if name is None:
            return
        value = self.boxes[name].value
        axis = self.axis(value)
        text, views = self.random.choice([
            ("xp.split({0}, 2, axis={p})", True),
            ("xp.unstack({0}, axis={p})[:4]", True),
            ("divmod({0}, 3)", False),
            ("xp.broadcast_arrays({0}, {0}[:1])", True),
            ("xp.nonzero({0})", False),
        ])  # fmt: skip
        if text.startswith("divmod") and "real" not in kinds_of(value.dtype):
            return
        if text.startswith("xp.nonzero") and value.size > 5000:
            return
        self.add(text, [name], axis, views=views)

    def view(self):
        name = self.pick()
        if name is None:
            return
        value = self.boxes[name].value
        choices = [("xp.expand_dims({0}, axis=0)", None), ("xp.reshape({0}, (-1,))", None)]
        if value.ndim:
            axis = self.axis(value)
            order = list(range(value.ndim))
            self.random.shuffle(order)
            choices += [
                ("{0}[{p}]", self.index(value)), ("{0}[{p}]", self.index(value)),
                ("xp.flip({0}, axis={p})", axis), ("xp.permute_dims({0}, {p})", tuple(order)),
                ("xp.moveaxis({0}, 0, {p})", axis), ("{0}[..., None]", None),
                ("xp.broadcast_to({0}, {p})", (self.random.randint(1, 3), *value.shape)),
                ("xp.swapaxes({0}, 0, {p})", axis),
            ]  # fmt: skip
        if value.ndim == 2:
            choices += [("xp.diagonal({0})", None), ("{0}.T", None)]
        if value.dtype.kind == "c":
            choices += [("xp.real({0})", None), ("xp.imag({0})", None)] * 3
        if value.ndim and value.dtype == np.int32:
            choices += [("bits(xp, {0}, {p})", "uint8")]
        text, p = self.random.choice(choices)
        self.add(text, [name], p, views=True)

    def index(self, value):
        """Slices and integers."""
        index = []
        for n in value.shape[: self.random.randint(1, value.ndim)]:
            if n and self.random.random() < 0.25:
                index.append(self.random.randrange(-n, n))
                continue
            bounds = [None if self.random.random() < 0.5 else self.random.randint(-n, n)
                      for _ in range(2)]  # fmt: skip
            index.append(slice(*bounds, self.random.choice([None, None, 1, 2, -1, -2, 3])))
        return tuple(index)

    # -- statements that change what a name means

    def rebind(self, name, value, statement):
        if not is_exact(value):
            return
        box = self.boxes[name]
        box.value, box.owners = value, frozenset()
        self.statements.append(statement)

    def in_place(self):
        names = self.two()
        if names is None:
            return
        x, y = (self.boxes[name].value for name in names)
        if np.broadcast_shapes(x.shape, y.shape) != x.shape:
            return
        op = self.random.choice("&|^" if x.dtype == bool else "+-*")
        if x.dtype != bool and self.random.random() < 0.5:
            y = self.random.randint(0, 3)
            statement = Statement("in_place", (), (names[0],), op, y)
        else:
            statement = Statement("in_place", (), tuple(names), op)
        value = np.asarray(IN_PLACE[op](x.copy(), y))
        self.rebind(names[0], value, statement)

    def set_item(self):
        name = self.pick(lambda v: v.ndim > 0 and v.size > 0)
        if name is None:
            return
        value = self.boxes[name].value.copy()
        draw = self.random.random()
        if draw < 0.6:
            index = self.index(value)
        elif draw < 0.8:
            index = self.boolean(value)
        else:
            index = np.asarray(sorted(set(np.asarray(self.indices(value, 0)) % len(value))), int)
        shape = value[index].shape

        def suits(v):
            return v.dtype == value.dtype and v.shape in (shape, shape[1:], ())

        other = self.pick(suits) if self.random.random() < 0.6 else None
        if other is None:
            p = (index, bool(self.random.randint(0, 1)) if value.dtype == bool
                 else self.random.randint(0, 4))  # fmt: skip
            value[index] = p[1]
            self.rebind(name, value, Statement("set", (), (name,), p=p))
        else:
            value[index] = self.boxes[other].value
            self.rebind(name, value, Statement("set", (), (name, other), p=(index, None)))

    def at(self):
        name = self.pick(lambda v: v.ndim > 0 and v.shape[0] > 0 and v.dtype != bool)
        if name is None:
            return
        value = self.boxes[name].value
        index = np.asarray(self.indices(value, 0), int)
        op = self.random.choice(["add", "multiply"])
        text = f"updated_at(xp, {{0}}, xp.asarray({{p}}[0]), {{p}}[1], '{op}')"
        self.add(text, [name], (index, self.random.randint(0, 2)))

    def updated(self):
        """What a step of an iteration does: keep what was, update, look at what changed."""
        name = self.pick(lambda v: v.dtype != bool)
        if name is None:
            return
        if self.random.random() < 0.7:
            self.statements.append(Statement("evaluate", (), (name,), "eval"))
        old = self.add(self.random.choice([*COPIES, "{0} + 0", "{0} * 2"]), [name])
        if old is None:
            return
        p = self.random.randint(1, 3)
        value = np.asarray(
            self.boxes[name].value - np.asarray(p).astype(self.boxes[name].value.dtype)
        )
        self.rebind(name, value, Statement("in_place", (), (name,), "-", p))
        if self.random.random() < 0.5:
            self.add("{0} - {1}", [name, *old])
        if self.random.random() < 0.7:
            self.evaluated()

    def by_row(self):
        """A value that is computed from a row and meets the rows of a matrix."""
        matrix = self.pick(lambda v: v.ndim >= 2 and v.dtype != bool)
        if matrix is None:
            return
        x = self.boxes[matrix].value
        row = self.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape[1:])
        if row is None:
            row, *_ = self.add("{0}[0] * 1", [matrix]) if x.shape[0] else (None,)
        made = row and self.add("{0} * 2", [row])
        made = made and self.add("{0} + 1", made)
        if not made:
            return
        if self.random.random() < 0.5:
            self.forget(row)
        self.add("{0} * {1}", [matrix, *made])
        if self.random.random() < 0.7:
            self.evaluated()

    def forget(self, name):
        del self.boxes[name]
        self.statements.append(Statement("drop", (), (name,)))

    def alias(self):
        name = self.pick()
        if name is not None:
            self.made += 1
            self.boxes[f"v{self.made}"] = self.boxes[name]
            text = self.random.choice(["{0}", "xp.asarray({0})"])
            self.statements.append(Statement("alias", (f"v{self.made}",), (name,), text))

    def drop(self):
        if len(self.boxes) > 1:
            self.forget(self.pick())

    # -- statements that ask for values

    def some_names(self, most=MAX_NAMES):
        count = min(len(self.boxes), self.random.randint(1, most))
        return tuple(self.random.sample(sorted(self.boxes), count))

    def evaluated(self):
        how = self.random.choice(["eval", "eval", "eval", "async_eval", "threads"])
        self.statements.append(Statement("evaluate", (), self.some_names(), how))

    def numpys(self):
        self.statements.append(Statement("compare", (), self.some_names(1)))

    def exported(self):
        """What is exported stays as it is, whatever becomes of the array."""
        name = self.random.choice(sorted(self.boxes))
        if not self.boxes[name].owners:
            self.statements.append(Statement("export", (), (name,)))

    def shared(self):
        """The array's own memory comes back as another array."""
        name = self.random.choice(sorted(self.boxes))
        self.add("xp.from_dlpack({0})", [name], views=True)

    def streamed(self):
        self.statements.append(Statement("stream", p=self.random.randint(0, 1)))

    def owner_writes(self):
        """The owner of imported memory writes it once nothing pending and no name reads it."""
        owners = sorted({o for box in self.boxes.values() for o in box.owners})
        if not owners:
            return
        owner = self.random.choice(owners)
        for name in [n for n, box in self.boxes.items() if owner in box.owners]:
            del self.boxes[name]
        self.statements.append(Statement("owner", p=owner))


def write_program(seed):
    with np.errstate(all="ignore"):
        return Writer(seed).write()
