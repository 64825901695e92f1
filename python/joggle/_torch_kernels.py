# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of torch's autograd."""

import functools
import inspect
import itertools

import torch

from joggle._kernel.derivatives import ReadOnly
from joggle._kernel.kernel import Kernel
from joggle._kernel.value.parameters import Scalar


def of_kernel(kernel, outputs, adjoint):
    """The function of tensors; `joggle.torch.function` documents it."""
    plan = _Plan(kernel, _makers(kernel, outputs), adjoint)
    apply = _autograd_function(plan).apply

    @functools.wraps(kernel.function)
    def call(*args, **kwargs):
        found = apply(*plan.inputs_of(args, kwargs))
        return found[0] if len(found) == 1 else found

    return call


def _makers(kernel, outputs):
    """The outputs by name, with what says how each is made; None: like the first tensor."""
    names = [outputs] if isinstance(outputs, str) else outputs
    makers = dict(names) if isinstance(names, dict) else dict.fromkeys(names)
    for name in makers:
        if name not in kernel.parameters:
            raise ValueError(f"outputs: got {name!r}, allowed are {list(kernel.parameters)}")
    return makers


class _Plan:
    """The state that is the same for all calls of a function."""

    def __init__(self, kernel, makers, adjoint):
        self.kernel, self.makers, self.adjoint = kernel, makers, adjoint
        self.names = list(kernel.parameters)
        self.inputs = [name for name in self.names if name not in makers]
        parameters = [p for n, p in kernel.signature.parameters.items() if n in self.inputs]
        self.signature = kernel.signature.replace(parameters=parameters, return_annotation=None)
        self.adjoint_names = None if adjoint is None else _adjoint_names(adjoint, self.names)

    def inputs_of(self, args, kwargs):
        """The inputs in order, with defaults: autograd takes no keywords."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, x in bound.arguments.items():
            self._refuse_number(name, x)
        return bound.arguments.values()

    def _refuse_number(self, name, x):
        """Refuses a tensor for a number of the kernel, by which the adjoint has no derivative."""
        is_number = isinstance(self.kernel.parameters[name], Scalar)
        if self.adjoint is None and is_number and getattr(x, "requires_grad", False):
            raise TypeError(
                f"[torch.function] {self.kernel.__name__}: argument {name} is a number of the "
                "kernel and requires a gradient, which it cannot have; allowed are "
                f"{name}.detach(), and as the kernel's parameter an array of one element"
            )

    def make_outputs(self, given):
        """The output tensors by name, from the inputs by name."""
        return {name: self._made(maker, given) for name, maker in self.makers.items()}

    def _made(self, maker, given):
        first = next((x for x in given.values() if isinstance(x, torch.Tensor)), None)
        if callable(maker):
            return maker(*given.values()).detach()
        if first is None:
            raise TypeError(f"{self.kernel.__name__}: got no tensor, allowed is at least one")
        if isinstance(maker, str):
            first, maker = given[maker], None
        return first.new_zeros(first.shape if maker is None else maker)

    def run(self, named):
        args = [named[name] for name in self.names]
        if self.adjoint is None:
            self._refuse_lost(args, [named[name] for name in self.makers])
        self.kernel(*args)

    def _refuse_lost(self, args, outputs):
        """Refuses a floating array that the kernel writes and that is no output: the gradient of
        what is read from it later would be lost."""
        for name, x in self.kernel.written(args, self.makers.keys()):
            if _is_float(x) and not any(x is output for output in outputs):
                raise ValueError(
                    f"[torch.function] {self.kernel.__name__}: the kernel writes {name!r}, which "
                    f"would have no gradient; allowed are floats among outputs, got "
                    f"{list(self.makers)}, and an adjoint of your own"
                )

    def run_adjoint(self, named, gradients):
        """Adds to the gradients of the inputs, by name, from those of the outputs."""
        if self.adjoint is None:
            args = tuple(named[name] for name in self.names)
            # Companions are found by identity; all tensors were detached, so each is an object of
            # its own. Gradients of outputs belong to autograd and must not be changed.
            by_object = {
                id(named[name]): ReadOnly(x, x.clone) if name in self.makers else x
                for name, x in gradients.items()
            }
            self.kernel.grad.run(args, lambda x: by_object.get(id(x)))
            return
        named = dict(named, **{f"{name}_grad": x for name, x in gradients.items()})
        for name in self.inputs:
            if f"{name}_grad" in self.adjoint_names and f"{name}_grad" not in named:
                named[f"{name}_grad"] = named[name].new_zeros(named[name].shape)
        self.adjoint(*(named[name] for name in self.adjoint_names))

    def shares(self, ctx, needed, output_gradients):
        """The gradients of the inputs that need one, by name."""
        saved = zip(ctx.tensors, ctx.saved_tensors, strict=True)
        named = dict(ctx.numbers, **{name: x.detach() for name, x in saved})
        gradients = {}
        for name, x in zip(self.makers, output_gradients, strict=True):
            if named[name].is_floating_point():
                gradients[name] = x.detach()
        for name in needed:
            gradients[name] = torch.zeros_like(named[name])
        self.run_adjoint(named, gradients)
        return {name: gradients[name] for name in needed}


def _adjoint_names(adjoint, names):
    """The parameters of an adjoint that was given."""
    allowed = [*names, *(f"{name}_grad" for name in names)]
    signature = adjoint.signature if isinstance(adjoint, Kernel) else inspect.signature(adjoint)
    for name in signature.parameters:
        if name not in allowed:
            raise ValueError(f"adjoint: got parameter {name!r}, allowed are {allowed}")
    return list(signature.parameters)


def _is_float(x):
    return x.is_floating_point() if isinstance(x, torch.Tensor) else "float" in str(x.dtype)


def _autograd_function(plan):
    class KernelFunction(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            # Detached: kernels take memory, and torch exports none that requires a gradient.
            plain = [x.detach() if isinstance(x, torch.Tensor) else x for x in inputs]
            given = dict(zip(plan.inputs, plain, strict=True))
            made = plan.make_outputs(given)
            named = {**given, **made}
            plan.run(named)
            ctx.tensors = [name for name, x in named.items() if isinstance(x, torch.Tensor)]
            saved = {**dict(zip(plan.inputs, inputs, strict=True)), **made}
            ctx.save_for_backward(*(saved[name] for name in ctx.tensors))
            ctx.numbers = {name: x for name, x in named.items() if name not in ctx.tensors}
            ctx.mark_non_differentiable(*(x for x in made.values() if not x.is_floating_point()))
            return tuple(made.values())

        @staticmethod
        def backward(ctx, *output_gradients):
            needed = list(itertools.compress(plan.inputs, ctx.needs_input_grad))
            with torch.no_grad():
                shares = plan.shares(ctx, needed, output_gradients)
            if torch.is_grad_enabled():
                reasons = (*ctx.saved_tensors, *output_gradients)
                found = _Once.apply(plan.kernel.__name__, len(needed), *shares.values(), *reasons)
                shares = dict(zip(needed, found, strict=True))
            return tuple(shares.get(name) for name in plan.inputs)

    KernelFunction.__name__ = plan.kernel.__name__
    return KernelFunction


class _Once(torch.autograd.Function):
    """The first tensors as they are, which depend on all of them and cannot be differentiated."""

    @staticmethod
    def forward(ctx, name, count, *tensors):
        ctx.name = name
        return tuple(x.view_as(x) for x in tensors[:count])

    @staticmethod
    def backward(ctx, *gradients):
        raise NotImplementedError(
            f"[torch.function] {ctx.name}: kernels have first derivatives alone, and a second one "
            "was asked for"
        )
