# SPDX-License-Identifier: Apache-2.0
"""Common code of NumPy's protocols: converting arrays to NumPy's and back, NumPy's dtypes, and
writing into `out`."""

import numpy as np

from joggle import _core
from joggle._namespace import broadcast_shapes

KINDS = ("bool", "uint", "int", "float", "complex")


def to_numpy(tree):
    """Lists, tuples and dicts in which NumPy's views of the memory replace our arrays. Arrays are
    values, so the views are read-only."""
    if isinstance(tree, _core.array):
        view = np.asarray(tree).view()
        view.flags.writeable = False
        return view
    if type(tree) in (list, tuple):
        return type(tree)(map(to_numpy, tree))
    return {key: to_numpy(each) for key, each in tree.items()} if type(tree) is dict else tree


def from_numpy(tree):
    """Replaces NumPy's arrays by ours, if we have their dtypes."""
    if isinstance(tree, (np.ndarray, np.generic)):
        try:
            return _core.asarray(tree)
        except TypeError:
            return tree
    if type(tree) in (list, tuple):
        return type(tree)(map(from_numpy, tree))
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(from_numpy, tree))
    return tree


def dtype_of(dtype):
    """The dtype that NumPy understands by it: its `float` is float64."""
    if dtype is None or isinstance(dtype, _core.dtype):
        return dtype
    try:
        named = np.dtype(dtype).name
    except TypeError:
        return _core.dtype(dtype)
    return _core.dtype(named)


def can_cast(given, wanted, casting):
    """NumPy's rules of casting between dtypes of ours."""
    if given is wanted or casting == "unsafe":
        return True
    if casting == "safe":
        return _core.result_type(given, wanted) is wanted
    if casting != "same_kind":
        return False
    found, allowed = KINDS.index(given._kind), KINDS.index(wanted._kind)
    return found <= allowed or _core.result_type(given, wanted) is wanted


def check_casting(casting, name):
    allowed = ("no", "equiv", "safe", "same_kind", "unsafe")
    if casting not in allowed:
        raise ValueError(f"[{name}] casting: got {casting!r}, allowed are {', '.join(allowed)}")


def cast(x, dtype, casting, name):
    """x in the dtype; TypeError where the rule does not allow it. Python numbers take it later."""
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return x
    x = _core.asarray(x)
    if not can_cast(x.dtype, dtype, casting):
        raise TypeError(
            f"[{name}] casting: {x.dtype.name} to {dtype.name} is not allowed by {casting!r}"
        )
    return x.astype(dtype, copy=False)


def store(out, result, casting, where=True, *, name):
    """Writes the result into an array of NumPy's, or makes one of ours hold it, and gives that."""
    if isinstance(out, _core.array):
        result = cast(_core.asarray(result), out.dtype, casting, name)
        if broadcast_shapes(result.shape, out.shape) != out.shape:
            raise ValueError(
                f"[{name}] out: has shape {out.shape}, allowed is the result's, {result.shape}"
            )
        out[...] = result if where is True else _core.where(where, result, out)
    elif isinstance(out, np.ndarray):
        np.copyto(out, to_numpy(result), casting=casting, where=to_numpy(where))
    else:
        raise TypeError(f"[{name}] out: got {type(out).__name__}, allowed are arrays")
    return out


def store_exactly(out, result, casting, *, name):
    """The same for an `out` that must have the shape of the result."""
    if getattr(out, "shape", None) != result.shape and hasattr(out, "shape"):
        raise ValueError(
            f"[{name}] out: has shape {out.shape}, allowed is the result's, {result.shape}"
        )
    return store(out, result, casting, name=name)
