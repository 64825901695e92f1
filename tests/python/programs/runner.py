# SPDX-License-Identifier: Apache-2.0
"""Runs programs in joggle beside NumPy, and makes those that differ short."""

import threading

import numpy as np
from statements import IN_PLACE, Box, Statement, function_of

import joggle as jg


class Difference(AssertionError):
    pass


def compare(found, expected, what):
    found = np.asarray(found)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        raise Difference(
            f"{what} is {found.dtype}{found.shape}, not {expected.dtype}{expected.shape}"
        )
    if not np.array_equal(found, expected):
        at = int(np.flatnonzero(np.atleast_1d(found != expected))[0])
        raise Difference(
            f"{what}, {expected.dtype}{expected.shape}, differs at element {at}: "
            f"{found.flat[at]} is not {expected.flat[at]}"
        )


def laid_out(value, layout):
    """NumPy's memory of the value, as it is, turned, in reverse, with gaps, or not aligned."""
    match layout if value.ndim else "":
        case "turned":
            return np.array(value, order="F")
        case "reverse":
            return np.flip(np.flip(value).copy())
        case "gaps":
            wide = np.zeros(tuple(2 * n for n in value.shape), value.dtype)
            memory = wide[(slice(None, None, 2),) * value.ndim]
        case "window":
            wide = np.zeros(tuple(n + 3 for n in value.shape), value.dtype)
            memory = wide[tuple(slice(1, n + 1) for n in value.shape)]
        case _:
            memory = value.copy()
    memory[...] = value
    return memory


class Run:
    """A program under way, in joggle and in NumPy. Names that are not there are passed over, so
    that a part of a program is one as well."""

    streams = ()

    def __init__(self, statements):
        self.statements = statements
        self.arrays, self.boxes = {}, {}
        self.owners = {}  # name: memory of NumPy's that was imported, and what it has to hold
        self.exports = []

    def run(self):
        try:
            for statement in self.statements:
                if all(name in self.arrays for name in statement.ins):
                    getattr(self, "do_" + statement.kind)(statement)
            self.finish()
        finally:
            self.do_stream(Statement("stream", p=0))

    def finish(self):
        for number, (memory, expected) in enumerate(self.exports):
            compare(memory, expected, f"export {number}")
        for name in list(self.arrays):
            compare(self.arrays[name], self.boxes[name].value, name)
        for name, (memory, expected) in self.owners.items():
            compare(memory, expected, f"the owner's memory of {name}")
        for number, (memory, expected) in enumerate(self.exports):
            compare(memory, expected, f"export {number} in the end")

    def do_leaf(self, s):
        self.arrays[s.out[0]] = jg.array(s.p, copy=True)
        self.boxes[s.out[0]] = Box(s.p)

    def do_import(self, s):
        memory = laid_out(s.p, s.text)
        self.owners[s.out[0]] = (memory, s.p)
        self.arrays[s.out[0]] = jg.asarray(memory)
        self.boxes[s.out[0]] = Box(s.p, frozenset(s.out))

    def results(self, s):
        function = function_of(s.text)
        if "from_dlpack" in s.text:
            yield self.boxes[s.ins[0]].value
        else:
            yield function(np, s.p, *(self.boxes[name].value for name in s.ins))
        yield function(jg, s.p, *(self.arrays[name] for name in s.ins))

    def owners_under(self, s):
        return frozenset().union(*(self.boxes[n].owners for n in s.ins)) if s.views else frozenset()

    def do_value(self, s):
        expected, found = self.results(s)
        self.boxes[s.out[0]] = Box(np.asarray(expected), self.owners_under(s))
        self.arrays[s.out[0]] = found

    def do_values(self, s):
        expected, found = self.results(s)
        if len(expected) != len(found):
            raise Difference(f"{s.text} gave {len(found)} results, not {len(expected)}")
        for name, one, other in zip(s.out, expected, found, strict=False):
            self.boxes[name] = Box(np.asarray(one), self.owners_under(s))
            self.arrays[name] = other

    def do_in_place(self, s):
        box = self.boxes[s.ins[0]]
        box.owners = frozenset()
        name, x = s.ins[0], self.arrays[s.ins[0]]
        run = IN_PLACE[s.text]
        if len(s.ins) > 1:
            box.value = np.asarray(run(box.value.copy(), self.boxes[s.ins[1]].value))
            found = run(x, self.arrays[s.ins[1]])
        else:
            box.value = np.asarray(run(box.value.copy(), s.p))
            found = run(x, s.p)
        if found is not x:
            raise Difference(f"{name} {s.text}= is another object")

    def do_set(self, s):
        box, (index, number) = self.boxes[s.ins[0]], s.p
        value = box.value.copy()
        value[index] = self.boxes[s.ins[1]].value if len(s.ins) > 1 else number
        box.value, box.owners = value, frozenset()
        if isinstance(index, np.ndarray):
            index = jg.asarray(index)
        self.arrays[s.ins[0]][index] = self.arrays[s.ins[1]] if len(s.ins) > 1 else number

    def do_alias(self, s):
        self.arrays[s.out[0]] = function_of(s.text)(jg, None, self.arrays[s.ins[0]])
        self.boxes[s.out[0]] = self.boxes[s.ins[0]]

    def do_drop(self, s):
        del self.arrays[s.ins[0]], self.boxes[s.ins[0]]

    def do_evaluate(self, s):
        arrays = [self.arrays[name] for name in s.ins]
        if s.text != "threads":
            getattr(jg, s.text)(*arrays)
            return
        barrier = threading.Barrier(2)

        def work(mine):
            barrier.wait()
            jg.eval(*mine)

        workers = [threading.Thread(target=work, args=(mine,))
                   for mine in (arrays, arrays[::-1][: len(arrays) // 2 + 1])]  # fmt: skip
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def do_compare(self, s):
        compare(self.arrays[s.ins[0]], self.boxes[s.ins[0]].value, s.ins[0])

    def do_export(self, s):
        memory = np.from_dlpack(self.arrays[s.ins[0]])
        self.exports.append((memory, self.boxes[s.ins[0]].value))

    def do_stream(self, s):
        if not Run.streams:
            Run.streams = [jg.default_stream(), jg.new_stream("cpu")]
        jg.set_default_stream(Run.streams[s.p])

    def do_owner(self, s):
        jg.eval(*self.arrays.values())
        for name in [n for n, box in self.boxes.items() if s.p in box.owners]:
            del self.arrays[name], self.boxes[name]
        if s.p in self.owners:
            memory, _ = self.owners[s.p]
            memory[...] = 1
            self.owners[s.p] = (memory, np.ones_like(memory))


def failure_of(statements):
    """What went wrong, as text; None if nothing did."""
    try:
        with np.errstate(all="ignore"):
            Run(statements).run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def minimise(statements):
    """Leaves out what the failure does not need."""
    size = max(1, len(statements) // 2)
    while size:
        at = 0
        while at < len(statements):
            fewer = statements[:at] + statements[at + size :]
            if any(failure_of(fewer) is not None for _ in range(3)):
                statements = fewer
            else:
                at += size
        size //= 2
    return statements
