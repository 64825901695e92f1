# SPDX-License-Identifier: Apache-2.0
"""Cases of reductions, cumulative ops, indices of extrema, and order."""

import choices as st
import numpy as np
from drawing import (
    ALL,
    FLOATS,
    INTEGERS,
    ROWS,
    TAKES,
    Case,
    array_of,
    axes_of,
    axis_of,
    flag,
    numbers,
    result_dtype,
    shapes,
)
from elementwise import numpy_dtype

PROPER = dict.fromkeys(("max", "min", "minmax", "argmax", "argmin", "median", "quantile"), 1)
PROPER |= dict.fromkeys(("nanmax", "nanmin", "nanargmax", "nanargmin", "ptp", "percentile"), 1)
PROPER |= dict.fromkeys(("nanmedian", "nanquantile", "nanpercentile"), 1)
NEVER_SPECIAL = {"prod", "cumprod", "cumulative_prod"}


def operand(draw, name, least=0, **limits):
    within = (-2, 2) if "prod" in name else (-7, 8)
    dtypes = TAKES[ROWS[name]["types"]]
    special = name not in NEVER_SPECIAL
    return array_of(draw, dtypes, within, special, least=PROPER.get(name, least), **limits)


def over_axes(name):
    def draw(draw):
        x = operand(draw, name)
        named = {"axis": axes_of(draw, x.ndim)}
        if ROWS[name]["form"] != "SOFTMAX":
            named["keepdims"] = flag(draw)
        return (x,), named

    return draw


def accumulation(name):
    def draw(draw):
        (x,), named = over_axes(name)(draw)
        if x.dtype.kind in "iu" and flag(draw):
            named["dtype"] = draw(st.sampled_from(["int64", "float64"]))
        return (x,), named

    return draw


def spread(name):
    def draw(draw):
        (x,), named = over_axes(name)(draw)
        return (x,), named | {"correction": draw(st.sampled_from([0.0, 1.0]))}

    return draw


def along(name, *flags, none=True, least=0, min_ndim=1):
    def draw(draw):
        x = operand(draw, name, least, min_ndim=min_ndim)
        named = {each: flag(draw) for each in flags}
        named["axis"] = None if none and flag(draw) else axis_of(draw, x.ndim) if x.ndim else None
        return (x,), named

    return draw


def running(function, empty):
    """NumPy's ufunc as a cumulative op, perhaps from the end, or without the element itself."""

    def reference(x, axis, reverse, inclusive):
        x, axis = (np.ravel(x), 0) if axis is None else (x, axis)
        x = np.flip(x, axis) if reverse else x
        y = function(x, axis=axis)
        if not inclusive:
            first = np.full_like(np.take(y, [], axis), 0, shape=first_shape(y, axis))
            first[...] = empty(x.dtype)
            y = np.take(np.concatenate([first, y], axis), range(x.shape[axis]), axis)
        return np.flip(y, axis) if reverse else y

    return reference


def first_shape(x, axis):
    shape = list(x.shape)
    shape[axis] = 1
    return shape


def least_of(dtype):
    return False if dtype.kind == "b" else np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def greatest_of(dtype):
    return True if dtype.kind == "b" else np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def accumulate(ufunc, wide=True):
    def function(x, axis):
        dtype = result_dtype("sum", x.dtype.name) if wide else x.dtype
        return ufunc.accumulate(x.astype(numpy_dtype(str(dtype))), axis=axis)

    return function


def cumulative(name):
    def draw(draw):
        x = operand(draw, name, min_ndim=1)
        axis = None if x.ndim == 1 and flag(draw) else axis_of(draw, x.ndim)
        return (x,), {"axis": axis, "include_initial": flag(draw)}

    return draw


def cumulated(function, empty):
    def reference(x, axis, include_initial):
        axis = 0 if axis is None else axis
        y = function(x, axis)
        first = np.full(first_shape(y, axis), empty, y.dtype)
        return np.concatenate([first, y], axis) if include_initial else y

    return reference


