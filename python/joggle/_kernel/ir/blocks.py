# SPDX-License-Identifier: Apache-2.0
"""Blocks of threads on a CPU: a parallel loop whose iterations meet at barriers.

Such a loop runs over blocks, each with a loop over its threads. The body is cut at the barriers
into runs, and each run has a loop over the threads of its own. What one run computes and another
uses is kept in an array with an element for each thread, and so are variables that several runs
use. An if or a loop with a barrier inside goes round the runs: an array, its mask, tells which
threads take part, and it goes on as long as one does.
"""

from contextlib import contextmanager

from joggle import _core

from .code import Access, Declaration, For, Instruction, Parallel, Region
from .messages import KernelTypeError
from .promotion import width_of
from .runs import Run, crossing, shared_locals

BARRIER = "barrier"  # an instruction that the cut takes out
_DEFAULT_SIZE = 128  # threads in a block, where loop_config says nothing
_MOST_NBYTES = _core._max_kernel_local_nbytes * 3 // 4  # of arrays for threads


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
        self.size = region.loop.threads or _DEFAULT_SIZE
        self.thread, self.block = emitter.new("int32"), emitter.new("int64")
        self.emitter, self.region = emitter, region

    def settle(self, outer):
        """Writes the loop over blocks in the place of that over iterations, which is the last thing
        in outer."""
        loop = outer.code.pop()
        outer.code.append(_Cut(self, loop, outer).made())


class _CutNest:
    """An if or a loop with a barrier inside, and the parts of each of its blocks."""

    def __init__(self, nest):
        self.nest = nest
        self.parts = [_parts(block.code) for block in nest.blocks]


def _is_cut(node):
    """Whether a statement is a barrier, or has one inside."""
    if isinstance(node, Instruction):
        return node.opcode == BARRIER
    return any(_is_cut(inner) for block in node.blocks for inner in block.code)


def _parts(nodes):
    """Runs, and between them nests with barriers inside, whose parts are runs in turn."""
    parts, run = [], []
    for node in nodes:
        if not _is_cut(node):
            run.append(node)
            continue
        if run:
            parts.append(Run(run))
            run = []
        if not isinstance(node, Instruction):
            parts.append(_CutNest(node))
    return [*parts, Run(run)] if run else parts


def _flat(parts):
    """All runs and nests of parts, in order, nests before what is inside."""
    for part in parts:
        yield part
        if isinstance(part, _CutNest):
            for inside in part.parts:
                yield from _flat(inside)


def _continues(nodes):
    """Whether a continue among them ends the turn of the loop around all."""
    return any(
        node.opcode == "continue"
        if isinstance(node, Instruction)
        else not node.is_loop and any(_continues(block.code) for block in node.blocks)
        for node in nodes
    )


