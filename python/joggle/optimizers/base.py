# SPDX-License-Identifier: Apache-2.0
"""The base of all optimizers: a rule for one parameter, applied to a tree of them."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable
from typing import Any

import joggle as jg
from joggle import _core
from joggle.optimizers.schedulers import Schedule

__all__ = ["Optimizer"]

_OWN_KEYS = ("step", "learning_rate")
_TREE = "parameters"  # the state's key of parameters that are no dict


def is_tree(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple))


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Real, jg.array))


def is_at_least_zero(name: str, **values: float) -> None:
    for argument, value in values.items():
        if not _is_number(value) or not value >= 0:
            kind = ValueError if _is_number(value) else TypeError
            raise kind(f"[{name}] {argument}: got {value!r}, allowed are numbers from 0")


def are_numbers(name: str, **values: float) -> None:
    for argument, value in values.items():
        if not _is_number(value):
            raise TypeError(f"[{name}] {argument}: got {value!r}, allowed is a number")


def are_rates(name: str, argument: str, values: Any) -> None:
    """betas and the like: two numbers from 0 and below 1."""
    is_pair = isinstance(values, (list, tuple)) and all(map(_is_number, values))
    if not is_pair or len(values) != 2 or not all(0 <= value < 1 for value in values):
        kind = ValueError if is_pair else TypeError
        raise kind(
            f"[{name}] {argument}: got {values!r}, allowed are two numbers from 0 and below 1"
        )


class Optimizer:
    """The base of all optimizers.

    A class of your own defines `apply_single(gradient, parameter, state)`, which gives the new
    parameter, and `init_single(parameter, state)`, which fills the dict that is kept for it.

    >>> class Descent(jg.optimizers.Optimizer):
    ...     def init_single(self, parameter, state):
    ...         state["count"] = jg.array(0)
    ...     def apply_single(self, gradient, parameter, state):
    ...         state["count"] = state["count"] + 1
    ...         return parameter - 0.5 * gradient
    >>> Descent().apply_gradients({"w": jg.array([2.0])}, {"w": jg.array([1.0])})
    {'w': array([0.], dtype=float32)}
    """

    _kinds: tuple[str, ...] = ()  # what jg.isdtype calls the dtypes of parameters; () for all

    def __init__(self, schedulers: dict[str, Callable[[jg.array], Any]] | None = None) -> None:
        self._initialized = False
        self._state: dict[str, Any] = {"step": jg.array(0, dtype=jg.uint64)}
        self._schedulers = dict(schedulers or {})
        self._compiled: Any = None
        self._shared: dict[Hashable, Any] | None = None

    def update(self, model: Any, gradients: Any) -> None:
        """Changes the parameters of a model, which may be a module, a dict or a list.

        >>> model = {"w": jg.array([1.0, 2.0])}
        >>> jg.optimizers.SGD(0.5).update(model, {"w": jg.array([2.0, 2.0])})
        >>> model
        {'w': array([0., 1.], dtype=float32)}
        """
        updated = self.apply_gradients(gradients, model)
        if hasattr(model, "trainable_parameters"):
            model.update(updated)
        else:
            _write(model, updated)

    def init(self, parameters: Any) -> None:
        """Makes the state of each parameter that has none; the first update does it, too.

        >>> adam = jg.optimizers.Adam(1e-3)
        >>> adam.init({"w": jg.array([1.0, 2.0])})
        >>> sorted(adam.state["w"])
        ['m', 'v']
        """
        if hasattr(parameters, "trainable_parameters"):
            parameters = parameters.trainable_parameters()
        if isinstance(parameters, dict):
            taken = [key for key in _OWN_KEYS if key in parameters]
            if taken:
                raise ValueError(
                    f"[{type(self).__name__}] parameters: one is named {taken[0]!r}, which the "
                    "state keeps something else under, allowed are others; put the tree into a dict"
                )
            for key, value in parameters.items():
                self._state[key] = self._extend(value, self._state.get(key))
        else:
            self._state[_TREE] = self._extend(parameters, self._state.get(_TREE))
        self._initialized = True

    def apply_gradients(self, gradients: Any, parameters: Any) -> Any:
        """The tree of gradients with the new parameters in it; the state is changed.

        >>> jg.optimizers.SGD(0.1).apply_gradients([jg.array(10.0)], [jg.array(3.0)])
        [array(2., dtype=float32)]
        """
        if type(parameters) not in (dict, list, tuple):
            if not is_tree(parameters) and hasattr(parameters, "trainable_parameters"):
                parameters = parameters.trainable_parameters()
            parameters = _core._tree_pick(gradients, parameters)
        if not self._initialized:
            self.init(_core._tree_pick(gradients, parameters))
        for name, schedule in self._schedulers.items():
            if type(schedule) is not Schedule:
                self._state[name] = schedule(self._state["step"])
        if self._compiled is None:
            self._compiled = self._compile()
        settings = {key: value for key, value in self.__dict__.items() if key[0] != "_"}
        for value in settings.values():
            if isinstance(value, jg.array):  # its value decides what is computed
                return self._apply(gradients, parameters)
        return self._compiled(gradients, parameters, settings, self._schedulers)

    @property
    def state(self) -> dict[str, Any]:
        """The tree of all that the optimizer remembers, which can be saved and set again.

        >>> sgd = jg.optimizers.SGD(0.1)
        >>> jg.utils.tree_flatten(sgd.state)
        [('step', array(0, dtype=uint64)), ('learning_rate', array(0.1, dtype=float32))]
        """
        return self._state

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        name = type(self).__name__
        if not isinstance(state, dict):
            raise TypeError(f"[{name}] state: got {type(state).__name__}, allowed is a dict")
        if "step" not in state:
            raise ValueError(f"[{name}] state: has no 'step', allowed is that of an optimizer")
        self._initialized = False
        self._state = state
        self._compiled = None

    @property
    def step(self) -> jg.array:
        """How many updates there were.

        >>> jg.optimizers.SGD(0.1).step
        array(0, dtype=uint64)
        """
        return self._state["step"]

    @property
    def learning_rate(self) -> jg.array:
        """The rate of the last update. A number, an array or a schedule can be put in its place.

        A schedule that the optimizer has goes on, as in MLX: it decides the rate of the next
        update. Another schedule takes its place.

        >>> adam = jg.optimizers.Adam(1e-3)
        >>> adam.learning_rate = 0.5
        >>> adam.learning_rate
        array(0.5, dtype=float32)
        """
        return self._state["learning_rate"]

    @learning_rate.setter
    def learning_rate(self, learning_rate: float | jg.array | Callable[[jg.array], Any]) -> None:
        self._maybe_schedule("learning_rate", learning_rate)

    def init_single(self, parameter: jg.array, state: dict[str, Any]) -> None:
        """Puts into state what is kept for the parameter. Subclasses define it.

        >>> state = {}
        >>> jg.optimizers.SGD(0.1).init_single(jg.array([1.0]), state)
        >>> state
        {'v': array([0.], dtype=float32)}
        """
        raise NotImplementedError(f"{type(self).__name__} does not define init_single")

    def apply_single(
        self, gradient: jg.array, parameter: jg.array, state: dict[str, Any]
    ) -> jg.array:
        """The new parameter; state is changed. Subclasses define it.

        >>> jg.optimizers.SGD(0.5).apply_single(jg.array([2.0]), jg.array([1.0]), {})
        array([0.], dtype=float32)
        """
        raise NotImplementedError(f"{type(self).__name__} does not define apply_single")

    def _maybe_schedule(self, name: str, value: Any) -> None:
        """Keeps a number or an array in the state under its name, or the schedule it follows.
        Arrays are not looked at: they may be pending, or traced."""
        schedule = value if callable(value) else None
        if schedule is not None:
            value = schedule(self.step)
        if not isinstance(value, jg.array):
            try:
                number = None if isinstance(value, str) else float(value)
            except (TypeError, ValueError):
                number = None
            if number is None:
                raise TypeError(
                    f"[{type(self).__name__}] {name}: got {value!r}, allowed are a number, an "
                    "array of no dimensions and a schedule"
                )
            if not number >= 0:
                raise ValueError(
                    f"[{type(self).__name__}] {name}: got {value!r}, allowed are numbers from 0"
                )
            value = jg.array(number, dtype=jg.float32)
        if value.ndim != 0:
            raise ValueError(
                f"[{type(self).__name__}] {name}: got an array of shape {value.shape}, allowed is "
                "one of no dimensions"
            )
        if schedule is not None:
            self._schedulers[name] = schedule
        self._state[name] = value

    def _once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Caches make's result for all parameters of one update."""
        if self._shared is None:
            return make()
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def _rate(self, dtype: Any) -> jg.array:
        """The learning rate in the gradient's dtype."""
        return self._once(("rate", dtype), lambda: jg.asarray(self.learning_rate, dtype=dtype))

    def _compile(self) -> Callable[..., Any]:
        """The update as one recorded function of the state, or as it is: a class from elsewhere
        may do in apply_single what a record does not repeat."""

        def update(gradients: Any, parameters: Any, settings: Any, schedulers: Any) -> Any:
            had = dict(self.__dict__)
            self.__dict__.update(settings)
            self._shared = {}
            try:
                return self._apply(gradients, parameters)
            finally:
                self.__dict__.update(had)

        def update_anew(gradients: Any, parameters: Any, settings: Any, schedulers: Any) -> Any:
            return self._apply(gradients, parameters)

        if not type(self).__module__.startswith("joggle.optimizers.") or {
            "apply_single",
            "init_single",
        } & set(self.__dict__):
            return update_anew
        update.__name__ = type(self).__name__
        return jg.compile(update, inputs=self._state, outputs=self._state)

    def _apply(self, gradients: Any, parameters: Any) -> Any:
        state = self._state
        for name, schedule in self._schedulers.items():
            if type(schedule) is Schedule:
                state[name] = schedule(state["step"])
        state["step"] = state["step"] + 1
        if isinstance(gradients, dict):
            _check_places(gradients, parameters)
            return {
                key: self._walk(key, value, parameters[key], state.get(key), state)
                for key, value in gradients.items()
            }
        return self._walk(_TREE, gradients, parameters, state.get(_TREE), state)

    def _walk(self, key: Any, gradient: Any, parameter: Any, state: Any, holder: Any) -> Any:
        if state is None:  # a parameter that had no gradient before
            state = holder[key] = self._extend(gradient, None)
        if isinstance(gradient, dict):
            _check_places(gradient, parameter)
            return {
                key: self._walk(key, value, parameter[key], state.get(key), state)
                for key, value in gradient.items()
            }
        if isinstance(gradient, (list, tuple)):
            _check_places(gradient, parameter)
            items = [
                self._walk(i, value, parameter[i], state[i], state)
                for i, value in enumerate(gradient)
            ]
            return items if isinstance(gradient, list) else tuple(items)
        self._check_leaf(key, gradient, parameter)
        if self._leaves_alone(gradient, parameter):
            return parameter
        return self.apply_single(gradient, parameter, state)

    def _leaves_alone(self, gradient: jg.array, parameter: jg.array) -> bool:
        """Whether the parameter is one of bools or integers, with a gradient as
        nn.value_and_grad gives it: such ones are not trained."""
        is_number = jg.isdtype(parameter.dtype, ("real floating", "complex floating"))
        return bool(self._kinds) and not is_number and gradient.dtype == parameter.dtype

    def _check_leaf(self, key: Any, gradient: Any, parameter: Any) -> None:
        place = "" if key is _TREE else f"{key!r} "
        begin = f"[{type(self).__name__}] gradients: {place}"
        if not isinstance(gradient, jg.array) or not isinstance(parameter, jg.array):
            raise TypeError(
                f"{begin}is {_told(gradient)}, its parameter {_told(parameter)}, allowed are arrays"
            )
        if gradient.shape != parameter.shape:
            raise ValueError(
                f"{begin}has shape {gradient.shape}, allowed is that of its parameter, "
                f"{parameter.shape}"
            )
        if self._leaves_alone(gradient, parameter):
            return
        for x in (parameter, gradient):
            if self._kinds and not jg.isdtype(x.dtype, self._kinds):
                raise TypeError(
                    f"{begin}or its parameter is {x.dtype}, allowed are {' and '.join(self._kinds)}"
                )

    def _extend(self, tree: Any, state: Any) -> Any:
        """The state of a tree of parameters, with what there is of it."""
        if isinstance(tree, dict):
            state = {} if state is None else state
            for key, value in tree.items():
                state[key] = self._extend(value, state.get(key))
            return state
        if isinstance(tree, (list, tuple)):
            had = list(state or []) + [None] * len(tree)
            return [self._extend(value, had[i]) for i, value in enumerate(tree)]
        if not isinstance(tree, jg.array):
            raise TypeError(
                f"[{type(self).__name__}] parameters: got {_told(tree)}, allowed are arrays and "
                "trees of them"
            )
        if not state:
            state = {}
            self.init_single(tree, state)
        return state

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None}


def _check_places(gradients: Any, parameters: Any) -> None:
    """Refuses parameters that lack what gradients has, as _core._tree_pick does."""
    if isinstance(gradients, dict):
        there = parameters if isinstance(parameters, dict) else ()
        missing = [key for key in gradients if key not in there]
    else:
        count = len(parameters) if isinstance(parameters, (list, tuple)) else 0
        missing = list(range(count, len(gradients)))
    if missing:
        raise ValueError(
            f"[apply_gradients] parameters: has no {missing[0]!r}, which gradients has, allowed "
            "are trees with all keys of gradients"
        )


def _told(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return "an array" if isinstance(value, jg.array) else type(value).__name__


def _write(tree: Any, updated: Any) -> None:
    """Puts updated parameters into the lists and dicts of a tree."""
    if not isinstance(tree, (dict, list)):
        raise TypeError(
            f"[Optimizer.update] model: got {type(tree).__name__}, allowed are a module, a dict "
            "and a list"
        )
    for key, value in updated.items() if isinstance(updated, dict) else enumerate(updated):
        if isinstance(value, (dict, list)) and is_tree(tree[key]):
            _write(tree[key], value)
        else:
            tree[key] = value
