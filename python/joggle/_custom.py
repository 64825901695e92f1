# SPDX-License-Identifier: Apache-2.0
"""Functions with rules of their own, and functions that are computed again: MLX's names."""

import collections
import functools
import types
from typing import Any

from joggle import _core
from joggle._transforms import _check_function, _name_of
from joggle.utils import _fill, _leaves

__all__ = ["checkpoint", "custom_function"]


def _arrays_of(tree):
    return [leaf for _, leaf in _leaves(tree) if isinstance(leaf, _core.array)]


def _fill_arrays(tree, arrays):
    """The tree with the next of arrays in the place of each array."""
    return _fill(
        tree,
        (next(arrays) if isinstance(leaf, _core.array) else leaf for _, leaf in _leaves(tree)),
    )


def _as_given(tree):
    """A copy of the tree whose arrays stay as they are when a function changes its arguments."""
    return _fill_arrays(tree, iter([_core._keep_value(x) for x in _arrays_of(tree)]))


def _bare(items):
    """One argument alone, several as a tuple: what rules are given, as in MLX."""
    return items[0] if len(items) == 1 else tuple(items)


class custom_function:
    """A function whose derivatives and batches are what its rules say; also a decorator.

    Rules are set by the decorators vjp, jvp and vmap. Where one is missing, what the function does
    is differentiated or batched. What the function uses besides its positional arguments is
    constant for the rules vjp and jvp; keyword arguments are passed on to them as they are. A
    function of one argument has rules of that argument, one of several of a tuple.

    >>> @jg.custom_function
    ... def clip(x):
    ...     return jg.clip(x, -1, 1)
    >>> @clip.vjp
    ... def straight_through(primals, cotangents, outputs):
    ...     return cotangents
    >>> jg.grad(lambda x: jg.sum(clip(x)))(jg.array([0.5, 3.0]))
    array([1., 1.], dtype=float32)
    """

    def __init__(self, f):
        _check_function("custom_function", f)
        self._function = f
        self._vjp = self._jvp = self._vmap = None
        functools.update_wrapper(self, f, updated=())

    def vjp(self, f):
        """The rule f(primals, cotangents, outputs) gives a cotangent for each argument: trees like
        the arguments, None for zero."""
        _check_function("custom_function", f)
        self._vjp = f
        return f

    def jvp(self, f):
        """The rule f(primals, tangents) gives tangents like what the function gives."""
        _check_function("custom_function", f)
        self._jvp = f
        return f

    def vmap(self, f):
        """The rule f(inputs, axes) gives outputs for the batch and their axes. Axes are trees like
        inputs and outputs, with None where there is no batch; one for a whole output is enough."""
        _check_function("custom_function", f)
        self._vmap = f
        return f

    def __get__(self, instance, owner=None):
        """In a class it acts as a method, whose rules get the instance as the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        given = _as_given((args, kwargs))
        result = self._function(*args, **kwargs)
        inputs = _arrays_of(given)
        if not self._needs_rules(_arrays_of(given[0]), result):
            return result
        self._check_keywords(given[1])
        rules = _Rules(self, given, result)
        outputs = _core._custom(
            inputs,
            _arrays_of(result),
            self._vjp and rules.vjp,
            self._jvp and rules.jvp,
            self._vmap and rules.vmap,
        )
        return _fill_arrays(result, iter(outputs))

    def _needs_rules(self, inputs, result):
        """Whether the rules are needed: the result of a rule for derivatives is constant in all but
        the inputs."""
        if any(map(_core._is_traced, inputs)):
            return True
        derives = self._vjp or self._jvp
        return bool(derives) and any(map(_core._is_traced, _arrays_of(result)))

    def _check_keywords(self, kwargs):
        """An array of compile's is none that is differentiated: it has no values yet."""
        if _core._tracing_caller() == "compile":
            return
        for name, tree in kwargs.items():
            if (self._vjp or self._jvp) and any(map(_core._is_traced, _arrays_of(tree))):
                raise ValueError(
                    f"[custom_function] {_name_of(self)}: keyword argument {name!r} is "
                    "differentiated or batched, allowed for that are positional arguments"
                )


