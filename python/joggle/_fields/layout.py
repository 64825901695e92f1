# SPDX-License-Identifier: Apache-2.0
"""How fields lie in memory: Layout, axes, and the trees that grow from qd.root."""

import math
import operator
import weakref
from enum import Enum
from itertools import combinations
from types import SimpleNamespace

from joggle import _core
from joggle._fields.settings import reset_hooks

placeable = weakref.WeakSet()  # fields whose gradients may be made later

# Functions that are set by the modules that import this one. new_marks(count, dtype): a field of
# `count` numbers, whose memory is allocated when it is written (field.py). The others are for
# fields whose cells need not exist, and for their nodes (_kernel/cell_kernels.py).
hooks = SimpleNamespace(new_marks=None, assign=None, copy_from=None, deactivate=None, fill=None)
hooks.make_quantised = None  # (quant_field.py)


# Pages are given back from this many bytes of ended cells on, if they are also this many times the
# cells that ended last.
_MOST_NBYTES, _MOST_TIMES = 64 << 20, 8


class Layout(Enum):
    """AOS: the members of an element side by side. SOA: each scalar of the elements by itself."""

    AOS = 1
    SOA = 2


class Axis(int):
    """The number of an axis; qd.i is [axes(0)]."""

    def __repr__(self):
        return f"axes({int(self)})"


def axes(*numbers):
    """A list of axes by number: qd.axes(0, 1) is qd.ij. Raises ValueError."""
    for number in numbers:
        if not isinstance(number, int) or not 0 <= number < 12:
            raise ValueError(f"axes: got {number!r}, allowed are 0 to 11")
    return [Axis(number) for number in numbers]


# qd.i, qd.jk and so on: every choice of the four letters, in order.
NAMED_AXES = {
    "".join(letters): axes(*("ijkl".index(letter) for letter in letters))
    for count in range(1, 5)
    for letters in combinations("ijkl", count)
}


def axes_of_order(order, ndim, argument="order"):
    """The numbers of the axes that "ji" or (1, 0) names, outermost first. Raises ValueError unless
    it names each of ndim axes once."""
    given = order
    if isinstance(order, str):
        unknown = [letter for letter in order if letter not in "ijkl"]
        if unknown:
            raise ValueError(
                f"{argument}: got axis {unknown[0]!r}, allowed are the letters of 'ijkl'"
            )
        order = ["ijkl".index(letter) for letter in order]
    if sorted(order) != list(range(ndim)):
        raise ValueError(f"{argument}: got {given!r}, allowed is each of the {ndim} axes once")
    return tuple(order)


def as_layout(layout):
    """A layout, or TypeError."""
    if not isinstance(layout, Layout):
        raise TypeError(f"layout: got {layout!r}, allowed are Layout.AOS and Layout.SOA")
    return layout


def as_extents(shape, argument="shape"):
    """The extents of an int, or of a sequence of ints, as an array of NumPy is."""
    try:
        return (operator.index(shape),)
    except TypeError:
        pass  # arrays have the method and refuse it
    try:
        return tuple(operator.index(extent) for extent in shape)
    except TypeError:
        raise TypeError(
            f"{argument}: got {shape!r}, allowed are integers and sequences of them"
        ) from None


class Branching:
    """The methods of a tree and of its nodes that add nodes and fields below."""

    def dense(self, axes, dimensions):
        """A node whose cells all exist. axes: one or several, as qd.ij; dimensions: an extent for
        each, or one for all. Raises ValueError."""
        return self._grow(axes, dimensions, "dense")

    def pointer(self, axes, dimensions):
        """Like dense, with cells that exist after a first write to them. Before, and after they are
        deactivated, they hold zeros, and loops skip them."""
        return self._grow(axes, dimensions, "pointer")

    def bitmasked(self, axes, dimensions):
        """The same as pointer."""
        return self._grow(axes, dimensions, "bitmasked")

    def hash(self, axes, dimensions):
        """The same as pointer."""
        return self._grow(axes, dimensions, "hash")

    def dynamic(self, axis, dimension, chunk_size=None):
        """Lists of at most dimension cells along one axis: qd.append adds one, and writing to one
        makes those before it exist. chunk_size has no effect."""
        numbers = as_extents(axis, "axis")
        if len(numbers) != 1:
            raise ValueError(f"axis: got {len(numbers)} axes, allowed is one")
        return self._grow(numbers, dimension, "dynamic")

    def quant_array(self, axes, dimensions, max_num_bits):
        """Like dense, for a field of numbers of few bits. max_num_bits: 8, 16, 32 or 64; the
        numbers in a cell of the node above must not have more bits together."""
        if max_num_bits not in (8, 16, 32, 64):
            raise ValueError(f"max_num_bits: got {max_num_bits!r}, allowed are 8, 16, 32 and 64")
        node = self.dense(axes, dimensions)
        node._most_bits = max_num_bits
        return node


