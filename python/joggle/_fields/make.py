# SPDX-License-Identifier: Apache-2.0
"""qd.field and qd.ndarray: storage of elements of any type."""

from joggle._fields.field import (
    ScalarField,
    ScalarNdarray,
    as_type,
    place_arguments,
    with_dual,
)
from joggle._fields.layout import Layout
from joggle._fields.matrix_field import MatrixField, MatrixNdarray, VectorNdarray
from joggle._fields.quant_field import make_quantised
from joggle._fields.quant_type import QuantType
from joggle._fields.struct import StructField
from joggle._fields.types import CompoundType, MatrixType


def make_field(type_, place, needs_grad=False):
    """A field of elements of any type."""
    quant = type_ if isinstance(type_, QuantType) else getattr(type_, "quant", None)
    if quant is not None:
        return make_quantised(type_, quant, place, needs_grad)
    if isinstance(type_, MatrixType):
        cls = MatrixField
    else:
        cls = StructField if isinstance(type_, CompoundType) else ScalarField
    return cls._make(type_, needs_grad=needs_grad, **place)


def make_ndarray(type_, shape, needs_grad=False, order=None):
    """An ndarray of elements of any type but structs."""
    if shape is None:
        raise TypeError("shape: got None, allowed are integers and sequences of them")
    if isinstance(type_, QuantType) or getattr(type_, "quant", None):
        raise TypeError(
            f"dtype: got {type_!r} for an ndarray, allowed for numbers of few bits is a field"
        )
    if isinstance(type_, MatrixType):
        cls = VectorNdarray if type_.ndim == 1 else MatrixNdarray
    elif isinstance(type_, CompoundType):
        raise TypeError(f"dtype: got {type_!r} for an ndarray, allowed for structs is a field")
    else:
        cls = ScalarNdarray
    return cls._make(type_, needs_grad=needs_grad, **place_arguments(shape, order))


def field(
    dtype,
    shape=None,
    order=None,
    name="",
    offset=None,
    needs_grad=False,
    needs_dual=False,
    layout=Layout.AOS,
):
    """A field of scalars, or of elements of a compound type, full of zeros.

    dtype: bool, an integer or a real float, or a type of vectors, matrices or structs. shape: an
    extent or several, () for one element; without one the field has no memory until it is placed
    under root, and raises ValueError where it is used before. order: the axes from the outermost in
    memory to the innermost, as "ji" or (1, 0). offset: the lowest index of each axis, 0 where it is
    left out. name: for messages. needs_grad: field.grad is a field beside it, for real floats.
    needs_dual: the same for field.dual, which FwdMode otherwise makes. layout: Layout.AOS or SOA.
    Raises TypeError for a dtype, ValueError for the rest.
    """
    place = place_arguments(shape, order, name, offset, layout)
    return with_dual(make_field(as_type(dtype), place, needs_grad), needs_dual)


def ndarray(dtype, shape, needs_grad=False):
    """An ndarray of scalars, vectors or matrices, full of zeros: as field(dtype, shape), but
    kernels are compiled for its dtype and rank alone. Raises TypeError for structs."""
    return make_ndarray(as_type(dtype), shape, needs_grad)
