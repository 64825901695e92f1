# SPDX-License-Identifier: Apache-2.0
"""Quotients of other numbers of divisions, which take longer than all else of their elements.

    x / (root / s + e)        is  x * s / (root + e * s)
    x / ((root / s + e) / t)  is  x * (s * t) / (root + e * s)
    x / clamp(norm, e)        is  x * (1 / clamp(norm, e))

The first two are a step of Adam, with its corrections for the first steps: s, t and e are one
number each, and no element is rounded more often than before; where s is 0 and e is infinite they
are 0. Square roots and norms are neither so large nor so small that a product leaves the range
where a quotient would not.
"""

import math

import torch

from joggle._torch.rewriting import is_of, made, value_of

_aten = torch.ops.aten
_LEAST = 1e-30  # bounds from here on have an inverse in float32
_DTYPES = (torch.float32, torch.float64)  # others round between the steps


def divide_once(graph):
    for node in graph.find_nodes(op="call_function", target=_aten.div.Tensor):
        found = _match(node)
        if found is not None:
            _replace(node, *found)


def multiply_by_inverses(graph):
    """Rewrites divisions by norms, each of which divides many elements."""
    for node in graph.find_nodes(op="call_function", target=_aten.div.Tensor):
        x, below = node.args[0], node.args[1]
        below = below.args[0] if is_of(below, _aten.expand.default) else below
        if _is_bounded_norm(below) and _are_alike(x, node) and _is_smaller(below, node):
            with graph.inserting_before(node):
                inverse = made(node, _aten.reciprocal.default, below)
                node.replace_all_uses_with(made(node, _aten.mul.Tensor, x, inverse))
            graph.erase_node(node)


def _is_bounded_norm(x):
    if not isinstance(x, torch.fx.Node) or x.kwargs or len(x.args) != 2:
        return False
    if x.target not in (_aten.clamp.default, _aten.clamp.Tensor):
        return False
    norm, bound = x.args
    norm = norm.args[0] if is_of(norm, _aten.clone.default) else norm
    bound = bound.args[0] if is_of(bound, _aten.scalar_tensor.default) else bound
    is_norm = is_of(norm, _aten.linalg_vector_norm.default)
    return is_norm and isinstance(bound, float) and bound >= _LEAST


def _is_smaller(x, than):
    of, wide = value_of(x), value_of(than)
    return of.dtype == wide.dtype and of.ndim == wide.ndim and of.numel() < wide.numel()


def _match(node):
    """(the divisor's nodes, from the last one on; root, s, e, t), t None if there is none; or None
    where the node is of another form."""
    gone, at, t = [], node.args[1], None
    if _is_quotient(at) and _is_number(at.args[1]):
        gone, at, t = [at], at.args[0], at.args[1]
    if not is_of(at, _aten.add.Tensor) or at.kwargs:
        return None
    below, e = at.args
    if not _is_quotient(below) or not _is_number(below.args[1]):
        return None
    root, s = below.args
    gone += [at, below]
    if not is_of(root, _aten.sqrt.default) or not (isinstance(e, float) or _is_number(e)):
        return None
    if any(len(x.users) != 1 for x in gone) or not _are_alike(node.args[0], node, root):
        return None
    return gone, root, s, e, t


def _is_quotient(x):
    return is_of(x, _aten.div.Tensor)


def _is_number(x):
    """Whether x is a tensor without axes."""
    value = value_of(x)
    return isinstance(value, torch.Tensor) and value.dtype in _DTYPES and value.ndim == 0


def _are_alike(*nodes):
    values = [value_of(node) for node in nodes]
    if not all(isinstance(value, torch.Tensor) for value in values):
        return False
    kinds = {(value.dtype, value.shape, value.device) for value in values}
    return len(kinds) == 1 and values[0].dtype in _DTYPES and values[0].numel() > 1


def _replace(node, gone, root, s, e, t):
    graph, x = node.graph, node.args[0]
    with graph.inserting_before(node):
        factor = s if t is None else made(node, _aten.mul.Tensor, s, t)
        above = made(node, _aten.mul.Tensor, x, factor)
        below = made(node, _aten.add.Tensor, root, _addend(node, s, e))
        node.replace_all_uses_with(made(node, _aten.div.Tensor, above, below))
    for x in (node, *gone):
        graph.erase_node(x)


def _without_rate(s, e):
    """(a, c) where s is a * rate and e is c / rate, as torch spells it; else None."""
    if not is_of(s, _aten.mul.Tensor) or not is_of(e, _aten.mul.Tensor):
        return None
    inverse, c = e.args
    for a, rate in (s.args, s.args[::-1]):
        if is_of(inverse, _aten.reciprocal.default) and inverse.args[0] is rate and _is_number(a):
            return a, c
    return None


def _addend(node, s, e):
    """e * s. A learning rate of 0 makes s 0 and e, divided by it, infinite, or NaN for an e of 0:
    where both are seen to have the rate, neither is divided by it. Otherwise, where e is infinite,
    it is any number, as x * s is 0."""
    factors = _without_rate(s, e)
    if factors is not None:
        return made(node, _aten.mul.Tensor, *factors)
    product = made(node, _aten.mul.Tensor, s, e)
    if not _is_number(e):
        return product
    is_zero = made(node, _aten.eq.Scalar, s, 0.0)
    is_infinite = made(node, _aten.eq.Scalar, made(node, _aten.abs.default, e), math.inf)
    both = made(node, _aten.bitwise_and.Tensor, is_zero, is_infinite)
    one = made(node, _aten.full_like.default, s, 1.0)
    return made(node, _aten.where.self, both, one, product)
