# SPDX-License-Identifier: Apache-2.0
"""Arrays of one call that share memory. An adjoint takes a kernel's arrays to be apart, so it would
be silently wrong where the kernel writes through one of them what it reads through another."""

from joggle import _core
from joggle._fields.field import Storage

_MAX_WORK = 1 << 16  # of numpy's search for a common element, which may take for ever


class _Memory:
    """An array's memory, from its lowest byte to behind its highest, as numpy sees it too. Nothing
    reads it: it may be a device's."""

    def __init__(self, address, itemsize, shape, strides):
        steps = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
        self.low = address + sum(step for step in steps if step < 0)
        self.high = address + itemsize + sum(step for step in steps if step > 0)
        self.__array_interface__ = {
            "data": (address, True),
            "typestr": f"|V{itemsize}",
            "shape": shape,
            "strides": strides,
            "version": 3,
        }


def _memory_of(x):
    """The memory of an array that has elements; None of what has none that a kernel writes."""
    if isinstance(x, _core.array):
        return None  # a value, which keeps what it was
    try:
        address, itemsize, shape, strides = _core._kernel_memory(x)
    except (BufferError, TypeError, ValueError):
        return None  # the launch tells
    return None if 0 in shape else _Memory(address, itemsize, shape, strides)


def _whole_of(x):
    """The storage that has the memory: of a component the field it is of."""
    whole = getattr(x, "_whole", None)
    return x if whole is None else whole


def _meet(x, y):
    """Whether some element of one is certainly, or as far as can be found out, in the other."""
    import numpy

    try:
        return numpy.shares_memory(numpy.asarray(x), numpy.asarray(y), max_work=_MAX_WORK)
    except RuntimeError:  # numpy's TooHardError
        return True


def _are_related(x, y):
    """Whether they can share memory at all: two storages have each memory of its own."""
    both = isinstance(x, Storage) and isinstance(y, Storage)
    return not both or _whole_of(x) is _whole_of(y)


def sharing(arrays):
    """The pairs (i, j), i below j, of arrays that share memory."""
    fields = {id(_whole_of(x)) for x in arrays if isinstance(x, Storage)}
    return [] if len(fields) == len(arrays) else list(_search(arrays))


def _search(arrays):
    """Like sharing. Only arrays whose ranges of bytes overlap are compared."""
    found = [(i, _memory_of(x)) for i, x in enumerate(arrays)]
    found = sorted(((m.low, i, m) for i, m in found if m is not None), key=lambda each: each[:2])
    open_ = []
    for low, i, memory in found:
        open_ = [(j, other) for j, other in open_ if other.high > low]
        for j, other in open_:
            if _are_related(arrays[i], arrays[j]) and _meet(memory, other):
                yield min(i, j), max(i, j)
        open_.append((i, memory))


def refuse_aliases(kernel, kind, names, arrays, written):
    """Refuses two arrays, or gradients of arrays, that share memory, if the kernel writes one of
    the arrays, by their names."""
    for i, j in sharing(arrays):
        if written[i] or written[j]:
            raise NotImplementedError(
                f"[{kernel}] arguments {names[i]} and {names[j]}: got {kind} that share memory, "
                f"and the kernel writes {names[i if written[i] else j]}, which has no derivative; "
                "allowed are arrays that are apart, or one parameter for both"
            )
