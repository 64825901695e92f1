# SPDX-License-Identifier: Apache-2.0
"""Objects of the outside that a kernel's source names: what they become in the kernel.

A field becomes an array whose extents and strides are constants; it is passed at each launch, so
the compiled code does not depend on where it lies. Values of vectors and structs become constants.
Everything else stays an object of Python, for compile time.
"""

from .array import ArrayValue, RecordArray
from .messages import KernelTypeError
from .values import Record, tensor_of


def captured(lowering, x, name):
    """x as a value of the kernel, or x itself."""
    if x is None or isinstance(x, (bool, int, float, str, type)):
        return x
    described = getattr(x, "_kernel_layout", None)
    if described is not None:
        return _array(lowering, x, name)
    if hasattr(x, "_kernel_members"):
        return _record_array(lowering, x, name)
    if hasattr(x, "_kernel_value"):
        return _constant(lowering, x._kernel_value())
    if hasattr(x, "item") and getattr(x, "shape", None) == () and hasattr(x, "dtype"):
        return x.item()
    return x


def _constant(lowering, value):
    """A value of the outside: (shape, items, dtype) of a matrix, (type, members) of a struct."""
    if len(value) == 3:
        shape, items, dtype = value
        return tensor_of(lowering.emitter, shape, items, dtype)
    type_, members = value
    return Record(type_, {n: lowering.emitter_value(x) for n, x in members.items()})


def _array(lowering, x, name):
    known = lowering.known.get(id(x))
    if known is None:
        known = array_of_layout(lowering, x._kernel_layout(), name, x, slot=x)
        lowering.known[id(x)] = known
    return known


def array_of_layout(lowering, layout, name, x, slot):
    """A declared array of the layout of a field."""
    if layout is None:
        raise KernelTypeError(f"{name}: the field was lost by qd.init or qd.reset")
    slot_name = lowering.declare_array(name, layout.dtype, layout.extents, layout.strides, slot)
    return ArrayValue(
        slot_name, layout.dtype, layout.shape, layout.element_shape, layout.axes, layout.offset, x
    )


def _record_array(lowering, x, name):
    known = lowering.known.get(id(x))
    if known is None:
        members = {n: captured(lowering, m, f"{name}_{n}") for n, m in x._kernel_members().items()}
        known = RecordArray(name, x._kernel_type(), members, x.shape, x)
        lowering.known[id(x)] = known
    return known
