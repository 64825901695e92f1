# SPDX-License-Identifier: Apache-2.0
"""Reductions with all of NumPy's keywords: `dtype`, `initial` and `where`."""

from joggle import _core
from joggle._namespace import broadcast_shapes
from joggle._numpy.queries import amax, amin


def _masked(x, where, neutral):
    """x with the neutral element where the mask does not hold."""
    if where is None or where is True:
        return x
    return _core.where(where, x, _core.asarray(neutral, dtype=x.dtype))


def _in(dtype, initial):
    """The initial value in the dtype of the result, as NumPy takes it."""
    return _core.asarray(initial).astype(dtype)


def _sum(x, axis, keepdims, dtype, initial, where, correction):
    result = _core.sum(_masked(x, where, 0), axis=axis, keepdims=keepdims, dtype=dtype)
    return result if initial is None else _core.add(result, _in(result.dtype, initial))


def _prod(x, axis, keepdims, dtype, initial, where, correction):
    result = _core.prod(_masked(x, where, 1), axis=axis, keepdims=keepdims, dtype=dtype)
    return result if initial is None else _core.multiply(result, _in(result.dtype, initial))


def _extreme(name, function):
    def reduce(x, axis, keepdims, dtype, initial, where, correction):
        if not (where is None or where is True) and initial is None:
            raise ValueError(
                f"[{name}] where: got {type(where).__name__} without initial, a number to begin "
                "with; allowed without it is None"
            )
        x = x if dtype is None else x.astype(dtype)
        return function(_masked(x, where, initial), axis, keepdims, initial)

    return reduce


def _any(x, axis, keepdims, dtype, initial, where, correction):
    result = _core.any(_masked(x.astype(_core.bool), where, False), axis=axis, keepdims=keepdims)
    return result if initial is None else _core.logical_or(result, _in(_core.bool, initial))


def _all(x, axis, keepdims, dtype, initial, where, correction):
    result = _core.all(_masked(x.astype(_core.bool), where, True), axis=axis, keepdims=keepdims)
    return result if initial is None else _core.logical_and(result, _in(_core.bool, initial))


def _count(x, axis, where, dtype):
    """How many elements are taken, with the axes kept."""
    where = _core.broadcast_to(_core.asarray(where).astype(_core.bool), x.shape)
    return _core.sum(where, axis=axis, keepdims=True).astype(dtype)


def _mean_kept(x, axis, where):
    total = _core.sum(_masked(x, where, 0), axis=axis, keepdims=True)
    return _core.divide(total, _count(x, axis, where, total.dtype))


def _without_axes(x, axis, keepdims):
    if keepdims:
        return x
    return _core.squeeze(x, axis=tuple(range(x.ndim)) if axis is None else axis)


def _floating(x, dtype):
    if dtype is not None:
        return x.astype(dtype)
    return x if _core.isdtype(x.dtype, ("real floating", "complex floating")) else x * 1.0


def _mean(x, axis, keepdims, dtype, initial, where, correction):
    x = _floating(x, dtype)
    if where is None or where is True:
        return _core.mean(x, axis=axis, keepdims=keepdims)
    return _without_axes(_mean_kept(x, axis, where), axis, keepdims)


def _var(x, axis, keepdims, dtype, initial, where, correction):
    x = _floating(x, dtype)
    if where is None or where is True:
        return _core.var(x, axis=axis, keepdims=keepdims, correction=correction)
    apart = _core.abs(_core.subtract(x, _mean_kept(x, axis, where)))
    total = _core.sum(_masked(apart * apart, where, 0), axis=axis, keepdims=True)
    count = _core.maximum(_count(x, axis, where, total.dtype) - correction, 0)
    return _without_axes(_core.divide(total, count), axis, keepdims)


def _std(*arguments):
    return _core.sqrt(_var(*arguments))


FUNCTIONS = {
    "all": _all,
    "any": _any,
    "max": _extreme("max", amax),
    "mean": _mean,
    "min": _extreme("min", amin),
    "prod": _prod,
    "std": _std,
    "sum": _sum,
    "var": _var,
}


RUNNING = ("cumprod", "cumsum")


def dtype_for(name, x, out):
    """The dtype in which NumPy computes what goes into an array of its own, if no other is asked
    for; None for x's."""
    x = _core.asarray(x)
    if name in (*RUNNING, "prod", "sum"):
        return _common(x.dtype, getattr(out, "dtype", x.dtype))
    averages = name in ("mean", "std", "var") and not isinstance(out, _core.array)
    exact = averages and not _core.isdtype(x.dtype, ("real floating", "complex floating"))
    return _core.float64 if exact else None


def _common(dtype, other):
    """The dtype that both become, if that is a number's; else None."""
    try:
        found = _core.result_type(dtype, _core.dtype(str(other).removeprefix("joggle.")))
    except (TypeError, ValueError):
        return None
    return None if found is _core.bool else found


def reduce(
    name, x, axis=None, keepdims=False, dtype=None, initial=None, where=None, correction=0.0
):
    """The reduction of that name, without the elements where the mask does not hold."""
    x = _core.asarray(x)
    axis = tuple(axis) if isinstance(axis, list) else axis
    if where is not None and where is not True:
        where = _core.asarray(where)
        if broadcast_shapes(where.shape, x.shape) != x.shape:
            x = _core.broadcast_to(x, broadcast_shapes(where.shape, x.shape))
    if initial is not None and not isinstance(initial, (bool, int, float, complex)):
        initial = _core.asarray(initial)
    return FUNCTIONS[name](x, axis, keepdims, dtype, initial, where, correction)
