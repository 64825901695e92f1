# SPDX-License-Identifier: Apache-2.0
"""Sections of a kernel: blocks after `with`, loops after qd.graph.do_while, and indices that are
taken from one field to another."""

import ast
import contextlib

from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..ir.scalar import Scalar
from ..value.array import ArrayValue, RecordArray
from ..value.functions import FUNCTIONS, Function
from ..value.values import Tensor, tensor_of

SECTION = object()  # what `with` takes: its block is part of the enclosing one


def _section(name):
    return Function(name, contextlib.nullcontext, lambda lowering, args, kwargs: SECTION)


parallel, parallel_context = _section("graph.parallel"), _section("graph.parallel_context")
FUNCTIONS["graph_parallel"], FUNCTIONS["graph_parallel_context"] = parallel, parallel_context
FUNCTIONS["stream_parallel"] = _section("stream_parallel")


class DoWhile:
    """A loop that runs once, and again while a 0-dimensional array holds something else than 0."""

    def __init__(self, flag):
        self.flag = flag


def _do_while(lowering, args, kwargs):
    (flag,) = args
    if not isinstance(flag, ArrayValue) or flag.ndim != 0 or flag.element_shape:
        raise KernelTypeError(
            f"graph.do_while: got {describe(flag)}, allowed are 0-dimensional arrays of integers"
        )
    return DoWhile(flag)


do_while = FUNCTIONS["graph_do_while"] = Function("graph.do_while", bool, _do_while)


class Sections:
    """The part of the lowering that runs sections."""

    def run_With(self, node):
        for item in node.items:
            if self.value(item.context_expr) is not SECTION or item.optional_vars is not None:
                raise KernelSyntaxError(
                    "the statement With is not supported in kernels; allowed are "
                    "stream_parallel(), graph.parallel_context() and graph.parallel()"
                )
        return self.run(node.body)

    def do_while(self, loop, body):
        """The body of a loop, and its end."""
        if any(isinstance(inner, ast.Continue) for part in body for inner in ast.walk(part)):
            raise KernelSyntaxError("continue in a graph.do_while loop; use if instead")
        self.top_blocks.append(self.emitter.block)
        self.run(body)
        self._leave_unless(loop.flag.at(self, ()).read())


def _rescale_index(lowering, args, kwargs):
    """The index of b at the same position as the index of a, axis by axis."""
    a, b, index = args
    shapes = [_shape_of(x) for x in (a, b)]
    if isinstance(index, Scalar) or not isinstance(index, (Tensor, list, tuple)):
        raise KernelTypeError(
            f"rescale_index: got {describe(index)}, allowed are vectors of indices"
        )
    items = list(index)
    for axis, (old, new) in enumerate(zip(*shapes, strict=False)):
        if axis < len(items) and old > new:
            items[axis] = items[axis] // (old // new)
        elif axis < len(items) and old < new:
            items[axis] = items[axis] * (new // old)
    return tensor_of(lowering.emitter, (len(items),), items)


def _shape_of(x):
    shape = getattr(x, "shape", None)
    known = isinstance(x, (ArrayValue, RecordArray)) or hasattr(x, "_extents")
    if not known or shape is None or None in shape:
        raise KernelTypeError(f"rescale_index: got {describe(x)}, allowed are fields and nodes")
    return shape


FUNCTIONS["rescale_index"] = Function("rescale_index", None, _rescale_index)