class _Rules:
    """The rules of one call, on flat lists of arrays."""

    def __init__(self, of, given, result):
        self._of = of
        # Keeps only the trees; arrays would live as long as the graph.
        self._given = _fill_arrays(given, iter([_Slot] * len(_arrays_of(given))))
        self._args = self._given[0]
        self._count = len(_arrays_of(given[0]))  # of the inputs that are no keyword's
        self._result = _fill_arrays(result, iter([_Slot] * len(_arrays_of(result))))
        self._forms = [_Form(x.shape, x.dtype) for x in _arrays_of(result)]

    def _fail(self, rule, text):
        return f"[custom_function] {_name_of(self._of)}: {rule} {text}"

    def _trees(self, tree, arrays):
        rest = iter(arrays)
        return _fill(tree, (next(rest) if leaf is _Slot else leaf for _, leaf in _leaves(tree)))

    def _inputs(self, arrays):
        """The arguments that rules get, and the keywords."""
        args, kwargs = self._trees(self._given, arrays)
        return _bare(args), kwargs

    def _of_inputs(self, values):
        """What belongs to each array of the arguments, with None beside what is no array."""
        rest = iter(values)
        leaves = _leaves(self._args)
        return _bare(
            _fill(self._args, (next(rest) if leaf is _Slot else None for _, leaf in leaves))
        )

    def _flat(self, rule, like, given, forms):
        """An array, or None, for each slot of the tree `like` in the tree that a rule gave."""
        found = []
        for path, leaf in _paired(like, given, self._fail(rule, "gave")):
            if leaf is not None:
                try:
                    leaf = _core.asarray(leaf)
                except TypeError:
                    raise TypeError(
                        self._fail(rule, f"gave {type(leaf).__name__}{path}, allowed is an array")
                    ) from None
            found.append(leaf)
        for i, (leaf, form) in enumerate(zip(found, forms, strict=True)):
            if leaf is None:
                continue
            if leaf.shape != form.shape:
                raise ValueError(
                    self._fail(
                        rule, f"gave shape {leaf.shape} for number {i}, allowed is {form.shape}"
                    )
                )
            if leaf.dtype != form.dtype:
                found[i] = _core.astype(leaf, form.dtype)
        return found

    def _refuse_nothing(self, rule, given):
        """A rule without a return would be one that gives zeros."""
        if given is None:
            raise TypeError(
                self._fail(rule, "gave None, allowed are arrays, with None for zeros in a tuple")
            )

    def vjp(self, inputs, cotangents, outputs):
        primals, kwargs = self._inputs(inputs)
        given = self._of._vjp(
            primals,
            self._trees(self._result, cotangents),
            self._trees(self._result, outputs),
            **kwargs,
        )
        self._refuse_nothing("vjp", given)
        if len(self._args) == 1 and not (isinstance(given, tuple) and len(given) == 1):
            given = (given,)
        shares = self._flat("vjp", self._args, given, inputs[: self._count])
        return shares + [None] * (len(inputs) - self._count)

    def jvp(self, inputs, tangents):
        primals, kwargs = self._inputs(inputs)
        given = self._of._jvp(primals, self._of_inputs(tangents[: self._count]), **kwargs)
        self._refuse_nothing("jvp", given)
        return self._flat("jvp", self._result, given, self._forms)

    def _refuse_batched(self, axes):
        if any(axis is not None for axis in axes):
            raise ValueError(
                self._fail(
                    "vmap", "got a keyword argument of the batch, allowed are positional ones"
                )
            )

    def vmap(self, inputs, axes):
        self._refuse_batched(axes[self._count :])
        primals, kwargs = self._inputs(inputs)
        given = self._of._vmap(primals, self._of_inputs(axes[: self._count]), **kwargs)
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError(
                self._fail(
                    "vmap", f"gave {type(given).__name__}, allowed is a tuple of outputs and axes"
                )
            )
        outputs, places = given
        arrays = []
        for path, leaf in _paired(self._result, outputs, self._fail("vmap", "gave outputs")):
            if not isinstance(leaf, _core.array):
                raise TypeError(
                    self._fail("vmap", f"gave {type(leaf).__name__}{path}, allowed is an array")
                )
            arrays.append(leaf)
        if places is None or isinstance(places, int):
            return arrays, [places] * len(arrays)
        where = self._fail("vmap", "gave axes")
        axes = [axis for _, axis in _paired(self._result, places, where)]
        for axis in axes:
            if axis is not None and not isinstance(axis, int):
                raise TypeError(f"{where} {axis!r}, allowed are ints and None")
        return arrays, axes


_Form = collections.namedtuple("_Form", ["shape", "dtype"])


class _Slot:
    """The place of an array in a tree."""


def _paired(like, given, where, path=""):
    """The path and what is given for each slot of the tree; None may replace a whole subtree."""
    if isinstance(like, (list, tuple)):
        if given is not None and (not isinstance(given, (list, tuple)) or len(given) != len(like)):
            got = len(given) if isinstance(given, (list, tuple)) else type(given).__name__
            raise ValueError(
                f"{where} {got}{path}, allowed are {len(like)} items, as many as of it"
            )
        for i, item in enumerate(like):
            yield from _paired(item, None if given is None else given[i], where, f"{path}[{i}]")
    elif isinstance(like, dict):
        if given is not None and (not isinstance(given, dict) or given.keys() != like.keys()):
            raise ValueError(f"{where} other keys{path}, allowed are {list(like)}")
        for key, item in like.items():
            yield from _paired(
                item, None if given is None else given[key], where, f"{path}[{key!r}]"
            )
    elif like is _Slot:
        yield path, given


def checkpoint(fun, policy=None):
    """fun, whose values between arguments and result are not kept for its derivative but computed
    again. policy "products" keeps products of matrices and convolutions.

    >>> jg.grad(jg.checkpoint(lambda x: jg.sum(jg.exp(x) * x)))(jg.array([0.0, 1.0]))
    array([1.       , 5.4365635], dtype=float32)
    """
    _check_function("checkpoint", fun)
    if policy not in (None, "products"):
        raise ValueError(f"[checkpoint] policy: got {policy!r}, allowed are None and 'products'")

    @functools.wraps(fun, updated=())
    def checkpointed(*args, **kwargs) -> Any:
        result = fun(*args, **kwargs)
        values = _arrays_of(result)
        if not any(map(_core._is_traced, values)):
            return result
        inputs = _arrays_of(args) + _arrays_of(kwargs)
        outputs = _core._checkpoint(inputs, values, policy == "products")
        return _fill_arrays(result, iter(outputs))

    return checkpointed
