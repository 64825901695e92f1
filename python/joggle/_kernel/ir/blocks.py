# SPDX-License-Identifier: Apache-2.0
"""Blocks of threads on a CPU: a parallel loop whose iterations meet at barriers.

Such a loop runs over blocks, each with a loop over its threads. The body is cut at the barriers
into runs, and each run has a loop over the threads of its own. What one run computes and another
uses is kept in an array with an element for each thread, and so are variables that several runs
use. An if or a loop with a barrier inside goes round the runs: an array, its mask, tells which
threads take part, and it goes on as long as one does.
"""

import re
from contextlib import contextmanager

from joggle import _core

from .emit import constant_text
from .messages import KernelTypeError
from .scalar import Scalar

BARRIER = "barrier"  # a line of a block that the cut takes out
_DEFAULT_SIZE = 128  # threads in a block, where loop_config says nothing
_MOST_NBYTES = _core._max_kernel_local_nbytes * 3 // 4  # of arrays for threads

DEFINITION = re.compile(r"(%\w+):(\w+) = ")
_VALUE = re.compile(r"%\w+")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
OF_LOCAL = re.compile(
    r"(?P<what>set|%\w+:\w+ = get|%\w+:\w+ = atomic \w+) (?P<name>l\d+)"
    r"(?: \[(?P<index>%\w+)\])?(?P<rest>.*)"
)
DECLARATION = re.compile(r"local (l\d+) (\w+)(?: (\d+))?$")
_RANGE = re.compile(r"(%\w+):(\w+) = (%\w+) to (%\w+)")
FOR = re.compile(r"for (%\w+):(\w+) = (%\w+) to (%\w+)(?: step (-?\d+))?")


def team_of(emitter):
    """The threads that share a block with what is written now; None where there is only one, as
    outside of parallel loops."""
    region = emitter.block.region
    if region is emitter.root:
        return None
    if region.team is None:
        region.team = Team(emitter, region)
    return region.team


class Team:
    """The threads of a block. size: how many; thread, block: values that tell their numbers."""

    def __init__(self, emitter, region):
        given = re.search(r" block (\d+)$", region.head)
        self.size = int(given[1]) if given else _DEFAULT_SIZE
        self.thread = Scalar(emitter, f"%{emitter.number()}", "int32")
        self.block = Scalar(emitter, f"%{emitter.number()}", "int64")
        self.emitter, self.region = emitter, region

    def array(self, dtype, count):
        """The name of a new array that the block shares."""
        name = f"l{self.emitter.number()}"
        self.region.constant_lines.append(f"local {name} {dtype} {count}")
        return name

    def settle(self, outer):
        """Writes the loop over blocks in the place of that over iterations, which is the last thing
        in outer."""
        outer.lines.remove(self.region)
        _Cut(self, outer).write()
        outer.lines.append(self.region)


class Nest:
    """An if or a loop as text: its head, what is inside, and what an if does otherwise. is_cut:
    whether a barrier is inside."""

    def __init__(self, head):
        self.head, self.body, self.other = head, [], []

    @property
    def kind(self):
        return self.head.split()[0]

    @property
    def is_loop(self):
        return self.kind != "if"

    @property
    def is_cut(self):
        return _is_cut(self.body) or _is_cut(self.other)


class Run:
    """Lines and nests between two barriers: values that it defines, by name, those that it uses,
    and variables."""

    def __init__(self, nodes):
        self.nodes, self.defined, self.used = nodes, {}, set()
        self.declared, self.locals = {}, set()
        for text in _texts(nodes):
            self._read(text)

    def _read(self, text):
        text = _TEXT.sub("", text)
        loop, found = FOR.match(text), DEFINITION.match(text)
        if loop or found:
            name, dtype = (loop or found).group(1, 2)
            self.defined[name] = dtype
        self.used |= set(_VALUE.findall(text)) - set(self.defined)
        declared, of_local = DECLARATION.match(text), OF_LOCAL.match(text)
        if declared:
            name, dtype, count = declared.groups()
            self.declared[name] = dtype, int(count or 0)
        if declared or of_local:
            self.locals.add(declared[1] if declared else of_local["name"])


def _is_cut(nodes):
    return any(x == BARRIER if isinstance(x, str) else x.is_cut for x in nodes)


def _texts(nodes):
    """All lines, heads of nests too."""
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield node.head
            yield from _texts(node.body)
            yield from _texts(node.other)


