# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices as values of the host language."""


class Matrix:
    """A small matrix."""


class Vector(Matrix):
    """A small vector."""
