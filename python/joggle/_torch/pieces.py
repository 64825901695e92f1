# SPDX-License-Identifier: Apache-2.0
"""Cuts the large part of a backward graph into pieces. What forward has kept for it is let go of
behind the last piece that reads it; within a piece, all that it reads stays.

A cut costs a call, and the fusion of what computes a value with what reads it. So cuts are only
where all that goes on is in memory in any case, as what products read and give is.
"""

from operator import getitem

import torch

from joggle._torch.lower import base_of, name_of

LEAST = 16 << 20  # bytes that a part reads; smaller ones stay whole
_PIECES = 8  # at least this part of what is read is let go of at a cut
_SMALL = 1000  # this part of what is read is little
_PRODUCTS = frozenset(["addmm", "bmm", "convolution", "convolution_backward", "mm"])


def pieces_of(nodes):
    """The nodes in lists that follow each other."""
    last = _last_reads(nodes)
    total = sum(map(_nbytes, last))
    if total < LEAST:
        return [nodes]
    freed_at = {}
    for node, place in last.items():
        freed_at[place] = freed_at.get(place, 0) + _nbytes(node)
    found, first, freed = [], 0, 0
    for place in _free_places(nodes, total // _SMALL):
        freed = sum(freed_at.get(i, 0) for i in range(first, place))
        if freed * _PIECES >= total:
            found.append(nodes[first:place])
            first = place
    return [*found, nodes[first:]]


def _last_reads(nodes):
    """{node that is read: the last place that reads it}, of those from outside whose memory goes
    with them: no results and no views."""
    inside, last = set(nodes), {}
    for place, node in enumerate(nodes):
        for source in map(base_of, node.all_input_nodes):
            if source not in inside:
                last[source] = place
    return {node: place for node, place in last.items() if not _outlives(node, inside)}


def _outlives(node, inside):
    return any(user not in inside for user in node.users)


def _nbytes(node):
    value = node.meta.get("val")
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0


def _free_places(nodes, small):
    """Places between which nothing goes on that would else be computed where it is read."""
    place_of = {node: place for place, node in enumerate(nodes)}
    ends = {}  # places until which something loose goes on
    for node, place in place_of.items():
        readers = [place_of[user] for user in node.users if user in place_of]
        if readers and not _is_solid(base_of(node), place_of, small):
            ends[place] = max(readers)
    end = 0
    for place in range(1, len(nodes)):
        end = max(end, ends.get(place - 1, 0))
        if end < place:
            yield place


def _is_solid(node, inside, small):
    """Whether a value is in memory in any case: that of a product, what is computed with it behind
    it and read by several, and what a product reads. One of few bytes may as well be."""
    if node not in inside or _is_product(node) or _nbytes(node) <= small:
        return True
    if len(node.users) > 1 and any(_is_product(base_of(x)) for x in node.all_input_nodes):
        return True
    return any(name_of(user) in _PRODUCTS or user.op == "output" for user in _users(node))


def _is_product(node):
    return name_of(node.args[0] if node.target is getitem else node) in _PRODUCTS


def _users(node):
    """Those who read a node, or a view of it."""
    for user in node.users:
        yield user
        if base_of(user) is not user:
            yield from _users(user)
