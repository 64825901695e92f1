# SPDX-License-Identifier: Apache-2.0
"""The types of elements and of kernels' parameters: qd.types.vector, matrix, struct, ndarray."""

from joggle.fields._types import (
    DTYPES,
    MatrixType,
    NDArray,
    NdarrayType,
    StructType,
    Template,
    is_integral,
    is_real,
    is_signed,
    matrix,
    ndarray,
    struct,
    template,
    vector,
)

globals().update(DTYPES)

__all__ = [
    "MatrixType",
    "NDArray",
    "NdarrayType",
    "StructType",
    "Template",
    "is_integral",
    "is_real",
    "is_signed",
    "matrix",
    "ndarray",
    "struct",
    "template",
    "vector",
    *DTYPES,
]
