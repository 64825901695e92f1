# SPDX-License-Identifier: Apache-2.0
"""Real functions that call themselves.

The IR has no calls. The body of such a function becomes a loop over numbered segments, which end
where the function calls itself and where its flow of control meets such a place. A variable tells
which segment is next. A call puts what is needed after it, and the number of the segment after it,
onto stacks; a return takes both back.
"""

from ..ir.blocks import BARRIER
from ..ir.code import Access, Declaration, For, Instruction, statements
from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..ir.runs import Run, crossing, shared_locals
from ..value.values import assign, read, variable

CALL, LEAVE = "call", "leave"  # instructions of a body that are replaced


class Recursion(Exception):
    """A function that is being written calls itself."""

    def __init__(self, source):
        self.source = source


class Machine:
    """A function that calls itself, while it is being written. As the destination of returns it
    takes the place of returns.Exit."""

    from_loops, form = 0, None  # of an Exit: a return leaves loops by itself

    def __init__(self, lowering, func, bound):
        self.lowering, self.emitter, self.func = lowering, lowering.emitter, func
        self.fixed, self.places = {}, {}
        for name, x in bound.items():
            value = lowering.parameter(func, name, x)
            if value is None:
                self.fixed[name] = x
            else:
                self.places[name] = variable(self.emitter, value)
        self.result = self._result()

    def _result(self):
        """Variables for the result, of the annotation's type."""
        type_ = self.func.result_type
        if type_ is None:
            if self.func.annotations.get("return") is not None:
                raise self._refusal("its result is a struct")
            return None
        types = type_ if isinstance(type_, tuple) else (type_,)
        if not all(isinstance(t, str) or (t and t.dtype and all(t.element_shape)) for t in types):
            raise self._refusal(f"its result is annotated as {type_!r}")
        zeros = [self._zero(t) for t in types]
        places = [variable(self.emitter, zero) for zero in zeros]
        return places if isinstance(type_, tuple) else places[0]

    def _zero(self, type_):
        if isinstance(type_, str):
            return self.emitter.constant(0, type_)
        return self.lowering.construct(type_, [0], {})

    def _refusal(self, what):
        return KernelTypeError(
            f"{self.func.source.name} calls itself, and {what}; allowed for that are numbers, "
            "vectors and matrices of a dtype"
        )

    def enter(self):
        """The parameters of one call, by name."""
        return {**self.fixed, **{name: read(place) for name, place in self.places.items()}}

    def call(self, bound):
        """Writes a call from inside; gives its result."""
        values = {}
        for name, x in bound.items():
            if name not in self.places:
                self._check_fixed(name, x)
            else:
                values[name] = self.lowering.parameter(self.func, name, x)
        for name, value in values.items():
            assign(self.emitter, self.places[name], value)
        self.emitter.perform(CALL)
        return self.given()

    def _check_fixed(self, name, x):
        if x is not self.fixed[name]:
            raise KernelTypeError(
                f"{self.func.source.name} calls itself with another {name}: got {describe(x)}, "
                f"allowed is {describe(self.fixed[name])}, as parameters that are arrays or "
                "templates stay the same"
            )

    def given(self):
        """The result of the call that has just returned."""
        if isinstance(self.result, list):
            return tuple(read(place) for place in self.result)
        return None if self.result is None else read(self.result)

    def give(self, value, in_loop):
        """Writes a return, as Exit.give does."""
        if (value is None) != (self.result is None):
            raise KernelTypeError(
                f"{self.func.source.name} returns {describe(value)}; a function that calls itself "
                "needs an annotation of its result, and a value in each return"
            )
        if isinstance(self.result, list):
            for place, x in zip(self.result, value, strict=True):
                assign(self.emitter, place, x)
        elif value is not None:
            assign(self.emitter, self.result, value)
        self.emitter.perform(LEAVE)

    def settle(self, block, ended):
        """Writes the machine; block has what the body became."""
        if ended is None and self.result is not None:
            raise KernelSyntaxError(
                f"{self.func.source.name} returns a value in some branches only; return one at "
                "its end"
            )
        if any(node.opcode == BARRIER for node in statements(block.code)):
            raise KernelSyntaxError(
                f"{self.func.source.name} calls itself, and threads meet in it; allowed are "
                "barriers outside of such functions"
            )
        _SegmentLoop(self.emitter, block.code).write()
        return self.given()


def _is_cut(node):
    """Whether a statement is a call, or has one inside, or is a loop that a return leaves."""
    if isinstance(node, Instruction):
        return node.opcode == CALL
    inside = [inner for block in node.blocks for inner in block.code]
    return any(map(_is_cut, inside)) or (node.is_loop and any(map(_leaves, inside)))


