# SPDX-License-Identifier: Apache-2.0
"""How arrays are printed: MLX's precision, and NumPy's other options."""

import functools

from joggle import _core

__all__ = ["PrintOptions", "get_printoptions", "printoptions", "set_printoptions"]


class PrintOptions:
    """precision: digits behind the point, at most. Of more than threshold elements, edgeitems at
    both ends of each axis are shown. linewidth: characters in a line."""

    __slots__ = ("edgeitems", "linewidth", "precision", "threshold")

    def __init__(self, precision=-1, threshold=1000, edgeitems=3, linewidth=75):
        self.precision = precision if precision >= 0 else 8
        self.threshold = threshold
        self.edgeitems = edgeitems
        self.linewidth = linewidth

    def __repr__(self):
        return f"PrintOptions({', '.join(f'{n}={getattr(self, n)}' for n in _NAMES)})"

    def __eq__(self, other):
        return isinstance(other, PrintOptions) and _values(self) == _values(other)

    __hash__ = None


_NAMES = ("precision", "threshold", "edgeitems", "linewidth")


def _values(options):
    return tuple(getattr(options, name) for name in _NAMES)


def get_printoptions():
    """The options that arrays are printed with.

    >>> jg.get_printoptions().precision
    8
    """
    return PrintOptions(*_core._get_print_options())


def set_printoptions(precision=None, *, threshold=None, edgeitems=None, linewidth=None):
    """Changes how arrays are printed from now on, by all threads; in a block of printoptions, until
    its end. What is None stays as it is; a precision of -1 is the default, 8.

    >>> with jg.printoptions(precision=2):
    ...     print(jg.array([1 / 3, 2]))
    [0.33 2.  ]
    """
    given = (precision, threshold, edgeitems, linewidth)
    _core._set_print_options(*_merged(given, *_core._get_print_options()))


def _merged(given, *before):
    """The options before, with those that are given and not None."""
    pairs = zip(given, before, strict=True)
    precision, *rest = (old if new is None else new for new, old in pairs)
    return (precision if precision >= 0 else 8, *rest)


class printoptions(_core._PrintContext):
    """A context with other options for printing; set_printoptions tells which there are.

    They hold in the block alone, and not in other tasks and threads that run meanwhile.
    """

    def __new__(cls, precision=None, *, threshold=None, edgeitems=None, linewidth=None):
        given = (precision, threshold, edgeitems, linewidth)
        return super().__new__(cls, functools.partial(_merged, given), PrintOptions)
