# SPDX-License-Identifier: Apache-2.0
"""Global objects that a kernel's source names: what they become in the kernel.

A field becomes an array whose extents and strides are constants; it is passed at each launch, so
the compiled code does not depend on its address. Values of vectors and structs become constants.
Everything else stays an object of Python, for compile time.
"""

from types import SimpleNamespace
from typing import NamedTuple

from joggle._fields.field import Storage
from joggle._fields.matrix import Matrix
from joggle._fields.struct import Struct, StructField

from ..ir.types import dtype_name
from .array import ArrayValue, RecordArray
from .values import Record, tensor_of

# Replaces an object that is passed at each launch: an argument of the call takes its place.
CAPTURED = object()


class Layout(NamedTuple):
    """A field's layout in memory: everything that its compiled code depends on."""

    dtype: str
    shape: tuple  # of the field's indices
    element_shape: tuple
    extents: tuple  # of the axes in memory
    strides: tuple  # in bytes
    axes: tuple | None  # for each axis in memory (index, divisor, modulus), where an axis is split
    offset: tuple | None
    quant: object  # of numbers of few bits: their type


def is_plain_field(x):
    """Whether x is a field or ndarray that is no struct."""
    return isinstance(x, Storage) and not isinstance(x, StructField)


def is_struct_field(x):
    """Whether x is a field of structs."""
    return isinstance(x, StructField)


def layout_of(field):
    """The layout of a field that is no struct."""
    _, extents, strides, dtype, levels = field._plane()
    offset = tuple(field.offset or ())
    return Layout(
        dtype_name(dtype),
        tuple(field.shape),
        tuple(field.element_shape or ()),
        tuple(extents),
        tuple(strides),
        _split_axes(levels, extents),
        offset if any(offset) else None,
        field._quant,
    )


def _split_axes(levels, extents):
    """Which part of which index each axis in memory takes; None if each takes one whole."""
    if all(count == 1 for count in levels):
        return None
    axes, at = [], 0
    for index, count in enumerate(levels):
        parts = extents[at : at + count]
        for level in range(count):
            divisor = 1
            for extent in parts[level + 1 :]:
                divisor *= extent
            axes.append((index, divisor, parts[level] if level else None))
        at += count
    return tuple(axes)


def captured(lowering, x, name):
    """x as a value of the kernel, or x itself."""
    if x is None or isinstance(x, (bool, int, float, str, type)):
        return x
    if is_plain_field(x):
        return _array(lowering, x, name)
    if is_struct_field(x):
        return _record_array(lowering, x, name)
    if isinstance(x, (Matrix, Struct)):
        return _constant(lowering, x)
    if hasattr(x, "item") and getattr(x, "shape", None) == () and hasattr(x, "dtype"):
        return x.item()
    return x


def _constant(lowering, x):
    """A global vector, matrix or struct, as it is when the kernel is compiled."""
    if isinstance(x, Matrix):
        return tensor_of(lowering.emitter, x._shape, list(x._values))
    members = {name: _member(lowering, value) for name, value in x._values.items()}
    return Record(SimpleNamespace(methods=x._methods), members)


def _member(lowering, value):
    if isinstance(value, (Matrix, Struct)):
        return _constant(lowering, value)
    return lowering.emitter.scalar(value)


def _array(lowering, x, name):
    """One declaration for each field, however often the source names it."""
    known = lowering.known.get(id(x))
    if known is None:
        known = array_of(lowering, x, getattr(x, "name", None) or name, x)
        lowering.known[id(x)] = known
    return known


def array_of(lowering, field, name, slot):
    """A declared array of the layout of a field."""
    layout = layout_of(field)
    lowest = layout.offset if layout.offset and layout.axes is None else ()
    slot_name = lowering.declare_array(
        name, layout.dtype, layout.extents, layout.strides, slot, lowest
    )
    found = ArrayValue(
        slot_name,
        layout.dtype,
        layout.shape,
        layout.element_shape,
        layout.axes,
        layout.offset,
        field,
    )
    found.quant = layout.quant
    return found


def _record_array(lowering, x, name):
    known = lowering.known.get(id(x))
    if known is None:
        members = {n: captured(lowering, m, f"{name}_{n}") for n, m in x._members.items()}
        known = RecordArray(name, x._type, members, x.shape, x)
        lowering.known[id(x)] = known
    return known
