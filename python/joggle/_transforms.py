# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions of arrays: MLX's functions. _jacobians.py has matrices of them."""

import functools
from typing import Any

from joggle import _core
from joggle.utils import _fill, _leaves

__all__ = [
    "grad",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]

_FLOATS = (_core.float16, _core.bfloat16, _core.float32, _core.float64)
_COMPLEX = (_core.complex64, _core.complex128)


def _name_of(fun):
    return getattr(fun, "__name__", type(fun).__name__)


def _check_function(caller, fun):
    if not callable(fun):
        raise TypeError(f"[{caller}] fun: got {type(fun).__name__}, allowed is a function")


def _is_number(argument):
    return isinstance(argument, int) and not isinstance(argument, bool)


def _names_of(caller, argnames):
    """argnames as a tuple."""
    names = () if argnames is None else (argnames,) if isinstance(argnames, str) else argnames
    if not isinstance(names, (list, tuple, set, frozenset)) or not all(
        isinstance(name, str) for name in names
    ):
        raise TypeError(f"[{caller}] argnames: got {argnames!r}, allowed are names")
    return tuple(names)


def _numbers_of(caller, argnums, default):
    """argnums as a sorted tuple, as MLX gives the gradients in that order, and whether it was one
    int; the default for None."""
    if argnums is None:
        return default
    if _is_number(argnums):
        return (argnums,), True
    if isinstance(argnums, (list, tuple)) and all(map(_is_number, argnums)):
        return tuple(sorted(argnums)), False
    raise TypeError(f"[{caller}] argnums: got {argnums!r}, allowed are ints")


def _check_once(caller, what, given):
    for item in given:
        if given.count(item) > 1:
            raise ValueError(
                f"[{caller}] {what}: {item!r} is there more than once, allowed is once"
            )


def _argument_numbers(caller, argnums, argnames):
    """argnums and argnames as tuples, and whether argnums was one int."""
    names = _names_of(caller, argnames)
    numbers, single = _numbers_of(caller, argnums, ((), False) if names else ((0,), True))
    if not numbers and not names:
        raise ValueError(f"[{caller}] argnums: got {argnums!r}, allowed is at least one argument")
    _check_once(caller, "argnums", numbers)
    _check_once(caller, "argnames", names)
    for number in numbers:
        if number < 0:
            raise ValueError(f"[{caller}] argnums: got {number}, allowed are numbers from 0")
    return numbers, names, single


def _differentiable(caller, fun, where, leaf):
    """The leaf as an array that has derivatives; Python floats and arrays of others are taken."""
    array = leaf
    if not isinstance(leaf, _core.array):
        if isinstance(leaf, (bool, int, str)) or leaf is None:
            array = None
        else:
            try:
                array = _core.asarray(leaf)
            except TypeError:
                array = None
    if array is None or array.dtype not in _FLOATS + _COMPLEX:
        got = type(leaf).__name__ if array is None else array.dtype.name
        raise TypeError(
            f"[{caller}] {_name_of(fun)}: {where} is {got}, allowed are arrays of floats and of "
            "complex numbers"
        )
    return array


def _leaves_of(caller, fun, trees, places):
    """The leaves of the trees as arrays that have derivatives."""
    return [
        _differentiable(caller, fun, f"{where}{path}", leaf)
        for tree, where in zip(trees, places, strict=True)
        for path, leaf in _leaves(tree)
    ]


def _begin(caller, fun, trees, places):
    """Traces all leaves of the trees: (tracing, trees of markers, the leaves as arrays). The trees
    are copies, as they are read again for what is made of them: another thread, or the function,
    may change the caller's."""
    begun = _core._tracing_trees(trees)
    if begun is not None:
        return begun
    arrays = _leaves_of(caller, fun, trees, places)
    tracing, markers = _core._tracing_begin(arrays)
    return tracing, _core._fill_trees(trees, markers), arrays


def _loss_in(caller, fun, result, has_aux, with_value):
    """The loss in fun's result, which may stand in a tuple with other values."""
    if has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                f"[{caller}] {_name_of(fun)}: gave {type(result).__name__}, with has_aux allowed "
                "is a tuple of the loss and what else there is"
            )
        return result[0]
    if with_value and isinstance(result, tuple) and len(result) > 0:
        return result[0]
    return result


