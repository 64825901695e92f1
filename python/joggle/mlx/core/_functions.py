# SPDX-License-Identifier: Apache-2.0
"""Functions that are joggle's with other dtypes: Python's ints are int32, sums of integers have 32
bits, indices are uint32. The extension makes them of its own functions
(python/src/op/narrowed.c), so that they cost no call of Python."""

import joggle
from joggle import _core
from joggle.mlx.core import _otherwise

# The treatment of integers of 64 bits in the results, and the functions that have it.
_RESULTS = {
    "kept": "add addmm allclose arange array_equal broadcast_arrays broadcast_to "
    "concatenate concat contiguous diag diagonal diff einsum equal expand_dims flatten flip full "
    "full_like gather_mm identity isclose isfinite isinf isnan kron logical_and logical_not "
    "logical_or logical_xor moveaxis multiply not_equal outer pad permute_dims put_along_axis "
    "repeat reshape roll slice_update sort partition split square squeeze stack stop_gradient "
    "swapaxes take take_along_axis tensordot tile transpose tri tril triu unflatten unstack where "
    "zeros_like ones_like atleast_1d atleast_2d atleast_3d nan_to_num negative bitwise_and "
    "bitwise_or bitwise_xor bitwise_invert clip divide "
    # those that refuse bools or complex numbers
    "abs ceil conj conjugate floor imag positive real round sign trunc subtract power pow "
    "remainder floor_divide divmod left_shift right_shift bitwise_left_shift "
    "bitwise_right_shift maximum minimum max min minmax greater greater_equal less less_equal "
    "erf erfinv from_fp8 sigmoid to_fp8 "
    "degrees radians isneginf isposinf matmul inner cummax cummin arctan2 atan2 logaddexp "
    "logcumsumexp logsumexp median softmax",
    "indices": "argmax argmin argsort argpartition searchsorted",
    "counts": "count_nonzero",
    "sums": "sum prod trace",
    "own": "cumsum",
    "products": "cumprod",
}


def _all():
    for results, names in _RESULTS.items():
        for name in names.split():
            yield name, _core._narrowed(getattr(joggle, name), results, _otherwise.of(name))


def follow_in_methods():
    """Gives operators and methods of arrays MLX's meaning, for good."""
    functions = {name: globals()[name] for names in _RESULTS.values() for name in names.split()}
    methods = {
        name: (results, _otherwise.of(name))
        for results, names in _RESULTS.items()
        for name in names.split()
        if callable(vars(joggle.array).get(name))  # real and imag are attributes
    }
    methods = {name: dtypes for name, dtypes in methods.items() if dtypes != ("kept", None)}
    _core._follow_mlx(methods, functions)


globals().update(_all())
cumulative_sum, cumulative_prod = (globals()[name] for name in ("cumsum", "cumprod"))
__all__ = ["cumulative_prod", "cumulative_sum", *" ".join(_RESULTS.values()).split()]