def differences(draw):
    x = operand(draw, "diff", min_ndim=1, least=1)
    if x.dtype == bool:
        x = x.astype("int8")
    axis = axis_of(draw, x.ndim)
    return (x,), {"n": draw(st.integers(0, x.shape[axis] - 1)), "axis": axis}


def softmax(log):
    """By the largest element, as PyTorch and JAX have it: beside an infinity all are NaN, also the
    logarithms, of which SciPy makes -inf."""

    def reference(x, axis):
        x = x * 1.0
        if x.size == 0:
            return x
        how = {"axis": axis_or_all(axis, x.ndim), "keepdims": True}
        below = x - np.max(x, **how)
        total = np.sum(np.exp(below), **how)
        return below - np.log(total) if log else np.exp(below) / total

    return reference


def logsumexp(x, axis, keepdims):
    x = x * 1.0
    return np.logaddexp.reduce(x, axis=axis_or_all(axis, x.ndim), keepdims=keepdims)


def axis_or_all(axis, ndim):
    return tuple(range(ndim)) if axis is None else axis


def log_add_running(x, axis):
    return np.logaddexp.accumulate(x * 1.0, axis=axis)


def quantiles(name, whole=1):
    def draw(draw):
        (x,), named = over_axes(name)(draw)
        shares = st.lists(st.sampled_from([0, 0.25, 0.5, 0.7, 1]), min_size=1, max_size=3)
        q = np.array(draw(shares)) * whole
        return (x, q[0] if flag(draw) else q), named

    return draw


def finite_or_nan(drawn):
    """Without infinities, of which NumPy makes NaN."""

    def draw(draw):
        (x, *rest), named = drawn(draw)
        return (np.where(np.isinf(x), x.dtype.type(3), x), *rest), named

    return draw


def between(x, q, axis, keepdims):
    """np.quantile, which makes NaN of an infinity that the rank does not reach, or that stands on
    both sides of it."""
    x = x * 1.0
    below, above = (
        np.quantile(x, q, axis, keepdims=keepdims, method=m) for m in ("lower", "higher")
    )
    count = np.prod([x.shape[a] for a in np.atleast_1d(axis_or_all(axis, x.ndim))], dtype=int)
    part = (np.asarray(q) * (count - 1)) % 1
    part = part.reshape(part.shape + (1,) * (below.ndim - part.ndim))
    is_low = (below == above) | ((below == -np.inf) & (above < np.inf))
    return np.where(is_low, below, below + (above - below) * part)


def widened(function):
    return lambda x, *rest, **named: function(x * 1.0, *rest, **named)


def sorted_by(function):
    """NumPy's order of a stable sort; descending is that of the elements in reverse. Of bfloat16,
    which is none of NumPy's own dtypes, it would not put NaN last."""

    def reference(x, axis, descending, stable):
        x = x.astype("f4") if x.dtype.name == "bfloat16" else x
        x, axis = (np.ravel(x), 0) if axis is None else (x, axis)
        if not descending:
            return function(x, axis=axis, kind="stable")
        y = np.flip(function(np.flip(x, axis), axis=axis, kind="stable"), axis)
        return x.shape[axis] - 1 - y if function is np.argsort else y

    return reference


def parted(name):
    def draw(draw):
        x = array_of(draw, [*INTEGERS, *FLOATS], special=True, min_ndim=1, least=1)
        axis = None if flag(draw) else axis_of(draw, x.ndim)
        extent = x.size if axis is None else x.shape[axis]
        return (x, draw(st.integers(-extent, extent - 1))), {"axis": axis}

    return draw


def is_parted(indices):
    """The kth element is in its sorted position, and what is before it is no greater."""

    def check(results, args, named):
        (x, kth), axis = args, named["axis"]
        x, axis = (x.ravel(), 0) if axis is None else (x, axis)
        y = np.take_along_axis(x, results[0], axis) if indices else results[0]
        y, x = (np.moveaxis(each.astype("f8"), axis, -1) for each in (y, x))
        ordered = np.sort(x, axis=-1)
        np.testing.assert_array_equal(np.sort(y, axis=-1), ordered)
        np.testing.assert_array_equal(y[..., kth], ordered[..., kth])
        kth %= y.shape[-1]
        np.testing.assert_array_equal(np.sort(y[..., :kth], axis=-1), ordered[..., :kth])

    return check


