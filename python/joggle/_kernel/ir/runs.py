# SPDX-License-Identifier: Apache-2.0
"""Runs: pieces of code between cuts, and what one of them needs from another."""

from collections import Counter

from .code import Declaration, Instruction, statements


class Run:
    """Statements between two cuts. defined: values that it defines, by name; used: those that it
    takes from elsewhere; declared: the dtype of each local that begins in it; touched: the names of
    all memory that it uses."""

    def __init__(self, nodes):
        self.nodes, self.defined, self.used = nodes, {}, {}
        self.declared, self.touched = {}, set()
        for node in statements(nodes):
            self._read(node)

    def _read(self, node):
        for x in node.defined:
            self.defined[x.name] = x
        for x in node.used:
            if x.name not in self.defined:
                self.used[x.name] = x
        if isinstance(node, Instruction) and node.memory is not None:
            self.touched.add(node.memory)
            if isinstance(node, Declaration) and node.opcode == "local":
                self.declared[node.memory] = node.dtype


def crossing(runs):
    """The values that one run defines and another takes, by name."""
    home = {name: run for run in runs for name in run.defined}
    return {
        name: x for run in runs for name, x in run.used.items() if home.get(name, run) is not run
    }


def shared_locals(runs):
    """The dtypes of the locals that more than one run touches, by name."""
    count = Counter(name for run in runs for name in run.touched)
    declared = (pair for run in runs for pair in run.declared.items())
    return {name: dtype for name, dtype in declared if count[name] > 1}
