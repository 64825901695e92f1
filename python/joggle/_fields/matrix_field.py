# SPDX-License-Identifier: Apache-2.0
"""Fields and ndarrays whose elements are vectors or matrices."""

from itertools import product

from joggle._fields.field import (
    Described,
    Field,
    Ndarray,
    ScalarField,
    place_arguments,
    with_dual,
)
from joggle._fields.interop import Interop
from joggle._fields.layout import Layout, hooks
from joggle._fields.matrix import Matrix, elements_of
from joggle._fields.types import MatrixType


def as_key(key):
    """An index as a tuple."""
    if type(key) is tuple:
        return key
    if key is None:
        return ()
    return tuple(key) if isinstance(key, list) else (key,)


class _Matrices(Described, Interop):
    """Elements in and out. An element that was read writes through to where it was read."""

    @property
    def n(self):
        return self.element_shape[0]

    @property
    def m(self):
        return self.element_shape[1] if len(self.element_shape) > 1 else 1

    def _indices(self):
        return product(*(range(extent) for extent in self.element_shape))

    def _at(self, key):
        key = as_key(key)
        try:
            values = self._values(key)
        except IndexError:
            # The extension counts the element's axes as well; users give the field's alone.
            self._check_rank(key)
            raise
        return Matrix._read(values, self.element_shape, self, key)

    def _put(self, key, value):
        key = as_key(key)
        self._check_rank(key)
        values = elements_of(value, self.element_shape)
        for index, element in zip(self._indices(), values, strict=True):
            self._store(key + index, element)

    def _check_rank(self, key):
        shape = self.shape
        if shape is not None and len(key) != len(shape):
            name = self.name or f"of {self._type}"
            raise IndexError(
                f"[field {name}] index: got {len(key)} numbers, allowed are {len(shape)} "
                f"for shape {shape}"
            )

    def fill(self, value):
        """Writes a number into every scalar, or a vector or matrix into every element."""
        if self._cells is not None or not hasattr(value, "__len__"):
            super().fill(value)
            return
        for index, element in zip(
            self._indices(), elements_of(value, self.element_shape), strict=True
        ):
            self._component(index, ScalarField)._fill(element)

    def get_scalar_field(self, *indices):
        """The field of one component, over the same memory: indices as the element's axes. Its
        gradient is the gradient's component. Raises IndexError, ValueError before the field is
        placed."""
        found = self._component(indices, ScalarField)
        found._prepare(self._type.dtype)
        found._whole = self
        if self.has_grad():
            found.grad, found._has_grad = self.grad.get_scalar_field(*indices), True
        return found


class MatrixField(_Matrices, Field):
    """A field whose elements are vectors or matrices. As in Quadrants, matrices of one column are
    handed out as vectors unless keep_dims asks for their two axes, and vectors as matrices of one
    column if it does; both are taken."""

    def to_numpy(self, keep_dims=False, dtype=None, *, copy=True):
        """The values as a NumPy array, element axes behind the field's, in another dtype if one is
        given. Raises CopyError where copy=False cannot be kept, by the layout or by the dtype."""
        return self._formed(self._numpy(dtype, copy), keep_dims)

    def to_torch(self, device=None, keep_dims=False, *, copy=True):
        """The values as a torch tensor, element axes behind the field's. Raises CopyError where
        copy=False cannot be kept, by the layout or by a device that is not the CPU."""
        return self._formed(super().to_torch(device, copy=copy), keep_dims)

    def _formed(self, values, keep_dims):
        """Values with as many element axes as are asked for, which shares their memory."""
        if len(self.element_shape) == 1:
            return values[..., None] if keep_dims else values
        if self.m != 1:
            return values
        return values if keep_dims else values[..., 0]

    def from_numpy(self, arr):
        """Sets all values from a NumPy array of that shape, of one column with or without its
        axis, cast where dtypes differ."""
        super().from_numpy(self._taken(arr))

    def from_torch(self, tensor):
        """The same from a torch tensor, on any device."""
        super().from_torch(self._taken(tensor))

    def _taken(self, values):
        """Values with the element's own axes, where a last one of extent 1 makes the difference."""
        if self.m != 1 or not hasattr(values, "ndim") or self.shape is None:
            return values
        ndim = len(self.shape)
        if len(self.element_shape) == 2 and values.ndim == ndim + 1:
            return values[..., None]
        is_column = values.ndim == ndim + 2 and values.shape[-1] == 1
        return values[..., 0] if is_column and len(self.element_shape) == 1 else values


class VectorNdarray(_Matrices, Ndarray):
    """An ndarray whose elements are vectors."""


class MatrixNdarray(_Matrices, Ndarray):
    """An ndarray whose elements are matrices."""


def matrix_field(
    type_,
    shape=None,
    order=None,
    name="",
    offset=None,
    needs_grad=False,
    needs_dual=False,
    layout=Layout.AOS,
    ndim=None,
):
    """A field of elements of a type of vectors or matrices. Arguments as those of field."""
    if ndim is not None and ndim != type_.ndim:
        raise ValueError(f"ndim: got {ndim}, allowed is that of {type_!r}, {type_.ndim}")
    place = place_arguments(shape, order, name, offset, layout)
    if type_.quant is not None:
        return with_dual(hooks.make_quantised(type_, type_.quant, place, needs_grad), needs_dual)
    return with_dual(MatrixField._make(type_, needs_grad=needs_grad, **place), needs_dual)


def matrix_ndarray(type_, shape, needs_grad=False):
    """An ndarray of elements of a type of vectors or matrices."""
    if type_.quant is not None:
        raise TypeError(
            f"dtype: got {type_!r} for an ndarray, allowed for numbers of few bits is a field"
        )
    if shape is None:
        raise TypeError("shape: got None, allowed are integers and sequences of them")
    cls = VectorNdarray if type_.ndim == 1 else MatrixNdarray
    return cls._make(type_, needs_grad=needs_grad, **place_arguments(shape))


MatrixType._make_field = staticmethod(matrix_field)
MatrixType._make_ndarray = staticmethod(matrix_ndarray)
