# SPDX-License-Identifier: Apache-2.0
"""Functions of one array made functions of many: the function runs once, on arrays without values
that stand for the elements, and what it built is built again for all of them."""

import functools
from typing import Any

from joggle import _core, _errors
from joggle.utils import _rebuilt

__all__ = ["vmap"]

_RANDOMNESS = {"error": 0, "same": 1, "different": 2}


def vmap(fun, in_axes: Any = 0, out_axes: Any = 0, randomness="error"):
    """fun at each index of an axis of its arguments, with the results stacked; it is run once.

    in_axes has the axis of each argument that is mapped: one int for all, or a tuple with an int
    or None for each, where None keeps the argument as it is. For an argument that is a tree (of
    lists, tuples and dicts), a tree of ints and None may stand that goes as deep as it likes.
    out_axes says in the same way where the axis is in the results; None is for what is the same at
    each index. Keyword arguments are not mapped.

    What depends on a mapped argument has no values inside of fun: it can be printed, compared in an
    `if`, or given to NumPy, outside only. randomness says what a random number without a key is
    there: "error", "same" for all, or "different" ones.

    >>> jg.vmap(jg.sum)(jg.array([[1, 2], [3, 4]]))
    array([3, 7], dtype=int64)
    >>> jg.vmap(lambda x, y: x * y, in_axes=(0, None))(jg.array([1, 2]), jg.array([3, 4]))
    array([[3, 4],
           [6, 8]], dtype=int64)
    """
    if not callable(fun):
        raise TypeError(f"[vmap] fun: got {type(fun).__name__}, allowed is a function")
    if randomness not in _RANDOMNESS:
        allowed = "'error', 'same' and 'different'"
        raise ValueError(f"[vmap] randomness: got {randomness!r}, allowed are {allowed}")
    _check_axes("in_axes", in_axes)
    _check_axes("out_axes", out_axes)

    @functools.wraps(fun)
    def batched(*args, **kwargs) -> Any:
        return _run(fun, in_axes, out_axes, _RANDOMNESS[randomness], args, kwargs)

    return batched


def _run(fun, in_axes, out_axes, randomness, args, kwargs):
    name = getattr(fun, "__name__", type(fun).__name__)
    axes = _spread_over_arguments(name, in_axes, args)
    places, owned = [], []
    for number, (argument, axis) in enumerate(zip(args, axes, strict=True)):
        place = _Place(name, fun, number)
        owned.append(_copied(place, argument, axis))
        _find_mapped(place, owned[-1], axis, places)
    _check_extents(name, places)
    tracing, markers = _core._batch_begin(
        name, [array for _, array, _ in places], [axis for _, _, axis in places], randomness
    )
    try:
        rest = iter(markers)
        standing = [
            _replace(argument, axis, rest) for argument, axis in zip(owned, axes, strict=True)
        ]
        result = _core._tree_copy(fun(*standing, **kwargs))
        outputs, output_axes = [], []
        _find_outputs(name, "", result, out_axes, outputs, output_axes)
        given = iter(tracing.batch(outputs, output_axes))
    except BaseException:
        tracing.abort()
        raise
    return _rebuild(result, given)


def _is_leaf(tree):
    return not isinstance(tree, (list, tuple, dict))


def _items(tree):
    """The children of a tree that is no leaf, each with what stands in brackets for it."""
    if isinstance(tree, dict):
        return [(f"[{key!r}]", child) for key, child in tree.items()]
    return [(f"[{index}]", child) for index, child in enumerate(tree)]


def _like(tree, children):
    """A tree of tree's kind with other children."""
    if isinstance(tree, dict):
        return dict(zip(tree, children, strict=True))
    return _rebuilt(tree, children)


def _is_axis(axes):
    return axes is None or (isinstance(axes, int) and not isinstance(axes, bool))


def _check_axes(argument, axes):
    if _is_axis(axes):
        return
    if _is_leaf(axes):
        raise TypeError(
            f"[vmap] {argument}: got {type(axes).__name__}, "
            f"allowed are int, None, and trees of them"
        )
    for _, child in _items(axes):
        _check_axes(argument, child)


def _axes_of_children(where, tree, axes):
    """The axes of each child of a tree, from one axis for all, or from a tree of as many."""
    if _is_axis(axes):
        return [axes] * len(tree)
    if isinstance(tree, dict) and isinstance(axes, dict):
        if tree.keys() != axes.keys():
            raise ValueError(
                f"{where} has keys {list(tree)}, the axes have {list(axes)}, allowed are the same"
            )
        return [axes[key] for key in tree]
    if isinstance(tree, dict) or isinstance(axes, dict):
        raise ValueError(
            f"{where} is a {type(tree).__name__}, the axes are {axes!r}, allowed are trees alike"
        )
    if len(tree) != len(axes):
        raise ValueError(
            f"{where} has {len(tree)} items, the axes have {len(axes)}, allowed are as many"
        )
    return list(axes)


