# SPDX-License-Identifier: Apache-2.0
"""The base of all layers: a dict of their parameters, states and inner modules."""

from __future__ import annotations

import textwrap

import joggle as jg
from joggle import _core
from joggle.utils import tree_flatten, tree_unflatten

TYPE_CHECKING = False  # true for type checkers; the module typing takes long to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Filter = Callable[["Module", str, Any], bool]

__all__ = ["Module"]


class Module(_core.ItemAttributes):
    """The base of all layers and models.

    An attribute that is an array, a dict, a list or a tuple is an item of the dict that a module
    is, so that modules are trees as joggle.utils and the transformations take them. Arrays among
    them are parameters unless their name begins with an underscore.

    >>> class Scale(jg.nn.Module):
    ...     def __init__(self, size):
    ...         super().__init__()
    ...         self.weight = jg.ones((size,))
    ...     def __call__(self, x):
    ...         return self.weight * x
    >>> Scale(2).parameters()
    {'weight': array([1., 1.], dtype=float32)}
    """

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __init__(self) -> None:
        super().__init__()
        self._no_grad: set[str] = set()
        self._training = True

    def __setattr__(self, key: str, value: Any) -> None:
        if isinstance(value, (jg.array, dict, list, tuple)):
            self.__dict__.pop(key, None)
            self[key] = value
        else:
            super().__setattr__(key, value)
            self.pop(key, None)

    def __delattr__(self, key: str) -> None:
        if key in self:
            del self[key]
        else:
            super().__delattr__(key)

    @property
    def training(self) -> bool:
        """Whether layers do what they do in training only, as Dropout does.

        >>> jg.nn.Dropout(0.5).eval().training
        False
        """
        return self._training

    @property
    def state(self) -> Module:
        """The module itself: what compile takes as inputs and outputs.

        >>> layer = jg.nn.Linear(2, 3)
        >>> layer.state is layer
        True
        """
        return self

    def _extra_repr(self) -> str:
        """The text in parentheses when the module is printed."""
        return ""

    def __repr__(self) -> str:
        text = f"{type(self).__name__}({self._extra_repr()}"
        inner = tree_flatten(self.children(), is_leaf=Module.is_module)
        for name, module in inner:
            text += "\n" + textwrap.indent(f"({name}): {module!r}", "  ")
        return text + ("\n)" if inner else ")")

    @staticmethod
    def is_module(value: Any) -> bool:
        """Whether value is a module.

        >>> jg.nn.Module.is_module({})
        False
        """
        return isinstance(value, Module)

    @staticmethod
    def valid_child_filter(module: Module, key: str, value: Any) -> bool:
        """Whether value is a module or may hold some.

        >>> jg.nn.Module.valid_child_filter(jg.nn.ReLU(), "layers", [])
        True
        """
        return isinstance(value, (dict, list))

    @staticmethod
    def valid_parameter_filter(module: Module, key: str, value: Any) -> bool:
        """Whether value is a parameter or may hold some.

        >>> jg.nn.Module.valid_parameter_filter(jg.nn.ReLU(), "_state", jg.array(1.0))
        False
        """
        return isinstance(value, (dict, list, jg.array)) and not key.startswith("_")

    @staticmethod
    def trainable_parameter_filter(module: Module, key: str, value: Any) -> bool:
        """Whether value is a parameter that is not frozen, or may hold some.

        >>> layer = jg.nn.Linear(1, 1).freeze(keys="bias")
        >>> jg.nn.Module.trainable_parameter_filter(layer, "bias", layer.bias)
        False
        """
        return Module.valid_parameter_filter(module, key, value) and key not in module._no_grad

    def filter_and_map(
        self,
        filter_fn: Filter,
        map_fn: Callable[[Any], Any] | None = None,
        is_leaf_fn: Filter | None = None,
    ) -> dict[str, Any]:
        """A tree of what map_fn gives for the leaves that filter_fn takes.

        Both filters are given the module, the key and the value; is_leaf_fn says what is not gone
        into, by default what is no module, dict or list.

        >>> layer = jg.nn.Linear(3, 2)
        >>> layer.filter_and_map(jg.nn.Module.valid_parameter_filter, lambda x: x.shape)
        {'weight': (2, 3), 'bias': (2,)}
        """
        walk = _Walk(filter_fn, map_fn or (lambda value: value), is_leaf_fn or _is_no_tree)
        return walk.of_module(self)

    def parameters(self) -> dict[str, Any]:
        """The tree of all parameters.

        >>> jg.utils.tree_map(lambda x: x.shape, jg.nn.Linear(3, 2).parameters())
        {'weight': (2, 3), 'bias': (2,)}
        """
        return self.filter_and_map(Module.valid_parameter_filter)

    def trainable_parameters(self) -> dict[str, Any]:
        """The tree of the parameters that are not frozen.

        >>> jg.nn.Linear(3, 2).freeze(keys="bias").trainable_parameters().keys()
        dict_keys(['weight'])
        """
        return self.filter_and_map(Module.trainable_parameter_filter)

    def children(self) -> dict[str, Any]:
        """The tree of the modules that lie directly in this one.

        >>> jg.nn.Sequential(jg.nn.ReLU()).children()
        {'layers': [ReLU()]}
        """
        return self.filter_and_map(
            Module.valid_child_filter, is_leaf_fn=lambda module, key, value: Module.is_module(value)
        )

    def leaf_modules(self) -> dict[str, Any]:
        """The tree of the modules that have no modules in them.

        >>> jg.nn.Sequential(jg.nn.Sequential(jg.nn.ReLU())).leaf_modules()
        {'layers': [{'layers': [ReLU()]}]}
        """
        return self.filter_and_map(Module.valid_child_filter, is_leaf_fn=_is_leaf_module)

    def modules(self) -> list[Module]:
        """This module and all within it, in the order of apply_to_modules.

        >>> [type(module).__name__ for module in jg.nn.Sequential(jg.nn.ReLU()).modules()]
        ['Sequential', 'ReLU']
        """
        return [module for _, module in self.named_modules()]

    def named_modules(self) -> list[tuple[str, Module]]:
        """Pairs of the path, as "layers.0", and the module, for all of modules().

        >>> jg.nn.Sequential(jg.nn.ReLU()).named_modules()[1]
        ('layers.0', ReLU())
        """
        found: list[tuple[str, Module]] = []
        self.apply_to_modules(lambda path, module: found.append((path, module)))
        return found

    def update(self, parameters: dict[str, Any], strict: bool = True) -> Module:
        """Puts the arrays of a tree in the places of parameters, and gives the module.

        What the tree has no place for is an error if strict, else it is left out.

        >>> layer = jg.nn.Linear(1, 1).update({"bias": jg.array([3.0])})
        >>> layer.bias
        array([3.], dtype=float32)
        """
        _put_arrays(self, parameters, strict, "parameters")
        return self

    def apply(
        self, map_fn: Callable[[jg.array], jg.array], filter_fn: Filter | None = None
    ) -> Module:
        """Puts what map_fn gives for each parameter in its place, and gives the module.

        >>> jg.nn.Linear(1, 1).apply(jg.zeros_like).weight
        array([[0.]], dtype=float32)
        """
        chosen = filter_fn or Module.valid_parameter_filter
        return self.update(self.filter_and_map(chosen, map_fn))

    def update_modules(self, modules: dict[str, Any], strict: bool = True) -> Module:
        """Puts the modules of a tree in the places of modules, and gives the module.

        >>> model = jg.nn.Sequential(jg.nn.ReLU())
        >>> model.update_modules({"layers": [jg.nn.Tanh()]})
        Sequential(
          (layers.0): Tanh()
        )
        """
        _put_modules(self, modules, strict, "modules")
        return self

    def apply_to_modules(self, apply_fn: Callable[[str, Module], Any]) -> Module:
        """Calls apply_fn with the path and the module for this and all within, and gives this.

        >>> _ = jg.nn.Sequential(jg.nn.ReLU()).apply_to_modules(lambda path, m: print(repr(path)))
        ''
        'layers.0'
        """
        waiting: list[tuple[str, Module]] = [("", self)]
        while waiting:
            path, module = waiting.pop()
            apply_fn(path, module)
            prefix = f".{path}" if path else ""
            waiting.extend(tree_flatten(module.children(), prefix=prefix, is_leaf=Module.is_module))
        return self

    def freeze(
        self, *, recurse: bool = True, keys: str | list[str] | None = None, strict: bool = False
    ) -> Module:
        """Makes parameters, or those of these names, no longer trainable, and gives the module.

        recurse says whether those of the modules within are meant, too. With strict a name that
        no module has is a KeyError.

        >>> jg.nn.Linear(3, 2).freeze().trainable_parameters()
        {}
        """

        def freeze_one(path: str, module: Module) -> None:
            names = module._own_parameters() if keys is None else module._validate_keys(keys, once)
            module._no_grad.update(names)

        once = self._is_strict_here(recurse, keys, strict)
        return self._for_modules(freeze_one, recurse)

    def unfreeze(
        self, *, recurse: bool = True, keys: str | list[str] | None = None, strict: bool = False
    ) -> Module:
        """Undoes freeze.

        >>> layer = jg.nn.Linear(3, 2).freeze()
        >>> layer.unfreeze(keys="bias").trainable_parameters().keys()
        dict_keys(['bias'])
        """

        def unfreeze_one(path: str, module: Module) -> None:
            # Through the method of each: some modules keep parameters frozen.
            if module is not self:
                module.unfreeze(recurse=False, keys=keys, strict=once)
            elif keys is None:
                module._no_grad.clear()
            else:
                module._no_grad.difference_update(module._validate_keys(keys, once))

        once = self._is_strict_here(recurse, keys, strict)
        return self._for_modules(unfreeze_one, recurse)

    def train(self, mode: bool = True) -> Module:
        """Sets the mode of this and all modules within: training, or else evaluation.

        >>> jg.nn.Dropout(0.5).train(False).training
        False
        """
        return self.apply_to_modules(lambda path, module: module._set_training_mode(mode))

    def eval(self) -> Module:
        """train(False).

        >>> jg.nn.Dropout(0.5).eval()(jg.ones((2,)))
        array([1., 1.], dtype=float32)
        """
        return self.train(False)

    def set_dtype(
        self, dtype: jg.Dtype, predicate: Callable[[jg.Dtype], bool] | None = None
    ) -> Module:
        """Casts the parameters whose dtype the predicate takes, by default those of floats.

        >>> jg.nn.Linear(1, 1).set_dtype(jg.bfloat16).weight.dtype
        joggle.bfloat16
        """
        chosen = predicate or (lambda kind: jg.issubdtype(kind, jg.floating))
        return self.apply(lambda x: x.astype(dtype) if chosen(x.dtype) else x)

    def load_weights(
        self, file_or_weights: str | Iterable[tuple[str, jg.array]], strict: bool = True
    ) -> Module:
        """Takes parameters from an npz or safetensors file, or from pairs of a path and an array.

        If strict, they must be all parameters of the module, and of the same shapes.

        >>> layer = jg.nn.Linear(1, 1, bias=False)
        >>> layer.load_weights([("weight", jg.array([[2.0]]))])(jg.array([3.0]))
        array([6.], dtype=float32)
        """
        given = file_or_weights
        if hasattr(given, "__fspath__") or isinstance(given, str):
            weights = dict(jg.load(given))
        else:
            weights = dict(given)
        if strict:
            self._check_weights(weights)
        if weights:
            self.update(tree_unflatten(weights), strict=False)
        return self

    def save_weights(self, file: str) -> None:
        """Writes all parameters to a file, whose name ends in .npz or .safetensors.

        >>> jg.nn.Linear(3, 2).save_weights("layer.safetensors")
        >>> sorted(jg.load("layer.safetensors"))
        ['bias', 'weight']
        """
        path = str(file)
        weights = tree_flatten(self.parameters(), destination={})
        if path.endswith(".npz"):
            jg.savez(path, **weights)
        elif path.endswith(".safetensors"):
            jg.save_safetensors(path, weights)
        else:
            raise ValueError(
                f"[save_weights] file: got {path!r}, allowed are names that end in .npz or "
                ".safetensors"
            )

    def _set_training_mode(self, mode: bool) -> None:
        self._training = bool(mode)

    def _own_parameters(self) -> list[str]:
        tree = self.filter_and_map(
            lambda module, key, value: (
                not Module.is_module(value) and module.valid_parameter_filter(module, key, value)
            )
        )
        return [path for path, _ in tree_flatten(tree)]

    def _for_modules(self, function: Callable[[str, Module], None], recurse: bool) -> Module:
        if recurse:
            return self.apply_to_modules(function)
        function("", self)
        return self

    def _validate_keys(self, keys: str | list[str], strict: bool) -> list[str]:
        names = list(keys) if isinstance(keys, (list, tuple)) else [keys]
        for name in names:
            if strict and name not in self:
                raise KeyError(f"keys: {type(self).__name__} has no member {name!r}")
        return names

    def _is_strict_here(self, recurse: bool, keys: str | list[str] | None, strict: bool) -> bool:
        """Whether each module alone must have the names; within a tree one of them must."""
        if not (recurse and strict) or keys is None:
            return strict
        modules = self.modules()
        for name in self._validate_keys(keys, False):
            if not any(name in module for module in modules):
                raise KeyError(f"keys: no module in {type(self).__name__} has a member {name!r}")
        return False

    def _check_weights(self, weights: dict[str, Any]) -> None:
        own: dict[str, Any] = tree_flatten(self.parameters(), destination={})
        name = type(self).__name__
        for what, missing in (
            ("are no parameters of", weights.keys() - own.keys()),
            ("are missing for", own.keys() - weights.keys()),
        ):
            if missing:
                listed = ", ".join(sorted(missing))
                raise ValueError(
                    f"[load_weights] {len(missing)} weights {what} {name}: {listed}, allowed are "
                    "its own, all of them"
                )
        for path, parameter in own.items():
            given = weights[path]
            if not isinstance(given, jg.array):
                raise ValueError(
                    f"[load_weights] {path}: got {type(given).__name__}, allowed is an array"
                )
            if given.shape != parameter.shape:
                raise ValueError(
                    f"[load_weights] {path}: got shape {given.shape}, allowed is that of the "
                    f"parameter, {parameter.shape}"
                )


