# SPDX-License-Identifier: Apache-2.0
"""Fields and ndarrays of scalars, and what all storage has in common."""

import weakref

from joggle import _core
from joggle._fields.interop import Interop
from joggle._fields.layout import (
    Layout,
    Place,
    SNode,
    as_extents,
    as_layout,
    axes_of_order,
    hooks,
    place_gradient,
    placeable,
)
from joggle._fields.quant_type import QuantType
from joggle._fields.types import CompoundType, MatrixType, StructType, as_dtype, is_real

with_tangents = weakref.WeakSet()
with_gradients = weakref.WeakSet()  # all storage that has a gradient


class Storage(_core._field):
    """Mutable storage with a shape; kernels and other frameworks work on it in place."""

    _type = None  # of an element: a dtype, or a compound type
    _has_grad = False
    _order = None  # of the axes in memory, where it is another
    _node = None  # of a tree of axes, where a field was placed in one
    _quant = None  # of numbers of few bits: their type
    _cells = None  # the same node, where not all cells on the way to it need exist
    _whole = None  # of a component: the field it is of
    _tree = None  # of a gradient that was placed, or of marks: the first node, of the extension
    grad = None
    _dual = None
    _wants_dual = False

    @classmethod
    def _make(cls, type_, *, needs_grad=False, **place):
        """An object, with a gradient if asked for. place: as place_arguments gives it."""
        self = cls(core_element(type_), **place)
        self._prepare(type_)
        if isinstance(self, Field) and not isinstance(type_, StructType):
            self._is_open = self.shape is None
            placeable.add(self)
        order = place.get("order")
        if order is not None and list(order) != sorted(order):
            self._order = tuple(order)
        if needs_grad:
            self._add_grad(place)
        return self

    def _prepare(self, type_):
        """Called once for each new object."""
        self._type = type_

    def _add_grad(self, place):
        """The gradient is storage of the same kind and layout."""
        check_differentiable(self._type)
        name = place.get("name") or ""
        grad = type(self)(core_element(self._type), **{**place, "name": f"{name}.grad"})
        grad._prepare(self._type)
        self.grad, self._has_grad = grad, True
        with_gradients.add(self)

    @property
    def dual(self):
        """The tangent, or None. FwdMode makes it, or needs_dual=True as soon as there is memory."""
        if self._dual is None and self._wants_dual and self.shape is not None:
            self._dual = new_tangent(self)
        return self._dual

    @dual.setter
    def dual(self, dual):
        self._dual = dual

    @property
    def needs_grad(self):
        return self._has_grad

    def has_grad(self):
        return self._has_grad

    def has_dual(self):
        return self.dual is not None

    @property
    def ndim(self):
        return len(self.shape)

    def fill(self, value):
        """Writes one number into every scalar, of structs those of all members. Raises ValueError
        for one that a dtype cannot hold; members before that one are written by then."""
        if self._cells is None:
            self._fill(value)
        elif self._tree is not None and not hasattr(value, "__len__") and value == 0:
            self._tree._clear()  # of a gradient, also what lies in cells that do not exist
        else:
            hooks.fill(self, value)

    def copy_from(self, other):
        """Takes all values of a field of the same shape and elements, cast where dtypes differ.
        Raises ValueError naming both shapes."""
        ours, theirs = self.element_shape, getattr(other, "element_shape", self.element_shape)
        if ours != theirs:
            raise ValueError(
                f"copy_from: got elements of shape {theirs}, allowed is that of ours, {ours}"
            )
        if self._cells is None:
            self._copy_from(other)
        else:
            hooks.copy_from(self, other)

    def _take(self, x):
        """Takes all values from whatever can become an array."""
        if self._cells is None:
            self._assign(x)
        else:
            hooks.assign(self, x)

    def _storage(self):
        """A list of planes (array, extents, byte strides, dtype, levels), one for each scalar,
        vector or matrix member; the element's axes come after the field's."""
        return [self._plane()]

    def _part(self, key):
        raise TypeError(
            f"index: got {key!r}, allowed are integers; slice what to_numpy(copy=False) gives"
        )

    def __len__(self):
        if not self.shape:
            raise TypeError("a 0-dimensional field has no length")
        return self.shape[0]

    def __iter__(self):
        raise TypeError("fields are iterated over in kernels; use to_numpy() elsewhere")

    def __repr__(self):
        kind = getattr(self._type, "name", self._type)
        name = f" {self.name}" if self.name else ""
        return f"<{type(self).__name__}{name}: {kind}, shape {self.shape}>"

    def __str__(self):
        return repr(self) if self._is_lost or self.shape is None else str(self.to_numpy())


