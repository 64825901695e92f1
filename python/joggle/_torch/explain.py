# SPDX-License-Identifier: Apache-2.0
"""The result of joggle.torch.explain."""

from operator import getitem
from typing import NamedTuple

import torch

from joggle._torch.backend import compile_graph, reporting
from joggle._torch.parts import Part


class Explanation(NamedTuple):
    graphs: int
    breaks: list
    parts: int
    fallbacks: list

    def __str__(self):
        counts = zip(
            ("graph", "break", "part"), (self.graphs, len(self.breaks), self.parts), strict=True
        )
        lines = [", ".join(f"{n} {word}{'' if n == 1 else 's'}" for word, n in counts)]
        lines += [f"break: {reason}" for reason in self.breaks]
        for kind, operator, reason in self.fallbacks:
            lines.append(f"{kind}: {operator} is run by torch: {reason}")
        return "\n".join(lines)


def explain(model, args, kwargs):
    """Calls the model, compiled anew. Graphs of gradients are those that the call has made."""
    told = torch._dynamo.explain(model)(*args, **kwargs)
    torch._dynamo.reset()
    with reporting() as report:
        torch.compile(model, backend=compile_graph)(*args, **kwargs)
    torch._dynamo.reset()
    graphs = [graph for made in report for graph in made.all()]
    steps = [step for graph in graphs for step in graph.cut.steps]
    fallbacks = [
        (graph.name, str(node.target), reason)
        for graph in graphs
        for node, reason in graph.cut.reasons.items()
        if getattr(node.target, "__module__", "") != getitem.__module__
    ]
    breaks = [reason.reason for reason in told.break_reasons]
    return Explanation(
        told.graph_count, breaks, sum(isinstance(step, Part) for step in steps), fallbacks
    )
