# SPDX-License-Identifier: Apache-2.0
"""Functions of joggle's arrays as functions of JAX. JAX is imported when a function is made."""

import functools

from joggle import _core
from joggle._compile import compile as _compile
from joggle._transforms import _conjugate
from joggle._transforms import vjp as _vjp
from joggle.utils import _fill, _leaves

__all__ = ["function"]


def function(fun):
    """A function of JAX's arrays that joggle computes, with reverse derivatives of any order.

    It may be used inside of jax.jit, jax.grad and jax.vmap, which batches it by joggle.vmap;
    forward derivatives (jax.jvp, jax.jacfwd) are refused by JAX, as of all its custom_vjp.
    Arguments and results are trees of arrays. The function is traced without values for the shapes
    of its results, so these may not depend on values. It must have no side effects.
    """
    if not callable(fun):
        raise TypeError(f"[jax.function] fun: got {type(fun).__name__}, allowed is a function")
    name = getattr(fun, "__name__", type(fun).__name__)

    @functools.wraps(fun)
    def call(*args):
        import jax

        leaves, tree = jax.tree_util.tree_flatten(args)
        results = []  # the tree of what fun gives, when it has been traced

        def of_leaves(*arrays):
            result = fun(*jax.tree_util.tree_unflatten(tree, arrays))
            outputs = []
            for path, leaf in _leaves(result):
                if not isinstance(leaf, _core.array):
                    raise TypeError(
                        f"[jax.function] {name}: result{path} is {type(leaf).__name__}, allowed "
                        "are arrays"
                    )
                outputs.append(leaf)
            results[:] = [result]
            return outputs

        found = _flat(of_leaves, name)(*leaves)
        return _fill(results[0], iter(found))

    return call


def _flat(fun, name):
    """A differentiable function of JAX's arrays from one of a row of ours that gives a list."""
    import jax

    compiled = _compile(fun)

    @jax.custom_vjp
    def call(*leaves):
        shapes = _shapes(fun, name, leaves)
        ndims = [jax.numpy.ndim(x) for x in leaves]
        return jax.pure_callback(
            functools.partial(_run, compiled, ndims), shapes, *leaves, vmap_method="expand_dims"
        )

    def forward(*leaves):
        return call(*leaves), leaves

    def backward(leaves, cotangents):
        floats = [i for i, x in enumerate(leaves) if _has_gradient(jax, x)]
        outputs = [i for i, g in enumerate(cotangents) if g.dtype != jax.dtypes.float0]

        def pull(*arrays):
            inputs, given = list(arrays[: len(leaves)]), arrays[len(leaves) :]

            def of_floats(*some):
                for i, x in zip(floats, some, strict=True):
                    inputs[i] = x
                return fun(*inputs)

            made, back = _vjp(of_floats, [inputs[i] for i in floats])
            whole = [None] * len(made)
            for i, g in zip(outputs, given, strict=True):
                whole[i] = _conjugate(g)
            return [_conjugate(x) for x in back(whole)]  # JAX's cotangents are conjugates of ours

        found = iter(_flat(pull, name)(*leaves, *(cotangents[i] for i in outputs)))
        return tuple(
            next(found) if i in floats else _no_gradient(jax, x) for i, x in enumerate(leaves)
        )

    call.defvjp(forward, backward)
    return call


def _has_gradient(jax, x):
    return jax.numpy.issubdtype(jax.numpy.result_type(x), jax.numpy.inexact)


def _no_gradient(jax, x):
    import numpy

    return numpy.zeros(jax.numpy.shape(x), jax.dtypes.float0)


def _shapes(fun, name, leaves):
    """Shapes and dtypes of what the function gives, from a run without values."""
    import jax

    # Numbers cost no memory until they are evaluated, which they never are here.
    like = [_core.zeros(x.shape, dtype=str(x.dtype)) for x in map(jax.numpy.asarray, leaves)]
    recording, placeholders = _core._recording_begin(name, like)
    try:
        outputs = fun(*placeholders)
        return [jax.ShapeDtypeStruct(x.shape, x.dtype.name) for x in outputs]
    finally:
        _core._recording_abort(recording)


def _run(compiled, ndims, *leaves):
    """What JAX calls with values: more axes than the function was given are those of jax.vmap."""
    import numpy

    arrays = [_core.asarray(x) for x in leaves]
    extra = max((x.ndim - n for x, n in zip(arrays, ndims, strict=True)), default=0)
    return [numpy.asarray(x) for x in _batched(compiled, arrays, extra)]


def _batched(fun, arrays, extra):
    if extra == 0:
        return fun(*arrays)
    from joggle._vmap import vmap

    size = max(x.shape[0] for x in arrays)
    axes = tuple(0 if x.shape[0] == size else None for x in arrays)
    plain = [x if axis == 0 else x[0] for x, axis in zip(arrays, axes, strict=True)]
    inner = functools.partial(_inner, fun, extra - 1)
    return vmap(inner, in_axes=axes)(*plain)


def _inner(fun, extra, *arrays):
    return _batched(fun, list(arrays), extra)
