# SPDX-License-Identifier: Apache-2.0
"""Runs a graph of ATen's operators: parts by joggle, what is between them by torch."""

import torch
from torch.fx.node import map_arg

from joggle import _core
from joggle._torch.lower import Refused, compiled_part
from joggle._torch.parts import Cut, Part


class Graph:
    """A graph whose sizes are numbers, as a function of a list of tensors that it empties."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        self.refused = {}  # reasons, by node, that came up while it was recorded
        self._cut()

    def _cut(self):
        graph = self.module.graph
        self.cut = Cut(graph, self.refused)
        self.placeholders = [n for n in graph.nodes if n.op == "placeholder"]
        self.output = next(n for n in graph.nodes if n.op == "output").args[0]
        self.attributes = [
            (n, getattr(self.module, n.target)) for n in graph.nodes if n.op == "get_attr"
        ]
        self.steps = [
            _PartStep(step, self.name) if isinstance(step, Part) else _NodeStep(step)
            for step in self.cut.steps
        ]
        _plan_lifetimes(self.steps, self.output)

    def all(self):
        return [self]

    def __call__(self, inputs):
        given = list(inputs)
        inputs.clear()
        while True:
            try:
                return self._run(given)
            except Refused as refused:
                self.refused[refused.node] = refused.reason
                self._cut()

    def _run(self, given):
        values = dict(zip(self.placeholders, given, strict=True))
        values.update(self.attributes)
        for step in self.steps:
            step.run(values)
            for node in step.last:
                del values[node]
        return map_arg(self.output, values.__getitem__)


def _plan_lifetimes(steps, output):
    """What no later step needs is let go of behind each step."""
    needed = set()
    map_arg(output, needed.add)
    for step in reversed(steps):
        step.last = [n for n in {*step.inputs, *step.outputs} if n not in needed]
        needed.update(step.inputs)
        needed.update(step.outputs)


class _PartStep:
    def __init__(self, part, name):
        self.inputs, self.outputs = part.inputs, part.outputs
        self.compiled, self.tracer = compiled_part(part.nodes, part.inputs, part.outputs, name)

    def run(self, values):
        given = [values[n] for n in self.inputs]
        tensors = _core._call_on_tensors(self.compiled, given, torch.Tensor)
        for place in self.tracer.constants:
            tensors[place] = tensors[place].clone()
        values.update(zip(self.outputs, tensors, strict=True))


class _NodeStep:
    """A node that torch runs."""

    def __init__(self, node):
        self.node, self.inputs, self.outputs = node, list(node.all_input_nodes), [node]

    def run(self, values):
        node = self.node
        args = map_arg(node.args, values.__getitem__)
        kwargs = map_arg(node.kwargs, values.__getitem__)
        values[node] = node.target(*args, **kwargs)