class Field(Storage):
    """Storage whose shape may be given later, by placing it under root."""

    _grad = _owner = None  # _owner: what a gradient that is to be placed belongs to
    _is_open = False  # whether it was made without a shape

    @property
    def grad(self):
        """The gradient, or None. A field of floats without a shape has one that is to be placed."""
        if self._grad is None and self._is_open:
            self._grad = self._gradient_to_place()
        return self._grad

    @grad.setter
    def grad(self, grad):
        self._grad = grad

    def _gradient_to_place(self):
        if not is_real(getattr(self._type, "dtype", self._type)):
            return None
        grad = self._new_gradient(None)
        grad._owner = weakref.ref(self)
        return grad

    def _new_gradient(self, *place):
        name = f"{self.name or ''}.grad"
        found = type(self)(core_element(self._type), **{**place_arguments(*place), "name": name})
        found._prepare(self._type)
        return found

    def _gradient_is_placed(self):
        self._has_grad = True
        with_gradients.add(self)

    def _add_late_grad(self):
        """Makes a gradient for a field that has memory and no gradient; does nothing for others."""
        real = is_real(getattr(self._type, "dtype", self._type))
        if self._has_grad or not real or self._is_lost or self.shape is None:
            return
        if self._node is not None:
            self._grad = self._grad or self._gradient_to_place()
            place_gradient(self._node, self._grad, self.offset)
            self._gradient_is_placed()
            return
        self._grad = self._new_gradient(self.shape, self._order, "", self.offset)
        self._gradient_is_placed()


class Ndarray(Storage):
    """Storage that kernels take as an array, whose shape does not matter to their code."""


class Described(Storage):
    """The properties of a field or ndarray. Fields of structs have members of these names
    instead."""

    @property
    def layout(self):
        """The axes from the outermost in memory to the innermost; None: in their order."""
        return self._order

    @property
    def element_type(self):
        """The type of an element: a dtype, or the type of a vector or matrix."""
        return self._type

    def _unwrap(self):
        """The object itself; in Quadrants, tensors contain a field or an ndarray."""
        return self

    @property
    def snode(self):
        """The field as a leaf of its tree, for what asks for its nodes."""
        return Place(self)

    def __reduce__(self):
        """Fields are pickled by value; the copy has its axes in row-major order."""
        place = {"shape": self.shape, "order": self._order, "offset": self.offset}
        values = self.to_array(copy=True)
        return _unpickled, (type(self), self._type, place, self.name, self._has_grad, values)

    def parent(self, n=1):
        """The node that a field lies in, or one n levels up; None above the root."""
        if self._node is None and self.shape is not None:
            self._node = SNode(None, range(self.ndim), self.shape)
        return self._node if n <= 1 or self._node is None else self._node.parent(n - 1)


class ScalarField(Described, Interop, Field):
    """A field whose elements are scalars."""


class ScalarNdarray(Described, Interop, Ndarray):
    """An ndarray whose elements are scalars."""


def _unpickled(cls, type_, place, name, needs_grad, values):
    self = cls._make(type_, needs_grad=needs_grad, **place_arguments(name=name, **place))
    self.from_array(values)
    return self


def core_element(type_):
    """The form in which the extension takes the element type."""
    if isinstance(type_, MatrixType):
        if None in type_.element_shape or type_.dtype is None:
            raise TypeError(f"element: got {type_!r}, allowed are types that leave nothing out")
        return (type_.dtype, type_.element_shape)
    if isinstance(type_, CompoundType):
        return {name: core_element(member) for name, member in type_.members.items()}
    return type_


def new_tangent(x):
    """A field or ndarray like x, for its tangent. Raises NotImplementedError for a blocked one."""
    if any(count != 1 for count in x._plane()[4]):
        raise NotImplementedError(f"forward mode: {x!r} is blocked, which tangents cannot be")
    tangent = type(x)(core_element(x._type), shape=x.shape, name=f"{x.name or ''}.dual")
    tangent._prepare(x._type)
    with_tangents.add(x)
    return tangent


def check_differentiable(type_):
    dtype = type_.dtype if isinstance(type_, MatrixType) else type_
    if not isinstance(dtype, CompoundType) and not is_real(dtype):
        raise TypeError(f"needs_grad: got elements of {dtype.name}, allowed are real floats")


def place_arguments(shape, order=None, name="", offset=None, layout=Layout.AOS):
    """The arguments for a field's layout, as the extension takes them. Raises ValueError for an
    order or an offset without a shape, and for an invalid order."""
    if shape is None and order is not None:
        raise ValueError(f"order: got {order!r} without a shape, allowed is None")
    if shape is None and offset is not None:
        raise ValueError(f"offset: got {offset!r} without a shape, allowed is None")
    shape = None if shape is None else as_extents(shape)
    offset = None if offset is None else as_extents(offset, "offset")
    if offset is not None and len(offset) != len(shape):
        raise ValueError(f"offset: got {offset}, allowed is a number for each axis of {shape}")
    return {
        "shape": shape,
        "order": None if order is None else axes_of_order(order, len(shape)),
        "name": name or None,
        "offset": offset,
        "soa": as_layout(layout) is Layout.SOA,
    }


def with_dual(field, needs_dual):
    """The field; its tangent is made at once if needs_dual is true."""
    if needs_dual:
        check_differentiable(field._type)
        field._wants_dual = True
    return field


def _new_marks(count, dtype):
    """A field of `count` numbers, whose memory is allocated when it is written."""
    marks = ScalarField(getattr(_core, dtype))
    marks._prepare(marks.dtype)
    marks._tree = _core._dense(None, (0,), (count,))
    marks._tree._reserve()
    marks._tree._place(marks, None)
    return marks


hooks.new_marks = _new_marks


def as_type(dtype):
    return dtype if isinstance(dtype, (CompoundType, QuantType)) else as_dtype(dtype)
