# SPDX-License-Identifier: Apache-2.0
"""Functions of joggle's arrays as functions of JAX. JAX is imported when a function is made."""

import functools

from joggle import _core
from joggle._transforms import jvp as _jvp
from joggle._transforms import vjp as _vjp
from joggle._vmap import vmap as _vmap
from joggle.utils import _fill, _leaves

__all__ = ["function"]

_MANY_CALLS = 256  # combinations of tree and shapes whose _Tree a function keeps


def _conjugate(x):
    return _core.conj(x) if x.dtype in (_core.complex64, _core.complex128) else x


def function(fun):
    """A function of JAX's arrays that joggle computes, with derivatives of any order.

    It may be used inside of jax.jit, jax.grad and jax.jvp, and what JAX makes of them, and of
    jax.vmap, which batches it by joggle.vmap.
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
        leaves = _strong(leaves)
        made = flat_of(tree, _forms_of(leaves), jax.config.jax_enable_x64)
        return _fill(made.result, iter(made.flat.bind(*leaves)))

    return call


def _strong(leaves):
    """The leaves, of which those of JAX's weak types, as Python's numbers are, have the type of the
    other leaves of their kind: our arrays have no weak types."""
    from jax import numpy as jnp

    others = [x for x in leaves if not _is_weak(x)]
    if not others or len(others) == len(leaves):
        return leaves
    return [_cast_weak(x, jnp.result_type(x, *others)) if _is_weak(x) else x for x in leaves]


def _is_weak(x):
    if isinstance(x, (bool, int, float, complex)):
        return not isinstance(x, bool)
    return getattr(x, "weak_type", False)


def _cast_weak(x, dtype):
    from jax import numpy as jnp

    kinds = (jnp.integer, jnp.floating, jnp.complexfloating)
    own = next(kind for kind in kinds if jnp.issubdtype(jnp.result_type(x), kind))
    return jnp.asarray(x, dtype=dtype) if jnp.issubdtype(dtype, own) else x


def _forms_of(leaves):
    """The shape and the name of the dtype of each leaf."""
    from jax import numpy as jnp

    return tuple((jnp.shape(x), str(jnp.result_type(x))) for x in leaves)


class _Tree:
    """A function for arguments of one tree and shapes, as a function of a flat list of arrays."""

    def __init__(self, fun, name, tree, forms):
        self.fun, self.name, self.tree = fun, name, tree
        self.result = None  # the tree of the function's results, with None for arrays
        self.flat = _Flat(self.run, forms, _shapes(self.run, name, forms))

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
    """A function from a flat list of our arrays to another, which JAX's primitive has as parameter.
    All calls use one object, and one for each derivative or batch of it, as JAX compiles anew for
    an object that it has not met."""

    linear = 0  # the number of last arguments in which it is linear

    def __init__(self, fun, forms, shapes):
        self.fun, self.forms, self.shapes = fun, forms, shapes
        self.made = {}  # tangents, gradients and batches of it

    def bind(self, *leaves):
        return _primitive().bind(*leaves, flat=self)

    def call_back(self, *leaves):
        import jax

        return jax.pure_callback(self.run, self.shapes, *leaves)

    def run(self, *leaves):
        """JAX calls this with values."""
        import numpy

        made = self.fun(*[_core.asarray(x) for x in leaves])
        pairs = zip(made, self.shapes, strict=True)
        return [numpy.asarray(x).astype(like.dtype, copy=False) for x, like in pairs]

    def tangents(self, inputs, outputs):
        """The function of the inputs and of tangents of some of them that gives the tangents of
        some outputs. It is linear in the tangents, which are its last arguments."""
        return self._once(_Tangents, inputs, outputs)

    def gradients(self, inputs, outputs):
        """The function of the inputs and of cotangents of some outputs that gives the cotangents of
        some inputs. It is linear in the cotangents, which are its last arguments."""
        return self._once(_Gradients, inputs, outputs)

    def batch(self, axes, size):
        """The function whose outputs have a batch as their first axis. axes: the batch's axis in
        each argument; None for an argument that is the same for the whole batch."""
        return self._once(_Batch, axes, size)

    def _once(self, kind, *key):
        if (kind, key) not in self.made:
            self.made[kind, key] = kind(self, *key)
        return self.made[kind, key]


class _Linear(_Flat):
    """The derivative of a function, as a function of its arguments and of vectors."""

    def __init__(self, base, inputs, outputs, vectors, shapes):
        forms = base.forms + tuple((tuple(x.shape), str(x.dtype)) for x in vectors)
        super().__init__(self._derivative, forms, shapes)
        self.base, self.inputs, self.outputs = base, inputs, outputs
        self.linear = len(vectors)

    def _derivative(self, *arrays):
        arguments, vectors = list(arrays[: -self.linear]), arrays[-self.linear :]

        def of_inputs(*some):
            for i, x in zip(self.inputs, some, strict=True):
                arguments[i] = x
            return self.base.fun(*arguments)

        return self._apply(of_inputs, [arguments[i] for i in self.inputs], vectors)


class _Tangents(_Linear):
    def __init__(self, base, inputs, outputs):
        vectors = [_shape_of(base.forms[i]) for i in inputs]
        super().__init__(base, inputs, outputs, vectors, [base.shapes[i] for i in outputs])

    def _apply(self, fun, primals, tangents):
        _, made = _jvp(fun, primals, list(tangents))
        return [made[i] for i in self.outputs]

    def transposed(self, given, wanted):
        """The function from cotangents of the results numbered in given to those of the vectors
        numbered in wanted."""
        inputs = tuple(self.inputs[i] for i in wanted)
        return self.base.gradients(inputs, tuple(self.outputs[i] for i in given))


class _Gradients(_Linear):
    def __init__(self, base, inputs, outputs):
        vectors = [base.shapes[i] for i in outputs]
        super().__init__(base, inputs, outputs, vectors, [_shape_of(base.forms[i]) for i in inputs])

    def _apply(self, fun, primals, cotangents):
        made, back = _vjp(fun, primals)
        whole = [None] * len(made)
        for i, g in zip(self.outputs, cotangents, strict=True):
            whole[i] = _conjugate(_core.astype(g, made[i].dtype))
        return [_conjugate(x) for x in back(whole)]  # JAX's cotangents are conjugates of ours

    def transposed(self, given, wanted):
        outputs = tuple(self.outputs[i] for i in wanted)
        return self.base.tangents(tuple(self.inputs[i] for i in given), outputs)


class _Batch(_Flat):
    def __init__(self, base, axes, size):
        import jax

        forms = tuple(
            (shape if axis is None else (*shape[:axis], size, *shape[axis:]), dtype)
            for (shape, dtype), axis in zip(base.forms, axes, strict=True)
        )
        shapes = [jax.ShapeDtypeStruct((size, *x.shape), x.dtype) for x in base.shapes]
        super().__init__(_vmap(base.fun, in_axes=axes), forms, shapes)
        self.base, self.axes, self.size = base, axes, size
        self.linear = base.linear

    def transposed(self, given, wanted):
        axes = self.axes[: len(self.axes) - self.linear] + (0,) * len(given)
        return self.base.transposed(given, wanted).batch(axes, self.size)


@functools.cache
def _primitive():
    """JAX's primitive that calls a _Flat, with its rules."""
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    primitive = Primitive("joggle_call")
    primitive.multiple_results = True
    primitive.def_impl(_call)
    primitive.def_abstract_eval(_avals)
    mlir.register_lowering(primitive, mlir.lower_fun(_call, multiple_results=True))
    ad.primitive_jvps[primitive] = _forward
    ad.primitive_transposes[primitive] = _transposed
    batching.primitive_batchers[primitive] = _batched
    return primitive


