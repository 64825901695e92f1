# SPDX-License-Identifier: Apache-2.0
"""Matrices of derivatives, by JAX's names: derivatives times all unit vectors at once."""

import functools
import itertools

from joggle import _core
from joggle._transforms import (
    _COMPLEX,
    _argument_numbers,
    _check_function,
    _leaves_of,
    _name_of,
    _pull,
    _push,
)
from joggle._vmap import vmap
from joggle.utils import _fill, _leaves

__all__ = ["hessian", "jacfwd", "jacrev"]


def _basis(x):
    """The unit vectors of x's space, stacked, of shape (size, *shape)."""
    unit = _core.eye(x.size, dtype=x.dtype, device=x.device)
    return _core.reshape(unit, (x.size, *x.shape))


def _for_each(function, out_axes=0):
    """The function of all unit vectors at once; it draws the same numbers for each."""
    return vmap(function, out_axes=out_axes, randomness="same")


def _one_argument(caller, argnums):
    numbers, _, single = _argument_numbers(caller, argnums, ())
    return numbers, single


def _partial(fun, args, kwargs, numbers):
    """fun of the arguments with these numbers, and their path, for messages."""

    @functools.wraps(fun, assigned=("__name__",), updated=())
    def of_some(*some):
        whole = list(args)
        for number, x in zip(numbers, some, strict=True):
            whole[number] = x
        return fun(*whole, **kwargs)

    return of_some, [f"argument {number}" for number in numbers]


def _check_positions(caller, fun, args, numbers):
    if max(numbers) >= len(args):
        raise ValueError(
            f"[{caller}] {_name_of(fun)}: argnums has {max(numbers)}, and the function was called "
            f"with {len(args)} positional arguments, allowed are their numbers"
        )


def _rows(row, output, arrays):
    """The results of row for all unit vectors of output, for each of arrays, as derivatives. The
    cotangents of complex results are conjugates of the derivatives; real arguments keep the real
    part."""
    basis = _basis(output)
    stacked = _for_each(row)(basis)
    if output.dtype not in _COMPLEX:
        return stacked
    of_real = [x.dtype not in _COMPLEX for x in arrays]
    imaginary = _for_each(row)(basis * 1j) if any(of_real) else stacked
    return [
        x + y * 1j if is_real else _core.conj(x)
        for x, y, is_real in zip(stacked, imaginary, of_real, strict=True)
    ]


def jacrev(fun, argnums=0, *, strong_zero=False):
    """A function that gives the derivative of fun as an array, row by row, by reverse mode.

    Its shape is that of fun's result, followed by that of the argument. Trees of results and of
    arguments give trees of arrays. Complex results of complex arguments have to be holomorphic; of
    real results it is the gradient. strong_zero: as of value_and_grad.

    >>> jg.jacrev(lambda x: x * x)(jg.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    return _jacrev("jacrev", fun, argnums, strong_zero)


def _jacrev(caller, fun, argnums, strong_zero):
    def find(inner, primals, places):
        result, arrays, pull = _pull(caller, inner, primals, strong_zero, places)
        outputs = [leaf for _, leaf in _leaves(result)]

        def rows(index, output):
            def row(vector):
                pulled = pull([vector if i == index else None for i in range(len(outputs))])
                return [leaf for _, leaf in _leaves(pulled)]

            stacked = _rows(row, output, arrays)
            shaped = [_core.reshape(x, (*output.shape, *x.shape[1:])) for x in stacked]
            return _fill(primals, iter(shaped))

        return result, (rows(i, output) for i, output in enumerate(outputs))

    return _jacobian(caller, fun, argnums, find)


def _jacobian(caller, fun, argnums, find):
    """The function of fun's arguments that has for each array of fun's result a tree of derivatives
    in the chosen arguments. find(inner, primals, places) gives that result, and for each of its
    arrays a list of such trees, one for each argument; inner and places are as of _partial."""
    _check_function(caller, fun)
    numbers, single = _one_argument(caller, argnums)

    @functools.wraps(fun, updated=())
    def jacobian(*args, **kwargs):
        _check_positions(caller, fun, args, numbers)
        primals = _core._tree_copy([args[number] for number in numbers])
        inner, places = _partial(fun, args, kwargs, numbers)
        result, found = find(inner, primals, places)
        return _fill(result, (trees[0] if single else tuple(trees) for trees in found))

    return jacobian


def jacfwd(fun, argnums=0, *, strong_zero=False):
    """The same as jacrev, column by column, by forward mode.

    >>> jg.jacfwd(lambda x: x * x)(jg.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    return _jacfwd("jacfwd", fun, argnums, strong_zero)


def _jacfwd(caller, fun, argnums, strong_zero):
    def find(inner, primals, places):
        def push(vectors):
            tangents = _fill(primals, iter(vectors))
            return _push(caller, inner, primals, tangents, strong_zero, places)

        leaves = _leaves_of(caller, fun, primals, places)
        columns = [_columns(push, leaves, index) for index in range(len(leaves))]
        result = columns[-1][0] if columns else inner(*primals)
        parts = [part for _, part in columns]
        of_outputs = zip(*parts, strict=True) if parts else itertools.repeat(())
        return result, (_fill(primals, iter(of_output)) for of_output in of_outputs)

    return _jacobian(caller, fun, argnums, find)


def _columns(push, leaves, index):
    """The result of fun, and for each array in it the derivative in one of the leaves. push
    computes it for all unit vectors of the leaf at once."""
    result, leaf = None, leaves[index]

    def column(vector):
        nonlocal result
        vectors = [vector if i == index else _core.zeros_like(x) for i, x in enumerate(leaves)]
        result, tangents = push(vectors)
        return [x for _, x in _leaves(tangents)]

    stacked = _for_each(column, out_axes=-1)(_basis(leaf))
    return result, [_core.reshape(x, (*x.shape[:-1], *leaf.shape)) for x in stacked]


def hessian(fun, argnums=0, *, strong_zero=False):
    """A function that gives the second derivatives of fun, forward over reverse. strong_zero: as of
    value_and_grad, for both.

    >>> jg.hessian(lambda x: jg.sum(x * x * x))(jg.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    rows = _jacrev("hessian", fun, argnums, strong_zero)
    return _jacfwd("hessian", rows, argnums, strong_zero)