def topmost(name):
    def draw(draw):
        (x, _), named = parted(name)(draw)
        extent = x.size if named["axis"] is None else x.shape[named["axis"]]
        return (x, draw(st.integers(1, extent))), named

    return draw


def is_top(indices):
    def check(results, args, named):
        (x, k), axis = args, named["axis"]
        x, axis = (x.ravel(), 0) if axis is None else (x, axis)
        y = np.take_along_axis(x, results[0], axis) if indices else results[0]
        ordered = np.flip(np.sort(x.astype("f8"), axis=axis), axis)
        np.testing.assert_array_equal(
            np.flip(np.sort(y.astype("f8"), axis=axis), axis), np.take(ordered, range(k), axis)
        )

    return check


def searched(draw):
    dtype = draw(st.sampled_from([*INTEGERS, *FLOATS]))
    x1 = np.sort(numbers(draw, dtype, shapes(draw, 1, 1, most=7)))
    return (x1, numbers(draw, dtype, shapes(draw))), {
        "side": draw(st.sampled_from(["left", "right"]))
    }


def membership(draw):
    dtype = draw(st.sampled_from(ALL))
    operands = tuple(numbers(draw, dtype, shapes(draw), special=True) for _ in range(2))
    return operands, {"invert": flag(draw)}


def distinct(draw):
    return (array_of(draw, ALL, (-2, 2), special=True),), {}


def unique(*parts):
    def reference(x):
        kinds = {f"return_{each}": True for each in ("index", "inverse", "counts")}
        values, indices, inverse, counts = np.unique(x, equal_nan=False, **kinds)
        found = {"values": values, "indices": indices, "counts": counts}
        found["inverse"] = inverse.reshape(x.shape)
        results = tuple(found[part] for part in parts)
        return results if len(parts) > 1 else results[0]

    return reference


def extremum_index(name, reference=None):
    drawn = along(name, "keepdims", min_ndim=0)
    return Case(drawn, reference or getattr(np, name), dtype="int64", exact=False)


def filled(value):
    """The index of an extremum where NaN counts as value; NumPy refuses rows of NaN alone."""
    find = np.argmax if value < 0 else np.argmin
    return lambda x, **named: find(np.where(np.isnan(x), value, x), **named)


def accumulate_without(ufunc, neutral):
    plain = accumulate(ufunc)
    return lambda x, axis: plain(np.where(np.isnan(x), np.asarray(neutral, x.dtype), x), axis)


def running_case(name, function, empty, **case):
    return Case(along(name, "reverse", "inclusive"), running(function, empty), **case)


def dtype_of_sum(args, named):
    return named.get("dtype") or result_dtype("sum", args[0].dtype.name)


def dtype_of_quantile(args, named):
    return result_dtype("floating", args[0].dtype.name)