def _leaves(node):
    """Whether a statement is a return, or has one inside."""
    if isinstance(node, Instruction):
        return node.opcode == LEAVE
    return any(_leaves(inner) for block in node.blocks for inner in block.code)


class _Jump(Instruction):
    """The last instruction of a segment. goto goes to its target, branch to the first of two where
    its operand holds; call goes to the function's start and comes back to its target."""

    __slots__ = ("targets",)

    def __init__(self, opcode, *targets, operands=()):
        super().__init__(opcode, None, operands)
        self.targets = targets


class _Memory:
    """The locals and stacks of a machine, which begin before its loop."""

    def __init__(self, emitter):
        self.emitter, self.declarations = emitter, []

    def new(self, dtype, opcode="local"):
        """The name of a new local or stack."""
        name = f"l{self.emitter.number()}"
        self.declarations.append(Declaration(name, dtype, opcode=opcode))
        return name


class _Segments:
    """A body as segments: statements, the last of which is a jump or a return. slots: for the index
    of each loop that became segments, the local that holds it and the index itself, by name."""

    def __init__(self, emitter, memory, nodes):
        self.emitter, self.memory, self.segments, self.slots = emitter, memory, [], {}
        entry = self._new()
        last = self._flatten(nodes, entry, None)
        self.segments[last].append(Instruction(LEAVE, None))

    def _new(self):
        self.segments.append([])
        return len(self.segments) - 1

    def _jump(self, at, opcode, *targets, operands=()):
        self.segments[at].append(_Jump(opcode, *targets, operands=operands))

    def _flatten(self, nodes, at, loop):
        """Appends nodes to segment number at; gives that in which it goes on. loop: the segments to
        which a break and a continue go."""
        for node in nodes:
            if not _is_cut(node):
                self.segments[at].append(self._aimed(node, loop))
            elif isinstance(node, Instruction):
                after = self._new()
                self._jump(at, "call", after)
                at = after
            elif node.is_loop:
                at = self._flatten_loop(node, at)
            else:
                at = self._flatten_branch(node, at, loop)
        return at

    def _aimed(self, node, loop):
        """A break or continue of a loop that became segments, as a goto; in ifs, too."""
        if isinstance(node, Instruction):
            if loop and node.opcode in ("break", "continue"):
                return _Jump("goto", loop[node.opcode == "continue"])
            return node
        if not node.is_loop:
            for block in node.blocks:
                block.code = [self._aimed(x, loop) for x in block.code]
        return node

    def _flatten_branch(self, nest, at, loop):
        then, otherwise, after = self._new(), self._new(), self._new()
        self._jump(at, "branch", then, otherwise, operands=(nest.condition,))
        for start, block in zip((then, otherwise), nest.blocks, strict=True):
            last = self._flatten(block.code, start, loop)
            self._jump(last, "goto", after)
        return after

    def _flatten_loop(self, nest, at):
        head, body, step, after = (self._new() for _ in range(4))
        if isinstance(nest, For):
            self._write_steps(nest, at, head, body, step, after)
        else:
            self._jump(head, "goto", body)
            self._jump(step, "goto", head)
        self._jump(at, "goto", head)
        last = self._flatten(nest.blocks[0].code, body, (after, step))
        self._jump(last, "goto", step)
        return after

    def _write_steps(self, loop, at, head, body, step, after):
        index, emitter = loop.index, self.emitter
        place = self.memory.new(index.dtype)
        self.slots[index.name] = place, index
        self.segments[at].append(Access("set", None, place, None, (loop.low,)))
        goes_on, moved = emitter.new("bool"), emitter.new(index.dtype)
        pair = (index, loop.high) if loop.step > 0 else (loop.high, index)
        self.segments[head].append(Instruction("less", goes_on, pair))
        self._jump(head, "branch", body, after, operands=(goes_on,))
        by = emitter.constant(loop.step, index.dtype)
        self.segments[step].append(Instruction("add", moved, (index, by)))
        self.segments[step].append(Access("set", None, place, None, (moved,)))
        self._jump(step, "goto", head)