class SNode(Branching):
    """A node of a tree of axes: an array of cells, each with all that was placed in it.

    Made by root.dense and dense, whose cells all exist; by pointer, bitmasked and hash, whose cells
    exist once something was written to them; by dynamic, whose cells exist up to the last that was
    written. Once a field of the tree is used its memory is taken, and adding to the tree raises
    ValueError.
    """

    _most_bits = None  # of a quant_array

    def __init__(self, parent, numbers, extents, top=None, kind="dense"):
        self._parent, self._top = parent, top if parent is None else parent._top
        self._numbers, self._extents = tuple(numbers), tuple(extents)
        self._core = _core._dense(parent and parent._core, self._numbers, self._extents)
        self._kind, self._marks = kind, None
        self._lists = None  # fields that loops list existing cells in, and how many
        self._ended = 0  # cells that deactivate_all has ended since their pages were given back
        self._below = []  # weak references to nodes and fields in its cells, in order
        if kind != "dense":
            self._mark()
        if parent is not None:
            parent._below.append(weakref.ref(self))
        elif top is not None:
            all_trees.add(self)

    def _mark(self):
        """Gives the node a field that says which of its cells exist."""
        counted = self._kind == "dynamic"
        way = self._way[:-1] if counted else self._way
        count = math.prod(extent for node in way for extent in node._extents)
        self._marks = hooks.new_marks(count, "int32" if counted else "uint8")
        self._core._mark(counted, self._marks)

    @property
    def _way(self):
        """The nodes from the tree's first to this one."""
        return (*(self._parent._way if self._parent else ()), self)

    @property
    def _is_marked(self):
        """Whether a cell on the way to one of these may not exist."""
        return any(node._marks is not None for node in self._way)

    def _found_below(self, depth=math.inf):
        """The nodes and fields in its cells, and further below down to a depth."""
        for reference in self._below:
            item = reference()
            if item is None:  # a field that is gone
                continue
            yield item
            if isinstance(item, SNode) and depth > 1:
                yield from item._found_below(depth - 1)

    @property
    def shape(self):
        """The extents of a field placed here."""
        extents = {}
        node = self
        while node is not None:
            for number, extent in zip(node._numbers, node._extents, strict=True):
                extents[number] = extents.get(number, 1) * extent
            node = node._parent
        return tuple(extents[number] for number in sorted(extents))

    def _grow(self, axes, dimensions, kind):
        return grow(self, axes, dimensions, kind=kind)

    def deactivate_all(self):
        """Has none of the node's cells exist any more, or of those below a dense one."""
        if self._marks is None:
            for node in [x for x in self._found_below(depth=1) if isinstance(x, SNode)]:
                node.deactivate_all()
        else:
            hooks.deactivate(self)
            self._give_back()

    def _give_back(self):
        """Has the system take back pages of zeros, once cells ended so often and so far apart that
        most of them may be in memory."""
        if self._parent is not None or self._lists is None:
            return
        ended = self._lists[1][0]
        self._ended += ended
        nbytes = self._ended * self._nbytes_of_cell()
        if nbytes >= _MOST_NBYTES and self._ended >= _MOST_TIMES * ended:
            self._ended = 0
            self._clear()

    def _nbytes_of_cell(self):
        """The bytes of all values in one cell."""
        nbytes = 0
        for field in self._found_below():
            if not isinstance(field, SNode) and field.dtype is not None:
                inside = [e for node in field._node._way[len(self._way) :] for e in node._extents]
                nbytes += field.dtype.itemsize * math.prod(inside) * math.prod(field.element_shape)
        return nbytes

    def _clear(self):
        """All of the tree: values, their gradients, and which cells exist."""
        self._core._clear()
        for item in (self, *self._found_below()):
            if isinstance(item, SNode):
                if item._marks is not None:
                    item._marks._tree._clear()
            elif getattr(item, "_has_grad", False):
                for tree in gradient_trees(item):
                    tree._clear()

    def place(self, *fields, offset=None):
        """Gives fields that were made without a shape memory in this node's cells, in order, and
        their gradients one in a tree of the same form. offset: the lowest index of each axis.
        Raises ValueError for a field that is placed already, or a tree that is in use. Gives the
        node."""
        for field in fields:
            place(self, field, (offset,) if isinstance(offset, int) else offset)
        return self

    def parent(self, n=1):
        """The node that this one lies in, or one n levels up; None above the root."""
        node = self
        while n > 0 and node is not None:
            node, n = (node._parent or root) if node is not root else None, n - 1
        return node

    def lazy_grad(self):
        """Gives the fields of floats that lie here, or further below, their gradients."""
        for field in list(placeable):
            node = field._node
            while node is not None and node is not self:
                node = node._parent
            if node is self:
                field._add_late_grad()

    def lazy_dual(self):
        """Nothing to do: tangents get their memory where they are needed."""