INDEX = "int64"
CASES = {
    "sum": Case(accumulation("sum"), lambda x, **n: np.sum(x, **n), dtype=dtype_of_sum, ulps=16),
    "prod": Case(accumulation("prod"), lambda x, **n: np.prod(x, **n), dtype=dtype_of_sum, ulps=64),
    "max": Case(over_axes("max"), np.max),
    "min": Case(over_axes("min"), np.min),
    "minmax": Case(over_axes("minmax"), lambda x, **n: (np.min(x, **n), np.max(x, **n))),
    "any": Case(over_axes("any"), np.any),
    "all": Case(over_axes("all"), np.all),
    "count_nonzero": Case(over_axes("count_nonzero"), np.count_nonzero, dtype=INDEX),
    "mean": Case(over_axes("mean"), widened(np.mean), ulps=16),
    "var": Case(spread("var"), widened(np.var), ulps=64),
    "std": Case(spread("std"), widened(np.std), ulps=64),
    "ptp": Case(over_axes("ptp"), np.ptp),
    "nansum": Case(
        accumulation("nansum"), lambda x, **n: np.nansum(x, **n), dtype=dtype_of_sum, ulps=16
    ),
    "nanprod": Case(
        accumulation("nanprod"), lambda x, **n: np.nanprod(x, **n), dtype=dtype_of_sum, ulps=64
    ),
    "nanmax": Case(over_axes("nanmax"), np.nanmax),
    "nanmin": Case(over_axes("nanmin"), np.nanmin),
    "nanmean": Case(over_axes("nanmean"), widened(np.nanmean), ulps=16),
    "nanvar": Case(spread("nanvar"), widened(np.nanvar), ulps=64),
    "nanstd": Case(spread("nanstd"), widened(np.nanstd), ulps=64),
    "nanargmax": extremum_index("nanargmax", filled(-np.inf)),
    "nanargmin": extremum_index("nanargmin", filled(np.inf)),
    "nancumsum": running_case("nancumsum", accumulate_without(np.add, 0), lambda dtype: 0, ulps=16),
    "nancumprod": running_case(
        "nancumprod", accumulate_without(np.multiply, 1), lambda dtype: 1, ulps=64
    ),
    "logsumexp": Case(over_axes("logsumexp"), logsumexp, ulps=16),
    "softmax": Case(over_axes("softmax"), softmax(log=False), ulps=16),
    "log_softmax": Case(over_axes("log_softmax"), softmax(log=True), ulps=16),
    "argmax": extremum_index("argmax"),
    "argmin": extremum_index("argmin"),
    "cumsum": running_case("cumsum", accumulate(np.add), lambda dtype: 0, ulps=16),
    "cumprod": running_case("cumprod", accumulate(np.multiply), lambda dtype: 1, ulps=64),
    "cummax": running_case("cummax", accumulate(np.maximum, False), least_of),
    "cummin": running_case("cummin", accumulate(np.minimum, False), greatest_of),
    "logcumsumexp": running_case("logcumsumexp", log_add_running, lambda dtype: -np.inf, ulps=32),
    "cumulative_sum": Case(cumulative("cumulative_sum"), cumulated(accumulate(np.add), 0), ulps=16),
    "cumulative_prod": Case(
        cumulative("cumulative_prod"), cumulated(accumulate(np.multiply), 1), ulps=64
    ),
    "diff": Case(differences, np.diff, ulps=32),
    "median": Case(over_axes("median"), widened(np.median)),
    "quantile": Case(quantiles("quantile"), between, dtype=dtype_of_quantile, ulps=16),
    "percentile": Case(
        quantiles("percentile", 100),
        lambda x, q, **named: between(x, q / 100, **named),
        dtype=dtype_of_quantile,
        ulps=16,
    ),
    "nanmedian": Case(finite_or_nan(over_axes("nanmedian")), widened(np.nanmedian)),
    **{
        name: Case(
            finite_or_nan(quantiles(name, 100 if "percentile" in name else 1)),
            widened(getattr(np, name)),
            dtype=dtype_of_quantile,
            ulps=16,
        )
        for name in ("nanquantile", "nanpercentile")
    },
    "sort": Case(along("sort", "descending", "stable"), sorted_by(np.sort), exact=True),
    "argsort": Case(
        along("argsort", "descending", "stable"), sorted_by(np.argsort), dtype=INDEX, exact=True
    ),
    "partition": Case(parted("partition"), check=is_parted(False)),
    "argpartition": Case(parted("argpartition"), check=is_parted(True), dtype=INDEX),
    "topk": Case(topmost("topk"), check=is_top(False)),
    "argtopk": Case(topmost("argtopk"), check=is_top(True), dtype=INDEX),
    "searchsorted": Case(searched, np.searchsorted, dtype=INDEX),
    "isin": Case(membership, np.isin, dtype="bool"),
    "unique_all": Case(
        distinct, unique("values", "indices", "inverse", "counts"), dtype=["", INDEX, INDEX, INDEX]
    ),
    "unique_counts": Case(distinct, unique("values", "counts"), dtype=["", INDEX]),
    "unique_inverse": Case(distinct, unique("values", "inverse"), dtype=["", INDEX]),
    "unique_values": Case(distinct, unique("values")),
}
