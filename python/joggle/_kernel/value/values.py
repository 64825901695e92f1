# SPDX-License-Identifier: Apache-2.0
"""The values of a kernel's expressions, other than scalars: small matrices and structs, taken
apart.

A Tensor is a vector or a matrix whose items are scalars; a Record is a struct whose members are
values. The IR has neither: they exist while a kernel is compiled. Places are what can be assigned
to: a local, an element of an array, or several of them in the form of a matrix or a struct.
"""

from itertools import product

from ..ir.arithmetic import convert, select
from ..ir.messages import KernelIndexError, KernelTypeError
from ..ir.promotion import promote
from ..ir.scalar import Scalar


class Tensor:
    """A vector (shape (n,)) or matrix (shape (n, m)) of scalars, row-major. Items that are known
    when compiling may be numbers of Python."""

    def __init__(self, shape, items):
        self.shape, self.items = tuple(shape), list(items)

    def kernel_kind(self):
        return f"a {kind_of_shape(self.shape)}"

    def map(self, change):
        """The tensor of change(item) for each item."""
        return Tensor(self.shape, [change(x) for x in self.items])

    def row(self, i):
        """Row i of a matrix, as a list."""
        width = self.shape[1]
        return self.items[i * width : (i + 1) * width]

    def rows(self):
        """The rows of a matrix; of a vector, rows of one item."""
        if len(self.shape) == 1:
            return [[x] for x in self.items]
        return [self.row(i) for i in range(self.shape[0])]

    def at(self, indices):
        """The position among the items; IndexError if there is no such item."""
        return position(self.shape, indices)

    def __iter__(self):
        """Items of a vector, rows of a matrix: what unpacking gives."""
        if len(self.shape) == 1:
            return iter(self.items)
        return iter(Tensor(self.shape[1:], self.row(i)) for i in range(self.shape[0]))

    def __len__(self):
        return self.shape[0]


class Record:
    """A struct value: its type, and its members by name."""

    def __init__(self, type_, members):
        self.type, self.members = type_, members

    def kernel_kind(self):
        return f"a struct of {', '.join(self.members)}"


class Local:
    """A mutable scalar of the kernel."""

    def __init__(self, emitter, dtype):
        self.emitter, self.dtype = emitter, dtype
        self.name = emitter.local(dtype)
        self.region = emitter.block.region

    def kernel_kind(self):
        return f"a variable of {self.dtype}"

    def read(self):
        return self.emitter.get(self.name, self.dtype)

    def write(self, x):
        region = self.emitter.block.region
        region.writes_outside |= self.region is not region
        self.emitter.set(self.name, x)

    def update(self, operator, x):
        """Combines with x and gives the old value; atomic if iterations share the local."""
        emitter = self.emitter
        if self.region is not emitter.block.region:
            return emitter.update_local(operator, self.name, x)
        old = self.read()
        self.write(x if operator == "exchange" else emitter.instruct(self.dtype, operator, old, x))
        return old

    def compare_exchange(self, expected, x):
        """Becomes x if it holds what is expected; gives what it held."""
        return self.emitter.compare_exchange_local(self.name, expected, x)


class Element:
    """A scalar in an array. activate: what has its cell exist, before it is written, or None."""

    def __init__(self, emitter, array, dtype, indices, activate=None):
        self.emitter, self.array, self.dtype, self.indices = emitter, array, dtype, indices
        self.activate = activate

    def kernel_kind(self):
        return f"an element of {self.array}, of {self.dtype}"

    def read(self):
        return self.emitter.load(self.array, self.dtype, self.indices)

    def write(self, x):
        self._begin_writing()
        self.emitter.store(self.array, self.indices, x)

    def update(self, operator, x):
        self._begin_writing()
        return self.emitter.update(operator, self.array, self.indices, x)

    def _begin_writing(self):
        if self.activate is not None:
            self.activate()

    def compare_exchange(self, expected, x):
        self._begin_writing()
        return self.emitter.compare_exchange(self.array, self.indices, expected, x)


class TensorPlace:
    """A vector or matrix of places."""

    def __init__(self, shape, items):
        self.shape, self.items = tuple(shape), list(items)

    def kernel_kind(self):
        return f"a {kind_of_shape(self.shape)}"

    def read(self):
        return Tensor(self.shape, [place.read() for place in self.items])


class ArrayTensorPlace(TensorPlace):
    """A vector or matrix that is an element of an array: an index may be known only at run time."""

    def __init__(self, shape, choose):
        self.shape, self.choose = tuple(shape), choose

    @property
    def items(self):
        """A place for each item."""
        return [self.choose(indices) for indices in product(*map(range, self.shape))]

    def dynamic(self, indices):
        """The place at indices of which some are values."""
        return self.choose(indices)


class ChosenItem:
    """An item of a local vector or matrix at an index that is known only at run time.

    Items are scalars by themselves, so each is compared with the index: fine for a few. An index
    that none has reads the last and writes nothing.
    """

    def __init__(self, emitter, items, index):
        self.emitter, self.items, self.index = emitter, items, index
        self.dtype = items[0].dtype

    def kernel_kind(self):
        return f"an item of {self.dtype}"

    def read(self):
        return choose(self.emitter, [item.read() for item in self.items], self.index)

    def write(self, x):
        for k, item in enumerate(self.items):
            item.write(select(self.emitter, self._is(k), x, item.read()))

    def update(self, operator, x):
        old = self.read()
        self.write(
            x if operator == "exchange" else self.emitter.instruct(self.dtype, operator, old, x)
        )
        return old

    def compare_exchange(self, expected, x):
        old = self.read()
        same = self.emitter.instruct("bool", "equal", old, expected)
        self.write(select(self.emitter, same, x, old))
        return old

    def _is(self, k):
        index = self.index
        return self.emitter.instruct("bool", "equal", index, self.emitter.constant(k, index.dtype))


