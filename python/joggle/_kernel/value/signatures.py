# SPDX-License-Identifier: Apache-2.0
"""The parameters of kernels' functions, with Quadrants' names.

A call is bound to them as Python binds one, so that a keyword means its parameter, and one that the
function does not have is refused by its name.
"""

import functools
import inspect

from ..ir.messages import KernelTypeError

_ONE, _TWO, _ATOMIC, _MATRIX = "x", "x1, x2", "x, y", "A, dt=None"

# The parameters of functions that take more than, or something else than, one number x.
PARAMETERS = {
    **dict.fromkeys(("atan2", "bit_shr", "raw_div", "raw_mod"), _TWO),
    **dict.fromkeys(("cross", "dot", "outer_product"), "x, y"),
    **dict.fromkeys(("eig", "make_spd", "polar_decompose", "svd", "sym_eig"), _MATRIX),
    **dict.fromkeys(("ceil", "floor", "round", "trunc"), "x, dtype=None"),
    **dict.fromkeys(("bit_cast", "cast"), "obj, dtype"),
    **dict.fromkeys(("block_local", "cache_read_only", "no_activate", "max", "min"), "*args"),
    **dict.fromkeys(("graph_parallel", "graph_parallel_context", "stream_parallel"), ""),
    **dict.fromkeys(("activate", "deactivate", "is_active", "length"), "node, indices"),
    "append": "node, indices, val",
    "get_addr": "f, indices",
    "assume_in_range": "val, base, low, high",
    "atomic_cas": "x, expected, desired",
    "determinant": "m",
    "graph_do_while": "condition",
    "inverse": "mat",
    "loop_config": "*, block_dim=None, serialize=False, parallelize=None, "
    "block_dim_adaptive=True, bit_vectorize=False, name=None",
    "ndrange": "*args, axes=None",
    "pow": "base, exponent",
    "randn": "dt=None",
    "random": "dtype=float",
    "rescale_index": "a, b, I",
    "select": "cond, x1, x2",
    "solve": "A, b, dt=None",
    "static": "x, *xs",
    "static_assert": "cond, msg=None",
    "static_print": "*args, sep=' ', end='\\n', file=None, flush=False",
    "volatile_load": "target",
}


def parameters_of(name):
    """The parameters of a function of kernels."""
    return PARAMETERS.get(name, _ATOMIC if name.startswith("atomic_") else _ONE)


@functools.cache
def signature_of(parameters):
    """The signature of a function with these parameters, a text as behind the name of a def."""
    return inspect.signature(eval(f"lambda {parameters}: None"))


def bound(name, signature, args, kwargs):
    """The arguments in the order of the parameters, and those after one that was left out.

    Raises TypeError that names the function, the argument and the parameters.
    """
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        allowed = str(signature).strip("()") or "none"
        raise TypeError(f"{name}: {error}; allowed are {allowed}") from None
    return found.args, found.kwargs


def binding(name, signature, handler):
    """A handler that is given its arguments bound: a list of them, and those by keyword alone."""

    def bind_first(lowering, args, kwargs):
        try:
            args, kwargs = bound(name, signature, args, kwargs)
        except TypeError as error:
            raise KernelTypeError(str(error)) from None
        return handler(lowering, list(args), kwargs)

    return bind_first
