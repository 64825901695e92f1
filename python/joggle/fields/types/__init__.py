# SPDX-License-Identifier: Apache-2.0
"""The types of elements and of kernels' parameters: qd.types.vector, matrix, struct, ndarray."""

from joggle._fields import quant as quant
from joggle._fields.buffer_view import BufferViewType
from joggle._fields.texture import RWTextureType, TextureType, rw_texture, texture
from joggle._fields.types import (
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
    ref,
    sparse_matrix_builder,
    struct,
    template,
    vector,
)
from joggle.fields._absent import message_of as _message_of

globals().update(DTYPES)


def __getattr__(name):
    raise AttributeError(_message_of(__name__, name))


__all__ = [
    "BufferViewType",
    "MatrixType",
    "NDArray",
    "NdarrayType",
    "RWTextureType",
    "StructType",
    "Template",
    "TextureType",
    "is_integral",
    "is_real",
    "is_signed",
    "matrix",
    "ndarray",
    "quant",
    "ref",
    "rw_texture",
    "sparse_matrix_builder",
    "struct",
    "template",
    "texture",
    "vector",
    *DTYPES,
]
