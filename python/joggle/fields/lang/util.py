# SPDX-License-Identifier: Apache-2.0
"""Conversions of dtypes, and where one is."""

import dataclasses
import importlib.util
import warnings

from joggle._fields.matrix import Matrix
from joggle._fields.matrix_field import MatrixField
from joggle._fields.types import Template, as_dtype
from joggle.fields.lang._public import public_of


def has_pytorch():
    """Whether torch can be imported."""
    return importlib.util.find_spec("torch") is not None


def cook_dtype(dtype):
    """A dtype from one, or from float, int and bool, by the settings of qd.init. Raises TypeError
    for others."""
    return as_dtype(dtype)


def to_quadrants_type(dt):
    """The dtype of a dtype of NumPy, torch or joggle. Raises TypeError for others."""
    return as_dtype(dt, "dt")


def to_numpy_type(dt):
    """NumPy's type of a dtype. Raises TypeError where NumPy has none."""
    import numpy

    name = as_dtype(dt, "dt").name
    found = getattr(numpy, "bool_" if name == "bool" else name, None)
    if found is None:
        raise TypeError(f"dt: got {dt!r}, allowed are the dtypes that NumPy has")
    return found


def to_pytorch_type(dt):
    """torch's dtype of a dtype."""
    import torch

    return getattr(torch, as_dtype(dt, "dt").name)


def is_matrix_class(rhs):
    """Whether it is a vector or matrix, or a field of them."""
    return isinstance(rhs, Matrix | MatrixField)


def is_dataclass_instance(obj):
    """Whether it is an object of a dataclass, not the class."""
    return dataclasses.is_dataclass(obj) and not isinstance(obj, type)


def is_data_oriented(obj):
    """Whether it is an object of a class with @qd.data_oriented."""
    return getattr(type(obj), "_tells_kernels", False)


def is_qd_template(annotation):
    """Whether the annotation of a parameter is qd.template or qd.template()."""
    return annotation is Template or isinstance(annotation, Template)


def in_python_scope():
    """True. A kernel that asks is refused: its functions are not called."""
    return True


def in_quadrants_scope():
    """False. A kernel that asks is refused."""
    return False


def warning(msg, warning_type=UserWarning, stacklevel=1):
    """Warns, from the caller's line."""
    warnings.warn(msg, warning_type, stacklevel=stacklevel + 1)


__getattr__ = public_of(__name__)
