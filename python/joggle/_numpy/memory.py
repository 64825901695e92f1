# SPDX-License-Identifier: Apache-2.0
"""Arrays on the host as NumPy's, and whether arrays share memory, by the addresses that they are
exported with."""

from joggle import _core


def _exported(x):
    """(address, shape, strides in bytes, bytes of an element). Computes x."""
    x = _core.asarray(x)
    if x.dtype != _core.bool and not hasattr(x, "__array_interface__"):
        x = _core.view(x, _core.dtype(f"uint{8 * x.itemsize}"))
    told = x.__array_interface__
    strides = told.get("strides")
    if strides is None:
        strides, step = [], x.itemsize
        for extent in reversed(x.shape):
            strides.insert(0, step)
            step *= extent
    return told["data"][0], x.shape, tuple(strides), x.itemsize


def _bounds(address, shape, strides, itemsize):
    """The first byte and the one after the last."""
    reach = [stride * (extent - 1) for extent, stride in zip(shape, strides, strict=True)]
    first = address + sum(each for each in reach if each < 0)
    return first, address + sum(each for each in reach if each > 0) + itemsize


def _places(address, shape, strides, itemsize, origin):
    """The sorted distances of the elements from an address."""
    places = _core.full((1,), address - origin, dtype=_core.int64)
    for extent, stride in zip(shape, strides, strict=True):
        steps = _core.arange(extent, dtype=_core.int64) * stride
        places = _core.ravel(places[:, None] + steps)
    return _core.sort(places)


def may_share_memory(a, b, /, max_work=0):
    """Whether the parts of memory that two arrays span overlap. Computes them.

    max_work other than 0 asks whether an element is shared, as shares_memory does.

    >>> x = jg.arange(4)
    >>> jg.may_share_memory(x[::2], x[1::2]), jg.may_share_memory(x, x + 1)
    (True, False)
    """
    if max_work != 0:
        return shares_memory(a, b)
    one, other = _exported(a), _exported(b)
    if 0 in one[1] or 0 in other[1]:
        return False
    (first, end), (start, stop) = _bounds(*one), _bounds(*other)
    return first < stop and start < end


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element at the same address. Computes them.

    max_work of 0 compares only the parts of memory that they span, as may_share_memory does.

    >>> x = jg.arange(4)
    >>> jg.shares_memory(x[::2], x[1::2]), jg.shares_memory(x[::2], x[2:])
    (False, True)
    """
    if not may_share_memory(a, b) or max_work == 0:
        return max_work == 0 and may_share_memory(a, b)
    one, other = _exported(a), _exported(b)
    origin = min(one[0], other[0])
    places, others = _places(*one, origin), _places(*other, origin)
    # It is enough to compare each of a's addresses with b's next and previous one.
    behind = _core.searchsorted(others, places)
    last = others.size - 1
    after = _core.take(others, _core.clip(behind, 0, last)) - places
    before = places - _core.take(others, _core.clip(behind - 1, 0, last))
    hit = ((after >= 0) & (after < one[3])) | ((before >= 0) & (before < other[3]))
    return _core.any(hit).item()


_HOST = 1  # what DLPack calls the CPU


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """NumPy's array of anything: of arrays on any device, of lists and of numbers. Computes a.

    What lies on the host as order asks shares its memory, as numpy.asarray(a) does; the rest is
    copied, on the stream. out is an array of NumPy's that takes the elements instead.

    >>> jg.asnumpy(jg.arange(3) * 2).tolist()
    [0, 2, 4]
    """
    import numpy as np

    if blocking is not True:
        raise ValueError(f"[asnumpy] blocking: got {blocking!r}, allowed is True")
    with _core.stream(_core.default_stream() if stream is None else stream):
        if not isinstance(a, np.ndarray) and hasattr(a, "__dlpack_device__"):
            if isinstance(a, _core.array):
                a = a.to_device("cpu")
            elif a.__dlpack_device__()[0] != _HOST:
                a = _core.from_dlpack(a, device="cpu")
    if out is None:
        return np.asarray(a, order=order)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"[asnumpy] out: got {type(out).__name__}, allowed are arrays of NumPy's")
    found = np.asarray(a)
    if out.shape != found.shape:
        raise ValueError(f"[asnumpy] out: has shape {out.shape}, allowed is {found.shape}")
    np.copyto(out, found)
    return out
