# SPDX-License-Identifier: Apache-2.0
"""The functions by which kernels make cells exist, end them, count them and test them."""

from joggle._fields.field import Storage
from joggle._fields.layout import Place, SNode
from joggle._fields.struct import StructField

from ..ir.arithmetic import is_number
from ..ir.emit import describe
from ..ir.messages import KernelIndexError, KernelTypeError
from ..value.array import checked_indices
from ..value.cells import (
    COUNTED,
    CellNumber,
    activate_way,
    axes_of,
    cells_of,
    count_of,
    dtype_of_numbers,
    indices_of,
    marks_at,
)
from ..value.functions import FUNCTIONS, Function
from ..value.values import Record, Tensor, assign


def node_argument(lowering, name, x, allowed="nodes whose cells need not exist"):
    """A node that a kernel's function is given, or the one that a field lies in."""
    if isinstance(x, Place):
        x = x.parent()
    node = x if isinstance(x, SNode) else None
    if node is None or node._marks is None:
        kind = f"a {node._kind} node" if node is not None else describe(x)
        raise KernelTypeError(f"{name}: got {kind}, allowed are {allowed}")
    return node


def index_argument(lowering, name, node, indices):
    """The indices of a cell, from 0, one for each axis; none where there is no node."""
    return checked_indices(lowering.emitter, _Indexed(name, node), indices)


class _Indexed:
    """A node, as messages about the indices that a function is given name it."""

    is_clamped, offset = False, None

    def __init__(self, function, node):
        self.name = f"the node of {function}"
        self.shape = node.shape if node is not None else ()
        self.ndim = len(self.shape)

    def kernel_kind(self):
        return self.name


def number_at(lowering, node, indices):
    """(the parent's number, the number) of the node's cell at indices."""
    *_, (_, parent, _, number) = CellNumber(lowering, node, indices)
    return parent, number


def parent_number(lowering, node, indices):
    """The number of the parent's cell at indices."""
    return number_at(lowering, node._parent, indices)[1] if node._parent is not None else 0


def _activate(lowering, args, kwargs):
    """activate(node, indices)."""
    x, indices = args
    node = node_argument(lowering, "activate", x)
    if node._kind == COUNTED:
        raise KernelTypeError("activate: got a dynamic node, allowed is append(...)")
    activate_way(lowering, node, index_argument(lowering, "activate", node, indices))


def _is_active(lowering, args, kwargs):
    """is_active(node, indices): 1 or 0."""
    x, indices = args
    node = node_argument(lowering, "is_active", x)
    if node._kind == COUNTED:
        raise KernelTypeError("is_active: got a dynamic node, allowed is length(...)")
    indices = index_argument(lowering, "is_active", node, indices)
    mark = marks_at(lowering, node, number_at(lowering, node, indices)[1])
    return lowering.emitter.scalar(mark.read(), "int32")


def _length(lowering, args, kwargs):
    """length(node, indices): how many cells of a dynamic node there are in the parent's cell."""
    x, indices = args
    node = _dynamic_argument(lowering, "length", x)
    return _length_at(lowering, node, index_argument(lowering, "length", node._parent, indices))


def _length_at(lowering, node, indices):
    return marks_at(lowering, node, parent_number(lowering, node, indices)).read()


def _dynamic_argument(lowering, name, x):
    node = node_argument(lowering, name, x, "dynamic nodes")
    if node._kind != COUNTED:
        raise KernelTypeError(f"{name}: got a {node._kind} node, allowed are dynamic nodes")
    return node


def _append(lowering, args, kwargs):
    """append(node, indices, value): gives the index that the value has along the node's axis."""
    x, indices, value = args
    node = _dynamic_argument(lowering, "append", x)
    indices = index_argument(lowering, "append", node._parent, indices)
    return append_at(lowering, node, indices, value)


def append_at(lowering, node, indices, value):
    """Adds a cell to those of the parent's cell at indices, and writes its only field."""
    emitter = lowering.emitter
    fields = [x for x in node._found_below() if isinstance(x, Storage)]
    if len(fields) != 1 or fields[0]._node is not node:
        raise KernelTypeError(
            f"append: got a node with {len(fields)} fields, allowed is one that was placed in it"
        )
    if node._parent is not None:
        activate_way(lowering, node._parent, indices)
    count = marks_at(lowering, node, parent_number(lowering, node, indices))
    place = lowering.update(count, "add", emitter.constant(1, "int32"))
    (most,) = node._extents
    full = place >= most
    with emitter.when(full):
        lowering.update(count, "minimum", emitter.constant(most, "int32"))
    emitter.check(~full, f"append: the node is full, allowed are {most} elements", kind="index")
    array = lowering.capture(fields[0], fields[0].name or "x")
    whole = list(indices)
    whole.insert(axes_of(node).index(node._numbers[0]), place)
    if isinstance(value, (list, tuple)):
        value = lowering.as_tensor(value)
    if not isinstance(value, (Tensor, Record)) and not is_number(value):
        raise KernelTypeError(f"append: got {describe(value)}, allowed are values")
    assign(emitter, array.stored_at(lowering, whole), value)
    return place


