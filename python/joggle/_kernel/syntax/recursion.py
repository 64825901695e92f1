# SPDX-License-Identifier: Apache-2.0
"""Real functions that call themselves.

The IR has no calls. The body of such a function becomes a loop over numbered segments, which end
where the function calls itself and where its flow of control meets such a place. A variable tells
which segment is next. A call puts what is needed after it, and the number of the segment after it,
onto stacks; a return takes both back.
"""

from ..ir.blocks import DECLARATION, DEFINITION, FOR, OF_LOCAL, Nest, Run, parsed
from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..value.values import assign, read, variable

CALL, LEAVE = "call", "leave"  # lines of a body that are replaced


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
        self.emitter.write(CALL)
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
        self.emitter.write(LEAVE)

    def settle(self, block, ended):
        """Writes the machine; block has what the body became."""
        if ended is None and self.result is not None:
            raise KernelSyntaxError(
                f"{self.func.source.name} returns a value in some branches only; return one at "
                "its end"
            )
        texts = []
        block.write(texts, 0)
        _Segments(self.emitter, parsed(texts)).write()
        return self.given()


def _is_cut(nodes):
    """Whether a call is inside, or a loop that a return leaves."""
    for node in nodes:
        if node == CALL:
            return True
        if isinstance(node, Nest):
            inside = [*node.body, *node.other]
            if _is_cut(inside) or (node.is_loop and _leaves(inside)):
                return True
    return False


def _leaves(nodes):
    return any(
        node == LEAVE if isinstance(node, str) else _leaves([*node.body, *node.other])
        for node in nodes
    )


