# SPDX-License-Identifier: Apache-2.0
"""Fields of numbers of few bits: whatever is written to them is rounded."""

import math

from joggle._fields.field import ScalarField
from joggle._fields.layout import hooks
from joggle._fields.matrix import elements_of
from joggle._fields.matrix_field import MatrixField


class _Quantised:
    """A field whose writes are rounded to the numbers of its type."""

    _quant = None  # of a gradient, which is not rounded

    def _round(self, value):
        return value if self._quant is None else self._quant.rounded(value)

    def _store(self, key, value):
        super()._store(key, self._round(value))

    def _fill(self, value):
        super()._fill(self._round(value))

    def _assign(self, x):
        if self._quant is not None:
            import joggle

            x = self._round(joggle.asarray(x))
        super()._assign(x)

    def _copy_from(self, other):
        if self._quant is None:
            super()._copy_from(other)
        else:
            self._assign(other.to_array())


class QuantField(_Quantised, ScalarField):
    """A field of quantised numbers."""

    def __setitem__(self, key, value):
        super().__setitem__(key, self._round(value))


class QuantMatrixField(_Quantised, MatrixField):
    """A field of vectors or matrices of quantised numbers."""

    def fill(self, value):
        """Writes a number into every scalar, or a vector or matrix into every element."""
        if self._quant is None or self._cells is not None or not hasattr(value, "__len__"):
            super().fill(value)
            return
        elements = elements_of(value, self.element_shape)
        for index, element in zip(self._indices(), elements, strict=True):
            self.get_scalar_field(*index)._fill(element)

    def get_scalar_field(self, *indices):
        """The field of one component, over the same memory."""
        found = super().get_scalar_field(*indices)
        if self._quant is not None:
            found.__class__ = QuantField
            found._quant = self._quant
        return found


class BitpackedFields:
    """Fields of quantised numbers that are placed together. max_num_bits: 8, 16, 32 or 64, which
    all of them together must not exceed."""

    def __init__(self, max_num_bits):
        if max_num_bits not in (8, 16, 32, 64):
            raise ValueError(f"max_num_bits: got {max_num_bits!r}, allowed are 8, 16, 32 and 64")
        self.max_num_bits, self.fields = max_num_bits, []

    def place(self, *args, shared_exponent=False):
        """Adds fields. Raises ValueError for too many bits."""
        if shared_exponent:
            raise NotImplementedError(
                "shared_exponent: got True, allowed is False; each number has its own exponent"
            )
        for field in args:
            if getattr(field, "_quant", None) is None:
                raise TypeError(f"place: got {field!r}, allowed are fields of quantised numbers")
        bits = sum(_bits_of(field) for field in (*self.fields, *args))
        if bits > self.max_num_bits:
            raise ValueError(f"place: got {bits} bits, allowed are {self.max_num_bits} together")
        self.fields += args
        return self


def _bits_of(field):
    return field._quant.num_bits * math.prod(field.element_shape or ())


def make_quantised(type_, quant, place, needs_grad):
    """A field of quantised numbers, or of vectors or matrices of them."""
    cls = QuantField if type_ is quant else QuantMatrixField
    found = cls._make(quant.compute if type_ is quant else type_, needs_grad=needs_grad, **place)
    found._quant = quant
    return found


hooks.make_quantised = make_quantised
