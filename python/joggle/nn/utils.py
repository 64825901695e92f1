# SPDX-License-Identifier: Apache-2.0
"""Derivatives by a module's parameters, and what goes with them."""

from __future__ import annotations

import functools
import itertools

import joggle as jg
from joggle import distributed
from joggle.nn.layers.distributed import group_of
from joggle.nn.layers.parameters import checkpoint as checkpoint
from joggle.nn.layers.parameters import is_module, of_parameters
from joggle.optimizers import clip_grad_norm
from joggle.utils import _fill, tree_flatten, tree_map

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from joggle.nn.layers.base import Module

__all__ = ["average_gradients", "checkpoint", "clip_grad_norm_sharded", "value_and_grad"]


def value_and_grad(model: Module, fn: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    """A function that gives fn's value, and the tree of its derivatives by the trainable parameters
    of model. Those by arrays of bools and integers, which have none, are zeros of their dtype.

    >>> model = jg.nn.Linear(2, 1, bias=False).update({"weight": jg.array([[1.0, 2.0]])})
    >>> loss = lambda x: jg.sum(model(x) ** 2)
    >>> jg.nn.value_and_grad(model, loss)(jg.array([[1.0, 1.0]]))
    (array(9., dtype=float32), {'weight': array([[6., 6.]], dtype=float32)})
    """
    is_module("value_and_grad", "model", model)
    return of_parameters(_by_floats, model, fn)


def _by_floats(run: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    """value_and_grad, but that the tree which run is a function of may hold bools and integers."""
    by_all = jg.value_and_grad(run)

    @functools.wraps(run)
    def call(tree: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        try:
            return by_all(tree, *args, **kwargs)
        except TypeError:  # before run was called, if there are any
            leaves = [leaf for _, leaf in tree_flatten(tree)]
            kept = [jg.isdtype(leaf.dtype, ("bool", "integral")) for leaf in leaves]
            if not any(kept):
                raise
        floats = [leaf for leaf, is_kept in zip(leaves, kept, strict=True) if not is_kept]

        def placed(floats: list[Any], others: list[jg.array]) -> Any:
            given, rest = iter(floats), iter(others)
            return _fill(tree, (next(rest if is_kept else given) for is_kept in kept))

        others = [leaf for leaf, is_kept in zip(leaves, kept, strict=True) if is_kept]
        by_floats = jg.value_and_grad(lambda x, *a, **k: run(placed(x, others), *a, **k))
        value, slopes = by_floats(floats, *args, **kwargs)
        return value, placed(slopes, [jg.zeros_like(x) for x in others])

    return call


def average_gradients(
    gradients: Any,
    group: Any = None,
    all_reduce_size: int = 32 << 20,
    communication_stream: Any = None,
) -> Any:
    """The mean of the processes' gradients: of one process, its own. Arrays of one dtype are sent
    together, until they have all_reduce_size bytes; each by itself if that is 0 or less.

    >>> jg.nn.average_gradients({"w": jg.array([1.0])})
    {'w': array([1.], dtype=float32)}
    """
    group = group_of(group)
    if group.size() == 1:
        return gradients
    leaves = [_sent(name, leaf) for name, leaf in tree_flatten(gradients)]
    means: list[Any] = [None] * len(leaves)
    for places in _parcels(leaves, all_reduce_size):
        flat = [leaves[at].reshape(-1) for at in places]
        together = flat[0] if len(flat) == 1 else jg.concat(flat)
        mean = distributed.all_sum(together, group=group, stream=communication_stream)
        mean = mean / group.size()
        ends = list(itertools.accumulate(leaves[at].size for at in places))
        for at, part in zip(places, jg.split(mean, ends[:-1]), strict=True):
            means[at] = part.reshape(leaves[at].shape)
    return _fill(gradients, iter(means))


def _sent(name: str, leaf: Any) -> Any:
    if hasattr(leaf, "dtype"):
        return leaf
    raise TypeError(
        f"[average_gradients] gradients: {name!r} is {type(leaf).__name__}, allowed are arrays"
    )


def _parcels(leaves: list[Any], most: int) -> list[list[int]]:
    """The places of arrays that travel together, which have one dtype: the same in all processes,
    as they depend on dtypes and shapes alone."""
    parcels: list[list[int]] = []
    open_ones: dict[Any, tuple[list[int], int]] = {}
    for at, leaf in enumerate(leaves):
        places, nbytes = open_ones.pop(leaf.dtype, ([], 0))
        if not places:
            parcels.append(places)
        places.append(at)
        nbytes += leaf.nbytes
        if nbytes < most:
            open_ones[leaf.dtype] = (places, nbytes)
    return parcels


def clip_grad_norm_sharded(
    gradients: Any, max_norm: float, group: Any = None
) -> tuple[Any, jg.array]:
    """optimizers.clip_grad_norm of gradients of which each process has a part.

    >>> jg.nn.utils.clip_grad_norm_sharded({"w": jg.array([3.0, 4.0])}, 10.0)[1]
    array(5., dtype=float32)
    """
    group = group_of(group)
    if group.size() == 1:
        return clip_grad_norm(gradients, max_norm)
    squares = [jg.sum(jg.square(leaf)) for _, leaf in tree_flatten(gradients)]
    norm = jg.sqrt(distributed.all_sum(sum(squares, jg.array(0.0)), group=group))
    factor = jg.minimum(max_norm / (norm + 1e-6), 1.0)
    return tree_map(lambda leaf: leaf * factor, gradients), norm
