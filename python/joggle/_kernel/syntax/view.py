# SPDX-License-Identifier: Apache-2.0
"""qd.BufferView in kernels: a part of a one-dimensional array. Its indices count from its start."""

from joggle._fields.buffer_view import BufferView, BufferViewType

from ..ir import types
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..value.array import ArrayValue, checked_indices
from ..value.parameters import Array, annotated
from ..value.signatures import binding, signature_of
from ..value.values import Element
from .calls import handles


class View(ArrayValue):
    """A part of an array from a start on; start and size are values or numbers."""

    def __init__(self, array, start, size):
        super().__init__(array.name, array.dtype, (None,))
        self.start, self.size = start, size

    def kernel_kind(self):
        return f"a part of the array {self.name}, of {self.dtype}"

    def extent(self, lowering, axis):
        return self.size

    def at(self, lowering, index):
        if isinstance(index, slice):
            return self._slice(index)
        (index,) = checked_indices(lowering.emitter, self, index)
        if lowering.emitter.bounds:
            self._check_bounds(lowering, (index,))
        return Element(lowering.emitter, self.name, self.dtype, (self._place(lowering, index),))

    def _place(self, lowering, index):
        return lowering.emitter.scalar(index + self.start)

    def _slice(self, index):
        if index.step not in (None, 1):
            raise KernelTypeError(f"slice of {self.name}: got step {index.step}, allowed is 1")
        start = index.start or 0
        stop = self.size if index.stop is None else index.stop
        return View(self, self.start + start, stop - start)

    def own_attribute(self, name):
        """The attribute that views have and arrays do not have, or None."""
        if name == "size":
            return self.size
        return Subview(self) if name == "subview" else None


class Subview:
    """view.subview, which a kernel calls."""

    def __init__(self, view):
        self.view = view

    def call(self, lowering, args, kwargs):
        return _SUBVIEW(lowering, [self.view, *args], kwargs)


def _bound(lowering, view, offset, size):
    """A part of a view, which must lie inside in debug mode."""
    emitter = lowering.emitter
    if emitter.bounds:
        length = view.extent(lowering, 0)
        fits = (emitter.scalar(offset) >= 0) & (emitter.scalar(size) >= 0)
        fits = fits & (emitter.scalar(offset) + size <= length)
        values = [emitter.scalar(x) for x in (offset, size, length)]
        message = f"a part of {view.name}: got offset {{}} and size {{}}, allowed are 0 to {{}}"
        emitter.check(fits, message, *values, kind="index")
    return View(view, view.start + offset, size)


@handles(BufferView, parameters="arr, offset, size")
def _view(lowering, args, kwargs):
    """qd.BufferView(array, offset, size) in a kernel."""
    array, offset, size = args
    if not isinstance(array, ArrayValue) or array.ndim != 1 or array.element_shape:
        raise KernelTypeError(
            f"BufferView: got {describe(array)}, allowed are arrays with one axis, of scalars"
        )
    whole = View(array, 0, array.extent(lowering, 0))
    return _bound(lowering, whole, offset, size)


_SUBVIEW = binding(
    "subview",
    signature_of("view, offset, size"),
    lambda lowering, args, kwargs: _bound(lowering, *args),
)


class Part(Array):
    """A BufferView: its memory is passed as a tensor."""

    def __init__(self, type_):
        super().__init__(types.NdarrayType(type_.dtype, 1))

    def key(self, argument):
        if not isinstance(argument, BufferView):
            hint = "; take a slice of it" if hasattr(argument, "shape") else ""
            raise KernelTypeError(f"got {type(argument).__name__}, allowed is a BufferView{hint}")
        return super().key(argument.arr)

    def declare(self, lowering, name, argument):
        array = super().declare(lowering, name, argument.arr)
        return View(array, 0, array.extent(lowering, 0))

    def passed(self, argument):
        return (argument._lent(),)

    def is_lasting(self, argument):
        return False


@annotated
def _kind(annotation):
    if annotation is BufferView:
        return Part(BufferViewType())
    return Part(annotation) if isinstance(annotation, BufferViewType) else None
