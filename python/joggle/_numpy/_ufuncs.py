# SPDX-License-Identifier: Apache-2.0
"""`__array_ufunc__`: ufuncs of NumPy and other packages on joggle's arrays.

A ufunc that joggle has is our function, lazy and with our rules of promotion; `out` and `where` are
NumPy's. Any other is computed by NumPy at once on the memory that the arrays have.
"""

import sys

import numpy as np

import joggle as jg
from joggle import _core
from joggle._numpy import _outside
from joggle._numpy._reductions import dtype_for, reduce

# SciPy's ufuncs that joggle has under some name.
_SCIPY = {
    "cbrt": "cbrt",
    "erf": "erf",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "i0": "i0",
    "log1p": "log1p",
}
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}
_SCATTERS = {"add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "maximum"}
_SCATTERS |= {"minimum": "minimum", "divide": "divide"}
# Only an operand's dtype can be requested.
_TRUTHS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isfinite")
_TRUTHS += ("isinf", "isnan", "signbit", "logical_and", "logical_not", "logical_or", "logical_xor")
_OWN_DTYPES = ("frexp", "ldexp", "bitwise_count")
# The axes that in-place matrix products pass; they are the default ones.
_USUAL_AXES = {"matmul": [(-2, -1)] * 3}


def _table():
    """Our function for each ufunc."""
    ufuncs = {name: each for name, each in vars(np).items() if isinstance(each, np.ufunc)}
    return {each: getattr(jg, name) for name, each in ufuncs.items() if hasattr(jg, name)}


_OURS = _table()


def _add_scipy():
    """SciPy's are known once it is imported."""
    special = sys.modules.get("scipy.special")
    for theirs, ours in _SCIPY.items() if special else ():
        ufunc = getattr(special, theirs, None)
        if isinstance(ufunc, np.ufunc):
            _OURS.setdefault(ufunc, getattr(jg, ours))


_core._set_ufuncs(_OURS)


def array_ufunc(ufunc, method, *inputs, **keywords):
    if ufunc not in _OURS:
        _add_scipy()
    own = _METHODS.get(method) if ufunc in _OURS else None
    result = own(ufunc, inputs, dict(keywords)) if own else NotImplemented
    return _by_numpy(ufunc, method, inputs, keywords) if result is NotImplemented else result


def _refuse(name, keywords):
    for key, value in keywords.items():
        raise TypeError(
            f"[{name}] {key}: got {type(value).__name__}, which joggle's function does not take, "
            f"allowed is np.{name}(np.asarray(x), {key}=...)"
        )


def _outs_of(keywords):
    """`out` as a tuple, which is what NumPy makes of it; () for none."""
    outs = keywords.pop("out", ())
    outs = outs if isinstance(outs, tuple) else (outs,)
    return outs if any(out is not None for out in outs) else ()


def _check_layout(name, keywords):
    """Our results are row-major, and our array has no subclasses."""
    order = keywords.pop("order", "K")
    if order not in ("K", "C"):
        raise TypeError(f"[{name}] order: got {order!r}, allowed are 'K' and 'C'")
    keywords.pop("subok", None)


def _call(ufunc, inputs, keywords):
    name, function = ufunc.__name__, _OURS[ufunc]
    outs = _outs_of(keywords)
    where, dtype = keywords.pop("where", True), _outside.dtype_of(keywords.pop("dtype", None))
    casting = keywords.pop("casting", "same_kind")
    _outside.check_casting(casting, name)
    if casting not in ("same_kind", "unsafe") and not outs and dtype is None:
        raise TypeError(f"[{name}] casting: got {casting!r}, allowed with dtype or out")
    _check_layout(name, keywords)
    if keywords.get("axes") == _USUAL_AXES.get(name, ()):
        del keywords["axes"]
    passed = {key: keywords.pop(key) for key in ("axis",) if key in keywords and name == "vecdot"}
    _refuse(name, keywords)
    if dtype is not None:
        inputs = _inputs_in(name, inputs, dtype, casting)
    elif outs and all(out is None or isinstance(out, np.ndarray) for out in outs):
        inputs = _as_numpy_computes(ufunc, inputs)
    results = function(*inputs, **passed)
    several = isinstance(results, tuple)
    results = results if several else (results,)
    _check_results(name, results, dtype)
    if several and outs:
        _core.eval(*results)  # the first out may be the memory that the second result is of
    found = tuple(_placed(name, *pair, casting, where) for pair in _pairs(results, outs))
    return found if several else found[0]


def _pairs(results, outs):
    return zip(results, outs or (None,) * len(results), strict=True)


def _placed(name, result, out, casting, where):
    """The result in `out`, or with zeros where the condition does not hold."""
    if out is not None:
        return _outside.store(out, result, casting, where, name=name)
    return result if where is True else _core.where(where, result, 0)


def _as_numpy_computes(ufunc, inputs):
    """The operands in the dtypes of NumPy's computation: what is written into its arrays is as
    exact as NumPy's result; for integers NumPy computes in float64 where we compute in float32."""
    numbers = [type(x) in (int, float, complex) for x in inputs]
    inputs = [x if alone else _core.asarray(x) for x, alone in zip(inputs, numbers, strict=True)]
    if all(isinstance(x, _core.array) and x.dtype._kind in ("float", "complex") for x in inputs):
        return inputs
    given = [
        type(x) if alone else np.dtype(x.dtype) for x, alone in zip(inputs, numbers, strict=True)
    ]
    try:
        found = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError:  # there is no such computation of NumPy's
        return inputs
    return [
        x if alone else x.astype(_core.dtype(dtype.name), copy=False)
        for x, alone, dtype in zip(inputs, numbers, found, strict=False)
    ]


def _inputs_in(name, inputs, dtype, casting):
    if name in _OWN_DTYPES:
        _refuse(name, {"dtype": dtype})
    if name in _TRUTHS:
        return inputs
    return tuple(_outside.cast(x, dtype, casting, name) for x in inputs)


def _check_results(name, results, dtype):
    for result in results:
        if dtype is not None and result.dtype is not dtype:
            raise TypeError(
                f"[{name}] dtype: got {dtype.name}, allowed is that of the result, "
                f"{result.dtype.name}"
            )


def _reduce_method(ufunc, inputs, keywords):
    name = _REDUCTIONS.get(ufunc.__name__)
    if name is None or len(inputs) != 1:
        return NotImplemented
    outs = _outs_of(keywords)
    dtype = _outside.dtype_of(keywords.pop("dtype", None))
    named = {key: keywords.pop(key) for key in ("initial", "where") if key in keywords}
    axis, keepdims = keywords.pop("axis", 0), keywords.pop("keepdims", False)
    _refuse(ufunc.__name__ + ".reduce", keywords)
    if dtype is None and outs:
        dtype = dtype_for(name, inputs[0], outs[0])
    if dtype is not None and name in ("all", "any") and dtype is not _core.bool:
        _refuse(ufunc.__name__ + ".reduce", {"dtype": dtype})
    named = {key: each for key, each in named.items() if each is not np._NoValue}
    result = reduce(name, *inputs, axis=axis, keepdims=bool(keepdims), dtype=dtype, **named)
    return _stored(ufunc.__name__, result, outs)


def _stored(name, result, outs):
    return _outside.store_exactly(outs[0], result, "same_kind", name=name) if outs else result


def _accumulate_method(ufunc, inputs, keywords):
    name = _ACCUMULATIONS.get(ufunc.__name__)
    if name is None or len(inputs) != 1:
        return NotImplemented
    outs = _outs_of(keywords)
    axis, dtype = keywords.pop("axis", 0), _outside.dtype_of(keywords.pop("dtype", None))
    _refuse(ufunc.__name__ + ".accumulate", keywords)
    x = _core.asarray(inputs[0])
    if dtype is None and outs:
        dtype = dtype_for(name, x, outs[0])
    if dtype is not None:
        x = _outside.cast(x, dtype, "unsafe", name)
    return _stored(ufunc.__name__, getattr(_core, name)(x, axis=axis), outs)


def _outer_method(ufunc, inputs, keywords):
    if len(inputs) != 2:
        return NotImplemented
    first, second = map(_core.asarray, inputs)
    first = _core.reshape(first, first.shape + (1,) * second.ndim)
    return _call(ufunc, (first, second), keywords)


def _at_method(ufunc, inputs, keywords):
    """Arrays are values: x.at[...] makes another, which replaces x."""
    target, indices, *values = inputs
    name = _SCATTERS.get(ufunc.__name__)
    if not isinstance(target, _core.array):
        return NotImplemented
    if name is not None and len(values) == 1:
        value = _outside.cast(values[0], target.dtype, "same_kind", f"{ufunc.__name__}.at")
        target[...] = getattr(target.at[indices], name)(value)
        return None
    changed = np.array(target)
    ufunc.at(changed, *_outside.to_numpy(tuple(inputs[1:])), **keywords)
    target[...] = changed
    return None


_METHODS = {
    "__call__": _call,
    "accumulate": _accumulate_method,
    "at": _at_method,
    "outer": _outer_method,
    "reduce": _reduce_method,
}


def _by_numpy(ufunc, method, inputs, keywords):
    """A ufunc that joggle does not have: computed now, on the arrays' memory, without a copy."""
    if method == "at" and isinstance(inputs[0], _core.array):
        return _at_method(ufunc, inputs, keywords)
    keywords = dict(keywords)
    outs = _outs_of(keywords)
    if any(isinstance(out, _core.array) for out in outs):
        where, casting = keywords.get("where", True), keywords.get("casting", "same_kind")
        result = _by_numpy(ufunc, method, inputs, keywords)
        results = result if isinstance(result, tuple) else (result,)
        pairs = _pairs(results, outs)
        found = tuple(_placed(ufunc.__name__, *pair, casting, where) for pair in pairs)
        return found if isinstance(result, tuple) else found[0]
    keywords = _outside.to_numpy(keywords)
    if outs:
        keywords["out"] = outs
    result = getattr(ufunc, method)(*_outside.to_numpy(inputs), **keywords)
    return result if outs else _outside.from_numpy(result)
