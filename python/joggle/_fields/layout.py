# SPDX-License-Identifier: Apache-2.0
"""How fields lie in memory: Layout, axes, and the trees that grow from qd.root."""

import operator
import weakref
from enum import Enum
from itertools import combinations

from joggle import _core

placeable = weakref.WeakSet()  # fields whose gradients may be made later


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
        raise TypeError(f"layout: got {layout!r}, allowed are qd.Layout.AOS and qd.Layout.SOA")
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


class SNode:
    """A dense node of a tree of axes: an array of cells, each with all that was placed in it.

    Made by root.dense and dense. Once a field of the tree is used its memory is taken, and adding
    to the tree raises ValueError.
    """

    def __init__(self, parent, numbers, extents, top=None):
        self._parent, self._top = parent, top if parent is None else parent._top
        self._numbers, self._extents = tuple(numbers), tuple(extents)
        self._core = _core._dense(parent and parent._core, self._numbers, self._extents)

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

    def dense(self, axes, dimensions):
        """A node below, whose cells lie in each of this one's. axes: one or several, as qd.ij;
        dimensions: an extent for each, or one for all. Raises ValueError."""
        return grow(self, axes, dimensions)

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


class Root:
    """Where trees begin."""

    shape = ()

    def parent(self, n=1):
        """There is nothing above."""
        return self if n == 0 else None

    def dense(self, axes, dimensions):
        """A tree of its own."""
        return grow(None, axes, dimensions, self)

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


def _refuse(kind):
    def method(self, *args, **kwargs):
        raise NotImplementedError(
            f"{kind}: allowed are dense nodes; keep a field of flags, or a field of indices with "
            "a counter"
        )

    return method


for _kind in ("pointer", "bitmasked", "dynamic", "hash", "quant_array", "deactivate_all"):
    setattr(SNode, _kind, _refuse(_kind))
    setattr(Root, _kind, _refuse(_kind))


def grow(parent, axes, dimensions, top=None):
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
    return SNode(parent, numbers, extents, top)


def place(node, field, offset):
    """Places a field, and its gradient in a tree of the same form."""
    if not isinstance(field, _core._field):
        raise TypeError(f"place: got {field!r}, allowed are fields")
    if getattr(field, "_grad_is_placed", False):
        return  # placing its field has placed it
    node._core._place(field, offset)
    field._node = node
    owner = field._owner and field._owner()
    if owner is not None:
        owner._gradient_is_placed()
    if field._has_grad and field.grad.shape is None:
        twin(node)._core._place(field.grad, offset)
        field.grad._grad_is_placed = True


def twin(node):
    """A tree with only the node's axes: gradients are not among the values, whose cells stay as
    small as they were."""
    parent = twin(node._parent) if node._parent is not None else None
    return SNode(parent, node._numbers, node._extents)


root = Root()