class RecordPlace:
    """A struct of places."""

    def __init__(self, type_, members):
        self.type, self.members = type_, members

    def kernel_kind(self):
        return f"a struct of {', '.join(self.members)}"

    def read(self):
        return Record(self.type, {name: place.read() for name, place in self.members.items()})


PLACES = (Local, Element, TensorPlace, ChosenItem, RecordPlace)


def holds_places(x):
    """Whether x is a place, or a list with places in it."""
    return isinstance(x, PLACES) or (
        type(x) is list and any(isinstance(item, PLACES) for item in x)
    )


def read(x):
    """The value of x: what a place holds, also of each in a list, everything else as it is."""
    if type(x) is list and holds_places(x):
        return [read(item) for item in x]
    return x.read() if isinstance(x, PLACES) else x


def choose(emitter, items, index):
    """Item number index, a value, of a few items."""
    result = items[-1]
    for k in range(len(items) - 2, -1, -1):
        same = emitter.instruct("bool", "equal", index, emitter.constant(k, index.dtype))
        result = select(emitter, same, items[k], result)
    return result


def position(shape, indices):
    """The position of the item at constant indices among the items of a shape."""
    if len(indices) != len(shape):
        raise KernelIndexError(
            f"got {len(indices)} indices for a {kind_of_shape(shape)}, allowed are {len(shape)}"
        )
    place = 0
    for axis, (index, extent) in enumerate(zip(indices, shape, strict=True)):
        if not -extent <= index < extent:
            raise KernelIndexError(
                f"index {axis} of a {kind_of_shape(shape)}: got {index}, "
                f"allowed {-extent} to {extent - 1}"
            )
        place = place * extent + index % extent
    return place


def linear(emitter, shape, indices):
    """The same as a value, where some of the indices are values. Those do not count from the
    end."""
    result = emitter.scalar(indices[0])
    for index, extent in zip(indices[1:], shape[1:], strict=True):
        result = result * extent + index
    return emitter.scalar(result)


def kind_of_shape(shape):
    """A vector of 3, a 3 by 3 matrix."""
    return f"vector of {shape[0]}" if len(shape) == 1 else f"{shape[0]} by {shape[1]} matrix"


def common_dtype(emitter, items):
    """The dtype in which scalars meet."""
    dtype = emitter.dtype_of(items[0])
    for x in items[1:]:
        dtype = promote(dtype, emitter.dtype_of(x))
    return dtype


def tensor_of(emitter, shape, items, dtype=None):
    """A tensor with items of one dtype, the given one or the one in which they meet."""
    if not items:
        raise KernelTypeError("a vector or matrix needs at least one item")
    dtype = dtype or common_dtype(emitter, items)
    return Tensor(shape, [_item(emitter, x, dtype) for x in items])


def _item(emitter, x, dtype):
    return x if isinstance(x, Scalar) and x.dtype == dtype else convert(emitter, x, dtype)


def place_like(emitter, value):
    """A place for a new variable of the value's type, which holds nothing yet."""
    if isinstance(value, Tensor):
        dtypes = map(emitter.dtype_of, value.items)
        return TensorPlace(value.shape, [Local(emitter, dtype) for dtype in dtypes])
    if isinstance(value, Record):
        members = {name: place_like(emitter, x) for name, x in value.members.items()}
        return RecordPlace(value.type, members)
    return Local(emitter, emitter.dtype_of(value))


def variable(emitter, value):
    """A place for a new variable that holds value."""
    place = place_like(emitter, value)
    assign(emitter, place, value)
    return place


def assign(emitter, place, value):
    """Sets a place to a value, which is converted to the place's dtype."""
    if isinstance(place, TensorPlace):
        _assign_tensor(emitter, place, value)
    elif isinstance(place, RecordPlace):
        _assign_record(emitter, place, value)
    elif isinstance(value, (Tensor, Record)):
        raise KernelTypeError(
            f"assignment: got {value.kernel_kind()} for {place.kernel_kind()}, allowed is a number"
        )
    else:
        place.write(convert(emitter, value, place.dtype))


def _assign_tensor(emitter, place, value):
    if not isinstance(value, Tensor):
        for item in place.items:
            assign(emitter, item, value)
        return
    if value.shape != place.shape:
        raise KernelTypeError(
            f"assignment: got {value.kernel_kind()} for {place.kernel_kind()}, allowed are one of "
            "its shape and a number"
        )
    for item, x in zip(place.items, value.items, strict=True):
        assign(emitter, item, x)


def _assign_record(emitter, place, value):
    if not isinstance(value, Record) or set(value.members) != set(place.members):
        kind = value.kernel_kind() if hasattr(value, "kernel_kind") else repr(value)
        raise KernelTypeError(
            f"assignment: got {kind} for {place.kernel_kind()}, allowed is one of the same members"
        )
    for name, member in place.members.items():
        assign(emitter, member, value.members[name])