def _deactivate(lowering, args, kwargs):
    """deactivate(node, indices): the cell, and all in it, is 0 and exists no more. Of a dynamic
    node, all cells in the parent's cell at indices."""
    x, indices = args
    node = node_argument(lowering, "deactivate", x)
    above = node._parent if node._kind == COUNTED else node
    deactivate_at(lowering, node, index_argument(lowering, "deactivate", above, indices))


def deactivate_at(lowering, node, indices):
    """The same for indices from 0 of the node's cell, or of the parent's of a dynamic node."""
    emitter = lowering.emitter
    lowering.known_cells.deactivations += 1
    counted = node._kind == COUNTED
    number = (
        parent_number(lowering, node, indices) if counted else number_at(lowering, node, indices)[1]
    )
    mark = marks_at(lowering, node, number)
    known = mark.read()
    with emitter.when(known != 0):
        _end_cells(lowering, node, number, known if counted else None)
        mark.write(emitter.constant(0, mark.dtype))


def _end_cells(lowering, node, number, count):
    """Zeros in the node's cell, or in as many as count says of those in the parent's cell."""
    emitter = lowering.emitter
    (most,) = node._extents if count is not None else (1,)
    for item in node._found_below():
        if isinstance(item, SNode) and item._marks is None:
            continue
        leaf = item if isinstance(item, SNode) else item._node
        way = leaf._way[len(node._way) :]
        way = way[:-1] if isinstance(item, SNode) and item._kind == COUNTED else way
        each = count_of(way)
        cells = each if count is None else count * each
        dtype = dtype_of_numbers(leaf)
        first = emitter.scalar(number, dtype) * (most * each)
        with emitter.loop(0, cells) as index:
            _write_zero(lowering, item, first + emitter.scalar(index, dtype))


def _write_zero(lowering, item, number):
    """The marks, or the values and gradients, of a cell by its number become 0."""
    emitter = lowering.emitter
    if isinstance(item, SNode):
        mark = marks_at(lowering, item, number)
        mark.write(emitter.constant(0, mark.dtype))
        return
    indices = indices_of(item._node, number)
    for plane in _planes(item):
        place = lowering.capture(plane, plane.name or "x").stored_at(lowering, indices)
        assign(emitter, place, 0)


def _planes(field):
    """A field's members, each with its gradient where there is one."""
    if isinstance(field, StructField):
        return [plane for member in field._members.values() for plane in _planes(member)]
    return [field, *([field.grad] if field._has_grad else [])]


class CellList:
    """The list that a field of a dynamic node has at all indices but that of the node."""

    def __init__(self, node, indices):
        self.node, self.indices = node, indices

    def kernel_kind(self):
        return "a list of a dynamic node"

    def method(self, name):
        """append(value), length() or deactivate(), as something to call."""
        if name not in LIST_METHODS:
            raise KernelTypeError(f"a list of a dynamic node has no attribute {name}")
        return _ListMethod(self, name)


class _ListMethod:
    def __init__(self, cells, name):
        self.cells, self.name = cells, name

    def call(self, lowering, args, kwargs):
        wanted, handler = LIST_METHODS[self.name]
        if kwargs or len(args) != wanted:
            raise KernelTypeError(
                f"{self.name}: got {len(args) + len(kwargs)} arguments, allowed are {wanted}"
            )
        return handler(lowering, self.cells.node, self.cells.indices, *args)


LIST_METHODS = {
    "append": (1, append_at),
    "length": (0, _length_at),
    "deactivate": (0, deactivate_at),
}


def list_at(lowering, array, index):
    """The CellList that array[index] means, or None: one index fewer than the array has, of a
    field in a dynamic node."""
    node = cells_of(array)
    if node is None or node._kind != COUNTED:
        return None
    flat = []
    for x in index if isinstance(index, tuple) else (index,):
        flat.extend(x.items if isinstance(x, Tensor) else [x])
    if len(flat) != array.ndim - 1:
        return None
    above = axes_of(node._parent) if node._parent is not None else []
    if len(above) != len(flat):
        raise KernelIndexError(
            f"{array.kernel_kind()}: got {len(flat)} indices, allowed are {len(above)}, those of "
            "the cells that hold the lists"
        )
    offset = getattr(array, "offset", None) or (0,) * array.ndim
    kept = [o for axis, o in zip(axes_of(node), offset, strict=True) if axis in above]
    flat = tuple(i - o if o else i for i, o in zip(flat, kept, strict=True))
    return CellList(node, index_argument(lowering, "list", node._parent, flat))


for _name, _handler in {
    "activate": _activate,
    "append": _append,
    "deactivate": _deactivate,
    "is_active": _is_active,
    "length": _length,
}.items():
    FUNCTIONS[_name] = Function(_name, None, _handler)
