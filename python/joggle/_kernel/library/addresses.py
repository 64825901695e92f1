# SPDX-License-Identifier: Apache-2.0
"""qd.get_addr: where an element lies in memory, as a number."""

from joggle._fields.layout import Place

from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..value.array import ArrayValue, checked_indices
from ..value.bindings import Companion
from ..value.capture import layout_of
from ..value.functions import FUNCTIONS, Function


class Address(Companion):
    """The address of a field's first element, which each launch asks for. position: of an argument,
    or None for the field itself."""

    def __init__(self, field, position):
        self.field, self.position = field, position

    def of(self, passed):
        field = self.field if self.position is None else passed[self.position]
        return field._address()


def _get_addr(lowering, args, kwargs):
    """get_addr(field, indices): of fields of scalars."""
    x, indices = args
    array = lowering.capture(x._field, "x") if isinstance(x, Place) else x
    if not isinstance(array, ArrayValue) or array.object is None or array.element_shape:
        raise KernelTypeError(f"get_addr: got {describe(array)}, allowed are fields of scalars")
    emitter = lowering.emitter
    stored = array.stored(lowering, checked_indices(emitter, array, indices))
    address = _base(lowering, array)
    for index, stride in zip(stored, layout_of(array.object).strides, strict=True):
        step = emitter.scalar(emitter.scalar(index, "int64") * stride, "uint64")
        address = address + step
    return address


def _base(lowering, array):
    """The address of the array's first element, one argument of the launch."""
    known = lowering.known.get((array.name, "address"))
    if known is None:
        slot = Address(array.object, lowering.arguments.get(array.name))
        known = lowering.declare_scalar(f"{array.name}_address", "uint64", slot)
        lowering.known[array.name, "address"] = known
    return known


FUNCTIONS["get_addr"] = Function("get_addr", None, _get_addr)