def _is_no_tree(module: Module, key: str, value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _is_leaf_module(module: Module, key: str, value: Any) -> bool:
    return Module.is_module(value) and not tree_flatten(value.children(), is_leaf=Module.is_module)


class _Walk:
    """One filter_and_map: modules with their own keys, dicts and lists under those of a module."""

    def __init__(self, keeps: Filter, change: Callable[[Any], Any], is_leaf: Filter) -> None:
        self.keeps, self.change, self.is_leaf = keeps, change, is_leaf

    def of_module(self, module: Module) -> dict[str, Any]:
        keeps = self.keeps
        return {
            key: self.of_value(module, key, value)
            for key, value in module.items()
            if keeps(module, key, value)
        }

    def of_value(self, module: Module, key: str, value: Any) -> Any:
        if self.is_leaf(module, key, value):
            return self.change(value)
        if isinstance(value, Module):
            return self.of_module(value)
        if isinstance(value, dict):
            return {inner: self.of_item(module, f"{key}.{inner}", x) for inner, x in value.items()}
        if isinstance(value, list):
            return [self.of_item(module, f"{key}.{i}", item) for i, item in enumerate(value)]
        raise TypeError(
            f"[filter_and_map] {key}: got {type(value).__name__}, allowed are modules, dicts, "
            "lists and what is_leaf_fn takes for a leaf"
        )

    def of_item(self, module: Module, key: str, item: Any) -> Any:
        return self.of_value(module, key, item) if self.keeps(module, key, item) else {}


def _places(tree: Any, given: Any, strict: bool, path: str) -> Iterable[tuple[Any, Any, str]]:
    """The keys of given which the tree has, with the value and the path of each."""
    if isinstance(given, dict) and isinstance(tree, dict):
        for key, value in given.items():
            if key in tree:
                yield key, value, f"{path}.{key}"
            elif strict:
                raise ValueError(
                    f"{path}: {type(tree).__name__} has no member {key!r}, allowed are {list(tree)}"
                )
    elif isinstance(given, list) and isinstance(tree, list):
        for i, value in enumerate(given):
            if i < len(tree):
                yield i, value, f"{path}.{i}"
            elif strict:
                raise ValueError(
                    f"{path}: got {len(given)} items for a list, allowed are {len(tree)}"
                )
    # The tree of a function that stands among modules is empty; so is that of no paths, a list.
    elif strict and not (isinstance(given, (dict, list)) and len(given) == 0):
        raise ValueError(f"{path}: got {type(given).__name__}, allowed is {type(tree).__name__}")


def _put_arrays(tree: Any, given: Any, strict: bool, path: str) -> None:
    for key, value, place in _places(tree, given, strict, path):
        current = tree[key]
        if not isinstance(current, jg.array):
            _put_arrays(current, value, strict, place)
        elif strict and not isinstance(value, jg.array):
            raise ValueError(f"{place}: got {type(value).__name__}, allowed is an array")
        else:
            tree[key] = value


def _put_modules(tree: Any, given: Any, strict: bool, path: str) -> None:
    for key, value, place in _places(tree, given, strict, path):
        current = tree[key]
        if Module.is_module(current) and Module.is_module(value):
            tree[key] = value
        elif isinstance(current, (dict, list)):
            _put_modules(current, value, strict, place)
        elif strict and (Module.is_module(value) or value != {}):
            raise ValueError(
                f"{place}: got {type(value).__name__} where there is no module, allowed is {{}}"
            )
