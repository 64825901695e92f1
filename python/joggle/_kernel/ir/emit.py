# SPDX-License-Identifier: Apache-2.0
"""Writes a kernel: what the front end asks for becomes instructions and nests (code.py).

Constants are written once for each region (the kernel's own block, or a parallel loop) at its
start. An update of an array element inside a parallel loop is atomic until the loop is complete,
because only then it is known whether two iterations can meet at one element; if they cannot, it
need only be atomic where arrays overlap.
"""

from contextlib import contextmanager

from .code import (
    Access,
    ArrayParameter,
    Atomic,
    Block,
    Branch,
    Constant,
    Declaration,
    Extent,
    For,
    Instruction,
    Loop,
    Message,
    Parallel,
    Region,
    ScalarParameter,
    statements,
)
from .constants import constant_number, constant_text
from .messages import KernelTypeError
from .printing import kernel_text
from .promotion import integer_range, is_bool, is_float, is_integer
from .scalar import Scalar


class Emitter:
    """The kernel being written, and the position of the next statement."""

    def __init__(self, default_ip="int32", default_fp="float32", debug=False, bounds=False):
        self.default_ip, self.default_fp = default_ip, default_fp
        self.is_derived = False  # whether derivatives are made of the text
        self.debug, self.bounds = debug, debug or bounds  # what is checked when it runs
        self.parameters = []
        self.results = []
        self.root = self.block = Region()
        self.count = 0
        self.line = 0

    def text(self, name, fast_math, checked=False, alone=False, unused=()):
        """The kernel as text. checked: an index out of its array's bounds ends it; "all": also
        where checking takes time. alone: no two such kernels run at once. unused: places of
        parameters that are left out."""
        words = " fast_math" * bool(fast_math) + " checked" * bool(checked)
        words += " all" * (checked == "all") + " alone" * alone
        parameters = [x for place, x in enumerate(self.parameters) if place not in unused]
        return kernel_text(f"kernel {name}{words}", parameters, self.results, self.root)

    def used_names(self):
        """The names of the values and of the memory that the code uses."""
        names = set()
        for node in statements(self.root.code):
            names.update([x.name for x in node.used])
            if isinstance(node, Instruction) and node.memory is not None:
                names.add(node.memory)
        return names

    def declare_array(self, name, dtype, extents, strides, lowest):
        """Declares an array; its name is one that no other has."""
        self.parameters.append(ArrayParameter(name, dtype, extents, strides, lowest))

    def declare_scalar(self, name, dtype):
        """Declares a number, likewise; gives its value."""
        value = Scalar(self, f"%{name}", dtype)
        self.parameters.append(ScalarParameter(name, value))
        return value

    @property
    def at_root(self):
        """Whether the next statement is one of the kernel itself, in no block inside."""
        return self.block is self.root

    @property
    def in_parallel(self):
        """Whether the next statement is inside a parallel loop."""
        return self.block.region is not self.root

    def open(self, loop):
        """Writes a loop and starts its body; returns the block that was written to, for close."""
        outer = self.block
        self.block = Region(loop) if isinstance(loop, Parallel) else Block(outer.region)
        loop.blocks = (self.block,)
        outer.code.append(loop)
        return outer

    def close(self, outer):
        """Goes back to the block that open returned."""
        if self.block.region is self.block:
            settle_updates(self.block)
            if self.block.team is not None:
                self.block.team.settle(outer)
        self.block = outer

    @contextmanager
    def when(self, condition):
        """Code that is emitted inside runs if the condition, a value, holds."""
        outer, region = self.block, self.block.region
        self.block = Block(region)
        outer.code.append(Branch(condition, self.block, Block(region)))
        yield
        self.block = outer

    @contextmanager
    def repeat(self):
        """Code that is emitted inside runs until a break."""
        outer = self.open(Loop())
        yield
        self.close(outer)

    @contextmanager
    def loop(self, low, high, parallel=False):
        """Code that is emitted inside runs for each index from low to below high, in the dtype of
        high."""
        high = self.scalar(high)
        low = self.scalar(low, high.dtype)
        index = self.new(high.dtype)
        outer = self.open(Parallel([(index, low, high)]) if parallel else For(index, low, high))
        yield index
        self.close(outer)

    def aside(self, make):
        """The result of make, and the block of what it wrote, which is not attached yet."""
        outer = self.block
        self.block = Block(outer.region)
        try:
            return make(), self.block
        finally:
            self.block = outer

    def append(self, node):
        """Writes an instruction or a nest as it is."""
        self.block.code.append(node)

    def append_rewritten(self, nest, write):
        """Writes a nest again; write(code) writes what becomes of the code of one of its blocks."""
        blocks = [self.aside(lambda code=block.code: write(code))[1] for block in nest.blocks]
        self.append(nest.with_blocks(blocks))

    def join(self, block):
        """Writes what a block that is not attached holds."""
        self.block.code += block.code

    def number(self):
        """A number for a name that no other has."""
        self.count += 1
        return self.count

    def new(self, dtype):
        """A value that has a name, and no definition yet."""
        self.count += 1
        return Scalar(self, f"%{self.count}", dtype)

    def instruct(self, dtype, opcode, *operands):
        """The result of a scalar instruction."""
        self.count += 1
        result = Scalar(self, f"%{self.count}", dtype)
        self.block.code.append(Instruction(opcode, result, operands))
        return result

    def perform(self, opcode, *operands):
        """A statement without a result: a jump, a fence, a return, or what a pass replaces."""
        self.block.code.append(Instruction(opcode, None, operands))

    def random(self, dtype):
        """The next random number."""
        result = self.new(dtype)
        self.block.code.append(Instruction("random", result, (), self.line))
        return result

    def extent(self, array, axis):
        """How many indices an axis of an array has."""
        result = self.new("int64")
        self.block.code.append(Extent(result, array, axis))
        return result

    def constant(self, number, dtype):
        """A number of the kernel's source as a value of a dtype."""
        text = constant_text(number, dtype)
        region = self.block.region
        known = region.constants.get((text, dtype))
        if known is None:
            known = Scalar(self, f"%{self.number()}", dtype, constant_number(number, dtype))
            region.first.append(Constant(known, text))
            region.constants[text, dtype] = known
        return known

    def scalar(self, x, dtype=None):
        """x, a number or a value, as a value; of the given dtype if there is one."""
        if not isinstance(x, Scalar):
            return self.constant(x, dtype or self.dtype_of(x))
        return x if dtype is None or x.dtype == dtype else self.cast(x, dtype)

    def dtype_of(self, x):
        """The dtype that a number of the source or a value has."""
        if isinstance(x, Scalar):
            return x.dtype
        if isinstance(x, bool):
            return "bool"
        if isinstance(x, int):
            return self.default_ip
        if isinstance(x, float):
            return self.default_fp
        raise KernelTypeError(f"got {describe(x)}, allowed here are numbers")

    def cast(self, x, dtype):
        """x in another dtype."""
        # A float to an integer truncates; the instruction does that.
        if x.constant is not None and not (is_integer(dtype) and isinstance(x.constant, float)):
            low, high = integer_range(dtype) if is_integer(dtype) else (0, 0)
            if not is_integer(dtype) or low <= x.constant <= high:
                return self.constant(x.constant, dtype)
        if self.debug and is_float(x.dtype) and is_integer(dtype):
            self._check_fits(x, dtype)
        return self.instruct(dtype, "cast", x)

    def _check_fits(self, x, dtype):
        """In debug mode: a float lies in an integer dtype once it has lost its fraction."""
        wide = "float64" if x.dtype == "float64" else "float32"
        low, high = integer_range(dtype)
        whole = self.instruct(wide, "trunc", self.scalar(x, wide))
        # Both bounds are powers of two or 0, which floats have: high itself may be none.
        above = self.instruct("bool", "less_equal", self.constant(float(low), wide), whole)
        below = self.instruct("bool", "less", whole, self.constant(float(high + 1), wide))
        fits = self.instruct("bool", "and", above, below)
        self.check(fits, f"{x.dtype} {{}} overflows {dtype}", x)

    def check(self, condition, message, *values, kind=""):
        """An assertion, with values at the places of its message. kind: "index" for an
        IndexError."""
        self.append(Message("assert", (condition, *values), message, self.line, kind))

    def tell(self, message, values):
        """Prints a message when the kernel runs, likewise."""
        self.append(Message("print", values, message, self.line))

    def local(self, dtype):
        """The name of a new mutable scalar."""
        name = f"l{self.number()}"
        self.block.code.append(Declaration(name, dtype))
        return name

    def local_of_region(self, region, dtype, count=None):
        """The same for one that is there from a region's start on, or a small array of count of
        them."""
        name = f"l{self.number()}"
        region.first.append(Declaration(name, dtype, count))
        return name

    def get(self, local, dtype, index=None):
        """The value of a local, or of its element at an index."""
        result = self.new(dtype)
        indices = None if index is None else (index,)
        self.block.code.append(Access("get", result, local, indices))
        return result

    def set(self, local, x, index=None):
        """Sets a local, or its element at an index."""
        indices = None if index is None else (index,)
        self.block.code.append(Access("set", None, local, indices, (x,)))

    def update_local(self, operator, name, x):
        """Combines a local that all iterations of the parallel loop share with x."""
        return self._atomic(operator, name, None, x).result

    def compare_exchange_local(self, name, expected, x):
        """Sets such a local to x if it holds what is expected; gives what it held."""
        return self._atomic("compare_exchange", name, None, expected, x).result

    def load(self, array, dtype, indices):
        """An element of an array."""
        result = self.new(dtype)
        self.block.code.append(Access("load", result, array, indices, (), self.line))
        return result

    def store(self, array, indices, x):
        """Sets an element of an array."""
        self._note_write(array, indices)
        self.block.code.append(Access("store", None, array, indices, (x,), self.line))

    def update(self, operator, array, indices, x):
        """Combines an element of an array with x; atomic where two iterations may meet."""
        if is_bool(x.dtype):
            operator = _OF_TRUTH.get(operator, operator)
        self._note_write(array, indices)
        update = self._atomic(operator, array, indices, x)
        region = self.block.region
        region.updates.append(update)
        if region is self.root:
            update.opcode = "update"
        return update.result

    def compare_exchange(self, array, indices, expected, x):
        """Sets an element of an array to x if it holds what is expected; gives what it held."""
        self._note_write(array, indices)
        return self._atomic("compare_exchange", array, indices, expected, x).result

    def _atomic(self, operator, memory, indices, *operands):
        result = self.new(operands[-1].dtype)
        atomic = Atomic(operator, result, memory, indices, operands, self.line)
        self.block.code.append(atomic)
        return atomic

    def _note_write(self, array, indices):
        names = tuple([x.name for x in indices])
        self.block.region.writes.setdefault(array, set()).add(names)


# Instructions that have another name for bools.
_OF_TRUTH = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}


def settle_updates(region):
    """Marks the updates of arrays that no two iterations write at one element. Arrays are told
    apart by name here: whether two parameters are given the same memory is seen at each launch."""
    for update in region.updates:
        places = region.writes[update.memory]
        indices = [index.name for index in region.loop.defined]
        names = (x for index in indices for x in region.stand_ins.get(index, (index,)))
        if all(_tells_apart(name, places) for name in names):
            update.opcode = "update"


def _tells_apart(index, places):
    """Whether an index of the loop is at the same position in all indices of an array, so that
    iterations that differ in it write different elements."""
    shared = None
    for names in places:
        own = {position for position, name in enumerate(names) if name == index}
        shared = own if shared is None else shared & own
    return bool(shared)


def describe(x):
    """A description of x for a message."""
    if isinstance(x, Scalar):
        return f"a value of {x.dtype}"
    kind = getattr(x, "kernel_kind", None)
    if callable(kind):
        return kind()
    if isinstance(x, (list, tuple)):
        return f"a {type(x).__name__} of {', '.join(describe(item) for item in x[:3])}"
    return f"{type(x).__name__} {x!r:.60}"