def _scalar_of(caller, fun, result, has_aux, with_value):
    """The loss in fun's result."""
    loss = _loss_in(caller, fun, result, has_aux, with_value)
    if not isinstance(loss, _core.array):
        allowed = "a scalar array" + (", or a tuple that begins with one" if with_value else "")
        raise ValueError(
            f"[{caller}] {_name_of(fun)}: gave {type(loss).__name__}, allowed is {allowed}"
        )
    if loss.shape != ():
        raise ValueError(
            f"[{caller}] {_name_of(fun)}: gave an array of shape {loss.shape}, allowed is a scalar"
        )
    if loss.dtype not in _FLOATS:
        raise TypeError(
            f"[{caller}] {_name_of(fun)}: gave {loss.dtype.name}, allowed are real floats"
        )
    return loss


class _Gradient:
    """The request for a gradient: the function, the arguments, and the form."""

    def __init__(self, caller, fun, argnums, argnames, has_aux, strong_zero):
        _check_function(caller, fun)
        self.caller, self.fun, self.has_aux = caller, fun, bool(has_aux)
        self.numbers, self.names, self.single = _argument_numbers(caller, argnums, argnames)
        self.strong_zero, self.with_value = strong_zero, caller == "value_and_grad"
        self.places = [f"argument {number}" for number in self.numbers]
        self.places += [f"argument {name!r}" for name in self.names]

    def check_call(self, args, kwargs):
        last = max(self.numbers, default=-1)
        if last >= len(args):
            raise ValueError(
                f"[{self.caller}] {_name_of(self.fun)}: argnums has {last}, and the function was "
                f"called with {len(args)} positional arguments, allowed are their numbers"
            )
        for name in self.names:
            if name not in kwargs:
                raise ValueError(
                    f"[{self.caller}] {_name_of(self.fun)}: argnames has {name!r}, and the "
                    f"function was called with the keyword arguments {sorted(kwargs)}, allowed are "
                    "those"
                )

    def scalar_of(self, result):
        return _scalar_of(self.caller, self.fun, result, self.has_aux, self.with_value)

    def trace(self, args, kwargs):
        """The result of fun, and a gradient for each of the arguments that are asked for."""
        trees = [args[number] for number in self.numbers]
        trees = _core._tree_copy(trees + [kwargs[name] for name in self.names])
        tracing, marked, arrays = _begin(self.caller, self.fun, trees, self.places)
        if self.strong_zero:
            tracing.strong_zero()
        try:
            args, kwargs = self.put(args, kwargs, marked)
            result = self.fun(*args, **kwargs)
            is_loss = not self.has_aux and _core._is_loss(result)
            loss = result if is_loss else self.scalar_of(result)
        except BaseException:
            tracing.abort()
            raise
        return result, tracing.gradients(loss, trees, len(arrays))

    def put(self, args, kwargs, marked):
        """The arguments with markers in their places."""
        args = list(args)
        for number, tree in zip(self.numbers, marked, strict=False):
            args[number] = tree
        if self.names:
            kwargs |= zip(self.names, marked[len(self.numbers) :], strict=True)
        return args, kwargs

    def arrange(self, grads):
        """The gradients as callers are told that they come."""
        count = len(self.numbers)
        positional = grads[0] if self.single else tuple(grads[:count]) or None
        if not self.names:
            return positional
        return positional, dict(zip(self.names, grads[count:], strict=True))


def _make_gradient(caller, fun, argnums, argnames, has_aux, strong_zero, give):
    """A function that gives what `give` makes of fun's result and the gradient. Every call of a
    gradient of few ops goes through it, so what most calls need is done first and in C."""
    asked = _Gradient(caller, fun, argnums, argnames, has_aux, strong_zero)
    numbers, names, last = asked.numbers, asked.names, max(asked.numbers, default=-1)
    with_value, is_pair = asked.with_value, asked.has_aux
    alone, at_once = asked.single and not names, not names and not strong_zero

    @functools.wraps(fun, updated=())
    def differentiated(*args, **kwargs) -> Any:
        if names or last >= len(args):
            asked.check_call(args, kwargs)
        done = at_once and _core._differentiate(fun, args, kwargs, numbers, with_value, is_pair)
        result, grads = done or asked.trace(args, kwargs)
        if grads is None:
            asked.scalar_of(result)  # which raises
        return give(result, grads[0] if alone else asked.arrange(grads))

    return differentiated


def _both(result, gradient):
    return result, gradient


def _gradient_alone(result, gradient):
    return gradient


def _gradient_and_rest(result, gradient):
    return gradient, result[1]


