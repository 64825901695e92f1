# SPDX-License-Identifier: Apache-2.0
"""What functions of joggle.random are given, checked: shapes, axes, parameters of distributions.
Each takes the function's name first, for its messages."""

from joggle import _core, _errors
from joggle._integers import integer_of

__all__ = ["check_axis", "extents_of", "positive", "shape_of", "slices_of"]


def extents_of(name, shape):
    """A shape, for which one integer may stand, as a tuple."""
    extent = integer_of(shape)
    try:
        return tuple(shape) if extent is None else (extent,)
    except TypeError:
        raise TypeError(
            f"[random_{name}] shape: got {shape!r}, allowed are an int and a tuple of ints"
        ) from None


def slices_of(name, argument, x, axis, stream=None):
    """x as an array with that axis; the numbers from 0 to x - 1 for an integer."""
    count = integer_of(x)
    if count is not None and count < 0:
        raise ValueError(f"[random_{name}] {argument}: got {count}, allowed are numbers from 0 on")
    x = _core.asarray(x, stream=stream) if count is None else _core.arange(count, stream=stream)
    check_axis(name, argument, x, axis)
    return x


def check_axis(name, argument, x, axis):
    if x.ndim == 0:
        raise _errors.axis_error(f"[random_{name}] {argument}: has no axes, allowed is one or more")
    if not -x.ndim <= axis < x.ndim:
        raise _errors.axis_error(
            f"[random_{name}] axis: got {axis}, allowed is {-x.ndim} to {x.ndim - 1}"
        )


def positive(name, argument, x, dtype):
    """A parameter in the dtype of the draws; ValueError for a number that is not above 0."""
    if isinstance(x, (int, float)) and not x > 0:
        raise ValueError(f"[random_{name}] {argument}: got {x}, allowed is more than 0")
    return _core.asarray(x, dtype=dtype)


def shape_of(name, shape, **parameters):
    """The shape of the draws: that of the parameters, broadcast, or the one that is given, to which
    they have to broadcast, as each element is a draw of its own."""
    if shape is None:
        return _core.broadcast_arrays(*parameters.values())[0].shape
    shape = extents_of(name, shape)
    for argument, x in parameters.items():
        pairs = zip(reversed(x.shape), reversed(shape), strict=False)
        if x.ndim > len(shape) or any(extent not in (1, whole) for extent, whole in pairs):
            raise ValueError(
                f"[random_{name}] {argument}: has shape {x.shape}, allowed are those that "
                f"broadcast to shape, {shape}"
            )
    return shape
