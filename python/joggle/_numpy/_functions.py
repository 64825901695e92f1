# SPDX-License-Identifier: Apache-2.0
"""`__array_function__`: NumPy's functions on joggle's arrays.

A function that joggle has under the same name is joggle's. Its arguments are sorted by NumPy's
signature: an argument that has NumPy's default is left out, one that our function knows is passed
on, `out` and `dtype` are handled here, and any other is refused by its name. What joggle does not
have is computed by NumPy at once on the memory that the arrays have.
"""

import functools
import inspect

import numpy as np

import joggle as jg
from joggle import _core
from joggle._numpy import _outside, _reductions

# NumPy's name of a parameter and ours, where they differ.
_RENAMED = {
    "a_max": "max",
    "a_min": "min",
    "ddof": "correction",
    "rcond": "rtol",
    "reps": "repetitions",
}
# Arguments that do not change the result: hints about speed, and permissions.
_HINTS = {
    ("argsort", "kind"),
    ("argpartition", "kind"),
    ("einsum", "optimize"),
    ("isin", "assume_unique"),
    ("isin", "kind"),
    ("median", "overwrite_input"),
    ("meshgrid", "copy"),
    ("nanmedian", "overwrite_input"),
    ("nanpercentile", "overwrite_input"),
    ("nanquantile", "overwrite_input"),
    ("partition", "kind"),
    ("percentile", "overwrite_input"),
    ("quantile", "overwrite_input"),
    ("sort", "kind"),
    ("unique", "equal_nan"),  # each NaN is one, whatever it says
}
_LAYOUTS = {"order": ("C", "K"), "subok": (True, False)}  # as joggle's results always are
_NAMESPACES = {"numpy": "", "numpy.linalg": "linalg", "numpy.fft": "fft"}
# Their results are no arrays, or are files, so an op gains nothing.
_NUMPYS = {"array2string", "array_repr", "array_str", "einsum_path", "save", "savetxt", "savez"}
_NUMPYS |= {"savez_compressed"}
_WRITERS = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
_CASTS = {"concat", "concatenate", "hstack", "stack", "vstack"}
_REDUCTIONS = {"amax": "max", "amin": "min"} | {name: name for name in _reductions.FUNCTIONS}


def array_function(function, types, args, kwargs):
    if not all(map(_is_known, types)):
        introduced = any(_core._introduce_to(kind) for kind in types)
        return function(*args, **kwargs) if introduced else NotImplemented
    name = function.__name__
    if function.__module__ not in _NAMESPACES or name in _NUMPYS:
        return _by_numpy(function, args, kwargs)
    if name in _WRITERS:
        return _write(function, args, kwargs)
    space = _NAMESPACES[function.__module__]
    own = _SPECIAL.get(name) if not space else None
    ours = own or getattr(getattr(jg, space) if space else jg, name, None)
    if ours is None:
        return _by_numpy(function, args, kwargs)
    return _call(function, ours, args, kwargs)


def _is_known(kind):
    """NumPy's arrays, ours, and subclasses that leave the protocol as it is."""
    known = getattr(kind, "__array_function__", None)
    return kind is _core.array or known is np.ndarray.__array_function__


def _by_numpy(function, args, kwargs):
    return _outside.from_numpy(function(*_outside.to_numpy(args), **_outside.to_numpy(kwargs)))


def _write(function, args, kwargs):
    """Functions that write into their first argument. NumPy itself writes into NumPy's arrays."""
    given = _signature(function).bind(*args, **kwargs).arguments
    target = next(iter(given))
    written, named = given[target], dict(given)
    if not isinstance(written, _core.array):
        return function(written, *_outside.to_numpy(args[1:]), **_outside.to_numpy(kwargs))
    name = function.__name__
    if name == "put_along_axis":
        del named[target]
        written[...] = _core.put_along_axis(written, *named.values())
    elif name == "copyto":
        where = named.get("where", True)
        _outside.store(
            written, named["src"], named.get("casting", "same_kind"), where, name="copyto"
        )
    else:
        getattr(jg, name)(*args, **kwargs)
    return None


@functools.cache
def _signature(function):
    return inspect.signature(function)


@functools.cache
def _parameters(function):
    """Our parameters by name, and how many of them have no name for callers."""
    parameters = inspect.signature(function).parameters
    nameless = [p for p in parameters.values() if p.kind is p.POSITIONAL_ONLY]
    return parameters, len(nameless)


def _is_default(value, default):
    if value is default or value is np._NoValue:
        return True
    return (
        isinstance(value, (bool, int, float, str))
        and type(value) is type(default)
        and (value == default)
    )


