# SPDX-License-Identifier: Apache-2.0
"""Attributes and methods of arrays in kernels, by the names that fields and ndarrays have.

A field's properties are known when compiling. Of the methods those listed here are written into the
kernel; all others belong to Python, and naming one raises. An argument may be any field of its
layout, so no other property of the field that the code was compiled for is used.
"""

import functools

from joggle._fields.buffer_view import BufferView
from joggle._fields.field import ScalarField, ScalarNdarray, Storage
from joggle._fields.layout import Place
from joggle._fields.matrix_field import MatrixField, VectorNdarray
from joggle._fields.struct import StructField
from joggle._fields.types import Template

from ..ir.emit import describe
from ..ir.messages import KernelIndexError, KernelTypeError
from ..library.cell_calls import LIST_METHODS, list_at
from ..library.func import Func
from ..value.array import ArrayValue, RecordArray
from ..value.signatures import binding, signature_of
from ..value.values import position, read
from .calls import FUNCTIONS
from .outside import of_python, public_names

_CLASSES = (ScalarField, ScalarNdarray, MatrixField, VectorNdarray, StructField, BufferView)
PUBLIC = frozenset().union(*map(public_names, _CLASSES))

# Attributes that follow from the layout, and the other properties of an object.
_OF_LAYOUT = frozenset({"element_shape", "element_type", "layout", "needs_grad", "offset"})
_OF_OBJECT = frozenset({"dual", "name"})
_ABSENT = object()  # what a search for an attribute gives that has not found it


grouped = FUNCTIONS["grouped"]


class ArrayMethod:
    """array.name, which a kernel calls."""

    def __init__(self, name, array):
        self.name, self.array = name, array
        self.handler = binding(name, signature_of(_PARAMETERS[name]), METHODS[name])

    def call(self, lowering, args, kwargs):
        return self.handler(lowering, [self.array, *args], kwargs)


def attribute_of_array(lowering, array, name):
    """array.name of an array of numbers, vectors, matrices or structs."""
    for find in (_member, _property, _method, _method_of_list, _fact_of_layout):
        found = find(lowering, array, name)
        if found is not _ABSENT:
            return found
    return _captured(lowering, array, name)


def _member(lowering, array, name):
    """Of an array of structs, whose shape and ndim are its own whatever members it has."""
    if isinstance(array, RecordArray) and name not in ("shape", "ndim"):
        return array.members.get(name, _ABSENT)
    return _ABSENT


def _property(lowering, array, name):
    return _PROPERTIES[name](lowering, array) if name in _PROPERTIES else _ABSENT


def _method(lowering, array, name):
    return ArrayMethod(name, array) if name in METHODS and _has(array, name) else _ABSENT


def _method_of_list(lowering, array, name):
    cells = list_at(lowering, array, ()) if name in LIST_METHODS and array.ndim == 1 else None
    return _ABSENT if cells is None else cells.method(name)


def _fact_of_layout(lowering, array, name):
    return getattr(array.object, name, _ABSENT) if name in _OF_LAYOUT else _ABSENT


def _captured(lowering, array, name):
    """What else the object has, as one that the kernel names; raises where it cannot be named."""
    if name in PUBLIC and name not in _OF_OBJECT and name not in _OF_LAYOUT:
        raise KernelTypeError(of_python(f"{array.name}.{name}"))
    if array.object is None or not hasattr(array.object, name):
        raise KernelTypeError(f"{array.kernel_kind()} has no attribute {name}")
    if is_argument(lowering, array):
        raise KernelTypeError(
            f"{array.name}.{name}: the kernel runs with other arguments, too, allowed is "
            "it as an argument of its own"
        )
    return lowering.capture(getattr(array.object, name), f"{array.name}_{name}")


class ElementShape(tuple):
    """The extents of an array's elements, which Taichi's programs call, and compare with lists."""

    def __call__(self):
        return self

    def __eq__(self, other):
        return tuple(self) == (tuple(other) if isinstance(other, list) else other)

    __hash__ = tuple.__hash__


def is_argument(lowering, array):
    """Whether other calls may pass other objects for an array."""
    if isinstance(array, RecordArray):
        return any(is_argument(lowering, member) for member in array.members.values())
    return lowering.known.get(id(array.object)) is not array


def _has(array, name):
    """Whether arrays of its kind have a method."""
    if name == "get_member_field":
        return isinstance(array, RecordArray)
    return name != "get_scalar_field" or bool(getattr(array, "element_shape", None))


