# SPDX-License-Identifier: Apache-2.0
"""The types of joggle.fields in the form of the lowering: names of dtypes, shapes, members."""

from joggle._fields import types

from .messages import KernelTypeError


def dtype_name(dtype):
    """The name of a dtype in the kernel's text."""
    try:
        return types.as_dtype(dtype).name
    except TypeError as error:
        raise KernelTypeError(str(error)) from None


def dtype_object(name):
    """The dtype of a name."""
    return types.DTYPES[name] if name in types.DTYPES else types.as_dtype(name)


def is_dtype(x):
    """Whether x means a dtype when it is called or used as an annotation."""
    return x in (int, float, bool) or isinstance(x, type(types.i32))


def of_annotation(annotation):
    """A dtype's name, or a vector or matrix type, of an annotated variable."""
    if isinstance(annotation, types.MatrixType):
        return annotation
    return dtype_name(annotation)


def default_names():
    """The default integer and floating dtypes."""
    from joggle._fields.settings import config

    return config.default_ip.name, config.default_fp.name


MatrixType, StructType = types.MatrixType, types.StructType
NdarrayType, Template, template = types.NdarrayType, types.Template, types.template
OptionalType = types.OptionalType
SparseMatrixBuilderType = types.SparseMatrixBuilderType