def value_and_grad(fun, argnums=None, argnames=(), has_aux=False, *, strong_zero=False):
    """A function that gives what fun gives, and its gradient.

    fun gives a scalar, or a tuple that begins with one. argnums are numbers of positional
    arguments, argnames names of arguments by keyword; without both it is the first. An argument may
    be a tree of lists, tuples and dicts of arrays: its gradient is a tree like it. With several
    argnums there is a tuple of gradients in the order of the arguments, with argnames a pair of
    what argnums give and a dict.

    A cotangent of 0 times an infinite derivative is NaN: where(x > 0, sqrt(x), 0) has that gradient
    at 0. With strong_zero it is 0, in elementwise ops; gradients of gradients ask for it again.

    >>> jg.value_and_grad(lambda x: jg.sum(x * x))(jg.array([1.0, 2.0]))
    (array(5., dtype=float32), array([2., 4.], dtype=float32))
    """
    return _make_gradient("value_and_grad", fun, argnums, argnames, has_aux, strong_zero, _both)


def grad(fun, argnums=None, argnames=(), has_aux=False, *, strong_zero=False):
    """A function that gives the gradient of fun, which gives a scalar; see value_and_grad.

    With has_aux fun gives a pair of the scalar and anything else, and so does what grad gives.

    >>> jg.grad(lambda x: jg.sum(x * x))(jg.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    """
    give = _gradient_and_rest if has_aux else _gradient_alone
    return _make_gradient("grad", fun, argnums, argnames, has_aux, strong_zero, give)


def _as_list(caller, argument, trees):
    if not isinstance(trees, (list, tuple)):
        raise TypeError(
            f"[{caller}] {argument}: got {type(trees).__name__}, allowed is a list with one item "
            "for each argument"
        )
    return list(trees)


def _outputs_of(caller, fun, result):
    """The arrays in fun's result, which is a copy."""
    outputs = []
    for path, leaf in _leaves(result):
        if not isinstance(leaf, _core.array):
            raise TypeError(
                f"[{caller}] {_name_of(fun)}: result{path} is {type(leaf).__name__}, allowed are "
                "arrays"
            )
        outputs.append(leaf)
    return outputs


def _run_traced(caller, fun, primals, strong_zero, places=None):
    """(tracing, the arrays in primals, fun's result, a copy of its tree, the arrays in it)."""
    places = places or [f"primals[{i}]" for i in range(len(primals))]
    tracing, marked, arrays = _begin(caller, fun, primals, places)
    if strong_zero:
        tracing.strong_zero()
    try:
        result = fun(*marked)
        tree = _core._tree_copy(result)
        outputs = _outputs_of(caller, fun, tree)
    except BaseException:
        tracing.abort()
        raise
    return tracing, arrays, result, tree, outputs


def _vector(caller, argument, number, leaf):
    try:
        return _core.asarray(leaf)
    except TypeError:
        raise TypeError(
            f"[{caller}] {argument}: number {number} is {type(leaf).__name__}, allowed are arrays"
        ) from None


def _in_order_of(caller, argument, given, tree, path=""):
    """The leaves of given in the order of the tree: dicts go by their keys."""
    if isinstance(given, dict):
        if not isinstance(tree, dict) or given.keys() != tree.keys():
            got = list(tree) if isinstance(tree, dict) else type(tree).__name__
            raise ValueError(
                f"[{caller}] {argument}{path}: has the keys {list(given)}, what it belongs to "
                f"{'has' if isinstance(tree, dict) else 'is'} {got}, allowed is the same"
            )
        pairs = [(repr(key), given[key], child) for key, child in tree.items()]
    elif isinstance(given, (list, tuple)):
        alike = isinstance(tree, (list, tuple)) and len(tree) == len(given)
        below = tree if alike else [tree] * len(given)  # one row of arrays will do, too
        pairs = zip(range(len(given)), given, below, strict=True)
    else:
        yield given
        return
    for key, item, child in pairs:
        yield from _in_order_of(caller, argument, item, child, f"{path}[{key}]")


def _vectors(caller, argument, given, tree, like):
    """Leaves of given, one for each of like, which are those of the tree, in their dtypes."""
    leaves = list(_in_order_of(caller, argument, given, tree))
    if len(leaves) != len(like):
        raise ValueError(
            f"[{caller}] {argument}: has {len(leaves)} arrays, allowed are {len(like)}, one for "
            f"each of {'the results' if argument == 'cotangents' else 'the primals'}"
        )
    vectors = []
    for i, (leaf, x) in enumerate(zip(leaves, like, strict=True)):
        if leaf is None:
            vectors.append(None)
            continue
        vector = _vector(caller, argument, i, leaf)
        if vector.dtype in _COMPLEX and x.dtype not in _COMPLEX:
            raise TypeError(
                f"[{caller}] {argument}: number {i} is {vector.dtype.name}, allowed are real "
                f"numbers, as it belongs to {x.dtype.name}"
            )
        if vector.shape != x.shape:
            raise ValueError(
                f"[{caller}] {argument}: number {i} is of shape {vector.shape}, allowed is "
                f"{x.shape}"
            )
        vectors.append(vector if vector.dtype == x.dtype else _core.astype(vector, x.dtype))
    return vectors