def _call(*leaves, flat):
    return flat.call_back(*leaves)


def _avals(*leaves, flat):
    import jax

    return [jax.core.ShapedArray(x.shape, x.dtype) for x in flat.shapes]


def _forward(primals, tangents, *, flat):
    import jax
    from jax.interpreters import ad

    results = flat.bind(*primals)
    inputs = tuple(i for i, t in enumerate(tangents) if type(t) is not ad.Zero)
    outputs = tuple(i for i, x in enumerate(flat.shapes) if _has_gradient(x.dtype))
    given = [tangents[i] for i in inputs]
    first = len(primals) - flat.linear
    if flat.linear and min(inputs) >= first:  # a linear function is its own derivative
        vectors = [ad.instantiate_zeros(t) for t in tangents[first:]]
        found = flat.bind(*primals[:first], *vectors)
    elif outputs:
        found = flat.tangents(inputs, outputs).bind(*primals, *given)
    else:
        found = []
    # Results that are left have no derivative.
    whole = [ad.Zero(jax.core.ShapedArray(x.shape, jax.dtypes.float0)) for x in flat.shapes]
    for i, t in zip(outputs, found, strict=True):
        whole[i] = t
    return results, whole


def _transposed(cotangents, *leaves, flat):
    from jax.interpreters import ad

    first = len(leaves) - flat.linear
    given = tuple(i for i, g in enumerate(cotangents) if type(g) is not ad.Zero)
    wanted = tuple(i for i, x in enumerate(leaves[first:]) if ad.is_undefined_primal(x))
    whole = [None] * len(leaves)
    if given:
        found = flat.transposed(given, wanted)
        vectors = [cotangents[i] for i in given]
        for i, g in zip(wanted, found.bind(*leaves[:first], *vectors), strict=True):
            whole[first + i] = g
    return whole


def _batched(leaves, axes, *, flat):
    from jax import numpy as jnp

    size = next(x.shape[d] for x, d in zip(leaves, axes, strict=True) if d is not None)
    first = len(leaves) - flat.linear
    # JAX repeats the vectors, so that it sums over the batch when it transposes this.
    vectors = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(leaves[first:], axes[first:], strict=True)
    ]
    axes = tuple(axes[:first]) + (0,) * flat.linear
    made = flat.batch(axes, size).bind(*leaves[:first], *vectors)
    return made, [0] * len(made)


def _has_gradient(dtype):
    import jax

    return jax.numpy.issubdtype(dtype, jax.numpy.inexact)


def _shape_of(form):
    import jax

    return jax.ShapeDtypeStruct(form[0], jax.numpy.dtype(form[1]))


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
