# SPDX-License-Identifier: Apache-2.0
"""How arrays are printed: MLX's precision, and NumPy's other options."""

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
    """Changes how arrays are printed from now on, by all threads. What is None stays as it is; a
    precision of -1 is the default, 8.

    >>> with jg.printoptions(precision=2):
    ...     print(jg.array([1 / 3, 2]))
    [0.33 2.  ]
    """
    options = get_printoptions()
    given = (precision, threshold, edgeitems, linewidth)
    for name, value in zip(_NAMES, given, strict=True):
        if value is not None:
            setattr(options, name, value)
    options.precision = options.precision if options.precision >= 0 else 8
    _core._set_print_options(*_values(options))


class printoptions:
    """A context with other options for printing; set_printoptions tells which there are."""

    def __init__(self, precision=None, **options):
        self._given = {"precision": precision} | options
        self._before = []

    def __enter__(self):
        self._before.append(get_printoptions())
        set_printoptions(**self._given)
        return get_printoptions()

    def __exit__(self, *unused):
        _core._set_print_options(*_values(self._before.pop()))
