# SPDX-License-Identifier: Apache-2.0
"""qd.BufferView: a part of a one-dimensional ndarray, as an argument of kernels."""

from joggle._fields.field import Ndarray
from joggle._fields.types import as_dtype


class BufferViewType:
    """A kernel's parameter that is a part of an ndarray of a dtype; None: of any."""

    def __init__(self, dtype=None):
        self.dtype = None if dtype is None else as_dtype(dtype)

    def __repr__(self):
        return f"BufferView[{self.dtype.name}]" if self.dtype is not None else "BufferView"


class BufferView:
    """The elements offset to below offset + size of a one-dimensional ndarray, in place.

    x[2:5] is qd.BufferView(x, 2, 3). Kernels take it under the annotation BufferView[dtype]; there
    it has size, shape, elements, subview and slices.
    """

    def __init__(self, arr, offset, size):
        if not isinstance(arr, Ndarray):
            hint = "; take its subview" if isinstance(arr, BufferView) else ""
            raise TypeError(f"arr: got {type(arr).__name__}, allowed are ndarrays{hint}")
        if len(arr.shape) != 1 or arr.element_shape:
            raise TypeError(f"arr: got {arr!r}, allowed are one axis and elements that are scalars")
        self.arr = arr
        self.offset, self.size = _part("arr", offset, size, arr.shape[0])

    def __class_getitem__(cls, dtype):
        return BufferViewType(dtype)

    @property
    def shape(self):
        return (self.size,)

    @property
    def dtype(self):
        return self.arr.dtype

    def subview(self, offset, size):
        """A part of this part; offset counts from its start."""
        offset, size = _part("subview", offset, size, self.size)
        return BufferView(self.arr, self.offset + offset, size)

    def __getitem__(self, key):
        return self.subview(*part_of_slice(key, self.size))

    def _lent(self):
        """The memory as kernels take it: a NumPy array, or on a device a tensor."""
        if self.arr._home() == "cpu":
            return self.to_numpy(copy=False)
        return _Lent(self.arr.to_array(copy=False)[self.offset : self.offset + self.size])

    def get_ndarray(self):
        return self.arr

    def to_numpy(self, *, copy=True):
        """The values as a NumPy array; with copy=False the memory itself."""
        part = self.arr.to_numpy(copy=None if copy else False)[
            self.offset : self.offset + self.size
        ]
        return part.copy() if copy else part

    def __repr__(self):
        return f"<BufferView of {self.arr!r}: {self.offset} to {self.offset + self.size}>"


class _Lent:
    """A part of a device's memory, which a kernel may write: joggle's arrays themselves are
    values."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def _part(name, offset, size, length):
    offset, size = int(offset), int(size)
    if offset < 0 or size < 0 or offset + size > length:
        raise ValueError(
            f"{name}: got offset {offset} and size {size}, allowed are 0 to {length} together"
        )
    return offset, size


def part_of_slice(key, length):
    """The offset and the size that a slice without a step means."""
    if not isinstance(key, slice):
        raise TypeError(f"index: got {key!r}, allowed are slices; kernels read elements")
    start, stop, step = key.indices(length)
    if step != 1:
        raise ValueError(f"slice: got step {step}, allowed is 1")
    return start, max(stop - start, 0)


def _slice_of(self, key):
    return BufferView(self, *part_of_slice(key, self.shape[0] if self.shape else 0))


Ndarray._part = _slice_of
