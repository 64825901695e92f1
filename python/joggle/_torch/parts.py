# SPDX-License-Identifier: Apache-2.0
"""Cuts a graph of ATen's operators into parts that joggle runs and nodes that torch runs between.

Each node has a level: that of the parts and torch's nodes that it needs. Part n holds joggle's
nodes of level n; torch's nodes of level n run after it, in their order in the graph.

What a graph writes into its inputs are copies at its end. A copy of what a part computes becomes an
update of that part, which writes the input itself, unless something that runs later reads the
input; torch makes the other copies, last of all.
"""

from operator import getitem

import torch

from joggle._torch.lower import VIEWS, name_of, refusal
from joggle._torch.pieces import pieces_of

_aten = torch.ops.aten
_LAST = (_aten.copy_.default, _aten.set_.source_Tensor)  # what changes inputs, at a graph's end


class Part:
    """Nodes that are recorded together, and what goes in and comes out. updates: nodes of copies
    into inputs, each of what the part computes."""

    def __init__(self, nodes):
        self.nodes, self.updates = nodes, []

    def close(self):
        """Finds what goes in and comes out, after the updates are known."""
        inside = {*self.nodes, *self.updates}
        needed = [n for node in inside for n in node.all_input_nodes if n not in inside]
        order = {node: i for i, node in enumerate(self.nodes[0].graph.nodes)} if needed else {}
        self.inputs = sorted(dict.fromkeys(needed), key=order.__getitem__)
        self.outputs = [n for n in self.nodes if any(user not in inside for user in n.users)]
        self.outputs = [n for n in self.outputs if isinstance(n.meta["val"], torch.Tensor)]


class Cut:
    """The steps of a graph, each a Part or a node, and why which nodes are torch's."""

    def __init__(self, graph, refused, is_backward=False):
        self.reasons = {}
        ours, theirs = {}, {}
        levels = _Levels()
        changes = []
        for node in graph.nodes:
            if node.op in ("placeholder", "output", "get_attr"):
                continue
            if node.target in _LAST and node.args[0].op == "placeholder":
                changes.append(node)
                continue
            reason = self._reason(node, refused)
            level = levels.of(node, reason is None)
            (ours if reason is None else theirs).setdefault(level, []).append(node)
        self.steps = []
        for level in sorted({*ours, *theirs}):
            if level in ours:
                pieces = pieces_of(ours[level]) if is_backward else [ours[level]]
                self.steps.extend(map(Part, pieces))
            self.steps.extend(theirs.get(level, ()))
        self._add_changes(changes)

    def _add_changes(self, changes):
        places = {}
        for place, step in enumerate(self.steps):
            places.update(dict.fromkeys(step.nodes if isinstance(step, Part) else [step], place))
        for node in changes:
            place = places.get(node.args[1], -1)
            step = self.steps[place] if place >= 0 else None
            if isinstance(step, Part) and _is_update(node, place, places):
                step.updates.append(node)
                continue
            if isinstance(step, Part):
                self.reasons[node] = "the old value is read later"
            self.steps.append(node)
        for step in self.steps:
            if isinstance(step, Part):
                step.close()

    def _reason(self, node, refused):
        """Elements of a tuple go where the tuple was made."""
        source = node.args[0] if node.target is getitem else node
        reason = refused.get(source) or self.reasons.get(source) or refusal(source)
        if reason is not None:
            self.reasons[node] = reason
        return reason


def _is_update(node, place, places):
    """Whether the part at that place, which computes what is copied, may write the input: nothing
    that runs later reads the input or a view of it."""
    target, source = (x.meta["val"] for x in node.args[:2])
    if node.target is not _aten.copy_.default or any(x.op != "output" for x in node.users):
        return False
    if not isinstance(source, torch.Tensor) or source.dtype != target.dtype:
        return False
    if source.shape != target.shape or refusal(node, is_update=True) is not None:
        return False
    readers = _readers(node.args[0]) - {node}
    return all(x.op == "output" or places.get(x, len(places)) <= place for x in readers)


def _readers(node):
    """Those who use a node, or what may be a view of it."""
    found, views = set(), [node]
    while views:
        for user in views.pop().users:
            if user not in found:
                found.add(user)
                if _may_be_view(user):
                    views.append(user)
    return found


def _may_be_view(node):
    if node.op != "call_function" or name_of(node) in VIEWS or node.target is getitem:
        return node.op == "call_function"
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return True
    return any(x.alias_info is not None for x in target._schema.returns)


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
