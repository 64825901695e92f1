# SPDX-License-Identifier: Apache-2.0
"""How many bins a histogram of given elements should have: the rules that NumPy names.

A rule gives the width of a bin, 0 if it finds none; the elements, all finite, are computed.
"""

import math
from functools import partial

from joggle import _core
from joggle._numpy._meeting import is_kind


def _extent(x):
    return (_core.max(x) - _core.min(x)).item()


def _square_root(x, low, high):
    return _extent(x) / math.sqrt(x.size)


def _sturges(x, low, high):
    return _extent(x) / (math.log2(x.size) + 1)


def _rice(x, low, high):
    return _extent(x) / (2 * x.size ** (1 / 3))


def _scott(x, low, high):
    return (24 * math.sqrt(math.pi) / x.size) ** (1 / 3) * _core.std(x).item()


def _freedman_diaconis(x, low, high):
    lower, upper = _core.quantile(x, [0.25, 0.75]).tolist()
    return 2 * (upper - lower) / x.size ** (1 / 3)


def _doane(x, low, high):
    deviation = _core.std(x).item()
    if x.size <= 2 or deviation <= 0:
        return 0.0
    expected = math.sqrt(6 * (x.size - 2) / ((x.size + 1) * (x.size + 3)))
    standardized = (x - _core.mean(x)) / deviation
    skewness = abs(_core.mean(standardized**3).item())
    return _extent(x) / (1 + math.log2(x.size) + math.log2(1 + skewness / expected))


def _stone(x, low, high, histogram):
    """The width, of up to 100 or sqrt(n) bins, whose estimated squared error is the least."""
    extent = _extent(x)
    if x.size <= 1 or extent == 0:
        return 0.0
    most = max(100, math.isqrt(x.size))
    squares = []
    for bins in range(1, most + 1):
        counts, _ = histogram(x, bins, (low, high))
        squares.append(_core.sum(_core.square(counts)))
    squares = _core.stack(squares).tolist()
    # The estimate is relative; the extent is a common factor and is left out.
    errors = [(2 - (x.size + 1) * each / x.size**2) * bins for bins, each in enumerate(squares, 1)]
    return extent / (1 + min(range(most), key=errors.__getitem__))


def _auto(x, low, high):
    """The finer of Sturges's rule and the quartile rule, which ignores outliers."""
    finest = max(_freedman_diaconis(x, low, high), _square_root(x, low, high) / 2)
    return min(finest, _sturges(x, low, high))


_RULES = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _square_root,
    "sturges": _sturges,
}


def count_of_bins(name, x, rule, low, high, histogram):
    """How many bins between the bounds suit those elements of the vector x that are there.

    histogram: joggle's; it is handed over because its module imports this one.
    """
    rules = {**_RULES, "stone": partial(_stone, histogram=histogram)}
    if rule not in rules:
        allowed = ", ".join(f'"{each}"' for each in sorted(rules))
        raise ValueError(f"[{name}] bins: got {rule!r}, allowed are numbers, bounds and {allowed}")
    is_whole = not is_kind(x, "real floating")
    x = x[_core.logical_and(x >= low, x <= high)]
    if x.size == 0:
        return 1
    width = rules[rule](_core.astype(x, _core.float64, copy=False) if is_whole else x, low, high)
    if is_whole and 0 < width < 1:
        width = 1.0
    return math.ceil((high - low) / width) if width else 1
