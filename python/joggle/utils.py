# SPDX-License-Identifier: Apache-2.0
"""Trees of lists, tuples and dicts, as mlx.utils has them; progress of loops."""

from itertools import zip_longest as _zip_longest

from joggle._progress import progress as progress

__all__ = [
    "progress",
    "tree_flatten",
    "tree_map",
    "tree_map_with_path",
    "tree_merge",
    "tree_reduce",
    "tree_unflatten",
]


def _leaves(tree, path=""):
    """Pairs of each leaf's path, as Python would write it behind the tree's name, and the leaf."""
    if isinstance(tree, (list, tuple)):
        for i, item in enumerate(tree):
            yield from _leaves(item, f"{path}[{i}]")
    elif isinstance(tree, dict):
        for key, item in tree.items():
            yield from _leaves(item, f"{path}[{key!r}]")
    else:
        yield path, tree


def _rebuilt(tree, items):
    kind = type(tree)
    return getattr(kind, "_make", kind)(items)  # a NamedTuple is made of its fields


def _fill(tree, leaves):
    """A tree like it with the next of leaves in the place of each leaf."""
    if isinstance(tree, (list, tuple)):
        return _rebuilt(tree, [_fill(item, leaves) for item in tree])
    if isinstance(tree, dict):
        return {key: _fill(item, leaves) for key, item in tree.items()}
    return next(leaves)


def _parts_at(caller, rest, key):
    """The children of the other trees at a key or index."""
    parts = []
    for i, other in enumerate(rest):
        try:
            parts.append(other[key])
        except (LookupError, TypeError):
            raise ValueError(
                f"[{caller}] rest[{i}]: has no {key!r} where tree has one, allowed are trees with "
                f"tree's keys; it is {other!r:.60}"
            ) from None
    return parts


def tree_map(fn, tree, *rest, is_leaf=None):
    """A tree of what fn gives for each leaf, and those at the same places in the other trees.

    >>> jg.utils.tree_map(lambda x: x + 1, {"a": 1, "b": [2, 3]})
    {'a': 2, 'b': [3, 4]}
    """
    if is_leaf is not None and is_leaf(tree):
        return fn(tree, *rest)
    if isinstance(tree, (list, tuple)):
        return _rebuilt(
            tree,
            [
                tree_map(fn, item, *_parts_at("tree_map", rest, i), is_leaf=is_leaf)
                for i, item in enumerate(tree)
            ],
        )
    if isinstance(tree, dict):
        return {
            key: tree_map(fn, item, *_parts_at("tree_map", rest, key), is_leaf=is_leaf)
            for key, item in tree.items()
        }
    return fn(tree, *rest)


def tree_map_with_path(fn, tree, *rest, is_leaf=None, path=None):
    """tree_map whose function is given the place of the leaf first, as "a.0.b".

    >>> jg.utils.tree_map_with_path(lambda path, x: f"{path}={x}", {"a": [1, 2]})
    {'a': ['a.0=1', 'a.1=2']}
    """
    if is_leaf is not None and is_leaf(tree):
        return fn(path, tree, *rest)
    prefix = f"{path}." if path else ""
    if isinstance(tree, (list, tuple)):
        return _rebuilt(
            tree,
            [
                tree_map_with_path(
                    fn,
                    item,
                    *_parts_at("tree_map_with_path", rest, i),
                    is_leaf=is_leaf,
                    path=f"{prefix}{i}",
                )
                for i, item in enumerate(tree)
            ],
        )
    if isinstance(tree, dict):
        return {
            key: tree_map_with_path(
                fn,
                item,
                *_parts_at("tree_map_with_path", rest, key),
                is_leaf=is_leaf,
                path=f"{prefix}{key}",
            )
            for key, item in tree.items()
        }
    return fn(path, tree, *rest)


