# SPDX-License-Identifier: Apache-2.0
"""Attention that a graph spells in other operators: softmax(q @ k.T * scale + mask) @ v becomes one
node, whose scores are never in memory.

Nothing else may read what is between q, k, v and the result. A mask is added, or tells by bools
what is -inf or the lowest finite number; heads that share keys and values by an expansion stay
one. float16 may be cast to float32 for the softmax; the one node rounds its result alone. Products
of bfloat16 have instructions that attention has not, and take less time by themselves.
"""

import math

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from joggle._torch.rewriting import is_of, made, value_of

_aten = torch.ops.aten
# From here on one attention takes less time than products and a softmax; as in
# src/plan/group/attention.c.
_LEAST_ROWS, _LEAST_KEYS, _MOST_WIDTH, _LEAST_TERMS = 48, 128, 128, 1 << 24
_DTYPES = (torch.float32, torch.float16)
_VIEWS = (_aten.view.default, _aten.unsqueeze.default, _aten.squeeze.dims, _aten.clone.default)


def attend(q, k, v, mask, scale, is_causal, fill=-math.inf):
    """The target of such nodes, as torch computes it. q, k and v: (batch, heads, rows, width);
    is_causal: the last query sees all keys, each other one a key less than the next; fill: the
    scores where a mask is False."""
    times = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(times, 1) if times > 1 else x for x in (k, v))
    scores = q @ k.mT * scale
    if is_causal:
        mask = _causal(scores.shape)
    if mask is not None and mask.dtype == torch.bool:
        scores = torch.where(mask, scores, fill)
    elif mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


def join_attention(graph):
    for product in graph.find_nodes(op="call_function", target=_aten.bmm.default):
        found = _Found(product)
        if found.take_softmax() and found.is_worth_it():
            found.replace()


class _Found:
    """The facts about an attention whose last node is `product`."""

    def __init__(self, product):
        self.product, self.mask, self.scale = product, None, 1.0
        self.fill = -math.inf

    def take_softmax(self):
        softmax = _without_views(self.product.args[0], with_casts=True)
        if not _is_read_once(softmax, _aten._softmax.default):
            return False
        x, dim, _ = softmax.args
        self.shape = tuple(value_of(x).shape)
        is_last = dim in (-1, len(self.shape) - 1)
        if value_of(self.product).dtype not in _DTYPES or len(self.shape) not in (3, 4):
            return False
        self.shape = (1,) * (4 - len(self.shape)) + self.shape
        return is_last and self._take_masked(_without_cast(x)) and self._is_of_heads()

    def _take_masked(self, x):
        if _is_read_once(x, _aten.where.self):
            seen, kept, other = x.args
            if self._take_fill(other):
                return self._take_mask(seen, torch.bool, False, kept)
            return self._take_fill(kept) and self._take_mask(seen, torch.bool, True, other)
        if _is_read_once(x, _aten.add.Tensor) and not x.kwargs:
            for mask, scores in (x.args[::-1], x.args):
                if self._take_mask(mask, value_of(self.product).dtype, False, scores):
                    return True
            return False
        return self._take_scaled(x)

    def _take_fill(self, x):
        """x: what scores are where a mask is False. Others than these may have a share."""
        of = {_aten.scalar_tensor.default: 0, _aten.full.default: 1}
        if not isinstance(x, torch.fx.Node) or x.target not in of or value_of(x).numel() != 1:
            return False
        self.fill = x.args[of[x.target]]
        return self.fill in (-math.inf, torch.finfo(value_of(x).dtype).min)

    def _take_mask(self, mask, dtype, is_turned, scores):
        """A mask as large as the scores that is computed is better made where it is read."""
        like, of = value_of(mask), value_of(scores)
        if like is None or of is None or like.dtype != dtype:
            return False
        if like.numel() >= of.numel() and mask.op != "placeholder":
            return False
        if of.numel() != math.prod(self.shape) or not self._take_scaled(scores):
            return False
        self.mask, self.is_turned = mask, is_turned
        return True

    def _take_scaled(self, x):
        x, scale = _without_cast(x), 1.0
        while (by := _number_by(x)) is not None:
            x, scale = x.args[0], scale * by
        x = _without_views(x, with_casts=True)
        if not math.isfinite(scale) or not _is_read_once(x, _aten.bmm.default):
            return False
        self.scale, self.scores = scale, x
        return True

    def _is_of_heads(self):
        """Whether both products have the rows and columns of the softmax, one after the other."""
        products = (self.scores, self.product)
        shapes = {tuple(value_of(x).shape) for x in (self.scores, self.product.args[0])}
        of_heads = shapes == {(math.prod(self.shape[:2]), *self.shape[2:])}
        return of_heads and len({value_of(x).dtype for x in products}) == 1

    def is_worth_it(self):
        (_, _, rows, keys), depth = self.shape, value_of(self.scores.args[0]).shape[-1]
        width = value_of(self.product).shape[-1]
        terms = math.prod(self.shape) * (depth + width)
        return (
            rows >= _LEAST_ROWS
            and keys >= _LEAST_KEYS
            and 0 < depth <= _MOST_WIDTH
            and 0 < width <= _MOST_WIDTH
            and terms >= _LEAST_TERMS
        )

    def replace(self):
        graph = self.product.graph
        with graph.inserting_before(self.product):
            q = self._heads(self.scores.args[0])
            k = self._heads(self.scores.args[1])
            if is_of(k, _aten.permute.default) and [*k.args[1]] == [0, 1, 3, 2]:
                k = k.args[0]
            else:
                k = made(self.product, _aten.permute.default, k, [0, 1, 3, 2])
            v = self._heads(self.product.args[1])
            shared = _shared_heads(k), _shared_heads(v)
            if None not in shared and value_of(shared[0]).shape[1] == value_of(shared[1]).shape[1]:
                k, v = shared
            mask = self.mask
            if mask is not None and self.is_turned:
                is_not = is_of(mask, _aten.bitwise_not.default)
                mask = (
                    mask.args[0] if is_not else made(self.product, _aten.bitwise_not.default, mask)
                )
            is_causal = (
                mask is not None and self.fill == -math.inf and self._is_causal(mask)
            )  # keys that come later may else have a share, where all others are -inf
            mask = None if is_causal else mask
            given = (q, k, v, mask, self.scale, is_causal, self.fill)
            found = made(self.product, attend, *given)
            shape = list(value_of(self.product).shape)
            self.product.replace_all_uses_with(made(self.product, _aten.view.default, found, shape))
        self._erase()

    def _is_causal(self, mask):
        """Whether a mask of bools that the graph makes from nothing leaves out what comes later."""
        rows, keys = self.shape[2:]
        if value_of(mask).dtype != torch.bool or tuple(value_of(mask).shape[-2:]) != (rows, keys):
            return False
        if rows > keys or value_of(mask).numel() != rows * keys:
            return False
        with unset_fake_temporarily():
            value = _constant(mask, {})
            return value is not None and torch.equal(value.view(rows, keys), _causal(self.shape))

    def _heads(self, x):
        """A matrix for each head, of the shape (batch, heads, rows, columns): the node that has
        become x, where there is one."""
        wanted, found, at = (*self.shape[:2], *value_of(x).shape[1:]), None, x
        while at is not None:
            found = at if tuple(value_of(at).shape) == wanted else found
            at = at.args[0] if _is_view(at) else None
        return found or made(self.product, _aten.view.default, x, list(wanted))

    def _erase(self):
        """Erases nodes that no node reads any more. A node that two others read is found twice."""
        pending, gone = [self.product], set()
        while pending:
            node = pending.pop()
            if node.op == "call_function" and not node.users and node not in gone:
                gone.add(node)
                pending += node.all_input_nodes
                node.graph.erase_node(node)