class Place:
    """The leaf of a tree that a field is: field.snode."""

    def __init__(self, field):
        self._field = field

    @property
    def shape(self):
        """The field's extents."""
        return self._field.shape

    def parent(self, n=1):
        """The node that the field lies in, or one n levels up; itself for 0."""
        return self if n == 0 else self._field.parent(n)

    def __eq__(self, other):
        return isinstance(other, Place) and other._field is self._field

    def __hash__(self):
        return hash(id(self._field))


class Root(Branching):
    """The root of trees."""

    shape = ()

    def parent(self, n=1):
        """There is nothing above."""
        return self if n == 0 else None

    def _grow(self, axes, dimensions, kind):
        return grow(None, axes, dimensions, self, kind)

    def deactivate_all(self):
        """Has no cell exist any more in the trees that begin here, but for dense ones."""
        for tree in list(all_trees):
            if tree._top is self:
                tree.deactivate_all()

    def place(self, *fields, offset=None):
        """Gives fields a place without axes: one element."""
        SNode(None, (), (), self).place(*fields, offset=offset)
        return self

    def lazy_grad(self):
        """Gives the fields of floats that lie here their gradients: for root those made with a
        shape, too."""
        for field in list(placeable):
            top = root if field._node is None else field._node._top or root
            if top is self:
                field._add_late_grad()

    def lazy_dual(self):
        """Nothing to do: tangents get their memory where they are needed."""


class FieldsBuilder(Root):
    """A root of its own. Its trees take their memory when they are first used."""

    def finalize(self, raise_warning=True):
        """Nothing to do: memory is taken when a field is first used."""
        return self

    def destroy(self):
        """Nothing to do: memory is freed with the last field, or view of it."""


def deactivate_all_snodes():
    """Has no cell exist any more, but for those of dense nodes."""
    for tree in list(all_trees):
        tree.deactivate_all()


def grow(parent, axes, dimensions, top=None, kind="dense"):
    numbers = as_extents(axes, "axes")
    extents = as_extents(dimensions, "dimensions")
    if len(extents) == 1:
        extents *= len(numbers)
    if any(extent < 1 for extent in extents):
        raise ValueError(f"dimensions: got {dimensions!r}, allowed are integers from 1")
    if len(extents) != len(numbers):
        raise ValueError(
            f"dimensions: got {len(extents)} for {len(numbers)} axes, allowed is one for each"
        )
    return SNode(parent, numbers, extents, top, kind)


def place(node, field, offset):
    """Places a field, and its gradient in a tree of the same form; of packed ones each."""
    if hasattr(field, "max_num_bits"):
        for each in field.fields:
            place(node, each, offset)
        return
    if node._most_bits is not None:
        _check_bits(node, field)
    if not isinstance(field, _core._field):
        raise TypeError(f"place: got {field!r}, allowed are fields")
    if getattr(field, "_grad_is_placed", False):
        return  # placing its field has placed it
    node._core._place(field, offset)
    field._node = node
    node._below.append(weakref.ref(field))
    if node._is_marked:
        _tell_cells(field, node)
    owner = field._owner and field._owner()
    if owner is not None:
        owner._gradient_is_placed()
    if field._has_grad and field.grad.shape is None:
        place_gradient(node, field.grad, offset)
        field.grad._grad_is_placed = True


def _check_bits(node, field):
    quant = getattr(field, "_quant", None)
    if quant is None:
        raise TypeError(f"place: got {field!r}, allowed are fields of numbers of few bits")
    bits = quant.num_bits * math.prod(node._extents)
    if bits > node._most_bits:
        raise ValueError(f"place: got {bits} bits, allowed are {node._most_bits} together")


def _tell_cells(field, node):
    """Has a field, and its members, know that cells of its may not exist."""
    field._cells = node
    for member in getattr(field, "_members", {}).values():
        _tell_cells(member, node)


def place_gradient(node, grad, offset):
    """Places a gradient in a tree of the node's form. Derivatives add to it without asking which
    cells exist, as what does not is read, too; loops over it are those over the values."""
    tree = twin(node)
    if node._is_marked:
        tree._core._reserve()
        _tell_cells(grad, node)
    tree._core._place(grad, offset)
    grad._tree = tree._core


def gradient_trees(field):
    """The trees in which the gradients of a field, or of its members, lie."""
    trees = [field.grad._tree] if field.grad is not None and field.grad._tree else []
    return trees + [t for m in getattr(field, "_members", {}).values() for t in gradient_trees(m)]


def twin(node):
    """A tree with only the node's axes: gradients are not among the values, whose cells stay as
    small as they were."""
    parent = twin(node._parent) if node._parent is not None else None
    return SNode(parent, node._numbers, node._extents)


all_trees = weakref.WeakSet()  # the first nodes of those that programs have made
reset_hooks.append(all_trees.clear)
root = Root()
