# SPDX-License-Identifier: Apache-2.0
"""Differences, slopes and areas of sampled functions, and values between the samples.

Shapes follow from shapes alone, so that nothing is computed at the call but what errors need.
"""

import math

from joggle import _core
from joggle._numpy._arguments import axis_of, on_stream
from joggle._numpy._meeting import (
    along,
    as_floats,
    common_dtype,
    count_of,
    is_kind,
    refuse_complex,
)

_KINDS = ("bool", "integral", "real floating", "complex floating")


def _spread(vector, axis, ndim):
    """A vector along the axis of an array, 1 along the others."""
    return _core.reshape(vector, (1,) * axis + (-1,) + (1,) * (ndim - 1 - axis))


def _spacings(varargs, shape, axes, dtype):
    """The spacing along each axis: a number, or the differences of coordinates, one fewer."""
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(
            f"[gradient] varargs: got {len(varargs)} spacings, allowed are 0, 1 and {len(axes)}"
        )
    if len(varargs) == 1 and not (_core.asarray(varargs[0]).ndim == 1 and len(axes) > 1):
        varargs = varargs * len(axes)
    elif len(varargs) == 1:
        raise ValueError(
            f"[gradient] varargs: got coordinates of one axis of {len(axes)}, allowed are all or "
            "none"
        )
    spacings = []
    for given, axis in zip(varargs or (1,) * len(axes), axes, strict=True):
        given = _core.asarray(given, dtype=dtype)
        if given.ndim > 1 or (given.ndim == 1 and given.size != shape[axis]):
            raise ValueError(
                f"[gradient] varargs: has shape {given.shape}, allowed are a number and "
                f"({shape[axis]},) along axis {axis}"
            )
        if given.ndim == 1:
            given = _spread(given[1:] - given[:-1], axis, len(shape))
        spacings.append(given)
    return spacings


def _inner_slopes(f, step, axis):
    """The slopes everywhere but at the ends, by both neighbours."""
    before, after = f[along(axis, None, -2)], f[along(axis, 2)]
    if step.ndim == 0:
        return (after - before) / (2 * step)
    left, right = step[along(axis, None, -1)], step[along(axis, 1)]
    here, whole_step = f[along(axis, 1, -1)], left + right
    of_before = -right / (left * whole_step)
    of_here = (right - left) / (left * right)
    return of_before * before + of_here * here + left / (right * whole_step) * after


def _end_slope(f, step, axis, order, last):
    """The slope at an end, by the next one or two samples."""
    if last:  # the same seen from behind, with steps that go back
        f, step = _core.flip(f, axis), (_core.flip(step, axis) if step.ndim else step)
    first, second = f[along(axis, 0, 1)], f[along(axis, 1, 2)]
    one = step[along(axis, 0, 1)] if step.ndim else step
    if order == 1:
        slope = (second - first) / one
    else:
        two, third = (step[along(axis, 1, 2)] if step.ndim else step), f[along(axis, 2, 3)]
        both = one + two
        slope = -(one + both) / (one * both) * first + both / (one * two) * second
        slope = slope - one / (two * both) * third
    return -slope if last else slope


