# SPDX-License-Identifier: Apache-2.0
"""linspace and logspace between arrays, whose derivatives go on through the bounds, and whose dtype
the result has if it is one of floats. The core calls `call` for them; of numbers it computes them
itself, by the same steps."""

import operator

from joggle import _core


def call(name, args, kwargs):
    return _FUNCTIONS[name](*args, **kwargs)


def _bound(name, argument, value):
    try:
        bound = _core.asarray(value, dtype=_core.float64).to_device(_core.default_device())
    except TypeError as error:
        raise TypeError(str(error).replace("[asarray] x:", f"[{name}] {argument}:")) from None
    if bound.size != 1:
        raise ValueError(f"[{name}] {argument}: is of shape {bound.shape}, allowed is one number")
    return _core.reshape(bound, ())


def _dtype(dtype, *bounds):
    if dtype is not None:
        return _core.dtype(dtype)
    arrays = [each.dtype for each in bounds if isinstance(each, _core.array)]
    found = _core.result_type(*arrays) if arrays else _core.float32
    return found if _core.isdtype(found, "real floating") else _core.float32


def _spaced(name, start, stop, num, endpoint):
    start, stop = _bound(name, "start", start), _bound(name, "stop", stop)
    if isinstance(num, _core.array):
        num = operator.index(num)
    # For numbers, the core refuses a bad count, and gives 0, 1, ... for this range.
    ways = _core.arange(_core.linspace(0, 1, num).size, dtype=_core.float64)
    steps = num - 1 if endpoint else num
    values = start + ways * ((stop - start) / steps if steps > 0 else 0.0)
    return _core.where(ways == num - 1, stop, values) if endpoint and num > 1 else values


def linspace(start, stop, num=50, endpoint=True, dtype=None, *, device=None):
    dtype = _dtype(dtype, start, stop)
    values = _spaced("linspace", start, stop, num, endpoint)
    if _core.isdtype(dtype, "integral"):
        values = _core.floor(values)
    return _core.asarray(values, dtype=dtype, device=device)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, device=None):
    dtype = _dtype(dtype, start, stop)
    powers = _bound("logspace", "base", base) ** _spaced("logspace", start, stop, num, endpoint)
    return _core.asarray(powers, dtype=dtype, device=device)


_FUNCTIONS = {"linspace": linspace, "logspace": logspace}
