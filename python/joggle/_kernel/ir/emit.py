# SPDX-License-Identifier: Apache-2.0
"""Writes the text of a kernel: blocks of statements; each value has a number of its own.

A block is a list of lines and of blocks. Constants are written once for each region (the kernel's
own block, or a parallel loop) at its start. An update of an array element inside a parallel loop is
kept as an object until the loop is complete, because only then it is known whether two iterations
can meet at one element; if they cannot, it need only be atomic where arrays overlap.
"""

import math
import struct
from contextlib import contextmanager

from .messages import KernelTypeError, KernelValueError
from .promotion import integer_range, is_bool, is_float, is_integer
from .scalar import Scalar


class Block:
    """Statements between braces."""

    def __init__(self, head="", region=None):
        self.head = head
        self.lines = []  # texts, and what has write(out, depth)
        self.region = region or self
        if region is None:
            self.constants = {}  # values by (text, dtype)
            self.constant_lines = []
            self.updates = []
            self.writes = {}  # for each array the tuples of names that it is written at
            self.indices = ()  # names of the parallel loop's
            self.stand_ins = {}  # names of values that together tell an index of the loop's apart
            self.team = None  # the threads of a block, where iterations meet (blocks.py)

    def write(self, out, depth):
        """Appends the block's text to the list of lines out."""
        pad = "  " * depth
        if self.region is self:
            out.extend(f"{pad}{line}" for line in self.constant_lines)
        for line in self.lines:
            if isinstance(line, str):
                out.append(pad + line)
            elif isinstance(line, Block):
                out.append(f"{pad}{line.head} {{")
                line.write(out, depth + 1)
                out.append(pad + "}")
            else:
                line.write(out, depth)

    def is_pure(self):
        """Whether it may run although its condition is false: it only computes."""
        return all(isinstance(line, str) and _computes(line) for line in self.lines)

    def is_smooth(self):
        """Whether its derivatives are finite where it is finite. That of a side that is not chosen
        is multiplied by 0."""
        return all(line.partition("= ")[2].split()[0] in _FINITE_SLOPES for line in self.lines)

    def has_effects(self):
        """Whether running it changes anything other than its own values."""
        return not all(isinstance(line, str) and _only_reads(line) for line in self.lines)


class Branch:
    """An if with two blocks, the second perhaps empty."""

    def __init__(self, condition, then, otherwise):
        self.condition, self.then, self.otherwise = condition, then, otherwise

    def write(self, out, depth):
        pad = "  " * depth
        out.append(f"{pad}if {self.condition.name} {{")
        self.then.write(out, depth + 1)
        if self.otherwise.lines:
            out.append(f"{pad}}} else {{")
            self.otherwise.write(out, depth + 1)
        out.append(pad + "}")


class Update:
    """An element of an array combined with a value: atomic unless no two iterations can meet."""

    def __init__(self, operator, array, indices, operand, number, suffix):
        self.operator, self.array, self.indices = operator, array, indices
        self.operand, self.number, self.suffix = operand, number, suffix
        self.alone = False

    def write(self, out, depth):
        kind = "update" if self.alone else "atomic"
        place = f"{self.array} [{', '.join(self.indices)}]"
        text = f"%{self.number}:{self.operand.dtype} = {kind} {self.operator} {place}"
        out.append("  " * depth + f"{text} {self.operand.name}{self.suffix}")