@on_stream
def gradient(f, *varargs, axis=None, edge_order=1, stream=None):
    """The slopes of f along axes, by differences of second order, at the ends by edge_order.

    varargs are spacings, one for all axes or one for each: a number, or the coordinates along the
    axis, which need not be evenly spaced.

    dtypes: promoted; bool and integers become the default float.
    shape: that of f, in a tuple of one for each axis unless there is one alone.
    raises: TypeError for too many spacings, AxisError for axis, ValueError for edge_order, for
        coordinates that do not fit, and for fewer than edge_order + 1 samples.

    >>> jg.gradient(jg.array([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    (f,) = as_floats(f)
    if edge_order not in (1, 2):
        raise ValueError(f"[gradient] edge_order: got {edge_order}, allowed are 1 and 2")
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [axis_of(each, f.ndim, "gradient") for each in axes]
    results = []
    for each, step in zip(axes, _spacings(varargs, f.shape, axes, f.dtype), strict=True):
        if f.shape[each] < edge_order + 1:
            raise ValueError(
                f"[gradient] f: has {f.shape[each]} samples along axis {each}, allowed are "
                f"{edge_order + 1} and more"
            )
        first = _end_slope(f, step, each, edge_order, False)
        last = _end_slope(f, step, each, edge_order, True)
        results.append(_core.concat([first, _inner_slopes(f, step, each), last], each))
    return results[0] if len(results) == 1 else tuple(results)


def _periodic(x, xp, fp, period):
    """All within one period, and the samples with a neighbour from the next at either end."""
    x, xp = _core.remainder(x, period), _core.remainder(xp, period)
    order = _core.argsort(xp)
    xp, fp = _core.take(xp, order), _core.take(fp, order)
    xp = _core.concat([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, _core.concat([fp[-1:], fp, fp[:1]])


def _between(x, xp, fp):
    """The line through the samples beside each x, of which there are two and more."""
    at = _core.clip(_core.searchsorted(xp, x, "right") - 1, 0, xp.size - 2)
    low, high = _core.take(xp, at), _core.take(xp, at + 1)
    below, above = _core.take(fp, at), _core.take(fp, at + 1)
    slope = (above - below) / (high - low)
    # Infinite samples: NaN from one end may be a number from the other, or between equals.
    result = slope * (x - low) + below
    if not is_kind(result, "complex floating"):
        result = _core.where(_core.isnan(result), slope * (x - high) + above, result)
        flat = _core.logical_and(_core.isnan(result), _core.equal(below, above))
        result = _core.where(flat, below, result)
        result = _core.where(_core.isnan(x), x, result)
    result = _at_sample(x, high, above, slope, result)
    return _at_sample(x, low, below, slope, result)


def _at_sample(x, sample, value, slope, result):
    """The value where x is the sample, with the slope of the line for derivatives."""
    line = slope * (x - sample) + value
    same = _core.equal(line, value)
    if not is_kind(line, "complex floating"):
        same = _core.logical_and(same, _core.equal(_core.signbit(line), _core.signbit(value)))
    return _core.where(_core.equal(x, sample), _core.where(same, line, value), result)


@on_stream
def interp(x, xp, fp, left=None, right=None, period=None, *, stream=None):
    """The values at x on the lines between the samples (xp, fp), whose xp ascends.

    Below and above the samples left and right, which are the first and the last of fp unless they
    are given. With a period, samples are repeated, in any order, and left and right ignored.

    dtypes: promoted; bool and integers become the default float; x and xp are real.
    shape: that of x.
    raises: TypeError, ValueError for samples that are no vectors of one length, and a period of 0.

    >>> jg.interp(jg.array([0.5, 2.5, 9.0]), jg.array([1.0, 2.0, 3.0]), jg.array([3.0, 2.0, 0.0]))
    array([3., 1., 0.], dtype=float32)
    """
    dtype = as_floats(_core.zeros((), dtype=common_dtype(x, xp, fp)))[0].dtype
    real = _core.real(_core.zeros((), dtype=dtype)).dtype
    for argument, each in (("x", x), ("xp", xp)):
        refuse_complex("interp", **{argument: _core.asarray(each)})
    x, xp, fp = (
        _core.asarray(each, dtype=kind)
        for each, kind in zip((x, xp, fp), (real, real, dtype), strict=True)
    )
    if xp.ndim != 1 or xp.size == 0 or fp.shape != xp.shape:
        raise ValueError(
            f"[interp] fp: has shape {fp.shape}, allowed is a vector of 1 and more like xp, "
            f"which has {xp.shape}"
        )
    if period is not None:
        if period == 0:
            raise ValueError("[interp] period: got 0, allowed are other numbers")
        x, xp, fp = _periodic(x, xp, fp, abs(period))
        left = right = None
    left = fp[0] if left is None else _core.asarray(left, dtype=dtype)
    right = fp[-1] if right is None else _core.asarray(right, dtype=dtype)
    result = _between(x, xp, fp) if xp.size > 1 else _core.broadcast_to(fp[0], x.shape)
    result = _core.where(_core.greater(x, xp[-1]), right, result)
    return _core.where(_core.less(x, xp[0]), left, result)


@on_stream
def trapezoid(y, x=None, dx=1.0, axis=-1, *, stream=None):
    """The area below the lines between the samples y along an axis, at x or dx apart.

    x is a vector of coordinates along the axis, or broadcasts to y.

    dtypes: promoted; bool and integers become the default float.
    shape: y without the axis.
    raises: TypeError, AxisError for axis, ValueError for shapes that do not fit.

    >>> jg.trapezoid(jg.array([1.0, 2.0, 3.0]), dx=2.0)
    array(8., dtype=float32)
    """
    y, at = as_floats(y, dx if x is None else x)
    axis = axis_of(axis, y.ndim, "trapezoid")
    steps = at
    if x is not None and at.ndim == 1:
        steps = _spread(at[1:] - at[:-1], axis, y.ndim)
    elif x is not None:
        steps = _core.diff(at, 1, axis - y.ndim)
    both = y[along(axis, 1)] + y[along(axis, None, -1)]
    return _core.sum(steps * both / 2, axis)


@on_stream
def ediff1d(ary, to_end=None, to_begin=None, *, stream=None):
    """The differences of neighbours in the flattened array, between to_begin and to_end.

    dtypes: that of ary; bool is refused.
    shape: one axis.
    raises: TypeError for ends that ary's dtype does not hold.

    >>> jg.ediff1d(jg.array([1, 2, 4, 7]), to_begin=-99, to_end=jg.array([88, 99]))
    array([-99,   1,   2,   3,  88,  99], dtype=int64)
    """
    ary = _core.ravel(_core.asarray(ary))
    parts = [ary[1:] - ary[:-1]]
    for argument, end in (("to_end", to_end), ("to_begin", to_begin)):
        if end is None:
            continue
        given = common_dtype(end)
        if _KINDS.index(_kind(given)) > _KINDS.index(_kind(ary.dtype)):
            raise TypeError(
                f"[ediff1d] {argument}: got {given.name}, allowed is what {ary.dtype.name} holds"
            )
        end = _core.ravel(_core.asarray(end, dtype=ary.dtype))
        parts = [*parts, end] if argument == "to_end" else [end, *parts]
    return _core.concat(parts)


def _kind(dtype):
    return next(kind for kind in _KINDS if _core.isdtype(dtype, kind))


@on_stream
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi, stream=None):
    """p with multiples of the period added along an axis, so that no step exceeds half of it.

    Steps below discont, if that is more, are left as they are.

    dtypes: that of p, a float unless p and period are integers.
    shape: that of p.
    raises: TypeError, AxisError for axis.

    >>> jg.unwrap(jg.array([0, 1, 2, -1, 0]), period=4)
    array([0, 1, 2, 3, 4], dtype=int64)
    """
    p = _core.asarray(p)
    refuse_complex("unwrap", p=p)
    p = _core.astype(p, common_dtype(p, period), copy=False)
    axis = axis_of(axis, p.ndim, "unwrap")
    step = p[along(axis, 1)] - p[along(axis, None, -1)]
    half = period // 2 if is_kind(p, "integral") else period / 2
    within = _core.remainder(step + half, period) - half
    if not is_kind(p, "integral") or period % 2 == 0:  # else no step is half a period
        upwards = _core.logical_and(within == -half, step > 0)
        within = _core.where(upwards, half, within)
    small = _core.less(_core.abs(step), period / 2 if discont is None else discont)
    added = _core.where(small, 0, within - step)
    rest = p[along(axis, 1)] + _core.cumsum(added, axis, dtype=p.dtype)
    return _core.concat([p[along(axis, None, 1)], rest], axis)


@on_stream
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, stream=None):
    """num numbers from start to stop, each the same multiple of the one before.

    start and stop, which are evaluated, broadcast; axis is where the numbers go. Of complex ones
    the numbers lie on a spiral. Computed in 64 bits.

    dtypes: promoted, bool and integers to the default float, unless dtype says otherwise.
    shape: that of start and stop, with num along the axis.
    raises: TypeError, AxisError for axis, ValueError for a zero and a negative num.

    >>> jg.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.], dtype=float32)
    """
    num = count_of("geomspace", "num", num)
    result_dtype = as_floats(start, stop)[0].dtype if dtype is None else dtype
    is_complex = _core.isdtype(common_dtype(start, stop), "complex floating")
    work = _core.complex128 if is_complex else _core.float64
    start, stop = (_core.asarray(x, dtype=work) for x in (start, stop))
    start, stop = _core.broadcast_arrays(start, stop)
    for argument, x in (("start", start), ("stop", stop)):
        if _core.any(_core.equal(x, 0)).item():
            raise ValueError(f"[geomspace] {argument}: got 0, allowed are other numbers")
    axis = axis_of(axis, start.ndim + 1, "geomspace")
    sign = start / _core.abs(start) if is_complex else _core.sign(start)
    low, high = _core.log(_core.abs(start)), _core.log(stop / sign)
    parts = max(num - 1 if endpoint else num, 1)
    shares = (
        _core.reshape(_core.arange(num, dtype=_core.float64), (-1,) + (1,) * start.ndim) / parts
    )
    result = sign * _core.exp(low + shares * (high - low))
    ends = [start[None]] if num else []
    if num > 1 and endpoint:
        result = _core.concat([*ends, result[1:-1], stop[None]])
    elif num:
        result = _core.concat([*ends, result[1:]])
    return _core.astype(_core.moveaxis(result, 0, axis), result_dtype, copy=False)
