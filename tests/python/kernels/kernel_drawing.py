# SPDX-License-Identifier: Apache-2.0
"""Random kernels: statements, arrays, functions and loops around the expressions of kernel_trees.

A program writes its own source and runs itself. Loops that run in parallel write elements at their
own index, and update others by operators whose order does not matter.
"""

import itertools
import math

import numpy as np
from kernel_outside import OutsideStatements
from kernel_places import PlaceStatements
from kernel_storage import HIGH, LOW, Array
from kernel_trees import Drawing
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

KEPT = [*INTS, "u1", "f32", "f64", "f16", "bf16"]


class Leave(Exception):
    """break or continue of a loop, or the return of a function."""

    def __init__(self, word, value=None):
        self.word, self.value = word, value


class Function:
    """A function of the program, which may return early."""

    def __init__(self, program, name):
        draw = program.draw
        self.name = name
        types = [draw.pick(*KEPT) for _ in range(draw.random.randrange(1, 4))]
        self.parameters = [(t, *program.size_of(t)) for t in types]
        self.names = [f"{name}_{k}" for k in range(len(types))]
        kept = draw.scope, draw.vectors, draw.arrays
        draw.scope = [(n, *p) for n, p in zip(self.names, self.parameters, strict=True)]
        draw.vectors, draw.arrays = [], []
        self.t = draw.pick(*KEPT)
        self.high, self.low = program.size_of(self.t)
        condition, first, last = (
            draw.condition(),
            program.value_for(self.t),
            program.value_for(self.t),
        )
        draw.scope, draw.vectors, draw.arrays = kept
        annotated = ", ".join(
            f"{n}: qd.{p[0]}" for n, p in zip(self.names, self.parameters, strict=True)
        )
        self.lines = [
            "@qd.func",
            f"def {name}({annotated}) -> qd.{self.t}:",
            f"    if {condition.text}:",
            f"        return {first.text}",
            f"    return {last.text}",
        ]
        self.body = condition, first, last

    def run(self, env, values):
        inner = dict(zip(self.names, values, strict=True))
        condition, first, last = self.body
        return cast(self.t, (first if condition.run(inner) else last).run(inner))


