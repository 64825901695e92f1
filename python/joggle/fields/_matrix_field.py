# SPDX-License-Identifier: Apache-2.0
"""Fields whose elements are vectors or matrices."""

from joggle.fields._field import Field


class MatrixField(Field):
    """A field whose elements are vectors or matrices."""