def _call(function, ours, args, kwargs):
    name = function.__name__
    bound = _signature(function).bind(*args, **kwargs)
    given = dict(bound.arguments)
    parameters = _signature(function).parameters
    rest = [p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL]
    spread = [p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD]
    for each in spread:
        given |= given.pop(each, {})
    out = given.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    casting = given.pop("casting", "safe" if name == "einsum" else "same_kind")
    _outside.check_casting(casting, name)
    if given.get("dtype") is not None:
        given["dtype"] = _outside.dtype_of(given["dtype"])
    if name == "einsum" and (dtype := given.pop("dtype", None)) is not None:
        given[rest[0]] = tuple(
            _outside.cast(each, dtype, casting, name) if hasattr(each, "dtype") else each
            for each in given[rest[0]]
        )
    if name in _REDUCTIONS:
        result = _reduce(name, given, out)
    else:
        if out is not None and name in _reductions.RUNNING and given.get("dtype") is None:
            given["dtype"] = _reductions.dtype_for(name, given["a"], out)
        given = _without_defaults(name, given, parameters, ours)
        dtype = given.pop("dtype", None) if name in _CASTS else None
        result = ours(*_positional(given, ours, rest), **_named(name, given, ours))
        if dtype is not None:
            result = _outside.cast(result, dtype, casting, name)
    return result if out is None else _outside.store_exactly(out, result, casting, name=name)


def _without_defaults(name, given, parameters, ours):
    """The arguments that are not NumPy's defaults, and all required ones."""
    kept = {}
    for key, value in given.items():
        default = parameters[key].default if key in parameters else inspect.Parameter.empty
        silent = default is not inspect.Parameter.empty and _is_default(value, default)
        if (name, key) in _HINTS or silent:
            continue
        if key in _LAYOUTS and key not in _parameters(ours)[0] and value in _LAYOUTS[key]:
            continue
        kept[key] = value
    return kept


def _positional(given, ours, rest):
    """Takes the leading arguments out of `given`: the first, and those that have no name of ours.

    Where any number of arguments may follow, they are what follows."""
    count = max(_parameters(ours)[1], 1)
    if rest and next(iter(given), None) == rest[0]:
        count = 0
    leading = [given.pop(key) for key in list(given)[:count] if key not in rest]
    following = given.pop(rest[0], ()) if rest else ()
    return [*leading, *(_named_before(given, ours) if following else ()), *following]


def _named_before(given, ours):
    """The arguments between the first and those of any number."""
    names = [key for key in given if key in _parameters(ours)[0]]
    kinds = _parameters(ours)[0]
    before = [key for key in names if kinds[key].kind is kinds[key].POSITIONAL_OR_KEYWORD]
    return [given.pop(key) for key in before]


def _named(name, given, ours):
    """The rest under our names. TypeError for what our function does not know."""
    known = _parameters(ours)[0]
    any_name = any(p.kind is p.VAR_KEYWORD for p in known.values())
    named = {}
    for key, value in given.items():
        own = key if key in known or any_name else _RENAMED.get(key, key)
        if own not in known and not any_name:
            raise TypeError(
                f"[{name}] {key}: got {value!r}, and joggle's {name} does not take it, allowed is "
                f"np.{name}(np.asarray(x), {key}=...)"
            )
        named[own] = value
    return named


def _reduce(name, given, out):
    """Sums, products and the like, which have keywords of NumPy's that our functions lack."""
    x = given.pop("a")
    own = _REDUCTIONS[name]
    given = {key: value for key, value in given.items() if value is not np._NoValue}
    if "ddof" in given:
        ddof = given.pop("ddof")
        given.setdefault("correction", ddof)
    if given.get("mean") is not None:
        _named(name, {"mean": given["mean"]}, _core.sum)
    given.pop("mean", None)
    if "keepdims" in given:
        given["keepdims"] = bool(given["keepdims"])
    if out is not None and given.get("dtype") is None:
        given["dtype"] = _reductions.dtype_for(own, x, out)
    return _reductions.reduce(own, x, **given)


def _can_cast(from_, to, casting="safe"):
    named = [each.dtype if isinstance(each, _core.array) else each for each in (from_, to)]
    return np.can_cast(*named, casting=casting)


def _array(object, /, dtype=None, *, copy=True, ndmin=0):
    x = _core.array(object, dtype=dtype, copy=copy)
    return _core.reshape(x, (1,) * (ndmin - x.ndim) + x.shape)


def _broadcast_arrays(*args):
    """None is an object to NumPy, as Matplotlib counts on; we have no array of it."""
    if any(each is None for each in args):
        return _outside.from_numpy(np.broadcast_arrays(*_outside.to_numpy(args)))
    return _core.broadcast_arrays(*args)


def _outer(a, b, /):
    return _core.outer(_core.ravel(_core.asarray(a)), _core.ravel(_core.asarray(b)))


def _nan_to_num(x, /, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise TypeError("[nan_to_num] copy: got False, allowed is True: arrays are values")
    return _core.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _take(a, indices, /, axis=None, mode="raise"):
    a = _core.asarray(a)
    if mode != "raise":
        extent = a.size if axis is None else jg.size(a, axis)
        indices = _core.asarray(indices)
        indices = indices % extent if mode == "wrap" else _core.clip(indices, 0, extent - 1)
    return _core.take(a, indices, axis)


_SPECIAL = {
    "array": _array,
    "broadcast_arrays": _broadcast_arrays,
    "can_cast": _can_cast,
    "nan_to_num": _nan_to_num,
    "outer": _outer,
    "take": _take,
    "trace": _core.trace if hasattr(_core, "trace") else None,
}
