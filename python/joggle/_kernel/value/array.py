# SPDX-License-Identifier: Apache-2.0
"""Arrays of a kernel: fields and arguments. Elements are scalars, vectors, matrices or structs.

An array of vectors is one array of the IR with the axes of its elements after its own. An array of
structs is an array for each member. Extents are numbers where they are known when compiling, as
those of fields are, and None where the launch gives them.
"""

from ..ir import arithmetic
from ..ir.emit import describe
from ..ir.messages import KernelIndexError, KernelTypeError
from ..ir.promotion import is_float
from ..ir.scalar import Scalar
from .cells import activation, known_part
from .quantised import QuantElement
from .values import ArrayTensorPlace, Element, RecordPlace, Tensor


class ArrayValue:
    """An array of scalars, vectors or matrices.

    shape: an extent, or None, for each index. axes: as Layout.axes, None where no axis is split.
    offset: the lowest index of each axis, None for zeros. object: the field that it was captured
    as. is_clamped: whether indices outside mean the nearest inside.
    """

    is_clamped = False
    has_no_grad = False  # from the annotation of an argument
    quant = None  # of numbers of few bits: their type

    def __init__(self, name, dtype, shape, element_shape=(), axes=None, offset=None, object=None):
        self.name, self.dtype = name, dtype
        self.shape, self.element_shape = tuple(shape), tuple(element_shape)
        self.axes, self.offset, self.object = axes, offset, object

    def kernel_kind(self):
        inside = f" of element shape {self.element_shape}" if self.element_shape else ""
        return f"the array {self.name}, {self.ndim}-d of {self.dtype}{inside}"

    @property
    def ndim(self):
        return len(self.shape)

    def extent(self, lowering, axis):
        """The extent of an axis: a number, or a value where the launch gives it."""
        if self.shape[axis] is not None:
            return self.shape[axis]
        emitter = lowering.emitter
        extent = emitter.extent(self.name, axis)
        return emitter.scalar(extent, emitter.default_ip)

    def extents(self, lowering):
        return tuple(self.extent(lowering, axis) for axis in range(self.ndim))

    def at(self, lowering, indices):
        """The place of an element."""
        emitter = lowering.emitter
        indices = checked_indices(emitter, self, indices)
        if self.is_clamped:
            indices = self._clamped(lowering, indices)
        elif emitter.debug or (emitter.bounds and self._is_split):
            self._check_bounds(lowering, indices)
        indices = self._from_zero(indices)
        return self.stored_at(lowering, indices, activation(lowering, self, indices))

    def stored(self, lowering, indices):
        """The indices in memory of an element."""
        return self._stored(lowering.emitter, self._from_zero(indices))

    def stored_at(self, lowering, indices, activate=None):
        """The place of an element by indices from 0. activate: as in Element."""
        emitter = lowering.emitter
        stored = self._stored(emitter, indices)
        if not self.element_shape:
            return self._element(emitter, stored, activate)
        return ArrayTensorPlace(self.element_shape, self._chooser(emitter, stored, activate))

    @property
    def _is_split(self):
        """Whether an axis is several in memory, whose bounds say less than the axis' own."""
        return self.axes is not None and len(self.axes) != len(self.shape)

    def _chooser(self, emitter, stored, activate):
        def choose(indices):
            inside = tuple(emitter.scalar(index) for index in indices)
            return self._element(emitter, stored + inside, activate)

        return choose

    def _element(self, emitter, stored, activate):
        if self.quant is None:
            return Element(emitter, self.name, self.dtype, stored, activate)
        return QuantElement(emitter, self, stored, activate)

    def _from_zero(self, indices):
        """The indices without the array's offset."""
        if not self.offset:
            return indices
        # Adding what is positive: an unsigned index has no negative number to be subtracted.
        pairs = zip(indices, self.offset, strict=True)
        return tuple(i + -o if o < 0 else i - o for i, o in pairs)

    def _stored(self, emitter, indices):
        """The indices in memory: those of the field, split where its axes are."""
        if self.axes is None:
            return tuple(emitter.scalar(i) for i in indices)
        return tuple(_part(emitter, indices[axis], *split) for axis, *split in self.axes)

    def _clamped(self, lowering, indices):
        """The indices moved into the array, which must not be empty."""
        emitter, found = lowering.emitter, []
        for axis, index in enumerate(indices):
            extent = self.extent(lowering, axis)
            message = (
                f"axis {axis} of {self.name}: got no elements, allowed with boundary='clamp' is one"
            )
            emitter.check(emitter.scalar(extent > 0), message, kind="index")
            index = arithmetic.binary(emitter, "minimum", index, extent - 1)
            found.append(arithmetic.binary(emitter, "maximum", index, 0))
        return tuple(found)

    def _check_bounds(self, lowering, indices):
        emitter = lowering.emitter
        for axis, index in enumerate(indices):
            low = self.offset[axis] if self.offset else 0
            high = self.extent(lowering, axis) + low
            inside = (index >= low) & (index < high)
            if isinstance(inside, bool):
                continue  # checked_indices has checked it
            values = emitter.scalar(index), emitter.scalar(high)
            message = f"index {axis} of {self.name}: got {{}}, allowed {low} to below {{}}"
            emitter.check(inside, message, *values, kind="index")


