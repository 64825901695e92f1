# SPDX-License-Identifier: Apache-2.0
"""qd.simt: threads of a block that meet, share arrays, and look at each other's values.

A block has the threads of loop_config(block_dim=...), in subgroups of 32. Outside of parallel loops
a block is one thread. Threads that take no part, as those whose condition is false, are left out of
what a subgroup or a block computes together.
"""

from ..ir import arithmetic
from ..ir.arithmetic import convert
from ..ir.blocks import BARRIER, team_of
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..ir.types import MatrixType
from ..value.array import ArrayValue, checked_indices
from ..value.compiling import current, write_call
from ..value.functions import Function
from ..value.signatures import PARAMETERS
from ..value.values import ArrayTensorPlace, Element, Local, assign, linear, read

LANES = 32  # threads of a subgroup

THREADS = {"block": {}, "grid": {}, "subgroup": {}, "warp": {}}  # the functions, by name


class ThreadFunction(Function):
    """A function of qd.simt. In a plain function that a kernel calls it belongs to that kernel,
    also without an argument that tells so."""

    def __call__(self, *args, **kwargs):
        if current() is not None:
            return write_call(self, [*map(read, args)], kwargs)
        return super().__call__(*args, **kwargs)


def _register(group, name, parameters, handler, python=None):
    full = f"simt.{group}.{name}"
    PARAMETERS[full.replace(".", "_")] = parameters
    THREADS[group][name] = ThreadFunction(full, python, handler)


def function_of(group, parameters, *names):
    """Registers a handler, called with the lowering and the arguments in order."""

    def register(handler):
        def handle(lowering, args, kwargs):
            return handler(lowering, *map(read, args), **kwargs)

        for name in names or [handler.__name__.strip("_")]:
            _register(group, name, parameters, handle)
        return handler

    return register


def number_of_thread(lowering):
    """The thread's number in its block."""
    team = team_of(lowering.emitter)
    return lowering.emitter.constant(0, "int32") if team is None else team.thread


def size_of_block(lowering):
    """How many threads a block has."""
    team = team_of(lowering.emitter)
    return 1 if team is None else team.size


def meet(lowering):
    """A barrier."""
    if team_of(lowering.emitter) is not None:
        lowering.emitter.perform(BARRIER)


class SharedArray(ArrayValue):
    """An array that the threads of a block share."""

    def kernel_kind(self):
        return f"a shared array of {self.dtype}"

    def at(self, lowering, indices):
        indices = checked_indices(lowering.emitter, self, indices)
        if lowering.emitter.bounds:
            self._check_bounds(lowering, indices)

        def choose(inside):
            return SharedElement(lowering.emitter, self, (*indices, *inside))

        return ArrayTensorPlace(self.element_shape, choose) if self.element_shape else choose(())

    # In plain functions that a kernel calls.

    def __getitem__(self, indices):
        return read(self.at(current(), indices))

    def __setitem__(self, indices, value):
        lowering = current()
        assign(lowering.emitter, self.at(lowering, indices), value)


class SharedElement(Element):
    """An item of such an array. Threads run one after the other, so an update needs no atomic."""

    is_always_shared = False

    def __init__(self, emitter, array, indices):
        super().__init__(emitter, array.name, array.dtype, indices)
        shape = (*array.shape, *array.element_shape)
        self.place = emitter.scalar(linear(emitter, shape, indices))

    def read(self):
        return self.emitter.get(self.array, self.dtype, self.place)

    def write(self, x):
        self.emitter.set(self.array, x, self.place)

    def update(self, operator, x):
        old = self.read()
        self.write(x if operator == "exchange" else combined(self.emitter, operator, old, x))
        return old

    def compare_exchange(self, expected, x):
        old = self.read()
        same = self.emitter.instruct("bool", "equal", old, expected)
        self.write(arithmetic.select(self.emitter, same, x, old))
        return old


def combined(emitter, operator, a, b):
    """Two numbers combined, in the dtype of the first."""
    return emitter.scalar(arithmetic.binary(emitter, operator, a, b), a.dtype)


