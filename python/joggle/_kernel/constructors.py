# SPDX-License-Identifier: Apache-2.0
"""qd.Vector, qd.Matrix and qd.Struct in a kernel: values made of values."""

from joggle.fields import _matrix, _struct

from .calls import HANDLERS, handles
from .messages import KernelTypeError
from .types import dtype_name
from .values import Record, Tensor, tensor_of


def _tensor(lowering, args, kwargs):
    items, *dtype = args
    dtype = dtype[0] if dtype else kwargs.get("dt", kwargs.get("dtype"))
    tensor = lowering.as_tensor(items)
    if dtype is None:
        return tensor
    return tensor_of(lowering.emitter, tensor.shape, tensor.items, dtype_name(dtype))


for _class in (_matrix.Vector, _matrix.Matrix):
    HANDLERS[_class] = _tensor


@handles(_struct.Struct)
def _structure(lowering, args, kwargs):
    given = dict(args[0]) if args else {}
    given.update(kwargs)
    return Record(None, {name: _member(lowering, x) for name, x in given.items()})


def _member(lowering, x):
    """A member's value as kernels have it, as joggle.fields._struct.as_value outside."""
    if isinstance(x, dict):
        return _structure(lowering, [x], {})
    if isinstance(x, (Tensor, Record)):
        return x
    return lowering.as_tensor(x) if isinstance(x, (list, tuple)) else lowering.emitter.scalar(x)


def _filled(lowering, shape, number, dtype):
    """A tensor whose item at a place is number(*place)."""
    items = [number(*place) for place in _places(shape)]
    return tensor_of(lowering.emitter, shape, items, dtype_name(dtype))


def _places(shape):
    if len(shape) == 1:
        return [(i,) for i in range(shape[0])]
    return [(i, j) for i in range(shape[0]) for j in range(shape[1])]


def _maker(name, number):
    """Handlers of Matrix.name(dt, n, m) and Vector.name(dt, n)."""

    def make(lowering, args, kwargs):
        dtype, *shape = args
        if not shape or len(shape) > 2:
            raise KernelTypeError(f"{name}: got {len(args)} arguments, allowed are dt, n and m")
        if name == "identity" and len(shape) == 1:
            shape = shape * 2
        return _filled(lowering, tuple(shape), number, dtype)

    for owner in (_matrix.Vector, _matrix.Matrix):
        method = getattr(owner, name, None)
        if method is not None:
            HANDLERS[getattr(method, "__func__", method)] = make


_maker("zero", lambda *place: 0)
_maker("one", lambda *place: 1)
_maker("identity", lambda i, j: int(i == j))


def _unit(lowering, args, kwargs):
    n, i, *dtype = args
    return _filled(lowering, (n,), lambda k: int(k == i), dtype[0] if dtype else int)


def _rows(lowering, args, kwargs):
    return lowering.as_tensor([list(row) for row in args[0]])


def _cols(lowering, args, kwargs):
    return lowering.as_tensor([list(row) for row in zip(*(list(c) for c in args[0]), strict=True)])


def _diag(lowering, args, kwargs):
    n, value = args
    return lowering.as_tensor([[value if i == j else 0 for j in range(n)] for i in range(n)])


for _name, _handler in {"unit": _unit, "rows": _rows, "cols": _cols, "diag": _diag}.items():
    for _owner in (_matrix.Vector, _matrix.Matrix):
        _method = getattr(_owner, _name, None)
        if _method is not None:
            HANDLERS[getattr(_method, "__func__", _method)] = _handler
