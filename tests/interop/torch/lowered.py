# SPDX-License-Identifier: Apache-2.0
"""Runs functions of tensors through the backend's table, without Dynamo; torch's own samples."""

import os
import sys
import types
import unittest

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten

from joggle._torch.backend import decompositions
from joggle._torch.run import Graph

# torch's samples import setuptools, which takes distutils for its own unless it is told not to;
# another package may have imported that before. They import expecttest for a class that they do
# not use. The variable goes again: processes that other tests start would inherit it and warn.
os.environ["SETUPTOOLS_USE_DISTUTILS"] = "stdlib"
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

del os.environ["SETUPTOOLS_USE_DISTUTILS"]

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool)


def samples_of(op, dtype, requires_grad=False):
    torch.manual_seed(0)
    return list(op.sample_inputs("cpu", dtype, requires_grad=requires_grad))


def lowered(function, args, kwargs, with_gradients=False):
    """What torch gives, what the backend gives, and the backend's graph."""
    flat, spec = tree_flatten((args, kwargs))
    at = [i for i, x in enumerate(flat) if isinstance(x, torch.Tensor)]
    tensors = [flat[i] for i in at]

    def call(*given):
        leaves = list(flat)
        for i, x in zip(at, given, strict=True):
            leaves[i] = x
        found = tree_flatten(
            function(*tree_unflatten(leaves, spec)[0], **tree_unflatten(leaves, spec)[1])
        )
        outputs = [x for x in found[0] if isinstance(x, torch.Tensor)]
        return _gradients(outputs, given) if with_gradients else outputs

    wanted = call(*tensors)
    functional = torch.func.functionalize(call, remove="mutations")
    module = make_fx(
        call if with_gradients else functional,
        decomposition_table=decompositions(),
        tracing_mode="fake",
    )(*tensors)
    graph = Graph(module, "test")
    found = [x for x in graph(list(tensors)) if isinstance(x, torch.Tensor)]
    return wanted, found, graph


def _gradients(outputs, inputs):
    """Those of a sum in which each element has another weight."""
    outputs = [x for x in outputs if x.requires_grad]
    inputs = [x for x in inputs if x.requires_grad]
    total = sum(
        (x * torch.linspace(0.5, 1.5, x.numel(), dtype=x.dtype).view(x.shape)).sum()
        for x in outputs
    )
    return [x for x in torch.autograd.grad(total, inputs, allow_unused=True) if x is not None]


def compare(found, wanted, has_strides=True):
    """The same values, dtypes and shapes, and the same strides where something tells them."""
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b.detach(), equal_nan=True)
        strides = zip(a.stride(), b.stride(), b.shape, strict=True)
        assert (
            not has_strides
            or b.numel() == 0
            or all(s == t for s, t, extent in strides if extent > 1)
        ), f"strides {a.stride()}, torch has {b.stride()}"


__all__ = ["DTYPES", "compare", "lowered", "op_db", "samples_of"]
