# SPDX-License-Identifier: Apache-2.0
"""owner[index]: elements of arrays, items and slices of vectors and matrices, and what is known at
compile time."""

from ..ir.emit import describe
from ..ir.messages import KernelIndexError, KernelTypeError, as_kernel_error
from ..ir.scalar import Scalar
from ..library.cell_calls import list_at
from ..library.triplets import TripletList
from ..value.array import ArrayValue, RecordArray
from ..value.values import (
    PLACES,
    ArrayTensorPlace,
    ChosenItem,
    Record,
    RecordPlace,
    Tensor,
    TensorPlace,
    choose,
    kind_of_shape,
    linear,
    position,
)


def subscript(lowering, owner, index):
    """The value or place that owner[index] means."""
    if isinstance(owner, (ArrayValue, RecordArray)):
        return list_at(lowering, owner, index) or owner.at(lowering, index)
    if isinstance(owner, TripletList):
        return owner.at(lowering, index)
    if isinstance(owner, (Tensor, TensorPlace)):
        return _of_tensor(lowering.emitter, owner, index)
    if isinstance(owner, (Scalar, Record, RecordPlace, *PLACES)):
        raise KernelTypeError(f"{describe(owner)} cannot be indexed")
    if isinstance(index, Scalar) and index.constant is not None:
        index = index.constant
    if isinstance(index, Scalar):
        return _of_sequence(lowering, owner, index)
    try:
        return lowering.capture_item(owner, owner[index])
    except (TypeError, KeyError, IndexError) as error:
        raise as_kernel_error(error) from None


def _of_sequence(lowering, owner, index):
    """An item of a list or tuple of numbers at an index known only at run time."""
    try:
        tensor = lowering.as_tensor(owner)
    except KernelTypeError:
        raise KernelTypeError(
            f"{describe(owner)} is known at compile time only, so its index must be too; "
            "put the numbers into a field, or use the variable of a loop over static(...)"
        ) from None
    return _of_tensor(lowering.emitter, tensor, index)


def _of_tensor(emitter, owner, index):
    """An item, or a part where an index is a slice or is left out. Constants may count from the
    end."""
    indices = index if isinstance(index, tuple) else (index,)
    if len(indices) == 1 and isinstance(indices[0], Tensor):
        indices = tuple(indices[0].items)
    indices = tuple(_constant_of(i) for i in indices)
    if any(isinstance(i, slice) for i in indices) or len(indices) < len(owner.shape):
        return _slice(owner, indices)
    for i in indices:
        if not isinstance(i, (int, Scalar)):
            raise KernelTypeError(
                f"index of a {kind_of_shape(owner.shape)}: got {describe(i)}, allowed are integers"
            )
    if all(isinstance(i, int) for i in indices):
        place = position(owner.shape, indices)
        if isinstance(owner, ArrayTensorPlace):
            return owner.choose([i % n for i, n in zip(indices, owner.shape, strict=True)])
        return owner.items[place]
    return _at_run_time(emitter, owner, indices)


def _constant_of(index):
    known = isinstance(index, Scalar) and index.constant is not None
    return index.constant if known else index


def _at_run_time(emitter, owner, indices):
    if len(indices) != len(owner.shape):
        raise KernelIndexError(
            f"got {len(indices)} indices for a {kind_of_shape(owner.shape)}, "
            f"allowed are {len(owner.shape)}"
        )
    pairs = zip(indices, owner.shape, strict=True)
    indices = tuple(_in_range(emitter, owner, k, *pair) for k, pair in enumerate(pairs))
    if isinstance(owner, ArrayTensorPlace):
        return owner.dynamic(indices)
    index = linear(emitter, owner.shape, indices)
    if isinstance(owner, Tensor):
        return choose(emitter, owner.items, index)
    return ChosenItem(emitter, owner.items, index)


def _in_range(emitter, owner, axis, index, extent):
    """An index beside others that are values: counted from the start, checked in debug mode."""
    name = f"index {axis} of a {kind_of_shape(owner.shape)}"
    if isinstance(index, int):
        if not -extent <= index < extent:
            raise KernelIndexError(f"{name}: got {index}, allowed {-extent} to {extent - 1}")
        return index % extent
    if emitter.bounds:
        inside = (index >= 0) & (index < extent)
        emitter.check(inside, f"{name}: got {{}}, allowed 0 to below {extent}", index, kind="index")
    return index


def _slice(owner, indices):
    """Rows, columns and parts: a tensor of what the indices pick; an axis with one index goes."""
    shape = owner.shape
    if len(indices) > len(shape):
        raise KernelIndexError(
            f"got {len(indices)} indices for a {kind_of_shape(shape)}, allowed are {len(shape)}"
        )
    indices = indices + (slice(None),) * (len(shape) - len(indices))
    picked = [_picked(i, extent) for i, extent in zip(indices, shape, strict=True)]
    places = [()]
    for choice in picked:
        places = [(*place, i) for place in places for i in choice]
    kept = [len(p) for p, i in zip(picked, indices, strict=True) if isinstance(i, slice)]
    items = [owner.items[position(shape, place)] for place in places]
    return type_of_part(owner)(tuple(kept), items)


def _picked(index, extent):
    if isinstance(index, slice):
        return range(extent)[index]
    if not isinstance(index, int):
        raise KernelTypeError(f"index beside a slice: got {describe(index)}, allowed are constants")
    return (index,)


def type_of_part(owner):
    """The class of a part of a tensor or of its places."""
    return Tensor if isinstance(owner, Tensor) else TensorPlace
