# SPDX-License-Identifier: Apache-2.0
"""Functions of joggle's arrays as functions of torch's autograd."""

import functools

import torch

from joggle import _core
from joggle._transforms import vjp
from joggle.utils import _fill, _leaves


def of_arrays(fun):
    """The function of tensors; `joggle.torch.function` documents it."""

    @functools.wraps(fun)
    def call(*args, **kwargs):
        leaves = [leaf for _, leaf in _leaves((args, kwargs))]
        at = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        runner = _Runner(fun, (args, kwargs), leaves, at)
        outputs = _ArrayFunction.apply(runner, *(leaves[i] for i in at))
        return _fill(runner.result, iter(outputs))

    return call


class _Runner:
    """One call: how arrays become the function's arguments, and its result a list of arrays."""

    def __init__(self, fun, trees, leaves, at):
        self.fun, self.trees, self.leaves, self.at = fun, trees, leaves, at
        self.count = len(at)  # of its inputs
        self.result = None  # a tree with a leaf for each output

    def run(self, arrays):
        leaves = list(self.leaves)
        for i, array in zip(self.at, arrays, strict=True):
            leaves[i] = array
        args, kwargs = _fill(self.trees, iter(leaves))
        self.result = self.fun(*args, **kwargs)
        outputs = []
        for path, leaf in _leaves(self.result):
            if not isinstance(leaf, _core.array):
                name = getattr(self.fun, "__name__", type(self.fun).__name__)
                raise TypeError(
                    f"[torch.function] {name}: result{path} is {type(leaf).__name__}, allowed are "
                    "arrays"
                )
            outputs.append(leaf)
        return outputs


class _Pullback:
    """The gradients of a call as a function of its inputs and of the outputs' gradients, which may
    be differentiated again."""

    def __init__(self, runner, needed, count):
        self.runner, self.needed = runner, needed
        self.count = count  # of its inputs: the call's, and a gradient for each of its outputs

    def run(self, arrays):
        inputs, gradients = arrays[: self.runner.count], arrays[self.runner.count :]
        _, pull = _pull_of(self.runner, inputs, self.needed)
        return pull(gradients)


def _pull_of(runner, inputs, needed):
    """The outputs, and a function from their gradients to those of the inputs that need one."""

    def of_needed(*some):
        arrays = list(inputs)
        for i, array in zip(needed, some, strict=True):
            arrays[i] = array
        return runner.run(arrays)

    outputs, pull = vjp(of_needed, [inputs[i] for i in needed])

    def pull_floats(gradients):
        pairs = zip(gradients, outputs, strict=True)
        return pull([g if _has_gradient(x) else None for g, x in pairs])

    return outputs, pull_floats


def _has_gradient(array):
    return _core.isdtype(array.dtype, ("real floating", "complex floating"))


def _to_tensors(arrays, inputs):
    """The arrays as tensors in place; one in the memory of an input, or of an array before it, is
    copied, as torch would not know that they are the same."""
    _core.eval(*arrays)
    spans = [_span(x.untyped_storage()) for x in inputs]
    tensors = []
    for array in arrays:
        tensor = torch.from_dlpack(array)
        start = tensor.data_ptr()
        shared = any(low <= start < high for low, high in spans)
        tensors.append(tensor.clone() if shared else tensor)
        spans.append(_span(tensors[-1].untyped_storage()))
    return tuple(tensors)


def _span(storage):
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _from_tensor(tensor):
    return _core.from_dlpack(tensor.detach())


class _ArrayFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, runner, *tensors):
        inputs = [_from_tensor(x) for x in tensors]
        ctx.runner = runner
        ctx.needed = [
            i for i, x in enumerate(tensors) if ctx.needs_input_grad[i + 1] and _is_float(x)
        ]
        ctx.pull = None
        if ctx.needed:
            outputs, ctx.pull = _pull_of(runner, inputs, ctx.needed)
        else:
            outputs = runner.run(inputs)
        made = _to_tensors(outputs, tensors)
        # Torch raises where one is changed before backward, which may read it: results, too.
        ctx.count = len(tensors)
        ctx.save_for_backward(*tensors, *made)
        ctx.mark_non_differentiable(*(x for x in made if not _is_float(x)))
        return made

    @staticmethod
    def backward(ctx, *gradients):
        tensors = ctx.saved_tensors[: ctx.count]
        again = torch.is_grad_enabled() and any(x.requires_grad for x in (*tensors, *gradients))
        if again:
            pullback = _Pullback(ctx.runner, ctx.needed, len(tensors) + len(gradients))
            found = _ArrayFunction.apply(pullback, *tensors, *gradients)
        else:
            made = ctx.pull([_from_tensor(g) for g in gradients])
            found = _to_tensors(made, gradients)
        given = [None] * (len(tensors) + 1)
        for i, gradient in zip(ctx.needed, found, strict=True):
            given[i + 1] = gradient
        return tuple(given)


def _is_float(tensor):
    return tensor.is_floating_point() or tensor.is_complex()
