# SPDX-License-Identifier: Apache-2.0
"""qd.tensor: storage whose order in memory is chosen apart from its axes."""

from enum import IntEnum

from joggle._fields.field import (
    Ndarray,
    ScalarNdarray,
    as_extents,
    as_type,
    axes_of_order,
    place_arguments,
)
from joggle._fields.matrix import Matrix
from joggle._fields.matrix_field import MatrixNdarray, VectorNdarray
from joggle._fields.types import CompoundType, MatrixType


class Backend(IntEnum):
    """The storage of a tensor in Quadrants. In joggle both are the same memory."""

    FIELD = 0
    NDARRAY = 1


class Tensor(Ndarray):
    """An ndarray with a layout: the axes from the outermost in memory to the innermost."""


class ScalarTensor(Tensor, ScalarNdarray):
    """A tensor of scalars."""


class VectorTensor(Tensor, VectorNdarray):
    """A tensor of vectors."""


class MatrixTensor(Tensor, MatrixNdarray):
    """A tensor of matrices."""


def tensor(dtype, shape, *, backend=Backend.NDARRAY, layout=None, needs_grad=False, name=""):
    """A tensor of scalars, vectors or matrices, full of zeros.

    shape: an extent or several. layout: the axes from the outermost in memory to the innermost, (1,
    0) for column-major, say; None is their own order. backend changes nothing. needs_grad:
    tensor.grad is one beside it, for real floats. Raises TypeError for a dtype, or a type of
    structs, ValueError for the rest.
    """
    if backend not in (Backend.FIELD, Backend.NDARRAY):
        raise ValueError(f"backend: got {backend!r}, allowed are {', '.join(map(repr, Backend))}")
    type_ = as_type(dtype)
    shape = as_extents(shape)
    cls = ScalarTensor
    if isinstance(type_, MatrixType):
        cls = VectorTensor if type_.ndim == 1 else MatrixTensor
    elif isinstance(type_, CompoundType):
        raise TypeError(f"dtype: got {type_!r} for a tensor, allowed for structs is a field")
    order = None if layout is None else axes_of_order(layout, len(shape), "layout")
    return cls._make(type_, needs_grad=needs_grad, **place_arguments(shape, order, name))


Matrix._make_tensor = staticmethod(tensor)