class _Cut:
    """One parallel loop that becomes one over blocks."""

    def __init__(self, team, loop, outer):
        self.team, self.loop, self.outer, self.emitter = team, loop, outer, team.emitter
        self.at_thread = (team.thread,)  # the indices of a thread's element
        self.region = Region()  # of the new loop
        self.parts = _parts(team.region.code)
        self.masks = []  # arrays that tell which threads take part, the narrowest last
        self.targets = [(0, None)]  # for each loop: its first mask, and what a break clears
        self.nbytes = 0
        self.kept, self.variables = {}, {}  # arrays of values and of variables, by name
        self.extents, self.start, self.count = [], None, None  # what the loop's head has written

    def made(self):
        """The loop over blocks."""
        emitter, old = self.emitter, self.team.region
        self._find_crossing()
        inner, emitter.block = emitter.block, self.outer
        total, size = self._write_head()
        emitter.block = self.region
        self._write_count(total, size)
        if _continues(old.code):
            self.masks.append(self._array("bool"))
            with self._threads():
                self._set(self.masks[0], emitter.constant(True, "bool"))
        self._write_parts(self.parts)
        emitter.block = inner
        self.region.first = [*old.first, *self.region.first]
        return self.region.loop

    def _find_crossing(self):
        """Makes an array for each value and variable that several runs use."""
        each = list(_flat(self.parts))
        runs = [part for part in each if isinstance(part, Run)]
        nests = [part.nest for part in each if isinstance(part, _CutNest)]
        defined = {name for run in runs for name in run.defined}
        needed = crossing(runs)
        needed |= {x.name: x for nest in nests for x in nest.used if x.name in defined}
        self.kept = {name: self._array(needed[name].dtype) for name in sorted(needed)}
        for nest in nests:
            self.kept |= {index.name: self._array(index.dtype) for index in nest.defined}
        shared = shared_locals(runs)
        self.variables = {name: (self._array(dtype), dtype) for name, dtype in shared.items()}

    def _array(self, dtype):
        """A new array with an element for each thread."""
        self.nbytes += self.team.size * max(width_of(dtype) // 8, 1)
        if self.nbytes > _MOST_NBYTES:
            raise KernelTypeError(
                f"block_dim: got {self.team.size} threads that keep {self.nbytes} bytes between "
                f"barriers, allowed are {_MOST_NBYTES}; make block_dim smaller"
            )
        return self.emitter.local_of_region(self.region, dtype, self.team.size)

    @contextmanager
    def _threads(self):
        """Code that is emitted inside runs for each thread of the block."""
        emitter = self.emitter
        outer = emitter.open(For(self.team.thread, emitter.constant(0, "int32"), self.count))
        yield
        emitter.close(outer)

    def _get(self, array, dtype="bool"):
        return self.emitter.get(array, dtype, self.team.thread)

    def _set(self, array, value):
        self.emitter.set(array, value, self.team.thread)

    def _write_head(self):
        """Before the loop: the number of blocks. Gives how many iterations there are, in all and in
        a block."""
        emitter, team = self.emitter, self.team
        total = None
        for _, low, high in self.loop.ranges:
            low, high = (emitter.instruct("int64", "cast", x) for x in (low, high))
            extent = emitter.instruct("int64", "subtract", high, low)
            extent = emitter.instruct("int64", "maximum", extent, emitter.constant(0, "int64"))
            self.extents.append(extent)
            both = (total, extent)
            total = extent if total is None else emitter.instruct("int64", "multiply", *both)
        size = emitter.constant(team.size, "int64")
        more = emitter.instruct("int64", "add", total, emitter.constant(team.size - 1, "int64"))
        blocks = emitter.instruct("int64", "floor_divide", more, size)
        ranges = [(team.block, emitter.constant(0, "int64"), blocks)]
        self.region.loop = Parallel(ranges, blocks=(self.region,))
        return total, size

    def _write_count(self, total, size):
        """In the loop: the first iteration of the block, and how many threads it has."""
        emitter = self.emitter
        self.start = emitter.instruct("int64", "multiply", self.team.block, size)
        left = emitter.instruct("int64", "subtract", total, self.start)
        count = emitter.instruct("int64", "minimum", left, size)
        self.count = emitter.instruct("int32", "cast", count)

    def _write_parts(self, parts):
        for part in parts:
            if isinstance(part, Run):
                self._write_run(part)
            elif part.nest.is_loop:
                self._write_loop(part)
            else:
                self._write_branch(part)

    def _write_run(self, run):
        with self._threads():
            if self.masks:
                with self.emitter.when(self._get(self.masks[-1])):
                    self._write_inside(run)
            else:
                self._write_inside(run)

    def _write_inside(self, run):
        self._write_indices(run.used)
        for name in sorted(run.used):
            if name in self.kept and name not in run.defined:
                array, value = self.kept[name], run.used[name]
                self.emitter.append(Access("get", value, array, self.at_thread))
        self._write_nodes(run.nodes, 0)

    def _write_indices(self, used):
        """The indices of the loop's ranges, of the thread's number, if one is among the names that
        are used."""
        if not any(index.name in used for index, _, _ in self.loop.ranges):
            return
        emitter, ranges = self.emitter, self.loop.ranges
        thread = emitter.instruct("int64", "cast", self.team.thread)
        place = emitter.instruct("int64", "add", self.start, thread)
        for (index, low, _), extent in reversed(list(zip(ranges, self.extents, strict=True))):
            part = place
            if len(ranges) > 1:
                part = emitter.instruct("int64", "remainder", place, extent)
                place = emitter.instruct("int64", "floor_divide", place, extent)
            if index.dtype != "int64":
                part = emitter.instruct(index.dtype, "cast", part)
            emitter.append(Instruction("add", index, (low, part)))

    def _operand(self, value):
        """A value that a nest's head takes, for the thread."""
        if value.name in self.kept:
            return self._get(self.kept[value.name], value.dtype)
        self._write_indices((value.name,))
        return value

    def _write_nodes(self, nodes, loops):
        """Writes the nodes of a run that are inside `loops` loops of the run."""
        for node in nodes:
            if isinstance(node, Instruction):
                self._write_instruction(node, loops)
            else:
                inside = loops + node.is_loop
                self.emitter.append_rewritten(
                    node, lambda code, n=inside: self._write_nodes(code, n)
                )

    def _write_instruction(self, node, loops):
        if node.opcode in ("break", "continue") and not loops:
            return self._leave(node.opcode)
        if node.memory in self.variables:
            array, dtype = self.variables[node.memory]
            if isinstance(node, Declaration):  # zero where it is declared
                return self._set(array, self.emitter.constant(0, dtype))
            node = node.moved(array, self.at_thread)
        self.emitter.append(node)
        if node.result is not None and node.result.name in self.kept:
            self._set(self.kept[node.result.name], node.result)
        return None

    def _leave(self, opcode):
        """A break or continue of a loop with barriers: the thread takes no part from here on."""
        first, going = self.targets[-1]
        false = self.emitter.constant(False, "bool")
        for mask in self.masks[first:]:
            self._set(mask, false)
        if opcode == "break":
            self._set(going, false)
        self.emitter.perform("continue")  # of the loop over threads

    def _flag(self):
        """A new truth value that the block shares."""
        return self.emitter.local_of_region(self.region, "bool")

    def _mark(self, mask, flag, condition):
        """Sets the mask where a condition holds, and the flag if it does for any thread."""
        self._set(mask, condition)
        with self.emitter.when(condition):
            self.emitter.set(flag, self.emitter.constant(True, "bool"))

    def _also(self, condition):
        """The condition, for threads that take part."""
        if not self.masks:
            return condition
        return self.emitter.instruct("bool", "and", self._get(self.masks[-1]), condition)

    def _write_branch(self, part):
        emitter = self.emitter
        for parts, is_other in zip(part.parts, (False, True), strict=True):
            if not parts:
                continue
            mask, flag = self._array("bool"), self._flag()
            emitter.set(flag, emitter.constant(False, "bool"))
            with self._threads():
                holds = self._operand(part.nest.condition)
                holds = emitter.instruct("bool", "not", holds) if is_other else holds
                self._mark(mask, flag, self._also(holds))
            with emitter.when(emitter.get(flag, "bool")):
                self.masks.append(mask)
                self._write_parts(parts)
                self.masks.pop()

    def _write_loop(self, part):
        emitter = self.emitter
        going, mask, flag = self._array("bool"), self._array("bool"), self._flag()
        steps = _Steps(self, part.nest) if isinstance(part.nest, For) else None
        with self._threads():
            self._set(going, self._also(emitter.constant(True, "bool")))
            if steps:
                steps.begin()
        with emitter.repeat():
            emitter.set(flag, emitter.constant(False, "bool"))
            with self._threads():
                holds = self._get(going)
                if steps:
                    holds = emitter.instruct("bool", "and", holds, steps.condition())
                    self._set(going, holds)
                self._mark(mask, flag, holds)
            any_left = emitter.get(flag, "bool")
            with emitter.when(emitter.instruct("bool", "not", any_left)):
                emitter.perform("break")
            self._write_turn(part, mask, going)
            if steps:
                steps.advance(going)

    def _write_turn(self, part, mask, going):
        """One turn of a loop, for the threads of the mask."""
        self.targets.append((len(self.masks), going))
        self.masks.append(mask)
        self._write_parts(part.parts[0])
        self.masks.pop()
        self.targets.pop()


class _Steps:
    """The index of a for loop with barriers: each thread has its own."""

    def __init__(self, cut, loop):
        self.cut, self.loop = cut, loop
        self.array = cut.kept[loop.index.name]

    def begin(self):
        self.cut._set(self.array, self.cut._operand(self.loop.low))

    def condition(self):
        """Whether the index is before the end."""
        index = self.cut._get(self.array, self.loop.index.dtype)
        pair = (index, self.cut._operand(self.loop.high))
        return self.cut.emitter.instruct(
            "bool", "less", *(pair if self.loop.step > 0 else pair[::-1])
        )

    def advance(self, going):
        cut, dtype, emitter = self.cut, self.loop.index.dtype, self.cut.emitter
        with cut._threads(), emitter.when(cut._get(going)):
            step = emitter.constant(self.loop.step, dtype)
            index = cut._get(self.array, dtype)
            cut._set(self.array, emitter.instruct(dtype, "add", index, step))