def tree_flatten(tree, prefix="", is_leaf=None, destination=None):
    """Pairs of the place of each leaf, as "a.0.b", and the leaf.

    They are put into destination, a list or a dict, where one is given. prefix stands before each
    place as it is, without a dot, as in MLX.

    >>> jg.utils.tree_flatten({"a": [1, 2], "b": 3})
    [('a.0', 1), ('a.1', 2), ('b', 3)]
    """
    found = [] if destination is None else destination
    if isinstance(found, list):
        add = found.extend
    elif isinstance(found, dict):
        add = found.update
    else:
        raise ValueError(
            f"[tree_flatten] destination: got {type(destination).__name__}, allowed are a list and "
            "a dict"
        )
    if is_leaf is not None and is_leaf(tree):
        add([(prefix[1:], tree)])
    elif isinstance(tree, (list, tuple)):
        for i, item in enumerate(tree):
            tree_flatten(item, f"{prefix}.{i}", is_leaf, found)
    elif isinstance(tree, dict):
        for key, item in tree.items():
            tree_flatten(item, f"{prefix}.{key}", is_leaf, found)
    else:
        add([(prefix[1:], tree)])
    return found


def tree_unflatten(tree):
    """The tree of the places and leaves that tree_flatten gives.

    >>> jg.utils.tree_unflatten([("a.0", 1), ("a.1", 2), ("b", 3)])
    {'a': [1, 2], 'b': 3}
    """
    items = list(tree.items() if isinstance(tree, dict) else tree)
    if len(items) == 1 and items[0][0] == "":
        return items[0][1]
    children = {}
    for path, leaf in items:
        key, _, rest = path.partition(".")
        children.setdefault(key, []).append((rest, leaf))
    numbers = {int(key): key for key in children if key.isdecimal()}
    if len(numbers) < len(children):
        return {key: tree_unflatten(inner) for key, inner in children.items()}
    return [
        tree_unflatten(children[numbers[i]]) if i in numbers else {}
        for i in range(1 + max(numbers, default=-1))
    ]


def tree_reduce(fn, tree, initializer=None, is_leaf=None):
    """fn applied to what it gave before and each leaf in turn.

    >>> jg.utils.tree_reduce(lambda total, x: total + x, {"a": [1, 2], "b": 3}, 0)
    6
    """
    total = initializer
    for _, leaf in tree_flatten(tree, is_leaf=is_leaf):
        total = leaf if total is None else fn(total, leaf)
    return total


def _is_empty(tree):
    return isinstance(tree, (dict, list, tuple)) and len(tree) == 0


def tree_merge(tree_a, tree_b, merge_fn=None):
    """A tree with the leaves of both; where both have one, what merge_fn gives for the two.

    >>> jg.utils.tree_merge({"a": 1}, {"b": 2})
    {'a': 1, 'b': 2}
    """
    is_empty_a, is_empty_b = _is_empty(tree_a), _is_empty(tree_b)
    if is_empty_a and is_empty_b:
        if type(tree_a) is not type(tree_b):
            raise ValueError(
                f"[tree_merge] tree_b: has an empty {type(tree_b).__name__} where tree_a has "
                f"{type(tree_a).__name__}, allowed is the same"
            )
        return type(tree_a)()
    if is_empty_a:
        tree_a = None
    if is_empty_b:
        tree_b = None
    if (tree_a is None) != (tree_b is None):
        return tree_b if tree_a is None else tree_a
    if isinstance(tree_a, (list, tuple)) and isinstance(tree_b, (list, tuple)):
        items = [tree_merge(a, b, merge_fn) for a, b in _zip_longest(tree_a, tree_b)]
        return _rebuilt(tree_a, items)
    if isinstance(tree_a, dict) and isinstance(tree_b, dict):
        keys = [*tree_a, *(key for key in tree_b if key not in tree_a)]
        return {key: tree_merge(tree_a.get(key), tree_b.get(key), merge_fn) for key in keys}
    if merge_fn is None:
        raise ValueError(
            "[tree_merge] merge_fn: got None, allowed is a function, as both trees have a leaf at "
            "one place"
        )
    return merge_fn(tree_a, tree_b)