def _gradient(lowering, array):
    """array.grad: for an argument the gradient of what is passed; None if a field has none."""
    if isinstance(array, RecordArray):
        members = {n: _gradient(lowering, member) for n, member in array.members.items()}
        if any(member is None for member in members.values()):
            return None
        return RecordArray(f"{array.name}_grad", array.type, members, array.shape)
    if isinstance(array, Component):
        whole = _gradient(lowering, array.array)
        return None if whole is None else Component(whole, array.indices)
    gradient = lowering.gradient_of(array)
    if gradient is not None:
        return gradient
    if array.object is None or not hasattr(array.object, "grad"):
        raise KernelTypeError(f"{array.kernel_kind()} has no attribute grad")
    lowering.reads.fix(array.object)  # another one would have another gradient
    return lowering.capture(array.object.grad, f"{array.name}_grad")


class Component(ArrayValue):
    """One scalar of each element of an array of vectors or matrices, as an array."""

    def __init__(self, array, indices):
        super().__init__(array.name, array.dtype, array.shape, (), array.axes, array.offset)
        self.array, self.indices = array, indices

    def at(self, lowering, indices):
        return self.array.at(lowering, indices).choose(self.indices)

    def extent(self, lowering, axis):
        return self.array.extent(lowering, axis)


def _fill_elements(array: Template, value: Template):
    for i in grouped(array):
        array[i] = value


@functools.cache
def _filling():
    return Func(_fill_elements)


def _fill(lowering, args, kwargs):
    """A number into every scalar, or a vector or matrix into every element."""
    array, value = args
    value = read(value)
    if isinstance(array, RecordArray):
        for member in array.members.values():
            _fill(lowering, [member, value], {})
        return
    if isinstance(value, (list, tuple)):
        value = lowering.as_tensor(value)
    lowering.inline(_filling(), [array, value], {})


def _scalar_field(lowering, args, kwargs):
    array, *given = args
    indices = [getattr(i, "constant", i) for i in given]
    for i, x in zip(indices, given, strict=True):
        if not isinstance(i, int):
            kind = describe(x)
            raise KernelTypeError(f"get_scalar_field: got {kind}, allowed are constant indices")
    position(array.element_shape, indices)
    if any(i < 0 for i in indices):
        raise KernelIndexError(f"get_scalar_field: got {indices}, allowed are indices from 0")
    return Component(array, tuple(indices))


def _member_field(lowering, args, kwargs):
    array, name = args
    if name not in array.members:
        allowed = ", ".join(array.members)
        raise KernelTypeError(f"get_member_field: got {name!r}, allowed are {allowed}")
    return array.members[name]


def _of_field(array, name):
    if array.object is None:
        raise KernelTypeError(f"{name}: got {describe(array)}, allowed are fields")
    return array.object


def _has_grad(lowering, args, kwargs):
    return _of_field(args[0], "has_grad").has_grad()


def _has_dual(lowering, args, kwargs):
    return _of_field(args[0], "has_dual").has_dual()


def _parent(lowering, args, kwargs):
    array, *levels = args
    return _of_field(array, "parent").parent(*levels)


def _dtype(lowering, array):
    is_of_numbers = isinstance(array, ArrayValue)
    return lowering.types.dtype_object(array.dtype) if is_of_numbers else _ABSENT


def _element_shape(lowering, array):
    return ElementShape(array.element_shape) if isinstance(array, ArrayValue) else _ABSENT


def _extent_of_elements(axis, lowering, array):
    """Of vectors and matrices; a vector is a matrix of one column."""
    extents = getattr(array, "element_shape", None)
    return (*extents, 1)[axis] if extents else _ABSENT


def _place(lowering, array):
    is_place = isinstance(array.object, Storage) and not is_argument(lowering, array)
    return Place(array.object) if is_place else _ABSENT


_PROPERTIES = {
    "dtype": _dtype,
    "element_shape": _element_shape,
    "grad": _gradient,
    "m": functools.partial(_extent_of_elements, 1),
    "n": functools.partial(_extent_of_elements, 0),
    "ndim": lambda lowering, array: array.ndim,
    "shape": lambda lowering, array: array.extents(lowering),
    "snode": _place,
}
METHODS = {
    "fill": _fill,
    "get_member_field": _member_field,
    "get_scalar_field": _scalar_field,
    "has_dual": _has_dual,
    "has_grad": _has_grad,
    "parent": _parent,
}
_PARAMETERS = {
    "fill": "array, value",
    "get_member_field": "array, name",
    "get_scalar_field": "array, *indices",
    "has_dual": "array",
    "has_grad": "array",
    "parent": "array, n=1",
}
