# SPDX-License-Identifier: Apache-2.0
"""torch.compile's backend; programs of torch.export as files; kernels, and functions of arrays, as
functions of torch's autograd; parameters of modules as tensors. torch is imported when a function
is called."""

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def function(kernel, outputs=None, adjoint=None) -> "Callable[..., Any]":
    """A function of torch tensors, made of a function of joggle's arrays or of a kernel.

    A function of arrays takes its arguments, and gives its results, in trees of lists, tuples and
    dicts; what is no tensor passes as it is. Tensors are used in place in both directions. Its
    derivatives, of any order, are those of joggle.grad. It is run at each call; one that
    joggle.compile gave is recorded. In a function that torch.compile takes it is a break of the
    graph. torch's forward mode and the transformations of torch.func refuse it: those of joggle
    belong inside of the function. As torch cannot tell which results its derivatives read, none may
    be changed in place before backward.

    A kernel is run, and its adjoint in backward. kernel: one of joggle.fields. outputs: the names
    of the parameters that it writes; the function makes these, full of zeros, and returns them, and
    takes the other parameters in their order. A name alone means a tensor like the first one that
    the function takes; a dict may give for each name that of the parameter which it is like, a
    shape, or a function of the parameters that makes the tensor. adjoint: what computes the
    gradients in place of what is generated: a kernel or a function whose parameters are those of
    the kernel and their gradients, as x_grad for x.

    Tensors are used in place, whatever their strides, in both directions. They lie on the CPU, in
    dtypes of kernels; outputs have the dtype of the tensor that they are like, and those of floats
    carry gradients. Raises TypeError for what is no kernel, ValueError for an output or a parameter
    of the adjoint that the kernel has not; when it is called, TypeError without any tensor to go
    by, or where a number of the kernel requires a gradient, ValueError where the kernel writes
    floats that are no output, as the gradient of what it reads there would be lost, and what the
    kernel raises. Gradients of gradients raise NotImplementedError.
    """
    from joggle._kernel.kernel import Kernel

    if not isinstance(kernel, Kernel):
        if not callable(kernel):
            raise TypeError(
                f"kernel: got {type(kernel).__name__}, allowed are functions and kernels of "
                "joggle.fields"
            )
        if outputs is not None or adjoint is not None:
            raise TypeError("outputs, adjoint: allowed for kernels alone")
        from joggle import _torch_function

        return _torch_function.of_arrays(kernel)
    if outputs is None:
        raise TypeError("outputs: got None, allowed are names of the kernel's parameters")
    from joggle import _torch_kernels

    return _torch_kernels.of_kernel(kernel, outputs, adjoint)


def backend(module, inputs, **options) -> "Callable[..., Any]":
    """The function that torch.compile(model, backend="joggle") calls: it gives the function that
    runs a graph.

    module: a torch.fx.GraphModule of torch's operators; inputs: tensors like those of its calls.
    The package registers it, so its name needs no import. Raises TypeError for options, of which
    there are none.
    """
    if options:
        raise TypeError(f"[torch.backend] options: got {sorted(options)}, allowed are none")
    from joggle._torch.backend import compile_graph

    return compile_graph(module, inputs)


def compile(model, **settings) -> "Callable[..., Any]":
    """torch.compile(model, backend=joggle.torch.backend, **settings).

    >>> import torch
    >>> add = joggle.torch.compile(lambda x, y: x + y)
    >>> add(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([4., 6.])
    """
    import torch

    return torch.compile(model, backend=backend, **settings)


def explain(model, *args, **kwargs) -> "Any":
    """How the backend runs model(*args, **kwargs), which it calls: an object that prints as text.

    graphs: how many there are; breaks: why Python ran between two of them; parts: how often joggle
    is called in all; fallbacks: (kind of graph, operator, why torch runs it) for each node that
    torch runs.

    >>> import torch
    >>> print(joggle.torch.explain(lambda x: torch.cumprod(x + 1, 0), torch.ones(3)))
    1 graph, 0 breaks, 1 part
    inference: aten.cumprod.default is run by torch: not in the table
    """
    from joggle._torch.explain import explain

    return explain(model, args, kwargs)


def export(file, program, *, metadata=None) -> None:
    """Writes a program of torch.export to a file, for joggle.import_function and C's
    jg_function_load, which need no torch.

    The function takes the tensors of the program's arguments in their order, those by keyword
    last, and gives its results in theirs; parameters, buffers and numbers are part of the file.
    metadata is a text that import_function gives back. Raises ValueError for operators that the
    table lacks, by name, for sizes that change, and for programs that change buffers or arguments.

    >>> import torch
    >>> program = torch.export.export(torch.nn.Softmax(0), (torch.ones(4),))
    >>> joggle.torch.export("softmax.jgf", program)
    >>> jg.import_function("softmax.jgf")(jg.zeros(4))
    (array([0.25, 0.25, 0.25, 0.25], dtype=float32),)
    """
    from joggle._torch.export import export

    export(file, program, metadata)


def parameters(module) -> "dict[str, Any]":
    """The parameters of a joggle.nn.Module as tensors of torch, by their paths, in place.

    What torch changes in them, an optimizer of torch.optim for example, the module has, until it
    is given other arrays: optimizers of joggle make new ones.

    >>> model = jg.nn.Linear(2, 1)
    >>> tensor = joggle.torch.parameters(model)["weight"]
    >>> _ = tensor.fill_(3.0)
    >>> model.weight
    array([[3., 3.]], dtype=float32)
    """
    from joggle import _torch_modules

    return _torch_modules.parameters(module)


def take_parameters(module, source, names=None) -> "Any":
    """Puts the parameters and buffers of a torch.nn.Module in the places of those of module, in
    place, and gives module.

    names is a function that gives torch's name for a path; without it the path is the name, and a
    Sequential's layers are "0", "1", ... as in torch. Weights of convolutions are seen with
    joggle's order of axes, without a copy. Raises TypeError for what is no module, ValueError for
    a parameter that source has not, or has in another shape.

    >>> import torch
    >>> theirs = torch.nn.Linear(2, 1)
    >>> model = joggle.torch.take_parameters(jg.nn.Linear(2, 1), theirs)
    >>> with torch.no_grad():
    ...     _ = theirs.weight.fill_(3.0)
    >>> model.weight
    array([[3., 3.]], dtype=float32)
    """
    from joggle import _torch_modules

    return _torch_modules.take_parameters(module, source, names)