class Program(PlaceStatements, OutsideStatements):
    """A kernel over arrays of every kind."""

    def __init__(self, seed, size=30):
        draw = self.draw = Drawing(seed, "i32", "f32")
        draw.ip, draw.fp = draw.pick("i32", "i32", "i64"), draw.pick("f32", "f32", "f64")
        self.names = (f"t{n}" for n in itertools.count())
        self.all = self.make_arrays()
        draw.functions = []
        for k in range(2):
            draw.functions = [*draw.functions, Function(self, f"f{k}")]
        draw.arrays = list(self.all)
        self.head, self.start = [], []
        self.declare_variables()
        self.lines, self.runs = [], []
        for _ in range(size):
            lines, run = self.top_statement()
            self.lines += lines
            self.runs.append(run)
        self.between = self.make_between(4)

    def size_of(self, t):
        return (HIGH, LOW) if is_float(t) else (WIDTHS[t], 0)

    def make_arrays(self):
        draw, arrays = self.draw, []
        for k, t in enumerate(["i32", draw.pick(*INTS), draw.pick(*KEPT), draw.pick("f32", "f64")]):
            shape = draw.pick((4,), (4,), (4, 2), ())
            offset = draw.pick(None, None, (-2,) * len(shape)) if shape else None
            arrays.append(Array(f"x{k}", t, shape, (), offset))
        arrays[3].needs_grad, arrays[3].needs_dual = True, draw.chance(50)
        arrays.append(Array("x3.grad", arrays[3].t, arrays[3].shape, (), arrays[3].offset))
        arrays.append(Array("v", draw.pick(*INTS, "f32"), (4,), (draw.pick(2, 3),)))
        arrays.append(Array("m", draw.pick(*INTS, "f64"), draw.pick((2,), (2, 2)), (2, 2)))
        for member, element in (("a", ()), ("b", ()), ("w", (2,))):
            arrays.append(Array("s", draw.pick(*KEPT), (4,), element, None, member))
        arrays.append(Array("n0", draw.pick(*INTS, "f32", "f64"), (4,)))
        arrays.append(Array("n1", draw.pick(*INTS, "f32", "f64"), (4, 2)))
        return arrays

    def declare_variables(self):
        draw = self.draw
        for k in range(6):
            t = draw.pick(*KEPT)
            x = draw.random.randrange(0, 100) if t in INTS else draw.random.randrange(16) / 4
            x = cast(t, x)
            self.head.append(f"c{k} = qd.{t}({x})")
            self.start.append((f"c{k}", x))
            draw.scope.append((f"c{k}", t, *self.size_of(t)))
        for k, shape in enumerate([(2,), (3,), (4,), (2, 2), (2, 3), (3, 3)]):
            t = draw.pick(*INTS)
            items = [draw.random.randrange(0, 50) for _ in range(math.prod(shape))]
            text = items
            if len(shape) == 2:
                text = [items[i : i + shape[1]] for i in range(0, len(items), shape[1])]
            maker = "Vector" if len(shape) == 1 else "Matrix"
            self.head.append(f"u{k} = qd.{maker}({text}, qd.{t})")
            self.start.append((f"u{k}", items))
            draw.vectors.append((f"u{k}", t, shape, WIDTHS[t], 0))

    # Values.

    def value_for(self, t, depth=3):
        """An expression that may be assigned to a place of a dtype."""
        e = self.draw.scalar(depth)
        if is_float(t):
            if e.high <= HIGH and e.low <= LOW and fits(t, e.high, e.low):
                return e
            return (
                self.draw.narrowed(e)
                if not is_float(e.t)
                else self.draw.narrowed(self.draw.compared())
            )
        if is_float(e.t) and t != "u1":
            e = self.draw.condition(1)
        return e

    # Statements: (lines, run).

    def top_statement(self):
        kind = self.draw.random.randrange(12)
        if kind < 3:
            return self.parallel()
        if kind == 3:
            return self.fill()
        return self.statement(2, True)

    def statement(self, depth, at_top=False, in_loop=False):
        kinds = [self.assign, self.assign, self.augment, self.store, self.store, self.update]
        kinds += [self.vector, self.vector, self.item, self.part, self.element]
        kinds += [self.swap, self.atomic, self.checked]
        if depth:
            kinds += [self.branch, self.branch, self.loop, self.turns, self.unrolled]
        if in_loop and self.draw.chance(8):
            word = self.draw.pick("break", "continue")
            c = self.draw.condition(1)

            def leave(env):
                if c.run(env):
                    raise Leave(word)

            return [f"if {c.text}:", f"    {word}"], leave
        kind = self.draw.pick(*kinds)
        if kind in (self.branch, self.loop, self.turns, self.unrolled):
            return kind(depth, at_top, in_loop)
        return kind()

    def block(self, depth, in_loop):
        kept = list(self.draw.scope)
        parts = [
            self.statement(depth, False, in_loop) for _ in range(self.draw.random.randrange(1, 4))
        ]
        if self.draw.chance(40):
            parts.insert(0, self.declared())
            parts.append(self.statement(0, False, in_loop))
        self.draw.scope = kept

        def run(env):
            for _, part in parts:
                part(env)

        return ["    " + line for lines, _ in parts for line in lines], run

    def declared(self):
        name, t = next(self.names), self.draw.pick(*KEPT)
        e = self.value_for(t)
        self.draw.scope.append((name, t, *self.size_of(t)))

        def run(env):
            env[name] = cast(t, e.run(env))

        return [f"{name} = qd.{t}({e.text})"], run

    def variable(self):
        return self.draw.random.choice([v for v in self.draw.scope if v[0][0] == "c"])

    def assign(self):
        name, t = self.variable()[:2]
        e = self.value_for(t)

        def run(env):
            env[name] = cast(t, e.run(env))

        return [f"{name} = {e.text}"], run

    def updated(self, t):
        """An augmented assignment to a place of a dtype: (symbol, expression, new value)."""
        if is_float(t):
            return None
        if t == "u1":
            symbol, run = self.draw.pick(*OPERATORS.items(), ("*", lambda x, y: x * y))
            return symbol, self.draw.condition(1), lambda x, y: bool(run(x, y))
        symbol, run = self.draw.pick(
            ("+", lambda x, y: x + y),
            ("-", lambda x, y: x - y),
            ("*", lambda x, y: x * y),
            ("&", lambda x, y: x & y),
            ("|", lambda x, y: x | y),
            ("^", lambda x, y: x ^ y),
            ("//", floor_divide),
            ("%", remainder),
        )
        e = self.draw.whole(2)
        # Operators that have no atomic compute in the dtype in which both meet.
        common = promote(t, e.t) if symbol in ("//", "%") else t
        return symbol, e, lambda x, y: wrap(t, run(wrap(common, x), wrap(common, y)))

    def augment(self):
        name, t = self.variable()[:2]
        found = self.updated(t)
        if found is None:
            return self.assign()
        symbol, e, new = found

        def run(env):
            env[name] = new(env[name], e.run(env))

        return [f"{name} {symbol}= {e.text}"], run

    def place(self):
        array = self.draw.random.choice(self.draw.arrays)
        return (
            array,
            [self.draw.index(n) for n in array.shape],
            self.draw.random.randrange(array.count),
        )

    def store(self):
        array, indices, item = self.place()
        e = self.value_for(array.t)

        def run(env):
            value = cast(array.t, e.run(env))
            array.set(env, indices, item, value)

        if array.member in ("a", "b") and self.draw.chance(30):
            place = array.text(indices, item).removesuffix(array.member)
            return [f"{place}set_{array.member}({e.text})"], run
        return [f"{array.text(indices, item)} = {e.text}"], run

    def update(self):
        array, indices, item = self.place()
        found = self.updated(array.t)
        if found is None:
            return self.store()
        symbol, e, new = found

        def run(env):
            y = e.run(env)
            array.set(env, indices, item, new(array.get(env, indices, item), y))

        return [f"{array.text(indices, item)} {symbol}= {e.text}"], run

    def atomic(self):
        whole = [a for a in self.draw.arrays if a.t in INTS]
        if not whole:
            return self.assign()
        array = self.draw.random.choice(whole)
        indices = [self.draw.index(n) for n in array.shape]
        item, t = self.draw.random.randrange(array.count), array.t
        name, run_it = self.draw.pick(
            ("add", lambda x, y: x + y),
            ("sub", lambda x, y: x - y),
            ("mul", lambda x, y: x * y),
            ("min", min),
            ("max", max),
            ("and", lambda x, y: x & y),
            ("or", lambda x, y: x | y),
            ("xor", lambda x, y: x ^ y),
            ("exchange", lambda x, y: y),
        )
        e = self.draw.whole(1)
        variable, kept = self.variable()[:2]
        if kept not in INTS:
            return self.store()

        def run(env):
            y, old = wrap(t, e.run(env)), array.get(env, indices, item)
            array.set(env, indices, item, wrap(t, run_it(old, y)))
            env[variable] = wrap(kept, old)

        return [f"{variable} = qd.atomic_{name}({array.text(indices, item)}, {e.text})"], run

    def swap(self):
        (a, ta), (b, tb) = (self.variable()[:2] for _ in range(2))
        if is_float(ta) or is_float(tb) or a == b:
            return self.assign()

        def run(env):
            env[a], env[b] = cast(ta, env[b]), cast(tb, env[a])

        return [f"{a}, {b} = {b}, {a}"], run

    def checked(self):
        c = self.draw.condition()
        return [f"assert {c.text} or True"], lambda env: None

    # Control.

    def branch(self, depth, at_top, in_loop):
        c = self.draw.condition()
        then, run_then = self.block(depth - 1, in_loop)
        other, run_other = self.block(depth - 1, in_loop)
        lines = [f"if {c.text}:", *then, "else:", *other]
        return lines, lambda env: (run_then if c.run(env) else run_other)(env)

    def loop(self, depth, at_top, in_loop):
        name = next(self.names)
        low, high, step = self.draw.pick((0, 3, 1), (1, 4, 1), (3, -1, -1), (0, 5, 2), (2, 2, 1))
        kept = list(self.draw.scope)
        self.draw.scope.append((name, self.draw.ip, 3, 0))
        body, run_body = self.block(depth - 1, True)
        self.draw.scope = kept
        text = f"range({low}, {high}, {step})" if step != 1 else f"range({low}, {high})"
        lines = [f"for {name} in {text}:", *body]
        if at_top:
            lines.insert(0, "qd.loop_config(serialize=True)")

        def run(env):
            for k in range(low, high, step):
                env[name] = k
                if left(run_body, env) == "break":
                    break

        return lines, run

    def turns(self, depth, at_top, in_loop):
        name = next(self.names)
        count = self.draw.random.randrange(1, 4)
        body, run_body = self.block(depth - 1, True)
        lines = [f"{name} = 0", f"while {name} < {count}:", f"    {name} += 1", *body]

        def run(env):
            for _ in range(count):
                if left(run_body, env) == "break":
                    break

        return lines, run

    def unrolled(self, depth, at_top, in_loop):
        name = next(self.names)
        kept = list(self.draw.scope)
        body, run_body = self.block(0, False)
        self.draw.scope = kept
        lines = [f"for {name} in qd.static(range(2)):", *body]

        def run(env):
            for _ in range(2):
                run_body(env)

        return lines, run

    def parallel(self):
        """A loop over an array's indices that runs in parallel."""
        draw = self.draw
        arrays = [a for a in self.all if a.shape]
        written = draw.random.sample(arrays, 2)
        written = [a for a in written if a.shape == written[0].shape]
        shape = written[0].shape
        whole = [a for a in self.all if not is_float(a.t) and a not in written]
        draw.random.shuffle(whole)
        # One operator for each array that iterations share, so that no order matters.
        shared = [(a, draw.pick("+", "-", "&", "|", "^")) for a in whole[:2]]
        kept = draw.scope, draw.arrays, draw.vectors
        outer = [v for v in draw.scope if v[0][0] == "c"]
        total = next((v for v in outer if v[1] in INTS and draw.chance(50)), None)
        operator = draw.pick("+", "-", "^")
        names = [next(self.names) for _ in shape]
        draw.scope = [v for v in outer if v is not total]
        draw.scope += [(name, draw.ip, 3, 0) for name in names]
        draw.arrays = [
            a for a in self.all if a not in written and all(a is not s for s, _ in shared)
        ]
        lines, runs = [], []
        for _ in range(draw.random.randrange(1, 3)):
            text, run = self.declared()
            lines += text
            runs.append(run)
        indices = [Expr(n, lambda env, n=n: env[n], draw.ip, 3) for n in names]
        for array in written:
            item, e = draw.random.randrange(array.count), self.value_for(array.t)
            lines.append(f"{array.text(indices, item)} = {e.text}")
            runs.append(
                lambda env, a=array, k=item, e=e: a.set(env, indices, k, cast(a.t, e.run(env)))
            )
        for array, symbol in shared:
            at, item, e = (
                [draw.index(n) for n in array.shape],
                draw.random.randrange(array.count),
                draw.condition(1) if array.t == "u1" else draw.whole(1),
            )
            lines.append(f"{array.text(at, item)} {symbol}= {e.text}")
            runs.append(self.sharing(array, at, item, symbol, e))
        if total is not None:
            e = draw.whole(2)
            lines.append(f"{total[0]} {operator}= {e.text}")
            runs.append(self.summing(total, operator, e))
        draw.scope, draw.arrays, draw.vectors = kept
        return self.heading(written[0], names, lines), self.running(shape, names, runs)

    def heading(self, array, names, lines):
        target = ", ".join(names)
        ranges = ", ".join(map(str, array.shape))
        form = self.draw.random.randrange(3)
        if form == 0 and not array.offset and not array.member:
            head = f"for {target} in {array.name}:"
        elif len(names) == 1 and form == 1:
            head = f"for {target} in range({ranges}):"
        else:
            head = f"for {target} in qd.ndrange({ranges}):"
        return [head, *("    " + line for line in lines)]

    def running(self, shape, names, runs):
        def run(env):
            for indices in itertools.product(*map(range, shape)):
                env.update(zip(names, indices, strict=True))
                for part in runs:
                    part(env)

        return run

    def sharing(self, array, at, item, symbol, e):
        op = OPERATORS[symbol]

        def run(env):
            y = wrap(array.t, e.run(env))
            array.set(env, at, item, wrap(array.t, op(array.get(env, at, item), y)))

        return run

    def summing(self, total, symbol, e):
        name, t = total[:2]

        def run(env):
            env[name] = wrap(t, OPERATORS[symbol](env[name], wrap(t, e.run(env))))

        return run

    # The whole.

    @property
    def field_names(self):
        """The fields that the module is made with."""
        return sorted({a.name for a in self.all if a.is_field and "." not in a.name})

    def source(self):
        """A module with make(fields), which gives the kernel, and what runs between launches."""
        n0, n1 = (next(a.t for a in self.all if a.name == n) for n in ("n0", "n1"))
        out = ["import numpy as np", "", "import joggle.fields as qd", ""]
        out += [f"def make({', '.join([*self.field_names, 'out'])}):"]
        for function in self.draw.functions:
            out += ["    " + line for line in function.lines]
        out += [
            "    @qd.kernel",
            f"    def run(n0: qd.types.ndarray(qd.{n0}, 1), n1: qd.types.ndarray(qd.{n1}, 2)):",
        ]
        body = [*self.head, *self.lines]
        for k in range(6):
            t = self.draw.scope[k][1]
            body.append(
                f"out[{k}] = qd.cast({self.draw.scope[k][0]}, qd.f64)"
                if is_float(t)
                else f"out[{k}] = qd.cast(qd.i64(c{k}) & 0xFFFFFF, qd.f64)"
            )
        at = 6
        for name, _, shape, _, _ in self.draw.vectors:
            for place in np.ndindex(shape):
                index = ", ".join(map(str, place))
                body.append(f"out[{at}] = qd.cast(qd.i64({name}[{index}]) & 0xFFFFFF, qd.f64)")
                at += 1
        out += ["        " + line for line in body]
        out += ["    def between():", *("        " + line for line in self.between[0])]
        out += ["    return run, between", ""]
        return "\n".join(out)

    def expected_out(self, env):
        found = []
        for k in range(6):
            x = env[f"c{k}"]
            found.append(x if is_float(self.draw.scope[k][1]) else int(x) & 0xFFFFFF)
        for name, _, _, _, _ in self.draw.vectors:
            found += [x & 0xFFFFFF for x in env[name]]
        return [float(x) for x in found]


def left(run, env):
    """Runs the body of a loop; gives the word that it was left by."""
    try:
        run(env)
    except Leave as leave:
        return leave.word
    return None


OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
}
