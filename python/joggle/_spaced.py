# SPDX-License-Identifier: Apache-2.0
"""linspace and logspace between traced arrays, whose derivatives go on through the bounds. The core
calls `call` for them; of numbers it computes them itself, by the same steps."""

from joggle import _core


def call(name, args, kwargs):
    return _FUNCTIONS[name](*args, **kwargs)


def _bound(name, argument, value):
    bound = _core.asarray(value, dtype=_core.float64)
    if bound.size != 1:
        raise ValueError(f"[{name}] {argument}: is of shape {bound.shape}, allowed is one number")
    return _core.reshape(bound, ())


def _spaced(name, start, stop, num, endpoint):
    start, stop = _bound(name, "start", start), _bound(name, "stop", stop)
    # Of numbers the core tells a bad count, and gives 0, 1, ... for this.
    ways = _core.arange(_core.linspace(0, 1, num).size, dtype=_core.float64)
    steps = num - 1 if endpoint else num
    values = start + ways * ((stop - start) / steps if steps > 0 else 0.0)
    return _core.where(ways == num - 1, stop, values) if endpoint and num > 1 else values


def _linspace(start, stop, num=50, endpoint=True, dtype=None, *, device=None):
    dtype = _core.float32 if dtype is None else _core.dtype(dtype)
    values = _spaced("linspace", start, stop, num, endpoint)
    if _core.isdtype(dtype, "integral"):
        values = _core.floor(values)
    return _core.asarray(values, dtype=dtype, device=device)


def _logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, device=None):
    dtype = _core.float32 if dtype is None else _core.dtype(dtype)
    powers = _bound("logspace", "base", base) ** _spaced("logspace", start, stop, num, endpoint)
    return _core.asarray(powers, dtype=dtype, device=device)


_FUNCTIONS = {"linspace": _linspace, "logspace": _logspace}
