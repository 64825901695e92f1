# SPDX-License-Identifier: Apache-2.0
"""Parameters of joggle.nn modules as tensors of torch, and the other way round, in place."""

from joggle.nn import Module, Sequential
from joggle.nn.layers.convolution import Convolving
from joggle.nn.layers.convolution_transpose import ConvTranspose1d
from joggle.utils import tree_flatten, tree_unflatten

# The base of the transposed convolutions, whose weights torch keeps as (in, out, ...).
_Transposed = ConvTranspose1d.__mro__[1]


def parameters(module):
    """The result of joggle.torch.parameters."""
    import torch

    _is_module("parameters", module)
    return {path: torch.from_dlpack(x) for path, x in tree_flatten(module.parameters())}


def take_parameters(module, source, names):
    """The implementation of joggle.torch.take_parameters."""
    import torch

    import joggle as jg

    _is_module("take_parameters", module)
    if not isinstance(source, torch.nn.Module):
        raise TypeError(
            f"[take_parameters] source: got {type(source).__name__}, allowed is a torch.nn.Module"
        )
    there = {**dict(source.named_parameters()), **dict(source.named_buffers())}
    names = names or _torch_name(module)
    owners = _owners(module)
    taken = []
    for path, own in tree_flatten(module.parameters()):
        name = names(path)
        if name not in there:
            raise ValueError(
                f"[take_parameters] {path}: source has no {name!r}, allowed are sources with it"
            )
        x = jg.from_dlpack(there[name].detach())
        order = _axes_of(owners[path], x.ndim) if path.endswith("weight") else None
        if order is not None:
            x = x.transpose(order)
        if x.shape != own.shape:
            raise ValueError(
                f"[take_parameters] {path}: {name!r} of source has shape {x.shape}, allowed is "
                f"that of the parameter, {own.shape}"
            )
        taken.append((path, x))
    return module.update(tree_unflatten(taken)) if taken else module


def _is_module(name, module):
    if not isinstance(module, Module):
        raise TypeError(
            f"[{name}] module: got {type(module).__name__}, allowed is a joggle.nn.Module"
        )


def _owners(module):
    """The module that each parameter lies in, by the parameter's path."""
    return {
        ".".join(filter(None, (path, name))): inner
        for path, inner in reversed(module.named_modules())
        for name, _ in tree_flatten(inner.parameters())
        if "." not in name
    }


def _axes_of(owner, ndim):
    """The order of torch's axes in a layer's weight, None where it is the same."""
    if not isinstance(owner, Convolving):
        return None
    kernel = range(2, ndim)
    return (1, *kernel, 0) if isinstance(owner, _Transposed) else (0, *kernel, 1)


def _torch_name(module):
    """Paths as torch has them: a Sequential has its layers as members "0", "1", ..."""
    rows = {path for path, inner in module.named_modules() if isinstance(inner, Sequential)}

    def name(path):
        found, walked = [], []
        for part in path.split("."):
            if not (part == "layers" and ".".join(walked) in rows):
                found.append(part)
            walked.append(part)
        return ".".join(found)

    return name
