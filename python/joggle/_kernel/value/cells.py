# SPDX-License-Identifier: Apache-2.0
"""Cells that need not exist: which of them an element lies in, and how a write makes them exist.

A node's cells have numbers: a cell's place among those in one cell of the parent, plus the parent's
number times how many these are. Marks (SNode._marks) say by the number which cells exist; of a
dynamic node they say by the parent's number how many of its cells do. What does not exist is 0, so
that reading asks for nothing, and ending a cell writes zeros.
"""

import math

from joggle._fields.layout import SNode

from ..ir.scalar import Scalar

COUNTED = "dynamic"


def cells_of(array):
    """The node whose cells the elements of an array, or of a node, lie in; None where all exist."""
    while hasattr(array, "array"):  # one component of another array
        array = array.array
    if isinstance(array, SNode):
        return array if array._is_marked else None
    return getattr(getattr(array, "object", None), "_cells", None)


def span_below(node, leaf, axis):
    """How many indices along an axis a cell of the node spans on the way down to the leaf."""
    span = 1
    for each in leaf._way[len(node._way) :]:
        for number, extent in zip(each._numbers, each._extents, strict=True):
            span *= extent if number == axis else 1
    return span


def axes_of(node):
    """The numbers of the axes of a field that is placed in the node, in order."""
    return sorted({number for each in node._way for number in each._numbers})


def count_of(nodes):
    """How many cells the nodes have together in one of the first node's parent."""
    return math.prod(extent for node in nodes for extent in node._extents)


def dtype_of_numbers(node):
    """The dtype that the numbers of a node's cells fit into."""
    return "int32" if count_of(node._way) < 2**31 else "int64"


def part_of(index, divisor, modulus):
    """(index // divisor) % modulus of an index that is not negative. modulus None: all of it."""
    known = known_part(index, divisor, modulus)
    if known is not None:
        return known
    index = index // divisor if divisor != 1 else index
    return index if modulus is None else index % modulus


def known_part(index, divisor, modulus):
    """The same where a loop made the index of parts and this is one of them, else None."""
    parts = getattr(index, "parts", ())
    below, at = 1, len(parts)
    while at > 1 and below < divisor:
        at -= 1
        below *= parts[at][1]
    if not parts or below != divisor:
        return None
    value, extent = parts[at - 1]
    return value if (at == 1 if modulus is None else modulus == extent) else None


class CellNumber:
    """The numbers of the cells on the way down to an element, the outermost first."""

    def __init__(self, lowering, leaf, indices):
        """indices: from 0, one for each axis of a field in the leaf."""
        self.lowering, self.leaf, self.indices = lowering, leaf, indices
        self.axes = axes_of(leaf)

    def __iter__(self):
        """(node, the number of the parent's cell, the place in that, the number)."""
        parent = 0
        seen = set()
        for node in self.leaf._way:
            place = 0
            for axis, extent in zip(node._numbers, node._extents, strict=True):
                index = self.indices[self.axes.index(axis)]
                modulus = extent if axis in seen else None
                seen.add(axis)
                part = part_of(index, span_below(node, self.leaf, axis), modulus)
                place = place * extent + part if isinstance(place, Scalar) or place else part
            number = self._wide(node, parent) * count_of([node]) + place
            yield node, parent, place, number
            parent = number

    def _wide(self, node, parent):
        """A number in the dtype that those of the node need."""
        if not isinstance(parent, Scalar) or dtype_of_numbers(node) == parent.dtype:
            return parent
        return self.lowering.emitter.scalar(parent, "int64")


def marks_at(lowering, node, number):
    """The place of the marks for a cell by its number, or that of the parent."""
    marks = lowering.capture(node._marks, f"{node._kind}_marks")
    return marks.at(lowering, (number,))


class Activation:
    """Has the cells exist that lead to an element, before it is written. It is called at each
    write, and does nothing where the cells are known to exist."""

    def __init__(self, lowering, leaf, indices):
        self.lowering, self.leaf, self.indices = lowering, leaf, indices
        self.done = set()  # (block, how many deactivations came before)

    def __call__(self):
        lowering = self.lowering
        if lowering.known_cells.reach(self.leaf, self.indices):
            return
        key = lowering.emitter.block, lowering.known_cells.deactivations
        if key not in self.done:
            self.done.add(key)
            activate_way(lowering, self.leaf, self.indices)


def activate_way(lowering, leaf, indices):
    """Has all cells on the way down to indices exist."""
    for node, parent, place, number in CellNumber(lowering, leaf, indices):
        if node._kind == COUNTED:
            _set_count(lowering, node, parent, place)
        elif node._marks is not None:
            _set_mark(lowering, node, number)


def _set_mark(lowering, node, number):
    """Written only where it changes: other threads read the same memory."""
    emitter = lowering.emitter
    mark = marks_at(lowering, node, number)
    with emitter.when(mark.read() == 0):
        mark.write(emitter.constant(1, "uint8"))


def _set_count(lowering, node, parent, place):
    emitter = lowering.emitter
    count = marks_at(lowering, node, parent)
    least = emitter.scalar(place + 1, "int32")
    with emitter.when(count.read() < least):
        lowering.update(count, "maximum", least)


def activation(lowering, array, indices):
    """The function that a write to an element must call first, or None. indices: from 0."""
    node = cells_of(array)
    return None if node is None else Activation(lowering, node, indices)


class KnownCells:
    """The cells that exist where the kernel is being written: those of the loops over cells.

    trusts: whether writes rely on it. A kernel that ends cells is written a second time without
    that, if the first time relied on it.
    """

    def __init__(self, trusts):
        self.trusts = trusts
        self.loops = []  # (node, the names of the indices), the innermost last
        self.deactivations = 0  # written so far
        self.was_trusted = False
        self.are_listed = False  # by a loop, in memory that all launches share

    def reach(self, leaf, indices):
        """Whether the cells that lead to an element are those of a loop's iteration."""
        names = tuple(getattr(index, "name", None) for index in indices)
        found = self.trusts and any(
            names == known and _shares_cells(node, leaf) for node, known in self.loops
        )
        self.was_trusted |= found
        return found

    @property
    def was_wrong(self):
        """Whether the kernel has to be written again."""
        return self.was_trusted and self.deactivations > 0


def _shares_cells(node, leaf):
    """Whether elements of the same indices lie in the same cells of all nodes with marks."""
    marked = [each for each in leaf._way if each._marks is not None]
    return all(each in node._way for each in marked) and node.shape == leaf.shape


def indices_of(leaf, number):
    """The indices, from 0, of what lies in a cell of the leaf by its number."""
    parts = parts_of(leaf, number)
    return tuple(joined(parts[axis]) for axis in axes_of(leaf))


def parts_of(leaf, number):
    """For each axis the parts of its index, (value, extent), the last of them the fastest."""
    parts = {axis: [] for axis in axes_of(leaf)}
    pairs = [pair for node in leaf._way for pair in zip(node._numbers, node._extents, strict=True)]
    for place in range(len(pairs) - 1, -1, -1):
        axis, extent = pairs[place]
        parts[axis].insert(0, (number % extent if place else number, extent))
        number = number // extent if place else number
    return parts


def joined(parts):
    """The index that has these parts; it knows them."""
    index = 0
    for value, extent in parts:
        index = index * extent + value if isinstance(index, Scalar) or index else value
    if isinstance(index, Scalar) and len(parts) > 1:
        index.parts = tuple(parts)
    return index
