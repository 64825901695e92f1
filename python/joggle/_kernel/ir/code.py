# SPDX-License-Identifier: Apache-2.0
"""The code of a kernel while it is written: blocks of instructions and of nests.

An instruction is one statement; a nest is a branch or a loop, with its blocks. Both name the values
that they take and define, as scalars, so passes ask the code itself: blocks.py cuts a parallel loop
at its barriers, recursion.py cuts a function where it calls itself, and emit.py tells which updates
need no atomic. printing.py alone knows how the text spells any of it.
"""


class ArrayParameter:
    """An array of the launch. used_as: its name in the code. extents, strides: None in them is told
    by the launch. lowest: what messages call the first index of each axis, () where all are 0."""

    __slots__ = ("dtype", "extents", "lowest", "name", "strides", "used_as")

    def __init__(self, name, dtype, extents, strides, lowest):
        self.name = self.used_as = name
        self.dtype = dtype
        self.extents, self.strides, self.lowest = extents, strides, lowest


class ScalarParameter:
    """A number of the launch, whose value the code takes."""

    __slots__ = ("dtype", "name", "used_as")

    def __init__(self, name, value):
        self.name, self.dtype, self.used_as = name, value.dtype, value.name


class Instruction:
    """A statement: an opcode of the IR, the values that it takes, and the one that it defines or
    None. line: the source line that messages name, 0 for none.

    memory: the name of the array, local or stack that it reads, writes or declares; indices: those
    of the element, None for a local or a stack as a whole.
    """

    __slots__ = ("line", "opcode", "operands", "result")
    memory = indices = None

    def __init__(self, opcode, result, operands=(), line=0):
        self.opcode, self.result, self.operands, self.line = opcode, result, operands, line

    @property
    def used(self):
        """The values that it takes, indices too."""
        return (*self.indices, *self.operands) if self.indices else self.operands

    @property
    def defined(self):
        """The values that it defines."""
        return () if self.result is None else (self.result,)


class Constant(Instruction):
    """A number, as the text spells it."""

    __slots__ = ("text",)

    def __init__(self, result, text):
        super().__init__("const", result)
        self.text = text


class Access(Instruction):
    """load, store, get, set, push and pop: memory, or an element of it."""

    __slots__ = ("indices", "memory")

    def __init__(self, opcode, result, memory, indices=None, operands=(), line=0):
        super().__init__(opcode, result, operands, line)
        self.memory, self.indices = memory, indices

    def moved(self, memory, indices):
        """The same access of other memory."""
        return Access(self.opcode, self.result, memory, indices, self.operands, self.line)


class Atomic(Access):
    """Memory that an operator combines with a value. The opcode of one that need only be atomic
    where arrays overlap becomes update."""

    __slots__ = ("operator",)

    def __init__(self, operator, result, memory, indices, operands, line):
        super().__init__("atomic", result, memory, indices, operands, line)
        self.operator = operator

    def moved(self, memory, indices):
        return Atomic(self.operator, self.result, memory, indices, self.operands, self.line)


class Extent(Instruction):
    """How many indices an axis of an array has."""

    __slots__ = ("axis", "memory")

    def __init__(self, result, memory, axis):
        super().__init__("extent", result)
        self.memory, self.axis = memory, axis


class Declaration(Instruction):
    """A local begins, as zero, or a stack, as empty. count: of the elements of a small array, None
    for a scalar."""

    __slots__ = ("count", "dtype", "memory")

    def __init__(self, memory, dtype, count=None, opcode="local"):
        super().__init__(opcode, None)
        self.memory, self.dtype, self.count = memory, dtype, count


class Message(Instruction):
    """assert and print: a text with values at its places. kind: of an assert's error, "" for an
    AssertionError."""

    __slots__ = ("kind", "text")

    def __init__(self, opcode, operands, text, line, kind=""):
        super().__init__(opcode, None, operands, line)
        self.text, self.kind = text, kind


class Block:
    """Statements between braces. region: the kernel's own block or that of the parallel loop around
    it."""

    def __init__(self, region):
        self.code, self.region = [], region

    def is_pure(self):
        """Whether it may run although its condition is false: it only computes."""
        return all(_computes(x) and x.opcode != "load" for x in self.code)

    def is_smooth(self):
        """Whether its derivatives are finite where it is finite. That of a side that is not chosen
        is multiplied by 0."""
        return all(x.opcode in _FINITE_SLOPES for x in self.code)

    def has_effects(self):
        """Whether running it changes anything other than its own values."""
        return not all(map(_computes, self.code))


class Region(Block):
    """The kernel's own block, or that of a parallel loop. It holds what only the whole of it tells,
    and begins with what is written once for all of it. loop: the parallel loop, or None."""

    def __init__(self, loop=None):
        super().__init__(self)
        self.loop = loop
        self.first = []  # constants, and arrays that threads of a block share
        self.constants = {}  # values by (text, dtype)
        self.updates = []
        self.writes = {}  # for each array the tuples of names that it is written at
        self.stand_ins = {}  # names of values that together tell an index of the loop's apart
        self.team = None  # the threads of a block, where iterations meet (blocks.py)
        self.writes_outside = False  # whether iterations write a variable that all of them share


class Nest:
    """A branch or a loop: its blocks, and the values that its head takes and defines."""

    is_loop, used, defined = True, (), ()


class Branch(Nest):
    """An if; the second block may have no code."""

    opcode, is_loop = "if", False

    def __init__(self, condition, then, otherwise):
        self.condition, self.blocks, self.used = condition, (then, otherwise), (condition,)

    def with_blocks(self, blocks):
        """The same nest around other code."""
        return Branch(self.condition, *blocks)


class Loop(Nest):
    """A loop that a break ends. It has one block, its body."""

    opcode = "loop"

    def __init__(self, *blocks):
        self.blocks = blocks

    def with_blocks(self, blocks):
        """The same nest around other code."""
        return Loop(*blocks)


class For(Nest):
    """A loop from low to before high, in order. It has one block, its body."""

    opcode = "for"

    def __init__(self, index, low, high, step=1, blocks=()):
        self.index, self.low, self.high, self.step = index, low, high, step
        self.blocks, self.used, self.defined = blocks, (low, high), (index,)

    def with_blocks(self, blocks):
        """The same nest around other code."""
        return For(self.index, self.low, self.high, self.step, blocks)


class Parallel(Nest):
    """A loop over the indices of ranges in any order: (index, low, high) of each, the last fastest.
    threads: how many iterations a block has, None for no such number. It has one block, a region,
    and is never inside of another."""

    opcode = "parallel"

    def __init__(self, ranges, threads=None, blocks=()):
        self.ranges, self.threads, self.blocks = ranges, threads, blocks
        self.used = tuple(bound for _, *bounds in ranges for bound in bounds)
        self.defined = tuple(index for index, *_ in ranges)


def statements(nodes):
    """All instructions and nests among nodes and inside of these, in the order of the text."""
    for node in nodes:
        yield node
        if not isinstance(node, Instruction):
            for block in node.blocks:
                yield from statements(block.code)


# Instructions whose derivatives are finite, and those that have none.
_FINITE_SLOPES = frozenset(
    """add subtract multiply negate maximum minimum abs select cast copy const floor ceil trunc
    round sign and or xor not less less_equal equal not_equal """.split()  # noqa: SIM905
)


def _computes(node):
    """Whether a statement has a value and changes nothing, as a random number would."""
    if not isinstance(node, Instruction) or node.result is None:
        return False
    return node.opcode not in ("atomic", "update", "random", "pop")
