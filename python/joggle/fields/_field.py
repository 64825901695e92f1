# SPDX-License-Identifier: Apache-2.0
"""Fields of scalars, and what all fields have in common."""


class Field:
    """Mutable storage with a shape; kernels and other frameworks work on it in place."""


class ScalarField(Field):
    """A field whose elements are scalars."""