def _with_zeros(arrays, like):
    return [_core.zeros_like(x) if a is None else a for a, x in zip(arrays, like, strict=True)]


def _list_of(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def vjp(fun, primals, cotangents=None, *, strong_zero=False):
    """The result of fun at the primals, and the product of cotangents and its derivative.

    primals and cotangents are lists, with an item for each argument and for each result. Without
    cotangents the second is the pullback: a function that takes them, as often as wanted, and gives
    the list of products, one for each argument. strong_zero: as of value_and_grad.

    >>> jg.vjp(jg.sin, [jg.array([0.0])], [jg.array([2.0])])
    ([array([0.], dtype=float32)], [array([2.], dtype=float32)])
    """
    _check_function("vjp", fun)
    primals = _as_list("vjp", "primals", primals)
    result, _, pullback = _pull("vjp", fun, primals, strong_zero)
    if cotangents is None:
        return result, pullback
    return _list_of(result), pullback(_as_list("vjp", "cotangents", cotangents))


def _pull(caller, fun, primals, strong_zero, places=None):
    """The result of fun, the arrays in primals, and the pullback."""
    primals = _core._tree_copy(primals)
    tracing, arrays, result, tree, outputs = _run_traced(caller, fun, primals, strong_zero, places)
    pulled = tracing.pullback(outputs)

    def pullback(cotangents):
        given = cotangents if isinstance(cotangents, (list, tuple)) else [cotangents]
        vectors = _vectors(caller, "cotangents", given, _list_of(tree), outputs)
        rest = iter(_with_zeros(pulled.apply(vectors, len(arrays)), arrays))
        return [_fill(primal, rest) for primal in primals]

    return result, arrays, pullback


def jvp(fun, primals, tangents, *, strong_zero=False):
    """The result of fun at the primals, and the product of its derivative and the tangents.

    primals and tangents are lists with an item for each argument. strong_zero: as of
    value_and_grad, for tangents of 0.

    >>> jg.jvp(jg.sin, [jg.array([0.0])], [jg.array([2.0])])
    ([array([0.], dtype=float32)], [array([2.], dtype=float32)])
    """
    _check_function("jvp", fun)
    primals = _core._tree_copy(_as_list("jvp", "primals", primals))
    tangents = _as_list("jvp", "tangents", tangents)
    if len(primals) != len(tangents):
        raise ValueError(
            f"[jvp] tangents: has {len(tangents)} items, allowed are {len(primals)}, one for "
            "each of the primals"
        )
    places = [f"primals[{i}]" for i in range(len(primals))]
    result, pushed = _push("jvp", fun, primals, tangents, strong_zero, places)
    return _list_of(result), _list_of(pushed)


def _push(caller, fun, primals, tangents, strong_zero, places):
    like = _leaves_of(caller, fun, primals, places)
    vectors = _vectors(caller, "tangents", tangents, primals, like)
    tracing, _, result, tree, outputs = _run_traced(caller, fun, primals, strong_zero, places)
    pushed = _with_zeros(tracing.push(outputs, vectors), outputs)
    return result, _fill(tree, iter(pushed))


def linearize(fun, *primals, strong_zero=False):
    """The result of fun at the primals, and its derivative there: a function of tangents.

    The function is traced once, and each product builds the derivative alone. strong_zero: as of
    jvp.

    >>> value, slope = jg.linearize(jg.sin, jg.array([0.0]))
    >>> slope(jg.array([3.0]))
    array([3.], dtype=float32)
    """
    _check_function("linearize", fun)
    places = [f"argument {i}" for i in range(len(primals))]
    primals = _core._tree_copy(list(primals))
    tracing, arrays, result, tree, outputs = _run_traced(
        "linearize", fun, primals, strong_zero, places
    )

    def slope(*tangents):
        if len(tangents) != len(primals):
            raise ValueError(
                f"[linearize] tangents: got {len(tangents)}, allowed are {len(primals)}"
            )
        vectors = _vectors("linearize", "tangents", tangents, primals, arrays)
        pushed = _with_zeros(tracing.tangents(outputs, vectors), outputs)
        return _fill(tree, iter(pushed))

    return result, slope