@function_of("block", "shape, dtype", "SharedArray")
def _shared_array(lowering, shape, dtype):
    extents = [getattr(n, "constant", n) for n in (shape if _is_list(shape) else [shape])]
    if not extents or not all(isinstance(n, int) and n > 0 for n in extents):
        raise KernelTypeError(
            f"shape: got {describe(shape)}, allowed are integers from 1, known when compiling"
        )
    element = tuple(dtype.element_shape) if isinstance(dtype, MatrixType) else ()
    name = lowering.types.dtype_name(dtype.dtype if element else dtype)
    count = 1
    for n in (*extents, *element):
        count *= n
    return SharedArray(new_array(lowering, name, count), name, extents, element)


def _is_list(x):
    return isinstance(x, (list, tuple)) or hasattr(x, "items")


def new_array(lowering, dtype, count):
    """The name of an array of the block."""
    emitter = lowering.emitter
    team = team_of(emitter)
    region = emitter.root if team is None else team.region
    return emitter.local_of_region(region, dtype, count)


@function_of("block", "", "sync", "mem_fence", "mem_sync")
@function_of("subgroup", "", "sync", "mem_fence", "barrier", "memory_barrier")
@function_of("warp", "mask=None", "sync")
def _sync(lowering, mask=None):
    meet(lowering)


@function_of("grid", "", "mem_fence", "memfence")
def _mem_fence(lowering):
    """Other threads see what was written before, before what is written after."""
    lowering.emitter.perform("fence")


@function_of("block", "")
def _thread_idx(lowering):
    return number_of_thread(lowering)


@function_of("block", "")
def _global_thread_idx(lowering):
    emitter, team = lowering.emitter, team_of(lowering.emitter)
    if team is None:
        return emitter.constant(0, "int32")
    first = emitter.instruct("int64", "multiply", team.block, emitter.constant(team.size, "int64"))
    return emitter.cast(first, "int32") + team.thread


_register("subgroup", "group_size", "", lambda *_: LANES, lambda: LANES)
_register("subgroup", "log2_group_size", "", lambda *_: 5, lambda: 5)


@function_of("subgroup", "")
def _invocation_id(lowering):
    return lane_of(lowering)


def lane_of(lowering):
    """The thread's number in its subgroup."""
    return number_of_thread(lowering) % LANES


@function_of("subgroup", "")
def _elect(lowering):
    return lowering.emitter.cast(lane_of(lowering) == 0, "int32")


class Exchange:
    """A value that each thread lays open. at(thread) reads another's; takes_part(thread) tells
    whether that thread has laid one open. close() ends it."""

    def __init__(self, lowering, value):
        self.lowering, self.emitter = lowering, lowering.emitter
        self.value = self.emitter.scalar(value)
        self.dtype, self.thread = self.value.dtype, number_of_thread(lowering)
        self.count = size_of_block(lowering)
        self.values = new_array(lowering, self.dtype, self.count)
        self.open = new_array(lowering, "bool", self.count)
        self._set(self.values, self.value)
        self._set(self.open, self.emitter.constant(True, "bool"))
        meet(lowering)

    def _set(self, array, x):
        self.emitter.set(array, x, self.thread)

    def _get(self, array, dtype, thread):
        return self.emitter.get(array, dtype, self.emitter.scalar(thread, "int32"))

    def at(self, thread):
        return self._get(self.values, self.dtype, thread)

    def takes_part(self, thread):
        return self._get(self.open, "bool", thread)

    def moved(self, place):
        """The value that the thread gets if each gives its own to the thread at place."""
        array = new_array(self.lowering, self.dtype, self.count)
        self.emitter.set(array, self.value, self.emitter.scalar(place, "int32"))
        meet(self.lowering)
        return self._get(array, self.dtype, self.thread)

    def close(self):
        meet(self.lowering)
        self._set(self.open, self.emitter.constant(False, "bool"))

    def tile(self, log2_size):
        """The first thread of the tile that the thread is in, and the one after the last."""
        size = min(1 << log2_size, LANES)
        first = self.thread - self.thread % size
        return first, arithmetic.binary(self.emitter, "minimum", first + size, self.count)

    def fold(self, first, last, start, combine):
        """The values of threads from first to before last, combined in order, from start on."""
        total = Local(self.emitter, self.dtype)
        total.write(convert(self.emitter, start, self.dtype))
        with self.emitter.loop(first, last) as k, self.emitter.when(self.takes_part(k)):
            found = combine(total.read(), self.at(k))
            total.write(convert(self.emitter, found, self.dtype))
        return total.read()