def _causal(shape):
    rows, keys = shape[-2:]
    return torch.ones(rows, keys, dtype=torch.bool).tril(keys - rows)


def _constant(node, constants):
    """The value of a node that depends on no argument and is no random number; or None."""
    if node in constants:
        return constants[node]
    constants[node] = None
    is_made = node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)
    if not is_made or torch.Tag.nondeterministic_seeded in node.target.tags:
        return None
    if any(_constant(x, constants) is None for x in node.all_input_nodes):
        return None
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), constants.__getitem__)
    constants[node] = node.target(*args, **kwargs)
    return constants[node]


def _is_read_once(x, target):
    return is_of(x, target) and len(x.users) == 1


def _is_view(x):
    """Whether x has the elements of its argument in their order."""
    if not isinstance(x, torch.fx.Node) or x.op != "call_function":
        return False
    if x.target is _aten.permute.default:
        shape = value_of(x.args[0]).shape
        moved = [d for d in x.args[1] if shape[d] != 1]
        return moved == sorted(moved)
    is_expanded = x.target is _aten.expand.default
    same = is_expanded and value_of(x).numel() == value_of(x.args[0]).numel()
    return same or x.target in _VIEWS


def _without_views(x, with_casts=False):
    while (_is_view(x) or (with_casts and _is_cast(x))) and len(x.users) == 1:
        x = x.args[0]
    return x


def _without_cast(x):
    return x.args[0] if _is_cast(x) and len(x.users) == 1 else x


def _is_cast(x):
    """Whether x has other digits of its argument's numbers, both floats."""
    if not is_of(x, _aten._to_copy.default) or x.kwargs.keys() - {"dtype", "layout", "device"}:
        return False
    return {value_of(x).dtype, value_of(x.args[0]).dtype} <= {*_DTYPES}


def _number_by(x):
    """The number by which x, read once, is its argument multiplied or divided; None for others."""
    for target in (_aten.mul.Tensor, _aten.div.Tensor):
        if _is_read_once(x, target) and isinstance(x.args[1], (int, float)) and x.args[1]:
            return x.args[1] if target is _aten.mul.Tensor else 1 / x.args[1]
    return None


def _shared_heads(x):
    """The tensor that x, (batch, heads, rows, columns), repeats for adjacent heads; or None."""
    if not is_of(x, _aten.view.default):
        return None
    wide = x.args[0]
    while is_of(wide, _aten.clone.default):
        wide = wide.args[0]
    narrow = wide.args[0] if is_of(wide, _aten.expand.default) else None
    if not is_of(narrow, _aten.unsqueeze.default) or narrow.args[1] != 2:
        return None
    of, shape = narrow.args[0], tuple(value_of(wide).shape)
    if value_of(of).ndim != 4 or len(shape) != 5 or tuple(value_of(x).shape) != _joined(shape):
        return None
    is_repeated = tuple(value_of(narrow).shape) == (*shape[:2], 1, *shape[3:])
    return of if is_repeated else None


def _joined(shape):
    return (shape[0], shape[1] * shape[2], *shape[3:])
