# SPDX-License-Identifier: Apache-2.0
"""Functions of joggle's arrays as functions of JAX. JAX is imported when a function is made."""

import functools

from joggle import _core
from joggle._transforms import vjp as _vjp
from joggle.utils import _fill, _leaves

__all__ = ["function"]

_MANY_CALLS = 256  # trees and shapes that a function keeps what JAX calls for


def _conjugate(x):
    return _core.conj(x) if x.dtype in (_core.complex64, _core.complex128) else x


def function(fun):
    """A function of JAX's arrays that joggle computes, with reverse derivatives of any order.

    It may be used inside of jax.jit, jax.grad and jax.vmap, which batches it by joggle.vmap;
    forward derivatives (jax.jvp, jax.jacfwd) are refused by JAX, as of all its custom_vjp.
    Arguments, also by keyword, and results are trees of arrays. Unless JAX has 64 bits enabled,
    results of 64 bits are given in 32, as JAX's own. The function is traced without values for the
    shapes of its results, once for each tree and shapes, so these may not depend on values. It
    must have no side effects.
    """
    if not callable(fun):
        raise TypeError(f"[jax.function] fun: got {type(fun).__name__}, allowed is a function")
    name = getattr(fun, "__name__", type(fun).__name__)

    @functools.lru_cache(_MANY_CALLS)
    def flat_of(tree, forms, bits):
        return _Tree(fun, name, tree, forms)

    @functools.wraps(fun)
    def call(*args, **kwargs):
        import jax

        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        made = flat_of(tree, _forms_of(leaves), jax.config.jax_enable_x64)
        return _fill(made.result, iter(made.flat(*leaves)))

    return call


def _forms_of(leaves):
    """Shapes and names of dtypes."""
    from jax import numpy as jnp

    return tuple((jnp.shape(x), str(jnp.result_type(x))) for x in leaves)


class _Tree:
    """The function for arguments of one tree and shapes, as one of a row of arrays."""

    def __init__(self, fun, name, tree, forms):
        self.fun, self.name, self.tree = fun, name, tree
        self.result = None  # the tree of what the function gives, without its arrays
        self.flat = _Flat(self.run, name, forms).call

    def run(self, *arrays):
        import jax

        args, kwargs = jax.tree_util.tree_unflatten(self.tree, arrays)
        result = self.fun(*args, **kwargs)
        outputs = []
        for path, leaf in _leaves(result):
            if not isinstance(leaf, _core.array):
                raise TypeError(
                    f"[jax.function] {self.name}: result{path} is {type(leaf).__name__}, allowed "
                    "are arrays"
                )
            outputs.append(leaf)
        if self.result is None:
            self.result = _fill(result, iter([None] * len(outputs)))
        return outputs


class _Flat:
    """A differentiable function of JAX's arrays from one of a row of ours that gives a list. It is
    one object for all calls, as JAX compiles and keeps what it has not met."""

    def __init__(self, fun, name, forms):
        import jax

        self.fun, self.name, self.forms = fun, name, forms
        self.shapes = _shapes(fun, name, forms)
        self.pullbacks = {}  # by the numbers of the outputs that have cotangents
        self.call = jax.custom_vjp(self._call)
        self.call.defvjp(self._forward, self._backward)

    def _call(self, *leaves):
        import jax

        return jax.pure_callback(self._run, self.shapes, *leaves, vmap_method="expand_dims")

    def _run(self, *leaves):
        """What JAX calls with values: more axes than the function was given are jax.vmap's."""
        import numpy

        arrays = [_core.asarray(x) for x in leaves]
        pairs = zip(arrays, self.forms, strict=True)
        extra = max((x.ndim - len(shape) for x, (shape, _) in pairs), default=0)
        made = _batched(self.fun, arrays, extra)
        pairs = zip(made, self.shapes, strict=True)
        return [numpy.asarray(x).astype(like.dtype, copy=False) for x, like in pairs]

    def _forward(self, *leaves):
        return self.call(*leaves), leaves

    def _backward(self, leaves, cotangents):
        import jax

        outputs = tuple(i for i, g in enumerate(cotangents) if g.dtype != jax.dtypes.float0)
        floats = [i for i, x in enumerate(leaves) if _has_gradient(jax, x)]
        given = [*leaves, *(cotangents[i] for i in outputs)]
        if outputs not in self.pullbacks:
            pull = functools.partial(self._pull, floats, outputs)
            self.pullbacks[outputs] = _Flat(pull, self.name, _forms_of(given)).call
        found = iter(self.pullbacks[outputs](*given))
        return tuple(
            next(found) if i in floats else _no_gradient(jax, x) for i, x in enumerate(leaves)
        )

    def _pull(self, floats, outputs, *arrays):
        """The gradients of the inputs that have one, from the inputs and some outputs' ones."""
        inputs, given = list(arrays[: len(self.forms)]), arrays[len(self.forms) :]

        def of_floats(*some):
            for i, x in zip(floats, some, strict=True):
                inputs[i] = x
            return self.fun(*inputs)

        made, back = _vjp(of_floats, [inputs[i] for i in floats])
        whole = [None] * len(made)
        for i, g in zip(outputs, given, strict=True):
            whole[i] = _conjugate(_core.astype(g, made[i].dtype))
        return [_conjugate(x) for x in back(whole)]  # JAX's cotangents are conjugates of ours


def _has_gradient(jax, x):
    return jax.numpy.issubdtype(jax.numpy.result_type(x), jax.numpy.inexact)


def _no_gradient(jax, x):
    import numpy

    return numpy.zeros(jax.numpy.shape(x), jax.dtypes.float0)


def _shapes(fun, name, forms):
    """Shapes and JAX's dtypes of what the function gives, from a run without values."""
    import jax

    # Numbers cost no memory until they are evaluated, which they never are here.
    like = [_core.zeros(shape, dtype=dtype) for shape, dtype in forms]
    recording, placeholders = _core._recording_begin(name, like)
    try:
        outputs = fun(*placeholders)
        dtypes = [jax.dtypes.canonicalize_dtype(x.dtype.name) for x in outputs]
        return [jax.ShapeDtypeStruct(x.shape, d) for x, d in zip(outputs, dtypes, strict=True)]
    finally:
        _core._recording_abort(recording)


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
