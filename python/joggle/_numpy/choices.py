# SPDX-License-Identifier: Apache-2.0
"""Elements of one array or another, by conditions or by number."""

from joggle import _core
from joggle._numpy._arguments import fitted as _fitted
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import whole as _whole


@_on_stream
def select(condlist, choicelist, default=0, *, stream=None):
    """For each element the choice of the first condition that holds, or the default.

    dtypes: conditions are bool, choices and the default are promoted.
    shape: conditions, choices and the default broadcast together.
    TypeError for conditions of other dtypes, ValueError for lists of unequal length or empty ones.

    >>> x = jg.arange(5)
    >>> jg.select([x < 2, x > 3], [x, x * 10], -1)
    array([ 0,  1, -1, -1, 40], dtype=int64)
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"[select] choicelist: has {len(choicelist)} items, allowed are {len(condlist)},"
            " as many as conditions"
        )
    if len(condlist) == 0:
        raise ValueError("[select] condlist: got none, allowed is one or more")
    conditions = [_core.asarray(each) for each in condlist]
    for number, each in enumerate(conditions):
        if each.dtype != _core.bool:
            raise TypeError(f"[select] condlist[{number}]: got {each.dtype.name}, allowed is bool")
    dtype = _core.result_type(*map(_operand, choicelist), _operand(default))
    result = _core.asarray(default).astype(dtype, copy=False)
    for condition, choice in zip(reversed(conditions), reversed(choicelist), strict=True):
        result = _core.where(condition, _core.asarray(choice).astype(dtype, copy=False), result)
    return result


def _operand(x):
    """A Python number as it is, which takes the dtype that it meets; else an array."""
    return x if isinstance(x, (bool, int, float, complex)) else _core.asarray(x)


@_on_stream
def choose(a, choices, mode="raise", *, stream=None):
    """For each element of a, a whole number, the element there of the choice of that number.

    mode "raise" refuses numbers of no choice and computes a, "wrap" takes them modulo the count,
    "clip" takes the first or the last choice for them. dtypes: of the choices, promoted.
    shape: a and the choices broadcast together. TypeError for an a that is not whole, ValueError.

    >>> jg.choose([1, 0], [[10, 20], [30, 40]])
    array([30, 20], dtype=int64)
    """
    a = _core.asarray(a)
    a = a.astype(_core.int64, copy=False) if a.dtype == _core.bool else _whole(a, "choose", "a")
    arrays = [_core.asarray(each) for each in choices]
    if not arrays:
        raise ValueError("[choose] choices: got none, allowed is one or more")
    a = _fitted(a, len(arrays), mode, "choose", "a")
    a, *arrays = _core.broadcast_arrays(a, *arrays)
    return _core.take_along_axis(_core.stack(arrays), a[None], 0)[0]


def _conditions(x, condlist):
    """The conditions in a list of them, or the one that is given without a list."""
    if isinstance(condlist, (list, tuple)):
        alone = x.ndim > 0 and len(condlist) > 0 and isinstance(condlist[0], (bool, int))
    else:
        alone = getattr(condlist, "ndim", 0) <= x.ndim
    conditions = [_core.asarray(each) for each in ([condlist] if alone else condlist)]
    if not conditions:
        raise ValueError("[piecewise] condlist: got none, allowed is one or more")
    return [_core.broadcast_to(each.astype(_core.bool, copy=False), x.shape) for each in conditions]


@_on_stream
def piecewise(x, condlist, funclist, *args, stream=None, **kw):
    """A new array like x: where a condition holds, what the function of that number gives.

    Functions are called with those elements, and with args and kw; numbers are used as they are.
    One function more than conditions is for where none holds; elsewhere there are zeros. Of
    several conditions the last counts. Computes the conditions. dtypes: that of x. shape: that
    of x. ValueError for a number of functions that does not fit.

    >>> jg.piecewise(jg.array([-2.0, 3.0]), [jg.array([True, False])], [lambda v: -v, 7])
    array([2., 7.], dtype=float32)
    """
    x = _core.asarray(x)
    conditions = _conditions(x, condlist)
    if len(funclist) == len(conditions) + 1:
        found = _core.any(_core.stack(conditions), axis=0)
        conditions.append(_core.logical_not(found))
    elif len(funclist) != len(conditions):
        count = len(conditions)
        raise ValueError(
            f"[piecewise] funclist: has {len(funclist)} items, allowed are {count} and {count + 1}"
        )
    flat = _core.ravel(x)
    result = _core.zeros_like(flat)
    for condition, function in zip(conditions, funclist, strict=True):
        places = _core.flatnonzero(condition)
        if places.size:
            value = function(flat[places], *args, **kw) if callable(function) else function
            result[places] = value
    return _core.reshape(result, x.shape)