def parsed(lines):
    """Lines with braces as lines and nests."""
    root = []
    inside = [root]
    nests = []
    for text in map(str.strip, lines):
        if text == "}":
            inside.pop()
            nests.pop()
        elif text == "} else {":
            inside[-1] = nests[-1].other
        elif text.endswith(" {"):
            nests.append(Nest(text.removesuffix(" {")))
            inside[-1].append(nests[-1])
            inside.append(nests[-1].body)
        else:
            inside[-1].append(text)
    return root


def _parts(nodes):
    """Runs, and between them nests with barriers inside, whose parts are runs in turn."""
    parts, run = [], []
    for node in [*nodes, BARRIER]:
        is_nest = isinstance(node, Nest)
        if not (node == BARRIER or (is_nest and node.is_cut)):
            run.append(node)
            continue
        if run:
            parts.append(Run(run))
            run = []
        if is_nest:
            node.parts, node.other_parts = _parts(node.body), _parts(node.other)
            parts.append(node)
    return parts


def _runs(parts):
    for part in parts:
        if isinstance(part, Run):
            yield part
        else:
            yield from _runs(part.parts)
            yield from _runs(part.other_parts)


def _nests(parts):
    for part in parts:
        if isinstance(part, Nest):
            yield part
            yield from _nests(part.parts)
            yield from _nests(part.other_parts)


def _continues(nodes):
    """Whether a continue among them ends the turn of the loop around all."""
    return any(
        x == "continue"
        if isinstance(x, str)
        else not x.is_loop and (_continues(x.body) or _continues(x.other))
        for x in nodes
    )


