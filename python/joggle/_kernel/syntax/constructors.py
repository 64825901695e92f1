# SPDX-License-Identifier: Apache-2.0
"""qd.Vector, qd.Matrix and qd.Struct in a kernel: values made of values."""

from types import SimpleNamespace

from joggle._fields import matrix as _matrix
from joggle._fields import struct as _struct

from ..ir.messages import KernelTypeError
from ..ir.types import dtype_name
from ..value.functions import FUNCTIONS
from ..value.values import Record, Tensor, tensor_of
from .calls import handles


@handles(_matrix.Vector, _matrix.Matrix, parameters="values, dt=None, dtype=None")
def _tensor(lowering, args, kwargs):
    items, *dtypes = args
    dtypes = [x for x in (*dtypes, *kwargs.values()) if x is not None]
    tensor = lowering.as_tensor(items)
    if not dtypes:
        return tensor
    return tensor_of(lowering.emitter, tensor.shape, tensor.items, dtype_name(dtypes[0]))


@handles(_struct.Struct, parameters="members=(), /, **named")
def _structure(lowering, args, kwargs):
    given = dict(args[0]) if args else {}
    given.update(kwargs)
    methods = given.pop("__struct_methods", {})
    members = {name: _member(lowering, x) for name, x in given.items()}
    return Record(SimpleNamespace(methods=methods), members)


def _member(lowering, x):
    """A member's value as kernels have it, as joggle._fields.struct.as_value outside."""
    if isinstance(x, dict):
        return _structure(lowering, [x], {})
    if isinstance(x, (Tensor, Record)):
        return x
    return lowering.as_tensor(x) if isinstance(x, (list, tuple)) else lowering.emitter.scalar(x)


def _filled(lowering, shape, number, dtype):
    """A tensor whose item at an index is number(*index)."""
    items = [number(*place) for place in _places(shape)]
    return tensor_of(lowering.emitter, shape, items, dtype_name(dtype))


def _places(shape):
    if len(shape) == 1:
        return [(i,) for i in range(shape[0])]
    return [(i, j) for i in range(shape[0]) for j in range(shape[1])]


def _of_class(name, parameters):
    """Registers a handler for Matrix.name and Vector.name."""
    return handles(getattr(_matrix.Matrix, name).__func__, parameters=parameters)


@_of_class("zero", "dt, n, m=None")
def _zero(lowering, args, kwargs):
    return _alike(lowering, 0, *args, **kwargs)


@_of_class("one", "dt, n, m=None")
def _one(lowering, args, kwargs):
    return _alike(lowering, 1, *args, **kwargs)


def _alike(lowering, number, dtype, n, m=None):
    shape = _known_shape((n,) if m is None else (n, m))
    return _filled(lowering, shape, lambda *place: number, dtype)


def _known_shape(extents):
    """Extents as numbers of Python. Raises KernelTypeError for those that are not known when
    compiling."""
    extents = tuple(getattr(n, "constant", n) for n in extents)
    for n in extents:
        if not isinstance(n, int) or n < 1:
            raise KernelTypeError(f"got {n!r} rows or columns, allowed are constants from 1")
    return extents


@_of_class("identity", "dt, n")
def _identity(lowering, args, kwargs):
    dtype, n = args
    return _filled(lowering, _known_shape((n, n)), lambda i, j: int(i == j), dtype)


@_of_class("unit", "n, i, dt=None")
def _unit(lowering, args, kwargs):
    n, i, *dtype = args
    dtype = [*dtype, *kwargs.values()]
    n, i = _known_shape((n,)), getattr(i, "constant", i)
    if not isinstance(i, int) or not 0 <= i < n[0]:
        raise KernelTypeError(f"unit: got axis {i!r}, allowed are constants from 0 to {n[0] - 1}")
    return _filled(lowering, n, lambda k: int(k == i), dtype[0] if dtype else int)


@_of_class("rows", "rows")
def _rows(lowering, args, kwargs):
    return lowering.as_tensor([list(row) for row in args[0]])


@_of_class("cols", "cols")
def _cols(lowering, args, kwargs):
    return lowering.as_tensor([list(row) for row in zip(*(list(c) for c in args[0]), strict=True)])


@_of_class("diag", "dim, val")
def _diag(lowering, args, kwargs):
    n, value = args
    (n,) = _known_shape((n,))
    return lowering.as_tensor([[value if i == j else 0 for j in range(n)] for i in range(n)])


@_of_class("rotation2d", "alpha")
def _rotation2d(lowering, args, kwargs):
    (angle,) = args
    sin, cos = (FUNCTIONS[name].handler(lowering, [angle], {}) for name in ("sin", "cos"))
    return lowering.as_tensor([[cos, -sin], [sin, cos]])
