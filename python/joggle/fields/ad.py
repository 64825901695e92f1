# SPDX-License-Identifier: Apache-2.0
"""Derivatives over several kernels: tapes, forward mode, derivatives given by hand.

docs/derivatives.md tells what kernels may do to be derived, and what is refused.
"""

import functools
import math
from contextlib import contextmanager

from joggle._fields.field import Field, Storage, with_gradients, with_tangents
from joggle._kernel.derivatives import is_torch, modes, suspended, tangent_of

__all__ = ["FwdMode", "Tape", "clear_all_gradients", "grad_for", "grad_replaced", "no_grad"]


def clear_all_gradients():
    """Sets the gradients of all fields to zero."""
    for field in list(with_gradients):
        if isinstance(field, Field) and not field._is_lost and field.shape is not None:
            field.grad.fill(0)


class _Mode:
    """A context that calls of kernels go through while it is entered."""

    entered = False

    @contextmanager
    def _entering(self):
        """Enters the mode around what it begins with. A failure there leaves it again: Python does
        not call __exit__ then."""
        self._enter()
        try:
            yield
        except BaseException:
            modes.active = None
            raise

    def _enter(self):
        if self.entered:
            raise RuntimeError(f"{type(self).__name__}: it can be entered once")
        if modes.active is not None:
            raise RuntimeError(
                f"{type(self).__name__}: inside another {type(modes.active).__name__}"
            )
        self.entered = True
        modes.active = self


class Tape(_Mode):
    """Remembers the kernels that its thread runs inside, and at the end runs their adjoints from
    the last to the first, from a loss of one element whose gradient is 1.

    Gradients of fields are set to zero at the beginning unless clear_gradients=False, and so is the
    loss. grad_check lists fields of float64 whose gradients are compared with finite differences.
    validation, which takes time and memory, raises AssertionError where a kernel overwrites what
    the adjoint of an earlier one needs.
    """

    # RuntimeError where it is entered: twice, inside another mode, or with a loss that has several
    # elements or no gradient. AssertionError at its end: a gradient differs by more than a percent.
    def __init__(self, loss=None, clear_gradients=True, validation=False, grad_check=None):
        if loss is not None and not isinstance(loss, Storage) and not is_torch(loss):
            raise TypeError(f"loss: got {loss!r}, allowed are fields and tensors of torch")
        self.loss, self.clear_gradients = loss, clear_gradients
        self.grad_check = list(grad_check or ())
        self.calls, self.gradient_evaluated = [], False
        self.validation, self.kept = validation, {}  # by the place of the call

    def __enter__(self):
        if self.loss is not None:
            _check_loss(self.loss)
        with self._entering():
            if self.clear_gradients:
                clear_all_gradients()
            if self.loss is not None:
                _fill(self.loss, 0)
            self._before = [field.to_numpy() for field in self.grad_check]
        return self

    def __exit__(self, kind, value, traceback):
        modes.active = None
        if kind is None and self.loss is not None:
            self.grad()
            _check_gradients(self)

    def run(self, kernel, args, kwargs):
        """A call of a kernel inside."""
        self.insert(kernel, args, kwargs)
        place = len(self.calls) - 1
        with suspended():
            result = kernel(*args, **kwargs)
        if self.validation:
            from joggle.fields._validation import Kept  # needs NumPy

            self.kept[place] = Kept(args, kwargs)
        return result

    def insert(self, function, args=(), kwargs=None):
        """Records a call of a kernel or function that has a gradient."""
        self.calls.append((function, tuple(args), dict(kwargs or {})))

    def grad(self):
        """Runs the adjoints. Happens by itself at the end if there is a loss."""
        if not self.entered or self.gradient_evaluated:
            raise RuntimeError("Tape.grad: allowed once, after the tape was entered")
        self.gradient_evaluated = True
        if self.loss is not None:
            _seed(self.loss)
        with suspended():
            for place in reversed(range(len(self.calls))):
                function, args, kwargs = self.calls[place]
                if place in self.kept:
                    self.kept[place].run(function, args, kwargs)
                else:
                    function.grad(*args, **kwargs)


def _check_loss(loss):
    if isinstance(loss, Storage):
        count = 1
        for extent in (*loss.shape, *(loss.element_shape or ())):
            count *= extent
        has_gradient, hint = loss.has_grad(), "make it with needs_grad=True"
    else:
        count, has_gradient, hint = loss.numel(), loss.requires_grad, "set requires_grad"
    if count != 1 or (isinstance(loss, Field) and loss.shape != ()):
        what = "() and scalars" if isinstance(loss, Field) else "one element"
        raise RuntimeError(f"loss: got shape {tuple(loss.shape)}, allowed is {what}")
    if not has_gradient:
        raise RuntimeError(f"loss: it has no gradient, {hint}")