class Emitter:
    """The kernel being written, and the position of the next statement."""

    def __init__(self, default_ip="int32", default_fp="float32", debug=False, bounds=False):
        self.default_ip, self.default_fp = default_ip, default_fp
        self.is_derived = False  # whether derivatives are made of the text
        self.debug, self.bounds = debug, debug or bounds  # what is checked when it runs
        self.header = []
        self.results = []
        self.root = self.block = Block()
        self.count = 0
        self.line = 0

    def text(self, name, fast_math, checked=False, alone=False):
        """The kernel as text. checked: an index out of its array's bounds ends it; "all": also
        where checking takes time. alone: no two such kernels run at once."""
        words = " fast_math" * bool(fast_math) + " checked" * bool(checked)
        words += " all" * (checked == "all") + " alone" * alone
        out = [f"kernel {name}{words}"]
        out += self.header
        out += [f"result {dtype}" for dtype in self.results]
        out.append("{")
        self.root.write(out, 1)
        out.append("}")
        return "\n".join(out) + "\n"

    @property
    def at_root(self):
        """Whether the next statement is one of the kernel itself, in no block inside."""
        return self.block is self.root

    @property
    def in_parallel(self):
        """Whether the next statement is inside a parallel loop."""
        return self.block.region is not self.root

    def open(self, head, parallel=False):
        """Starts a block, and returns the one that was written to, for close."""
        outer = self.block
        self.block = Block(head, None if parallel else outer.region)
        outer.lines.append(self.block)
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
        """What is written inside runs where a condition, a value, holds."""
        outer = self.open(f"if {condition.name}")
        yield
        self.close(outer)

    @contextmanager
    def loop(self, low, high, parallel=False):
        """What is written inside runs for each index from low to below high, in the dtype of
        high."""
        high = self.scalar(high)
        low = self.scalar(low, high.dtype)
        index = Scalar(self, f"%{self.number()}", high.dtype)
        word = "parallel" if parallel else "for"
        head = f"{word} {index.name}:{index.dtype} = {low.name} to {high.name}"
        outer = self.open(head, parallel)
        if parallel:
            self.block.indices = (index.name,)
        yield index
        self.close(outer)

    def aside(self, make):
        """The result of make, and the block of what it wrote, which is not attached yet."""
        outer = self.block
        self.block = Block("", outer.region)
        try:
            return make(), self.block
        finally:
            self.block = outer

    def write(self, line):
        """A statement as it is."""
        self.block.lines.append(line)

    def number(self):
        """A name for a value that no other has."""
        self.count += 1
        return self.count

    def suffix(self):
        """The suffix that names a statement's source line."""
        return f" @{self.line}" if self.line else ""

    def value(self, dtype, text, place=False):
        """A new value of a dtype that the statement text computes."""
        name = f"%{self.number()}"
        self.block.lines.append(f"{name}:{dtype} = {text}{self.suffix() if place else ''}")
        return Scalar(self, name, dtype)

    def instruct(self, dtype, operator, *operands):
        """The result of a scalar instruction."""
        return self.value(dtype, " ".join([operator, *(x.name for x in operands)]))

    def constant(self, number, dtype):
        """A number of the kernel's source as a value of a dtype."""
        text = constant_text(number, dtype)
        region = self.block.region
        known = region.constants.get((text, dtype))
        if known is None:
            known = Scalar(self, f"%{self.number()}", dtype, constant_number(number, dtype))
            region.constant_lines.append(f"{known.name}:{dtype} = const {text}")
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
        """An assertion of debug mode, with values at the places of its message. kind: "index" for
        an IndexError."""
        names = "".join(f" {x.name}" for x in values)
        words = f"{condition.name} {kind}" if kind else condition.name
        self.write(f'assert {words} "{message}"{names}{self.suffix()}')

    def local(self, dtype, count=None):
        """The name of a new mutable scalar, or of a small array of count of them."""
        name = f"l{self.number()}"
        self.write(f"local {name} {dtype}" + ("" if count is None else f" {count}"))
        return name

    def load(self, array, dtype, indices):
        """An element of an array."""
        return self.value(dtype, f"load {array} [{', '.join(i.name for i in indices)}]", True)

    def store(self, array, indices, x):
        """Sets an element of an array."""
        names = tuple(i.name for i in indices)
        self.block.region.writes.setdefault(array, set()).add(names)
        self.write(f"store {array} [{', '.join(names)}] = {x.name}{self.suffix()}")

    def update(self, operator, array, indices, x):
        """Combines an element of an array with x; atomic where two iterations may meet."""
        names = tuple(i.name for i in indices)
        if is_bool(x.dtype):
            operator = _OF_TRUTH.get(operator, operator)
        update = Update(operator, array, names, x, self.number(), self.suffix())
        region = self.block.region
        region.updates.append(update)
        region.writes.setdefault(array, set()).add(names)
        update.alone = region is self.root
        self.block.lines.append(update)
        return Scalar(self, f"%{update.number}", x.dtype)

    def compare_exchange(self, array, indices, expected, x):
        """Sets an element of an array to x if it holds what is expected; gives what it held."""
        names = tuple(i.name for i in indices)
        self.block.region.writes.setdefault(array, set()).add(names)
        place = f"{array} [{', '.join(names)}]"
        return self.compare_exchange_at(place, expected, x)

    def compare_exchange_at(self, place, expected, x):
        """The same for a place by its name in the kernel's text."""
        text = f"atomic compare_exchange {place} {expected.name} {x.name}"
        return self.value(x.dtype, text, True)

    def update_local(self, operator, name, x):
        """Combines a local that all iterations of the parallel loop share with x."""
        return self.value(x.dtype, f"atomic {operator} {name} {x.name}", True)


