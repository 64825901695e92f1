# SPDX-License-Identifier: Apache-2.0
"""Histograms along several axes, and the bounds of bins.

What decides a shape, such as the range of elements, is computed at the call.
"""

from joggle import _bins, _core
from joggle._numpy._arguments import on_stream


@on_stream
def histogram_bin_edges(a, bins=10, range=None, weights=None, *, stream=None):
    """The bounds of the bins that histogram would count a's elements in.

    bins is their number, or their bounds, or the name of a rule for how many: "auto", "doane",
    "fd", "rice", "scott", "sqrt", "stone" or "sturges". Computes a unless range tells all.

    dtypes: a's if that is floating, else float64; bounds that are given stay.
    shape: (bins + 1,).
    raises: TypeError for weights beside a rule, ValueError for bins and range.

    >>> jg.histogram_bin_edges(jg.array([0.0, 0.0, 1.0, 2.0, 4.0]), bins=4)
    array([0., 1., 2., 3., 4.], dtype=float32)
    """
    x = _core.ravel(_core.asarray(a))
    return _bins.bounds_of(x, bins, range, weights, "histogram_bin_edges")


def _one_for_each(name, argument, given, count):
    if len(given) != count:
        raise ValueError(f"[{name}] {argument}: got {len(given)}, allowed are {count}")
    return given


def _columns(sample):
    """The coordinates of points: the columns of a matrix, or the vectors of a sequence."""
    if isinstance(sample, (list, tuple)):
        sample = _core.stack([_core.asarray(each) for each in sample], axis=1)
    sample = _core.asarray(sample)
    sample = sample if sample.ndim > 1 else _core.ravel(sample)[:, None]
    if sample.ndim != 2:
        raise ValueError(f"[histogramdd] sample: has {sample.ndim} axes, allowed are 1 and 2")
    return [sample[:, at] for at in range(sample.shape[1])]


def _places(x, bounds):
    """The bin of each element: 0 is below all of them, one more than there are is above."""
    places = _core.searchsorted(bounds, x, "right")
    return _core.where(_core.equal(x, bounds[-1]), bounds.size - 1, places)


def _as_density(counts, edges):
    result = counts / _core.sum(counts)
    for axis, bounds in enumerate(edges):
        widths = bounds[1:] - bounds[:-1]
        result = result / _core.reshape(widths, (-1,) + (1,) * (counts.ndim - 1 - axis))
    return result


def _is_several(bins):
    return hasattr(bins, "__len__") and getattr(bins, "ndim", 1) > 0


def _histogram(name, columns, bins, given, density, weights):
    count = len(columns)
    several = not isinstance(bins, str) and _is_several(bins)
    bins = _one_for_each(name, "bins", bins, count) if several else (bins,) * count
    given = (None,) * count if given is None else _one_for_each(name, "range", given, count)
    for each in bins:
        if isinstance(each, str):
            raise ValueError(f"[{name}] bins: got {each!r}, allowed are numbers and bounds")
    edges = [
        _bins.bounds_of(x, *each, None, name) for x, *each in zip(columns, bins, given, strict=True)
    ]
    places = [_places(*each) for each in zip(columns, edges, strict=True)]
    weights = _bins.weights_for(columns[0], weights, name)
    dtype = _core.float64 if weights is None else weights.dtype
    added = _core.ones((), dtype=dtype) if weights is None else weights
    empty = _core.zeros([bounds.size + 1 for bounds in edges], dtype=dtype)
    counts = _core.scatter_add(empty, places, added, list(range(count)))
    counts = counts[(slice(1, -1),) * count]
    return (_as_density(counts, edges) if density else counts), edges


@on_stream
def histogramdd(sample, bins=10, range=None, density=None, weights=None, *, stream=None):
    """How many points fall into each cell of a grid, and the bounds along each axis.

    sample has a point in each row, or is a sequence of the coordinates along each axis. bins is a
    number of cells, or a sequence of a number or sorted bounds for each axis; range is a sequence
    of (low, high), or None, for each. Points outside are not counted. With weights, the sums of
    theirs; with density, such that the integral is 1.

    dtypes: float64, or that of weights if it is floating.
    shape: as many cells as there are along each axis.
    raises: TypeError, ValueError for shapes, bins and range.

    >>> jg.histogramdd(jg.array([[0.0, 0.0], [1.0, 2.0], [1.0, 1.5]]), bins=2)[0]
    array([[1., 0.],
           [0., 2.]], dtype=float64)
    """
    columns = _columns(sample)
    return _histogram("histogramdd", columns, bins, range, density, weights)


@on_stream
def histogram2d(x, y, bins=10, range=None, density=None, weights=None, *, stream=None):
    """How many points (x, y) fall into each cell of a grid, and the bounds along x and along y.

    bins is a number, or bounds for both axes, or two of these; else as histogramdd.

    dtypes: float64, or that of weights if it is floating.
    shape: the cells along x, then those along y.
    raises: TypeError, ValueError for shapes, bins and range.

    >>> jg.histogram2d(jg.array([0.0, 1.0, 1.0]), jg.array([0.0, 2.0, 1.5]), bins=2)[0]
    array([[1., 0.],
           [0., 2.]], dtype=float64)
    """
    x, y = _core.asarray(x), _core.asarray(y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"[histogram2d] y: has shape {y.shape}, allowed is a vector like x")
    if not isinstance(bins, str) and _is_several(bins) and len(bins) != 2:
        bins = [bins[0] if len(bins) == 1 else bins] * 2
    counts, (along_x, along_y) = _histogram("histogram2d", [x, y], bins, range, density, weights)
    return counts, along_x, along_y
