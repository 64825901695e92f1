# SPDX-License-Identifier: Apache-2.0
"""Counting elements: by value, and by the bins that they fall into. Composed of ops of the core.

What decides a shape is computed at the call: the largest element for bincount, the distinct ones
for unique, the range of a histogram's elements where none is given.
"""

from joggle import _core
from joggle._integers import integer_of

__all__ = ["bincount", "digitize", "histogram", "unique"]


def _count(places, bins, weights, stream):
    """How many elements each bin has, or the sums of their weights."""
    dtype = _core.int64 if weights is None else weights.dtype
    empty = _core.zeros((bins,), dtype=dtype, stream=stream)
    added = _core.ones((), dtype=dtype, stream=stream) if weights is None else weights
    return _core.scatter_add(empty, [places], added, [0], stream=stream)


def weights_for(x, weights, name, stream=None):
    """The weights of x's elements as floats, in their order."""
    if weights is None:
        return None
    weights = _core.asarray(weights, stream=stream)
    if weights.shape != x.shape:
        raise ValueError(f"[{name}] weights: has shape {weights.shape}, allowed is x's, {x.shape}")
    if "float" not in weights.dtype.name and "complex" not in weights.dtype.name:
        weights = weights.astype(_core.float64, stream=stream, copy=False)
    return _core.ravel(weights, stream=stream)


def bincount(x, weights=None, minlength=0, *, stream=None):
    """How often each whole number from 0 on occurs in the vector x. Computes x.

    There are as many counts as the largest number asks for, and at least minlength. With weights,
    the sums of those of the elements, in their dtype if that is a floating one, else in float64.
    TypeError for numbers that are not whole, ValueError for negative ones and for several axes.

    >>> jg.bincount(jg.array([0, 1, 1, 3]))
    array([1, 2, 0, 1], dtype=int64)
    """
    x = _core.asarray(x, stream=stream)
    if "int" not in x.dtype.name:
        raise TypeError(f"[bincount] x: got {x.dtype.name}, allowed are integers")
    if x.ndim != 1:
        raise ValueError(f"[bincount] x: has {x.ndim} axes, allowed is one")
    least_count = integer_of(minlength)
    if least_count is None:
        got = type(minlength).__name__
        raise TypeError(f"[bincount] minlength: got {got}, allowed is an int")
    if least_count < 0:
        raise ValueError(f"[bincount] minlength: got {least_count}, allowed is 0 and above")
    weights = weights_for(x, weights, "bincount", stream)
    bins = least_count
    if x.size > 0:
        least, most = _core.min(x, stream=stream).item(), _core.max(x, stream=stream).item()
        if least < 0:
            raise ValueError(f"[bincount] x: has {least}, allowed is 0 and above")
        bins = max(bins, most + 1)
    return _count(x, bins, weights, stream)


def _first_pair(bins, against):
    """The first two neighbours that are in the wrong order, for a message."""
    at = _core.nonzero(against)[0][0].item()
    return f"{bins[at].item()} stands before {bins[at + 1].item()}"


def digitize(x, bins, right=False, *, stream=None):
    """The number of the bin that each element of x falls into, by the bins' sorted bounds.

    Bin i is from bounds[i - 1], which belongs to it, to bounds[i], which does not; with right, the
    other way round. Bounds may descend; they are computed, to see whether.
    ValueError for bounds that neither ascend nor descend.

    >>> jg.digitize(jg.array([0.5, 1.5]), jg.array([0.0, 1.0, 2.0]))
    array([1, 2], dtype=int64)
    """
    bins = _core.asarray(bins, stream=stream)
    if bins.ndim != 1:
        raise ValueError(f"[digitize] bins: has {bins.ndim} axes, allowed is one")
    descends = bins.size > 1 and bins[0].item() > bins[-1].item()
    against = (_core.greater if not descends else _core.less)(bins[:-1], bins[1:], stream=stream)
    if _core.any(against, stream=stream).item():
        raise ValueError(
            f"[digitize] bins: are not sorted: {_first_pair(bins, against)}, allowed are ascending "
            "and descending"
        )
    if not descends:
        return _core.searchsorted(bins, x, "left" if right else "right", stream=stream)
    places = _core.searchsorted(bins[::-1], x, "left" if right else "right", stream=stream)
    return _core.subtract(bins.size, places, stream=stream)


def _range_of(x, given, name, stream):
    """The lowest and the highest bound of evenly spaced bins, apart from each other."""
    if given is not None:
        try:
            low, high = given
        except (TypeError, ValueError):
            raise ValueError(
                f"[{name}] range: got {given!r:.60}, allowed is a pair of bounds"
            ) from None
    elif x.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = _core.min(x, stream=stream).item(), _core.max(x, stream=stream).item()
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise ValueError(f"[{name}] range: got {low} to {high}, allowed are finite bounds")
    if low > high:
        raise ValueError(f"[{name}] range: got {low} to {high}, allowed is one that ascends")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _suited(x, rule, low, high, weights, name):
    """The number of bins that a rule, given by its name, finds for x."""
    if weights is not None:
        raise TypeError(
            f"[{name}] weights: got {type(weights).__name__}, allowed beside bins={rule!r} is None"
        )
    from joggle._numpy import _estimators  # few histograms ask for it

    return _estimators.count_of_bins(name, x, rule, low, high, histogram)


def _without_value(x, stream):
    """0 with the derivatives of x."""
    return _core.subtract(x, _core.stop_gradient(x, stream=stream), stream=stream)