class _Segments:
    """A body as segments. Their last lines are goto N; branch %c N M; call N, which goes on at N
    when the call returns."""

    def __init__(self, emitter, nodes):
        self.emitter, self.segments, self.first_lines = emitter, [], []
        self.slots, self.dtypes = {}, {}
        self.next = self._local("int32")
        entry = self._new()
        last = self._flatten(nodes, entry, None)
        self.segments[last].append(LEAVE)

    def _local(self, dtype, count=""):
        name = f"l{self.emitter.number()}"
        self.first_lines.append(f"local {name} {dtype} {count}".rstrip())
        return name

    def _number(self):
        return f"%{self.emitter.number()}"

    def _constant(self, number, dtype):
        """A constant at the start of the region, where every segment sees it."""
        return self.emitter.constant(number, dtype).name

    # ---- from nests to segments ----

    def _new(self):
        self.segments.append([])
        return len(self.segments) - 1

    def _flatten(self, nodes, at, loop):
        """Appends nodes to segment number at; gives that in which it goes on. loop: the segments to
        which a break and a continue go."""
        for node in nodes:
            if node == CALL:
                after = self._new()
                self.segments[at].append(f"call {after}")
                at = after
            elif isinstance(node, str) or not _is_cut([node]):
                self.segments[at].append(self._aimed(node, loop))
            elif node.kind == "if":
                at = self._flatten_branch(node, at, loop)
            else:
                at = self._flatten_loop(node, at)
        return at

    def _aimed(self, node, loop):
        """A break or continue of a loop that became segments, as a goto; in ifs, too."""
        if isinstance(node, str):
            if loop and node in ("break", "continue"):
                return f"goto {loop[node == 'continue']}"
            return node
        if node.kind == "if":
            node.body = [self._aimed(x, loop) for x in node.body]
            node.other = [self._aimed(x, loop) for x in node.other]
        return node

    def _flatten_branch(self, nest, at, loop):
        then, otherwise, after = self._new(), self._new(), self._new()
        self.segments[at].append(f"branch {nest.head.split()[1]} {then} {otherwise}")
        for start, nodes in ((then, nest.body), (otherwise, nest.other)):
            last = self._flatten(nodes, start, loop)
            self.segments[last].append(f"goto {after}")
        return after

    def _flatten_loop(self, nest, at):
        head, body, step, after = (self._new() for _ in range(4))
        if nest.kind == "for":
            self._write_steps(nest, at, head, body, step, after)
        else:
            self.segments[head].append(f"goto {body}")
            self.segments[step].append(f"goto {head}")
        self.segments[at].append(f"goto {head}")
        last = self._flatten(nest.body, body, (after, step))
        self.segments[last].append(f"goto {step}")
        return after

    def _write_steps(self, nest, at, head, body, step, after):
        index, dtype, low, high, by = FOR.match(nest.head).groups()
        place = self._local(dtype)
        self.slots[index], self.dtypes[index] = place, dtype
        self.segments[at].append(f"set {place} = {low}")
        goes_on, moved = self._number(), self._number()
        pair = f"{index} {high}" if int(by or 1) > 0 else f"{high} {index}"
        self.segments[head] += [f"{goes_on}:bool = less {pair}", f"branch {goes_on} {body} {after}"]
        self.segments[step] += [
            f"{moved}:{dtype} = add {index} {self._constant(int(by or 1), dtype)}",
            f"set {place} = {moved}",
            f"goto {head}",
        ]

    # ---- from segments to text ----

    def write(self):
        self.runs = [Run(nodes) for nodes in self.segments]
        self._find_slots()
        self.depth = self._local("int32")
        self._find_frame()
        self.lines, self.indent = [], 0
        self._line(f"set {self.next} = {self._constant(0, 'int32')}")
        self._open("loop")
        for number, run in enumerate(self.runs):
            self._open(f"if {self._is_next(number)}")
            self._write_segment(run)
            self._close()
        self._open(f"if {self._is_next(-1)}")
        self._write_return()
        self._close()
        self._close()
        for line in (*self.first_lines, *self.lines):
            self.emitter.write(line)

    def _find_slots(self):
        at = {name: run for run in self.runs for name in run.defined}
        for run in self.runs:
            self.dtypes.update(run.defined)
        needed = {name for run in self.runs for name in run.used if at.get(name, run) is not run}
        for name in sorted(needed - set(self.slots)):
            self.slots[name] = self._local(self.dtypes[name])
        self.variables = {}
        for run in self.runs:
            for name, (dtype, count) in run.declared.items():
                if sum(name in each.locals for each in self.runs) > 1:
                    self.variables[name] = self._local(dtype, count or ""), dtype, count

    def _find_frame(self):
        """What a call saves: (local, dtype, an index or None) of each, and stacks by dtype."""
        self.frame = [(self.slots[name], self.dtypes[name], None) for name in sorted(self.slots)]
        for place, dtype, count in self.variables.values():
            indices = range(count) if count else [None]
            self.frame += [(place, dtype, index) for index in indices]
        self.stacks = {}
        for dtype in {"int32", *(dtype for _, dtype, _ in self.frame)}:
            self.stacks[dtype] = f"l{self.emitter.number()}"
            self.first_lines.append(f"stack {self.stacks[dtype]} {dtype}")

    def _line(self, text):
        self.lines.append("  " * self.indent + text)

    def _open(self, head):
        self._line(f"{head} {{")
        self.indent += 1

    def _close(self):
        self.indent -= 1
        self._line("}")

    def _value(self, dtype, text):
        name = self._number()
        self._line(f"{name}:{dtype} = {text}")
        return name

    def _is_next(self, number):
        following = self._value("int32", f"get {self.next}")
        return self._value("bool", f"equal {following} {self._constant(number, 'int32')}")

    def _write_segment(self, run):
        for name in sorted(run.used & set(self.slots)):
            self._line(f"{name}:{self.dtypes[name]} = get {self.slots[name]}")
        self._write_nodes(run.nodes)

    def _write_nodes(self, nodes):
        for node in nodes:
            if isinstance(node, str):
                self._write_text(node)
                if node.split()[0] in (LEAVE, "goto", "branch", "call", "break", "continue"):
                    return  # what follows is never reached
                continue
            self._open(node.head)
            self._write_nodes(node.body)
            if node.other:
                self.lines.append("  " * (self.indent - 1) + "} else {")
                self._write_nodes(node.other)
            self._close()

    def _write_text(self, text):
        word, *rest = text.split()
        if word == LEAVE:
            self._go("-1")
        elif word == "goto":
            self._go(rest[0])
        elif word == "branch":
            condition, then, otherwise = rest
            targets = (self._constant(int(x), "int32") for x in (then, otherwise))
            chosen = self._value("int32", f"select {condition} {' '.join(targets)}")
            self._line(f"set {self.next} = {chosen}")
            self._line("continue")
        elif word == "call":
            self._write_call(rest[0])
        else:
            self._write_plain(text)

    def _go(self, number):
        self._line(f"set {self.next} = {self._constant(int(number), 'int32')}")
        self._line("continue")

    def _write_plain(self, text):
        declared, of_local = DECLARATION.match(text), OF_LOCAL.match(text)
        if declared and declared[1] in self.variables:
            place, dtype, count = self.variables[declared[1]]
            zero = self._constant(0, dtype)
            for index in range(count) if count else [None]:
                self._line(f"set {place}{self._item(index)} = {zero}")
            return
        if of_local and of_local["name"] in self.variables:
            place = self.variables[of_local["name"]][0]
            inside = f" [{of_local['index']}]" if of_local["index"] else ""
            text = f"{of_local['what']} {place}{inside}{of_local['rest']}"
        self._line(text)
        found = DEFINITION.match(text)
        if found and found[1] in self.slots:
            self._line(f"set {self.slots[found[1]]} = {found[1]}")

    def _item(self, index):
        return "" if index is None else f" [{self._constant(index, 'int32')}]"

    def _write_call(self, after):
        for place, dtype, index in self.frame:
            value = self._value(dtype, f"get {place}{self._item(index)}")
            self._line(f"push {self.stacks[dtype]} {value}")
        self._line(f"push {self.stacks['int32']} {self._constant(int(after), 'int32')}")
        self._move_depth("add")
        self._go("0")

    def _move_depth(self, operator):
        depth = self._value("int32", f"get {self.depth}")
        moved = self._value("int32", f"{operator} {depth} {self._constant(1, 'int32')}")
        self._line(f"set {self.depth} = {moved}")

    def _write_return(self):
        """Goes back to where the call came from; out of the loop from the first call."""
        depth = self._value("int32", f"get {self.depth}")
        is_first = self._value("bool", f"equal {depth} {self._constant(0, 'int32')}")
        self._open(f"if {is_first}")
        self._line("break")
        self._close()
        self._move_depth("subtract")
        following = self._value("int32", f"pop {self.stacks['int32']}")
        self._line(f"set {self.next} = {following}")
        for place, dtype, index in reversed(self.frame):
            value = self._value(dtype, f"pop {self.stacks[dtype]}")
            self._line(f"set {place}{self._item(index)} = {value}")