class _SegmentLoop:
    """The loop over the segments of a body.

    slots: for each value that several segments use, the local that holds it and the value, by name;
    variables: for each local that several segments use, the one that takes its place, and its
    dtype; frame: what a call saves, the local and the dtype of each; stacks: by dtype.
    """

    def __init__(self, emitter, nodes):
        self.emitter, self.memory = emitter, _Memory(emitter)
        self.next = self.memory.new("int32")
        found = _Segments(emitter, self.memory, nodes)
        self.runs = [Run(segment) for segment in found.segments]
        self.slots = self._with_crossing(found.slots)
        shared = shared_locals(self.runs)
        self.variables = {name: (self.memory.new(dtype), dtype) for name, dtype in shared.items()}
        self.depth = self.memory.new("int32")
        slots = (self.slots[name] for name in sorted(self.slots))
        self.frame = [(place, value.dtype) for place, value in slots]
        self.frame += self.variables.values()
        dtypes = dict.fromkeys(["int32", *(dtype for _, dtype in self.frame)])
        self.stacks = {dtype: self.memory.new(dtype, "stack") for dtype in dtypes}

    def _with_crossing(self, slots):
        """Slots, and those of the values that one segment defines and another takes."""
        needed = crossing(self.runs)
        names = sorted(set(needed) - set(slots))
        return slots | {name: (self.memory.new(needed[name].dtype), needed[name]) for name in names}

    def write(self):
        _, block = self.emitter.aside(self._write_loop)
        for declaration in self.memory.declarations:
            self.emitter.append(declaration)
        self.emitter.join(block)

    def _constant(self, number, dtype="int32"):
        """A constant at the start of the region, where every segment sees it."""
        return self.emitter.constant(number, dtype)

    def _write_loop(self):
        emitter = self.emitter
        self._set_next(0)
        with emitter.repeat():
            for number, run in enumerate(self.runs):
                with emitter.when(self._is_next(number)):
                    self._write_segment(run)
            with emitter.when(self._is_next(-1)):
                self._write_return()

    def _set_next(self, number):
        self.emitter.set(self.next, self._constant(number))

    def _is_next(self, number):
        following = self.emitter.get(self.next, "int32")
        return self.emitter.instruct("bool", "equal", following, self._constant(number))

    def _write_segment(self, run):
        for name in sorted(set(run.used) & set(self.slots)):
            place, value = self.slots[name]
            self.emitter.append(Access("get", value, place))
        self._write_nodes(run.nodes)

    def _write_nodes(self, nodes):
        for node in nodes:
            if not isinstance(node, Instruction):
                self.emitter.append_rewritten(node, self._write_nodes)
                continue
            self._write_instruction(node)
            if isinstance(node, _Jump) or node.opcode in (LEAVE, "break", "continue"):
                return  # what follows is never reached

    def _write_instruction(self, node):
        if isinstance(node, _Jump):
            self._write_jump(node)
        elif node.opcode == LEAVE:
            self._go(-1)
        elif node.memory in self.variables:
            self._write_of_variable(node)
        else:
            self._write_plain(node)

    def _write_jump(self, jump):
        if jump.opcode == "goto":
            self._go(*jump.targets)
        elif jump.opcode == "call":
            self._write_call(*jump.targets)
        else:
            targets = map(self._constant, jump.targets)
            chosen = self.emitter.instruct("int32", "select", *jump.operands, *targets)
            self.emitter.set(self.next, chosen)
            self.emitter.perform("continue")

    def _go(self, number):
        self._set_next(number)
        self.emitter.perform("continue")

    def _write_of_variable(self, node):
        place, dtype = self.variables[node.memory]
        if isinstance(node, Declaration):
            self.emitter.set(place, self._constant(0, dtype))
        else:
            self._write_plain(node.moved(place, None))

    def _write_plain(self, node):
        self.emitter.append(node)
        if node.result is not None and node.result.name in self.slots:
            self.emitter.set(self.slots[node.result.name][0], node.result)

    def _push(self, value):
        self.emitter.append(Access("push", None, self.stacks[value.dtype], None, (value,)))

    def _pop(self, dtype):
        value = self.emitter.new(dtype)
        self.emitter.append(Access("pop", value, self.stacks[dtype]))
        return value

    def _write_call(self, after):
        for place, dtype in self.frame:
            self._push(self.emitter.get(place, dtype))
        self._push(self._constant(after))
        self._move_depth("add")
        self._go(0)

    def _move_depth(self, opcode):
        depth = self.emitter.get(self.depth, "int32")
        self.emitter.set(
            self.depth, self.emitter.instruct("int32", opcode, depth, self._constant(1))
        )

    def _write_return(self):
        """Goes back to where the call came from; out of the loop from the first call."""
        emitter = self.emitter
        depth = emitter.get(self.depth, "int32")
        with emitter.when(emitter.instruct("bool", "equal", depth, self._constant(0))):
            emitter.perform("break")
        self._move_depth("subtract")
        emitter.set(self.next, self._pop("int32"))
        for place, dtype in reversed(self.frame):
            emitter.set(place, self._pop(dtype))