class _Cut:
    """One parallel loop that becomes one over blocks."""

    def __init__(self, team, outer):
        self.team, self.outer, self.emitter = team, outer, team.emitter
        self.thread = team.thread.name
        self.lines, self.first_lines, self.depth = [], [], 0
        self.constants = {}
        self.masks = []  # arrays that tell which threads take part, the narrowest last
        self.targets = [(0, None)]  # for each loop: its first mask, and what a break clears
        self.nbytes = 0

    def write(self):
        region = self.team.region
        fixed, region.constant_lines = region.constant_lines, []
        texts = []
        region.write(texts, 0)
        nodes = parsed(texts)
        self.parts = _parts(nodes)
        self.ranges = _RANGE.findall(region.head)
        self._find_crossing(fixed)
        self._write_head()
        if _continues(nodes):
            self.masks.append(self._array("bool"))
            with self._threads():
                self._set(self.masks[0], self._constant(True, "bool"))
        self._write_parts(self.parts)
        region.lines = [*fixed, *self.first_lines, *self.lines]

    # ---- what is needed in more than one run ----

    def _find_crossing(self, fixed):
        runs = list(_runs(self.parts))
        self.dtypes = {name: dtype for run in runs for name, dtype in run.defined.items()}
        for text in (*fixed, *self.emitter.header):
            found = DEFINITION.match(text) or re.match(r"scalar (\w+) (\w+)", text)
            if found:
                name = found[1] if found[1].startswith("%") else f"%{found[1]}"
                self.dtypes[name] = found[2]
        at = {name: run for run in runs for name in run.defined}
        needed = {name for run in runs for name in run.used if at.get(name, run) is not run}
        for nest in _nests(self.parts):
            words = _VALUE.findall(nest.head)
            needed |= set(words) & set(at)
        self.kept = {name: self._array(self.dtypes[name]) for name in sorted(needed)}
        for nest in _nests(self.parts):
            if nest.kind == "for":
                index, dtype, *_ = FOR.match(nest.head).groups()
                self.kept[index], self.dtypes[index] = self._array(dtype), dtype
        self._find_variables(runs)

    def _find_variables(self, runs):
        self.variables = {}  # what is declared in one run and used in another: array, dtype, count
        for run in runs:
            for name, (dtype, count) in run.declared.items():
                if sum(name in each.locals for each in runs) > 1:
                    self.variables[name] = self._array(dtype, count or 1), dtype, count

    # ---- writing ----

    def _line(self, text):
        self.lines.append("  " * self.depth + text)

    def _value(self, dtype, text):
        name = f"%{self.emitter.number()}"
        self._line(f"{name}:{dtype} = {text}")
        return name

    def _first(self, text):
        self.first_lines.append(text)

    def _constant(self, number, dtype):
        key = constant_text(number, dtype), dtype
        if key not in self.constants:
            self.constants[key] = f"%{self.emitter.number()}"
            self._first(f"{self.constants[key]}:{dtype} = const {key[0]}")
        return self.constants[key]

    def _array(self, dtype, count=1):
        """A new array with count elements for each thread."""
        name, total = f"l{self.emitter.number()}", self.team.size * count
        self.nbytes += total * (1 if dtype == "bool" else int(re.search(r"\d+$", dtype)[0]) // 8)
        if self.nbytes > _MOST_NBYTES:
            raise KernelTypeError(
                f"block_dim: got {self.team.size} threads that keep {self.nbytes} bytes between "
                f"barriers, allowed are {_MOST_NBYTES}; make block_dim smaller"
            )
        self._first(f"local {name} {dtype} {total}")
        return name

    @contextmanager
    def _block(self, head):
        self._line(f"{head} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self._line("}")

    @contextmanager
    def _threads(self):
        with self._block(f"for {self.thread}:int32 = {self._constant(0, 'int32')} to {self.count}"):
            yield

    def _get(self, array, dtype="bool"):
        return self._value(dtype, f"get {array} [{self.thread}]")

    def _set(self, array, value):
        self._line(f"set {array} [{self.thread}] = {value}")

    def _write_head(self):
        """The number of blocks before the loop; in it how many threads the block has."""
        emitter, team, region = self.emitter, self.team, self.team.region
        inner, emitter.block = emitter.block, self.outer
        self.extents, total = [], None
        for _, dtype, low, high in self.ranges:
            low, high = (emitter.cast(Scalar(emitter, x, dtype), "int64") for x in (low, high))
            extent = emitter.instruct("int64", "subtract", high, low)
            extent = emitter.instruct("int64", "maximum", extent, emitter.constant(0, "int64"))
            self.extents.append(extent.name)
            both = (total, extent)
            total = extent if total is None else emitter.instruct("int64", "multiply", *both)
        size = emitter.constant(team.size, "int64")
        more = emitter.instruct("int64", "add", total, emitter.constant(team.size - 1, "int64"))
        blocks = emitter.instruct("int64", "floor_divide", more, size)
        zero = emitter.constant(0, "int64")
        region.head = f"parallel {team.block.name}:int64 = {zero.name} to {blocks.name}"
        emitter.block = inner
        self.start = self._value("int64", f"multiply {team.block.name} {size.name}")
        left = self._value("int64", f"subtract {total.name} {self.start}")
        count = self._value("int64", f"minimum {left} {size.name}")
        self.count = self._value("int32", f"cast {count}")

    def _write_parts(self, parts):
        for part in parts:
            if isinstance(part, Run):
                self._write_run(part)
            elif part.kind == "if":
                self._write_branch(part)
            else:
                self._write_loop(part)

    def _write_run(self, run):
        with self._threads():
            if self.masks:
                with self._block(f"if {self._get(self.masks[-1])}"):
                    self._write_inside(run)
            else:
                self._write_inside(run)

    def _write_inside(self, run):
        self._write_indices(run.used)
        for name in sorted(run.used & set(self.kept)):
            if name not in run.defined:
                self._line(f"{name}:{self.dtypes[name]} = get {self.kept[name]} [{self.thread}]")
        self._write_nodes(run.nodes, 0)

    def _write_indices(self, used):
        """The indices of the loop's ranges, as far as they are used, of the thread's number."""
        if not any(index in used for index, *_ in self.ranges):
            return
        thread = self._value("int64", f"cast {self.thread}")
        place = self._value("int64", f"add {self.start} {thread}")
        for (index, dtype, low, _), extent in reversed(
            list(zip(self.ranges, self.extents, strict=True))
        ):
            part = place
            if len(self.ranges) > 1:
                part = self._value("int64", f"remainder {place} {extent}")
                place = self._value("int64", f"floor_divide {place} {extent}")
            if dtype != "int64":
                part = self._value(dtype, f"cast {part}")
            self._line(f"{index}:{dtype} = add {low} {part}")

    def _operand(self, name):
        """A value that a nest's head names, for the thread."""
        if name in self.kept:
            return self._get(self.kept[name], self.dtypes[name])
        self._write_indices({name})
        return name

    def _write_nodes(self, nodes, loops):
        """What a run has inside of so many loops of its own."""
        for node in nodes:
            if isinstance(node, str):
                self._write_line(node, loops)
                continue
            self._line(f"{node.head} {{")
            self.depth += 1
            self._write_nodes(node.body, loops + node.is_loop)
            if node.other:
                self.lines.append("  " * (self.depth - 1) + "} else {")
                self._write_nodes(node.other, loops)
            self.depth -= 1
            self._line("}")

    def _write_line(self, text, loops):
        if text in ("break", "continue") and not loops:
            return self._leave(text)
        declared, of_local = DECLARATION.match(text), OF_LOCAL.match(text)
        if declared and declared[1] in self.variables:
            return self._clear(*self.variables[declared[1]])
        if of_local and of_local["name"] in self.variables:
            array, _, count = self.variables[of_local["name"]]
            index = self._place(of_local["index"], count)
            text = f"{of_local['what']} {array} [{index}]{of_local['rest']}"
        self._line(text)
        found = DEFINITION.match(text)
        if found and found[1] in self.kept:
            self._set(self.kept[found[1]], found[1])
        return None

    def _place(self, index, count):
        """The index of a thread's variable, or of an element of it."""
        if index is None:
            return self.thread
        if self.dtypes[index] != "int32":
            index = self._value("int32", f"cast {index}")
        first = self._value("int32", f"multiply {self.thread} {self._constant(count, 'int32')}")
        return self._value("int32", f"add {first} {index}")

    def _clear(self, array, dtype, count):
        """A variable begins as zero where it is declared."""
        zero = self._constant(0, dtype)
        for k in range(count or 1):
            index = self._place(self._constant(k, "int32"), count) if count else self.thread
            self._line(f"set {array} [{index}] = {zero}")

    def _leave(self, word):
        """A break or continue of a loop with barriers: the thread takes no part from here on."""
        first, going = self.targets[-1]
        false = self._constant(False, "bool")
        for mask in self.masks[first:]:
            self._set(mask, false)
        if word == "break":
            self._set(going, false)
        self._line("continue")  # of the loop over threads

    # ---- ifs and loops with barriers ----

    def _flag(self):
        name = f"l{self.emitter.number()}"
        self._first(f"local {name} bool")
        return name

    def _mark(self, mask, flag, condition):
        """Sets the mask where a condition holds, and the flag if it does for any thread."""
        self._set(mask, condition)
        with self._block(f"if {condition}"):
            self._line(f"set {flag} = {self._constant(True, 'bool')}")

    def _also(self, condition):
        """The condition, for threads that take part."""
        if not self.masks:
            return condition
        return self._value("bool", f"and {self._get(self.masks[-1])} {condition}")

    def _write_branch(self, nest):
        condition = nest.head.split()[1]
        for parts, is_other in ((nest.parts, False), (nest.other_parts, True)):
            if not parts:
                continue
            mask, flag = self._array("bool"), self._flag()
            self._line(f"set {flag} = {self._constant(False, 'bool')}")
            with self._threads():
                holds = self._operand(condition)
                holds = self._value("bool", f"not {holds}") if is_other else holds
                self._mark(mask, flag, self._also(holds))
            with self._block(f"if {self._value('bool', f'get {flag}')}"):
                self.masks.append(mask)
                self._write_parts(parts)
                self.masks.pop()

    def _write_loop(self, nest):
        going, mask, flag = self._array("bool"), self._array("bool"), self._flag()
        steps = _Steps(self, nest) if nest.kind == "for" else None
        with self._threads():
            self._set(going, self._also(self._constant(True, "bool")))
            if steps:
                steps.begin()
        with self._block("loop"):
            self._line(f"set {flag} = {self._constant(False, 'bool')}")
            with self._threads():
                holds = self._get(going)
                if steps:
                    holds = self._value("bool", f"and {holds} {steps.condition()}")
                    self._set(going, holds)
                self._mark(mask, flag, holds)
            any_left = self._value("bool", f"get {flag}")
            with self._block(f"if {self._value('bool', f'not {any_left}')}"):
                self._line("break")
            self.targets.append((len(self.masks), going))
            self.masks.append(mask)
            self._write_parts(nest.parts)
            self.masks.pop()
            self.targets.pop()
            if steps:
                steps.advance(going)


class _Steps:
    """The index of a for loop with barriers: each thread has its own."""

    def __init__(self, cut, nest):
        self.cut = cut
        index, self.dtype, self.low, self.high, step = FOR.match(nest.head).groups()
        self.array, self.step = cut.kept[index], int(step or 1)

    def begin(self):
        self.cut._set(self.array, self.cut._operand(self.low))

    def condition(self):
        """Whether the index is before the end."""
        index, high = self.cut._get(self.array, self.dtype), self.cut._operand(self.high)
        pair = (index, high) if self.step > 0 else (high, index)
        return self.cut._value("bool", f"less {' '.join(pair)}")

    def advance(self, going):
        cut = self.cut
        with cut._threads(), cut._block(f"if {cut._get(going)}"):
            step = cut._constant(self.step, self.dtype)
            index = cut._get(self.array, self.dtype)
            cut._set(self.array, cut._value(self.dtype, f"add {index} {step}"))
