# SPDX-License-Identifier: Apache-2.0
"""Tape(validation=True): finds kernels that overwrite what the adjoint of an earlier one needs.

After each kernel the tape keeps what has a gradient. Before its adjoint runs, what is different by
then is put back, and the adjoint runs with both: the gradients must be the same.
"""

import numpy as np

from joggle._fields.field import Field, Storage, with_gradients
from joggle._kernel.derivatives import gradient_of, is_torch

_TOLERANCES = {2: 1e-2, 4: 1e-4}  # by bytes; the order of parallel sums is free


def _places(args, kwargs):
    """Fields, ndarrays and tensors that have a gradient, the arguments first."""
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, Storage) or is_torch(x)]
    found = {id(x): x for x in (*given, *with_gradients)}
    return [
        x
        for x in found.values()
        if (is_torch(x) and getattr(x, "requires_grad", False))
        or (isinstance(x, Storage) and x.has_grad() and x.shape is not None and not _lost(x))
    ]


def _lost(x):
    """Whether qd.reset() has taken its memory."""
    return isinstance(x, Field) and x._is_lost


def _read(x):
    return x.detach().cpu().numpy().copy() if is_torch(x) else x.to_numpy()


def _write(x, values):
    if is_torch(x):
        x.detach().copy_(x.new_tensor(values))
    else:
        x.from_numpy(values)


def _described(x):
    name = getattr(x, "name", None)
    return name or f"the {type(x).__name__} of shape {tuple(x.shape)}"


def _leaves(values):
    """Structs are dicts, also inside of each other."""
    if isinstance(values, dict):
        return [leaf for item in values.values() for leaf in _leaves(item)]
    return [values]


def _same(first, second):
    return all(
        np.array_equal(a, b, equal_nan=True)
        for a, b in zip(_leaves(first), _leaves(second), strict=True)
    )


def _near(first, second):
    for a, b in zip(_leaves(first), _leaves(second), strict=True):
        largest = max(float(np.max(np.abs(b), initial=0)), 1e-30)
        tolerance = _TOLERANCES.get(a.dtype.itemsize, 1e-8) * largest
        if not np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True):
            return False
    return True


class Kept:
    """An object that has a gradient, as a kernel left it."""

    def __init__(self, args, kwargs):
        self.places = _places(args, kwargs)
        self.values = [_read(x) for x in self.places]

    def run(self, kernel, args, kwargs):
        """Runs the kernel's adjoint. AssertionError if its gradients are others with the values of
        now than with those that the kernel left; they are the latter's then."""
        now = [_read(x) for x in self.places]
        changed = [
            (x, before, after)
            for x, before, after in zip(self.places, self.values, now, strict=True)
            if not _same(before, after)
        ]
        if not changed:
            kernel.grad(*args, **kwargs)
            return
        gradients = [gradient_of(x) for x in self.places]
        start = [_read(x) for x in gradients]
        kernel.grad(*args, **kwargs)
        found = [_read(x) for x in gradients]
        for x, values in zip(gradients, start, strict=True):
            _write(x, values)
        for x, before, _ in changed:
            _write(x, before)
        kernel.grad(*args, **kwargs)
        for x, _, after in changed:
            _write(x, after)
        if not all(_near(a, _read(x)) for a, x in zip(found, gradients, strict=True)):
            names = ", ".join(sorted({_described(x) for x, *_ in changed}))
            raise AssertionError(
                f"Tape: a kernel overwrites what the derivative of the earlier kernel "
                f"{kernel.__name__} needs, of {names}; allowed are other elements, as in "
                "x[t + 1, i] = f(x[t, i])"
            )
