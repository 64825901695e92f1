# SPDX-License-Identifier: Apache-2.0
"""Functions of the core with further keywords of NumPy's, most of them `out` and `where`.
The table python/src/op/numpy_keyword.def says which; the core calls `call` for them."""

from joggle import _core
from joggle._numpy import _reductions
from joggle._numpy._arguments import flag_of

_NAMES = ("x", "axis", "keepdims")
_SPREAD_NAMES = (*_NAMES, "correction")
_MORE = {"mean": ("dtype",), "std": ("dtype",), "var": ("dtype",)}
_MORE |= {"max": ("initial",), "min": ("initial",)}
_MORE |= {"prod": ("dtype", "initial"), "sum": ("dtype", "initial")}


_PASSING_NAN = ("nanmean", "nanstd", "nanvar")


def call(name, args, kwargs):
    """The function of that name, with the array of `out`, if there is one, as its result."""
    if name in _FLAGGED:
        return _FLAGGED[name](*args, **kwargs)
    out = kwargs.pop("out", None)
    if kwargs.get("dtype") is not None:
        kwargs["dtype"] = _core.dtype(kwargs["dtype"])
    if name in _reductions.FUNCTIONS:
        result = _reduce(name, args, kwargs, out)
    elif name in _PASSING_NAN:
        result = _in_dtype(name, *args, **kwargs)
    else:
        if out is not None and name in _reductions.RUNNING and kwargs.get("dtype") is None:
            kwargs["dtype"] = _reductions.dtype_for(name, args[0], out)
        result = getattr(_core, name)(*args, **kwargs)
    if out is None:
        return result
    from joggle._numpy import _outside  # which imports NumPy

    return _outside.store_exactly(out, result, "same_kind", name=name)


def _reduce(name, args, kwargs, out):
    allowed = _SPREAD_NAMES if name in ("std", "var") else _NAMES
    kwargs |= dict(zip((*allowed, *_MORE.get(name, ())), args, strict=False))
    if "ddof" in kwargs:
        kwargs["correction"] = kwargs.pop("ddof")
    for key in kwargs:
        if key not in {*allowed, *_MORE.get(name, ()), "where"}:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    if out is not None and kwargs.get("dtype") is None and "x" in kwargs:
        kwargs["dtype"] = _reductions.dtype_for(name, kwargs["x"], out)
    return _reductions.reduce(name, **kwargs)


def _angle(*args, deg, **kwargs):
    angle = _core.angle(*args, **kwargs)
    return _core.degrees(angle) if flag_of(deg, "angle", "deg") else angle


def _isin(*args, assume_unique, **kwargs):
    """What is unique, as the caller says or not, is found in the same way."""
    flag_of(assume_unique, "isin", "assume_unique")
    return _core.isin(*args, **kwargs)


_FLAGGED = {"angle": _angle, "isin": _isin}


def _in_dtype(name, x, /, *args, dtype, **kwargs):
    if dtype is not None:
        if not _core.isdtype(dtype, ("real floating", "complex floating")):
            raise TypeError(
                f"[{name}] dtype: got {dtype.name}, allowed are floats and complex numbers"
            )
        x = _core.asarray(x).astype(dtype)
    return getattr(_core, name)(x, *args, **kwargs)
