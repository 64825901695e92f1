# SPDX-License-Identifier: Apache-2.0
"""The parts that the package needs to be a namespace of the Array API standard, besides its
functions on arrays: constants, finfo and iinfo, and `__array_namespace_info__`.

The package is the namespace of version 2025.12. `of_version` gives that of another version, which
differs in a few results only (`_array_api_2024_12.py`).
"""

from joggle import _core

__all__ = [
    "broadcast_shapes",
    "e",
    "euler_gamma",
    "finfo",
    "iinfo",
    "inf",
    "nan",
    "newaxis",
    "pi",
]

__array_api_version__ = "2025.12"

e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

_OLDER = ("2021.12", "2022.12", "2023.12", "2024.12")


def of_version(version):
    """The namespace of a version of the standard. ValueError for one that is not known."""
    if version == __array_api_version__:
        import joggle as namespace
    elif version in _OLDER:
        from joggle import _array_api_2024_12 as namespace
    else:
        allowed = ", ".join((*_OLDER, __array_api_version__))
        raise ValueError(f"api_version: got {version!r}, allowed are {allowed}")
    return namespace


class finfo:
    """finfo(type, /): the limits of a floating dtype, or of the parts of a complex one.

    `type` is a dtype or an array. The attributes are `dtype`, `bits`, `eps` (1 + eps is the next
    number after 1), `max`, `min`, `smallest_normal` (also `tiny`) and `smallest_subnormal`.
    TypeError for a dtype that is not floating.
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "smallest_normal", "smallest_subnormal")

    def __init__(self, type, /):
        self.dtype, self.bits, self.max, self.eps, *smallest = _core._float_limits(type)
        self.min = -self.max
        self.smallest_normal, self.smallest_subnormal = smallest

    @property
    def tiny(self):
        return self.smallest_normal

    def __repr__(self):
        return f"finfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype.name})"


class iinfo:
    """iinfo(type, /): the limits of an integer dtype, or of an array's: `dtype`, `bits`, `max`,
    `min`. TypeError for a dtype that is not one of integers."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type, /):
        self.dtype, self.bits, is_signed = _core._integer_limits(type)
        self.max = 2 ** (self.bits - is_signed) - 1
        self.min = -self.max - 1 if is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype.name})"


def broadcast_shapes(*shapes):
    """The shape to which arrays of these shapes broadcast. ValueError if they do not fit.

    >>> jg.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    arrays = [_core.zeros(shape, _core.bool) for shape in shapes]
    return _core.broadcast_arrays(*arrays)[0].shape if arrays else ()


_DEFAULTS = {
    "real floating": _core.float32,
    "complex floating": _core.complex64,
    "integral": _core.int64,
    "indexing": _core.int64,
}
_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


class _Info:
    """The inspection object that `__array_namespace_info__()` gives."""

    def capabilities(self):
        """The standard's optional capabilities, by name."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _core._max_dimensions,
        }

    def default_device(self):
        """The default device."""
        return _core.default_device()

    def devices(self):
        """The devices that this process can use."""
        return tuple(_core._available_devices())

    def default_dtypes(self, *, device=None):
        """The default dtypes of results, by kind."""
        self._check(device)
        return dict(_DEFAULTS)

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes of a kind or of several, by name; None means all."""
        self._check(device)
        found = {name: getattr(_core, name) for name in _DTYPES}
        if kind is None:
            return found
        return {name: dtype for name, dtype in found.items() if _core.isdtype(dtype, kind)}

    def _check(self, device):
        _core.empty(0, device=device)


def __array_namespace_info__():
    """The namespace's inspection object: `capabilities`, `default_device`, `default_dtypes`,
    `devices` and `dtypes`, as the Array API standard has them."""
    return _Info()
