# SPDX-License-Identifier: Apache-2.0
"""Structs: values, and fields of them."""

from joggle.fields._field import Field


class Struct:
    """A struct value."""


class StructField(Field):
    """A field whose elements are structs."""