# What has another name for truth values.
_OF_TRUTH = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}

# Instructions whose derivatives are finite, and those that have none.
_FINITE_SLOPES = frozenset(
    """add subtract multiply negate maximum minimum abs select cast copy const floor ceil trunc
    round sign and or xor not less less_equal equal not_equal """.split()  # noqa: SIM905
)

# What must not run needlessly: an element may not exist, a random number would be used up.
_REACHES_OUT = ("load ", "atomic ", "random")


def _computes(line):
    return line[0] == "%" and not line.partition("= ")[2].startswith(_REACHES_OUT)


def _only_reads(line):
    return line[0] == "%" and not line.partition("= ")[2].startswith(("atomic ", "random"))


def settle_updates(region):
    """Marks the updates of arrays that no two iterations write at one element. Arrays are told
    apart by name here: whether two parameters are given the same memory is seen at each launch."""
    for update in region.updates:
        places = region.writes[update.array]
        names = (x for index in region.indices for x in region.stand_ins.get(index, (index,)))
        update.alone = all(_tells_apart(name, places) for name in names)


def _tells_apart(index, places):
    """Whether an index of the loop is at the same position in all indices of an array, so that
    iterations that differ in it write different elements."""
    shared = None
    for names in places:
        own = {position for position, name in enumerate(names) if name == index}
        shared = own if shared is None else shared & own
    return bool(shared)


def constant_number(number, dtype):
    """The number that a constant of a dtype is: a truth value, a whole number, or a rounded one."""
    if is_bool(dtype):
        return bool(number)
    if is_integer(dtype):
        return int(number)
    return rounded(float(number), dtype)


def rounded(number, dtype):
    """The nearest float of a dtype."""
    if dtype == "float64" or not math.isfinite(number):
        return number
    form = "e" if dtype == "float16" else "f"
    try:
        (found,) = struct.unpack(form, struct.pack(form, number))
    except OverflowError:
        return math.copysign(math.inf, number)
    if dtype != "bfloat16":
        return found
    # The upper half of a float32, to the nearest, of two to the even one.
    (bits,) = struct.unpack("I", struct.pack("f", found))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("f", struct.pack("I", bits))[0]


def constant_text(number, dtype):
    """How the kernel's text spells a number of a dtype."""
    if is_bool(dtype):
        return "true" if number else "false"
    if is_float(dtype):
        return _float_text(float(number))
    if isinstance(number, float) and not number.is_integer():
        number = int(number)
    low, high = integer_range(dtype)
    if not low <= number <= high:
        raise KernelValueError(
            f"the number {number} is outside of {dtype}; "
            f"give it a wider type, as in i64({number}), or set default_ip in init"
        )
    return str(int(number))


def _float_text(number):
    if number != number:
        return "nan"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    return repr(number)


def describe(x):
    """What x is, for a message."""
    if isinstance(x, Scalar):
        return f"a value of {x.dtype}"
    kind = getattr(x, "kernel_kind", None)
    if callable(kind):
        return kind()
    if isinstance(x, (list, tuple)):
        return f"a {type(x).__name__} of {', '.join(describe(item) for item in x[:3])}"
    return f"{type(x).__name__} {x!r:.60}"
