# SPDX-License-Identifier: Apache-2.0
"""Several optimizers, each for a part of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import joggle as jg
from joggle.optimizers.base import Optimizer
from joggle.utils import tree_map_with_path, tree_merge

__all__ = ["MultiOptimizer"]

_NOTHING = object()


class MultiOptimizer(Optimizer):
    """Each parameter goes to the first optimizer whose filter says so, or to the last one.

    A filter is given the parameter's place, as "layers.0.weight", and its gradient.

    >>> multi = jg.optimizers.MultiOptimizer(
    ...     [jg.optimizers.SGD(1.0), jg.optimizers.SGD(0.5)], [lambda path, x: path == "b"]
    ... )
    >>> one = {"a": jg.array(1.0), "b": jg.array(1.0)}
    >>> multi.apply_gradients(one, one)
    {'b': array(0., dtype=float32), 'a': array(0.5, dtype=float32)}
    """

    def __init__(
        self,
        optimizers: Sequence[Optimizer],
        filters: Sequence[Callable[[str, jg.array], bool]] = (),
    ) -> None:
        super().__init__()
        if len(optimizers) == 0:
            raise ValueError("[MultiOptimizer] optimizers: got none, allowed is one or more")
        if len(filters) != len(optimizers) - 1:
            raise ValueError(
                f"[MultiOptimizer] filters: got {len(filters)}, allowed are {len(optimizers) - 1}, "
                "one less than optimizers"
            )
        self.optimizers = list(optimizers)
        self.filters = list(filters)

    def init(self, parameters: Any) -> None:
        """Makes the state of each optimizer for its part of the parameters.

        >>> multi = jg.optimizers.MultiOptimizer([jg.optimizers.SGD(1.0)])
        >>> multi.init({"w": jg.array([1.0])})
        >>> multi.state["states"][0]["w"]
        {'v': array([0.], dtype=float32)}
        """
        if hasattr(parameters, "trainable_parameters"):
            parameters = parameters.trainable_parameters()
        for optimizer, part in zip(self.optimizers, self._parts(parameters), strict=True):
            optimizer.init(part)
        self._initialized = True

    def apply_gradients(self, gradients: Any, parameters: Any) -> Any:
        """The tree of gradients with the new parameters in it; the optimizers' states are changed.

        >>> multi = jg.optimizers.MultiOptimizer([jg.optimizers.SGD(0.5)])
        >>> multi.apply_gradients({"w": jg.array([2.0])}, {"w": jg.array([1.0])})
        {'w': array([0.], dtype=float32)}
        """
        updated: Any = {}
        for optimizer, part in zip(self.optimizers, self._parts(gradients), strict=True):
            # An optimizer without gradients counts the step as well, for its schedules.
            new = optimizer.apply_gradients({} if part is _NOTHING else part, parameters)
            if part is not _NOTHING:
                updated = tree_merge(updated, new)
        return updated

    @property
    def state(self) -> dict[str, Any]:
        """The optimizers' states, as {"states": [...]}.

        >>> multi = jg.optimizers.MultiOptimizer([jg.optimizers.SGD(1.0)])
        >>> list(multi.state)
        ['states']
        """
        return {"states": [optimizer.state for optimizer in self.optimizers]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        states = state.get("states") if isinstance(state, dict) else None
        if not isinstance(states, (list, tuple)) or len(states) != len(self.optimizers):
            given = (
                f"{len(states)} states"
                if isinstance(states, (list, tuple))
                else f"a {type(state).__name__} without a list of 'states'"
            )
            raise ValueError(
                f"[MultiOptimizer] state: got {given}, allowed is a dict whose 'states' is a list "
                f"of {len(self.optimizers)}"
            )
        for optimizer, one in zip(self.optimizers, states, strict=True):
            optimizer.state = one

    @property
    def learning_rate(self) -> jg.array:
        """The first optimizer's rate; one that is set is for all.

        >>> multi = jg.optimizers.MultiOptimizer([jg.optimizers.SGD(1.0)])
        >>> multi.learning_rate = 0.5
        >>> multi.learning_rate
        array(0.5, dtype=float32)
        """
        return self.optimizers[0].learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        for optimizer in self.optimizers:
            optimizer.learning_rate = learning_rate

    def _parts(self, tree: Any) -> list[Any]:
        """The tree of each optimizer's leaves."""
        numbers = tree_map_with_path(self._number, tree)
        return [_part(tree, numbers, i) for i in range(len(self.optimizers))]

    def _number(self, path: str, leaf: Any) -> int:
        for i, is_for in enumerate(self.filters):
            if is_for(path, leaf):
                return i
        return len(self.filters)


def _part(tree: Any, numbers: Any, number: int) -> Any:
    """The leaves of one number; an empty dict takes the place of others in a list."""
    if isinstance(tree, dict):
        items = {key: _part(value, numbers[key], number) for key, value in tree.items()}
        found = {key: item for key, item in items.items() if item is not _NOTHING}
        return found if found else _NOTHING
    if isinstance(tree, (list, tuple)):
        parts = [_part(value, numbers[i], number) for i, value in enumerate(tree)]
        if all(item is _NOTHING for item in parts):
            return _NOTHING
        return [{} if item is _NOTHING else item for item in parts]
    return tree if numbers == number else _NOTHING
