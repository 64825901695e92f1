# SPDX-License-Identifier: Apache-2.0
"""Arrays of one call that share memory. An adjoint takes a kernel's arrays to be apart, so it would
be silently wrong where the kernel writes through one of them what it reads through another."""

from joggle._fields.field import Storage

_MAX_WORK = 1 << 16  # of numpy's search for a common element, which may take for ever


class _Memory:
    """An array as numpy sees it; nothing reads the memory, which may be a device's."""

    def __init__(self, address, itemsize, shape, strides):
        self.__array_interface__ = {
            "data": (address, True),
            "typestr": f"|V{itemsize}",
            "shape": shape,
            "strides": strides,
            "version": 3,
        }


def _memory_of(x):
    """What numpy can ask of a tensor of torch or an array of numpy; None of others."""
    import numpy

    if hasattr(type(x), "data_ptr"):
        size = x.element_size()
        strides = tuple(size * step for step in x.stride())
        return _Memory(x.data_ptr(), size, tuple(x.shape), strides)
    return x if isinstance(x, numpy.ndarray) else None


def share_memory(x, y):
    """Whether some element of one is certainly, or as far as can be found out, in the other."""
    if x is y:
        return 0 not in x.shape
    if isinstance(x, Storage) or isinstance(y, Storage):
        return False  # each has memory of its own
    import numpy

    x, y = _memory_of(x), _memory_of(y)
    if x is None or y is None:
        return False
    x, y = numpy.asarray(x), numpy.asarray(y)
    if not numpy.may_share_memory(x, y):
        return False
    try:
        return numpy.shares_memory(x, y, max_work=_MAX_WORK)
    except RuntimeError:  # numpy's TooHardError
        return True


def refuse_aliases(kernel, names, arrays, written):
    """Refuses two arrays that share memory, one of which the kernel writes, by their names."""
    if all(isinstance(x, Storage) for x in arrays) and len(set(map(id, arrays))) == len(arrays):
        return
    for i, x in enumerate(arrays):
        for j, y in enumerate(arrays):
            if written[i] and i != j and share_memory(x, y):
                raise NotImplementedError(
                    f"[{kernel}] arguments {names[min(i, j)]} and {names[max(i, j)]}: got arrays "
                    f"that share memory, and the kernel writes {names[i]}, which has no "
                    "derivative; allowed are arrays that are apart, or one parameter for both"
                )
