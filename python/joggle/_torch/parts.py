# SPDX-License-Identifier: Apache-2.0
"""Cuts a graph of ATen's operators into parts that joggle runs and nodes that torch runs between.

Each node has a level: that of the parts and torch's nodes that it needs. Part n holds joggle's
nodes of level n; torch's nodes of level n run after it, in their order in the graph.
"""

from operator import getitem

import torch

from joggle._torch.lower import refusal


class Part:
    """Nodes that are recorded together, and what goes in and comes out."""

    def __init__(self, nodes):
        self.nodes = nodes
        inside = set(nodes)
        self.inputs = list(
            dict.fromkeys(n for node in nodes for n in node.all_input_nodes if n not in inside)
        )
        self.outputs = [n for n in nodes if any(user not in inside for user in n.users)]
        self.outputs = [n for n in self.outputs if isinstance(n.meta["val"], torch.Tensor)]


class Cut:
    """The steps of a graph, each a Part or a node, and why which nodes are torch's."""

    def __init__(self, graph, refused):
        self.reasons = {}
        ours, theirs = {}, {}
        levels = _Levels()
        for node in graph.nodes:
            if node.op in ("placeholder", "output", "get_attr"):
                continue
            reason = self._reason(node, refused)
            level = levels.of(node, reason is None)
            (ours if reason is None else theirs).setdefault(level, []).append(node)
        self.steps = []
        for level in sorted({*ours, *theirs}):
            if level in ours:
                self.steps.append(Part(ours[level]))
            self.steps.extend(theirs.get(level, ()))

    def _reason(self, node, refused):
        """Elements of a tuple go where the tuple was made."""
        source = node.args[0] if node.target is getitem else node
        reason = refused.get(source) or self.reasons.get(source) or refusal(source)
        if reason is not None:
            self.reasons[node] = reason
        return reason


class _Levels:
    def __init__(self):
        self.found, self.is_ours = {}, {}
        self.last = 0  # of torch's nodes whose order counts

    def of(self, node, is_ours):
        level = 0
        for source in node.all_input_nodes:
            if source in self.found:
                later = is_ours and not self.is_ours[source]
                level = max(level, self.found[source] + later)
        if not is_ours and _is_ordered(node):
            level = self.last = max(level, self.last)
        self.found[node], self.is_ours[node] = level, is_ours
        return level


def _is_ordered(node):
    """Whether a node draws random numbers or changes memory, or may."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return node.target is not getitem
    return torch.Tag.nondeterministic_seeded in target.tags or target._schema.is_mutable