class RecordArray:
    """An array of structs: an array for each member, by name, all of one shape."""

    is_clamped = False

    def __init__(self, name, type_, members, shape, object=None):
        self.name, self.type, self.members = name, type_, members
        self.shape, self.object = tuple(shape), object

    def kernel_kind(self):
        return f"the array {self.name} of structs of {', '.join(self.members)}"

    @property
    def ndim(self):
        return len(self.shape)

    def extents(self, lowering):
        return self._first().extents(lowering)

    def extent(self, lowering, axis):
        return self._first().extent(lowering, axis)

    def _first(self):
        return next(iter(self.members.values()))

    def at(self, lowering, indices):
        places = {name: member.at(lowering, indices) for name, member in self.members.items()}
        return RecordPlace(self.type, places)

    def stored_at(self, lowering, indices):
        """The same by indices from 0, which has no cell exist."""
        places = {name: x.stored_at(lowering, indices) for name, x in self.members.items()}
        return RecordPlace(self.type, places)

    @property
    def offset(self):
        return self._first().offset


def index_ranges(lowering, array):
    """For each index the lowest one and the one after the highest."""
    offset = array.offset or (0,) * array.ndim
    extents = array.extents(lowering)
    return [(low, low + n if low else n) for low, n in zip(offset, extents, strict=True)]


def _part(emitter, index, divisor, modulus):
    """The part of an index that a split axis takes: (index // divisor) % modulus."""
    known = known_part(index, divisor, modulus)
    if known is not None:
        return emitter.scalar(known)
    index = emitter.scalar(index)
    if divisor != 1:
        index = emitter.instruct(index.dtype, "floor_divide", index, _same(emitter, divisor, index))
    if modulus is not None:
        index = emitter.instruct(index.dtype, "remainder", index, _same(emitter, modulus, index))
    return index


def _same(emitter, number, like):
    return emitter.constant(number, like.dtype)


def checked_indices(emitter, array, indices):
    """The indices as scalars: vectors taken apart, None for no index at all."""
    flat = []
    for index in indices if isinstance(indices, tuple) else (indices,):
        if isinstance(index, (Tensor, list)):
            flat.extend(index.items if isinstance(index, Tensor) else index)
        elif isinstance(index, tuple):
            flat.extend(index)
        elif index is not None:
            flat.append(index)
    if len(flat) != array.ndim:
        raise KernelIndexError(
            f"{array.kernel_kind()}: got {len(flat)} indices, allowed are {array.ndim}"
        )
    for axis, index in enumerate(flat):
        _check_index(emitter, array, axis, index)
    return tuple(flat)


def _check_index(emitter, array, axis, index):
    if isinstance(index, slice):
        raise KernelTypeError(
            f"index {axis} of {array.name}: slices of arrays are not supported; "
            "loop over the indices"
        )
    if not isinstance(index, (Scalar, int)) or is_float(emitter.dtype_of(index)):
        raise KernelTypeError(
            f"index {axis} of {array.name}: got {describe(index)}, allowed are integers; "
            "convert it with int(...)"
        )
    if isinstance(index, int) and not (array.is_clamped or array_allows(array, axis, index)):
        low, extent = array.offset[axis] if array.offset else 0, array.shape[axis]
        high = " and above" if extent is None else f" to below {low + extent}"
        raise KernelIndexError(
            f"index {axis} of {array.name}: got {index}, allowed {low}{high}; "
            "negative indices do not count from the end"
        )


def array_allows(array, axis, index):
    """Whether a constant index can be in range."""
    offset = getattr(array, "offset", None)
    low = offset[axis] if offset else 0
    extent = array.shape[axis]
    return index >= low and (extent is None or index < low + extent)
