# SPDX-License-Identifier: Apache-2.0
"""softshrink of halves. torch decomposes it before a backend sees it; each operator of that rounds
to the half, as torch's own kernel does not."""

import torch

from joggle._torch.dtypes import HALVES
from joggle._torch.rewriting import is_of, made, value_of

_aten = torch.ops.aten


def widen_shrinks(graph):
    """Computes it in float32, with one rounding."""
    for node in graph.find_nodes(op="call_function", target=_aten.where.self):
        x = _shrunk(node)
        if x is None:
            continue
        with graph.inserting_before(node):
            node.replace_all_uses_with(_wide(node, x))
        _erase(node)


def _shrunk(node):
    """What a node is softshrink of; None for others."""
    is_above, lower, none = node.args
    value = value_of(node)
    if value is None or value.dtype not in HALVES:
        return None
    if not (
        is_of(is_above, _aten.gt.Scalar) and is_of(lower, _aten.sub.Tensor) and not lower.kwargs
    ):
        return None
    (x, step), (size, number) = lower.args, is_above.args
    if not (is_of(size, _aten.abs.default) and is_of(step, _aten.mul.Tensor)):
        return None
    sign, factor = step.args
    if not (is_of(sign, _aten.sign.default) and is_of(none, _aten.mul.Tensor)):
        return None
    is_one = size.args == sign.args == (x,) and none.args == (x, 0) and factor == number
    return x if is_one and value_of(x).dtype == value.dtype else None


def _wide(node, x):
    number = node.args[0].args[1]
    x = made(node, _aten._to_copy.default, x, dtype=torch.float32)
    is_above = made(node, _aten.gt.Scalar, made(node, _aten.abs.default, x), number)
    step = made(node, _aten.mul.Tensor, made(node, _aten.sign.default, x), number)
    lower, none = made(node, _aten.sub.Tensor, x, step), made(node, _aten.mul.Tensor, x, 0)
    found = made(node, _aten.where.self, is_above, lower, none)
    return made(node, _aten._to_copy.default, found, dtype=value_of(node).dtype)


def _erase(node):
    """Erases a node, and those that it alone read."""
    sources = node.all_input_nodes
    node.graph.erase_node(node)
    for source in sources:
        if not source.users and source.op == "call_function":
            _erase(source)