class _Place:
    """The path of an argument, or of a part of it, for messages."""

    __slots__ = ("fun", "name", "number", "path")

    def __init__(self, name, fun, number, path=""):
        self.name, self.fun, self.number, self.path = name, fun, number, path

    def inside(self, path):
        return _Place(self.name, self.fun, self.number, self.path + path)

    def __str__(self):
        code = getattr(self.fun, "__code__", None)
        has_name = code is not None and self.number < code.co_argcount
        argument = code.co_varnames[self.number] if has_name else f"argument {self.number}"
        return f"[vmap] {self.name}: {argument}{self.path}"


def _spread_over_arguments(name, in_axes, args):
    if _is_axis(in_axes):
        return [in_axes] * len(args)
    if isinstance(in_axes, dict) and len(args) == 1:
        return [in_axes]
    if isinstance(in_axes, dict):
        raise TypeError("[vmap] in_axes: got a dict, allowed is an int, None, or a tuple of axes")
    if len(in_axes) != len(args):
        raise ValueError(
            f"[vmap] {name}: got {len(args)} arguments, in_axes has {len(in_axes)}, "
            f"allowed is one for each"
        )
    return list(in_axes)


def _copied(place, tree, axes):
    """The argument, whose tree is read twice, as one that no other thread changes. What is not
    mapped stays the same object."""
    if axes is None or _is_leaf(tree):
        return tree
    if _is_axis(axes):
        return _core._tree_copy(tree)
    own = dict(tree) if isinstance(tree, dict) else _rebuilt(tree, list(tree))
    parts = _axes_of_children(str(place), own, axes)
    children = [
        _copied(place.inside(path), child, axis)
        for (path, child), axis in zip(_items(own), parts, strict=True)
    ]
    return _like(own, children)


def _find_mapped(place, tree, axes, places):
    """Adds each array that is mapped, as (place, array, axis)."""
    if axes is None:
        return
    if not _is_leaf(tree):
        parts = _axes_of_children(str(place), tree, axes)
        for (path, child), axis in zip(_items(tree), parts, strict=True):
            _find_mapped(place.inside(path), child, axis, places)
        return
    if tree is None and _is_axis(axes):
        return
    if not _is_axis(axes):
        raise ValueError(f"{place} is no tree, the axes are {axes!r}, allowed is one")
    array = _as_array(place, tree)
    if array.ndim == 0:
        raise ValueError(f"{place} has no axes to be mapped, allowed for it is None in in_axes")
    if not -array.ndim <= axes < array.ndim:
        allowed = f"allowed is {-array.ndim} to {array.ndim - 1}"
        raise _errors.axis_error(f"{place}: got axis {axes} in in_axes, {allowed}")
    places.append((place, array, axes))


def _as_array(place, x):
    if isinstance(x, _core.array):
        return x
    if isinstance(x, (bool, int, float, complex)):
        raise ValueError(f"{place} is a number, allowed for it is None in in_axes")
    if hasattr(x, "__dlpack__") or hasattr(x, "__array__"):
        return _core.asarray(x)
    raise TypeError(
        f"{place} is of {type(x).__name__}, allowed are arrays, or None for it in in_axes"
    )


def _check_extents(name, places):
    if not places:
        raise ValueError(f"[vmap] {name}: no argument is mapped, allowed is one or more")
    first, array, axis = places[0]
    extent = array.shape[axis]
    for place, other, axis in places[1:]:
        if other.shape[axis] != extent:
            raise ValueError(
                f"{place} has {other.shape[axis]} along its mapped axis, "
                f"{str(first).split(': ')[-1]} has {extent}, allowed is the same for all"
            )


def _replace(tree, axes, markers):
    """The argument with markers for what is mapped, in the order of _find_mapped."""
    if axes is None or tree is None:
        return tree
    if _is_leaf(tree):
        return next(markers)
    parts = _axes_of_children("", tree, axes)
    children = [
        _replace(child, axis, markers) for (_, child), axis in zip(_items(tree), parts, strict=True)
    ]
    return _like(tree, children)


def _find_outputs(name, path, tree, axes, outputs, output_axes):
    where = f"[vmap] {name}: the result{path}"
    if tree is None and path:
        return
    if not _is_leaf(tree):
        parts = _axes_of_children(where, tree, axes)
        for (inner, child), axis in zip(_items(tree), parts, strict=True):
            _find_outputs(name, path + inner, child, axis, outputs, output_axes)
        return
    if not _is_axis(axes):
        raise ValueError(f"{where} is no tree, the axes are {axes!r}, allowed is one")
    if isinstance(tree, (bool, int, float, complex)):
        tree = _core.asarray(tree)
    if not isinstance(tree, _core.array):
        raise TypeError(f"{where} is {_kind(tree)}, allowed are arrays, and trees of them")
    if axes is not None and not -tree.ndim - 1 <= axes <= tree.ndim:
        allowed = f"allowed is {-tree.ndim - 1} to {tree.ndim}"
        raise _errors.axis_error(f"{where}: got axis {axes} in out_axes, {allowed}")
    outputs.append(tree)
    output_axes.append(axes)


def _kind(x):
    return "None" if x is None else f"of {type(x).__name__}"


def _rebuild(tree, arrays):
    """The result with the arrays for what _find_outputs found."""
    if tree is None:
        return None
    if _is_leaf(tree):
        return next(arrays)
    return _like(tree, [_rebuild(child, arrays) for _, child in _items(tree)])