def bounds_of(x, bins, given, weights, name, stream=None):
    """The bounds of the bins for the vector x."""
    dtype = x.dtype if "float" in x.dtype.name else _core.float64
    if isinstance(bins, str) or integer_of(bins) is not None:
        low, high = _range_of(x, given, name, stream)
        if isinstance(bins, str):
            with _core.stream(_core.default_stream() if stream is None else stream):
                bins = _suited(x, bins, low, high, weights, name)
        bins = bins.__index__()
        if bins < 1:
            raise ValueError(f"[{name}] bins: got {bins}, allowed is 1 and above")
        if given is None and x.size > 0 and _core._is_traced(x):  # the same, with derivatives
            low = low + _without_value(_core.min(x, stream=stream), stream)
            high = high + _without_value(_core.max(x, stream=stream), stream)
        return _core.linspace(low, high, bins + 1, dtype=dtype, device=x.device, stream=stream)
    return _given_bounds(bins, dtype, x.device, name, stream)


def _given_bounds(bins, dtype, device, name, stream):
    """The bounds, checked; Python's floats, of which there may be some, take the dtype."""
    device = None if isinstance(bins, _core.array) else device
    is_list = isinstance(bins, (list, tuple)) and any(isinstance(each, float) for each in bins)
    bins = _core.asarray(bins, dtype=dtype if is_list else None, device=device, stream=stream)
    if bins.ndim != 1 or bins.size < 2:
        raise ValueError(
            f"[{name}] bins: has shape {bins.shape}, allowed is a vector of two or more"
        )
    against = _core.logical_not(bins[:-1] <= bins[1:], stream=stream)
    if _core.any(against, stream=stream).item():
        raise ValueError(
            f"[{name}] bins: descend: {_first_pair(bins, against)}, allowed are numbers that "
            "ascend or stay"
        )
    return bins


def histogram(x, bins=10, range=None, density=False, weights=None, *, stream=None):
    """How many elements of x fall into each bin, and the bounds of the bins, one more than those.

    bins is how many there are, evenly spaced over range (of x's elements, unless it is given), or
    their sorted bounds, or the name of one of histogram_bin_edges's rules for how many. Each
    includes its lower bound, and the last its upper one, too; elements outside are not counted.
    With weights, the sums of theirs; with density, such that the integral is 1.

    >>> jg.histogram(jg.array([1.0, 2.0, 2.5, 4.0]), bins=3)[0]
    array([1, 2, 1], dtype=int64)
    """
    x = _core.asarray(x, stream=stream)
    weights = weights_for(x, weights, "histogram", stream)
    x = _core.ravel(x, stream=stream)
    bounds = bounds_of(x, bins, range, weights, "histogram", stream)
    count = bounds.size - 1
    places = _core.searchsorted(bounds, x, "right", stream=stream)
    places = _core.where(_core.equal(x, bounds[-1], stream=stream), count, places, stream=stream)
    counts = _count(places, count + 2, weights, stream)[1:-1]
    if density:
        total = _core.sum(counts, stream=stream) * (bounds[1:] - bounds[:-1])
        counts = _core.divide(counts, total, stream=stream)
    return counts, bounds


def _of_size(part, size, fill, stream):
    """A vector cut or filled up to the size."""
    if part.size >= size:
        return part[:size]
    filled = _core.broadcast_to(fill, (size - part.size,), stream=stream)
    return _core.concat([part, filled.astype(part.dtype, stream=stream, copy=False)], stream=stream)


def unique(
    x,
    size=None,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    fill_value=None,
    *,
    sorted=True,
    stream=None,
):
    """The distinct elements of x in ascending order. Computes x.

    On request also, in this order, the index of the first of each, where each element of x is among
    them, and how often each occurs. With a size, as in MLX, the results are cut to it, or filled
    up: values with fill_value or the first of them, indices likewise, counts with 0. sorted=False
    allows any order, as in NumPy; it is the same one.

    >>> jg.unique(jg.array([3, 1, 3]))
    array([1, 3], dtype=int64)
    """
    if sorted not in (True, False):
        raise TypeError(f"[unique] sorted: got {sorted!r}, allowed are True and False")
    if isinstance(size, bool):
        raise TypeError(f"[unique] size: got {size}, allowed are None and an int")
    x = _core.asarray(x, stream=stream)
    if size is None and not (return_index or return_inverse):
        found = _core.unique_counts(x, stream=stream)
        return tuple(found) if return_counts else found.values
    values, places, inverse, counts = _core.unique_all(x, stream=stream)
    if size is not None:
        if size < 0:
            raise ValueError(f"[unique] size: got {size}, allowed is 0 and above")
        if values.size == 0 and size > 0 and fill_value is None:
            raise ValueError(
                "[unique] fill_value: got None, allowed is a number where x has no elements"
            )
        first = values[0] if fill_value is None else _core.asarray(fill_value, stream=stream)
        zero = _core.zeros((), dtype=counts.dtype, stream=stream)
        values = _of_size(values, size, first, stream)
        places = _of_size(places, size, places[0] if places.size else zero, stream)
        inverse = _core.minimum(inverse, max(size - 1, 0), stream=stream)
        counts = _of_size(counts, size, zero, stream)
    asked = (return_index, return_inverse, return_counts)
    others = [one for one, wanted in zip((places, inverse, counts), asked, strict=True) if wanted]
    return (values, *others) if others else values