def _fill(x, value):
    x.detach().fill_(value) if is_torch(x) else x.fill(value)


def _seed(loss):
    if is_torch(loss) and loss.grad is None:
        loss.grad = loss.detach().new_zeros(loss.shape)
    _fill(loss.grad, 1)


def _check_gradients(tape):
    """Compares a directional derivative for each field of grad_check with a central difference."""
    if not tape.grad_check:
        return
    # The best of several steps counts: large ones suffer from curvature, small ones from rounding.
    import numpy as np

    random = np.random.default_rng(0)
    after = [field.to_numpy() for field in tape.grad_check]
    for field, start in zip(tape.grad_check, tape._before, strict=True):
        direction = random.random(start.shape)
        expected = float(np.sum(field.grad.to_numpy() * direction))
        errors = [
            abs(_difference(tape, field, direction, step) - expected)
            for step in 10.0 ** -np.arange(2, 8)
        ]
        if min(errors) > 0.01 * max(abs(expected), 1e-12):
            raise AssertionError(
                f"grad_check: the gradient of {field!r} says {expected}, finite differences "
                f"differ by {min(errors)}"
            )
    for field, value in zip(tape.grad_check, after, strict=True):
        field.from_numpy(value)


def _difference(tape, field, direction, step):
    return (_loss_at(tape, field, direction, step) - _loss_at(tape, field, direction, -step)) / (
        2 * step
    )


def _loss_at(tape, field, direction, step):
    for each, start in zip(tape.grad_check, tape._before, strict=True):
        each.from_numpy(start + step * direction if each is field else start)
    _fill(tape.loss, 0)
    with suspended():
        for function, args, kwargs in tape.calls:
            function(*args, **kwargs)
    return float(tape.loss.to_numpy().reshape(()))


class FwdMode(_Mode):
    """Kernels inside take tangents along: what seed says for param, a field of scalars, gives
    loss.dual for each loss. seed has a number for each element; one for all if there is one."""

    def __init__(self, loss, param, seed=None, clear_gradients=True):
        self.loss = list(loss) if isinstance(loss, (list, tuple)) else [loss]
        self.param, self.clear_gradients = param, clear_gradients
        self.seed = self._checked(seed)

    def _checked(self, seed):
        for field in (self.param, *self.loss):
            if not isinstance(field, Storage) or field.element_shape:
                raise TypeError(
                    f"FwdMode: got {type(field).__name__}, allowed are fields of scalars"
                )
        count = math.prod(self.param.shape)
        if seed is None and count != 1:
            raise RuntimeError(f"seed: got none for {count} elements, allowed is a number for each")
        seed = [1.0] if seed is None else list(seed)
        if len(seed) not in (1, count):
            raise ValueError(
                f"seed: got {len(seed)} numbers for {count} elements, allowed is one for each"
            )
        return seed

    def __enter__(self):
        with self._entering():
            if self.clear_gradients:
                for field in list(with_tangents):
                    if not field._is_lost:
                        field.dual.fill(0)
            for field in self.loss:
                tangent_of(field)
            self._seed(self.seed)
        return self

    def _seed(self, seed):
        tangent = tangent_of(self.param)
        if len(seed) == 1:
            tangent.fill(seed[0])
        else:
            import numpy as np

            values = np.asarray(seed, np.float64).reshape(self.param.shape)
            tangent.from_numpy(values.astype(tangent.dtype.name))

    def __exit__(self, *_):
        modes.active = None
        tangent_of(self.param).fill(0)

    def run(self, kernel, args, kwargs):
        """A call of a kernel inside."""
        with suspended():
            return kernel.dual(*args, **kwargs)


def grad_replaced(function):
    """Marks a function whose gradient another function computes, which grad_for marks. A tape
    remembers the call of it and none of those inside."""

    @functools.wraps(function)
    def replaced(*args, **kwargs):
        if isinstance(modes.active, Tape):
            modes.active.insert(replaced, args, kwargs)
        with suspended():
            return function(*args, **kwargs)

    replaced.grad = None
    return replaced


def grad_for(primal):
    """Marks the gradient of a function that grad_replaced has marked; it is called with the same
    arguments. Raises RuntimeError for a function that is not marked, or has a gradient."""
    if not hasattr(primal, "grad"):
        name = getattr(primal, "__name__", repr(primal))
        raise RuntimeError(f"grad_for: {name} is not marked with grad_replaced")
    if primal.grad is not None:
        raise RuntimeError(
            f"grad_for: {primal.__name__} has a gradient already; allowed are functions of Python "
            "that grad_replaced has marked"
        )

    def decorator(function):
        primal.grad = function
        return function

    return decorator


def no_grad(function):
    """Marks a function whose calls a tape does not record."""
    replaced = grad_replaced(function)
    replaced.grad = lambda *args, **kwargs: None
    return replaced
