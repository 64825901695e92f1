# SPDX-License-Identifier: Apache-2.0
"""Programs of torch.export as files of functions, which run without torch and without Python."""

from operator import getitem

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.node import map_arg

from joggle import _core, _export
from joggle._torch.aten import row_of
from joggle._torch.backend import decompositions
from joggle._torch.dtypes import OURS
from joggle._torch.lower import Refused, Spelling, refusal

_HELD = {InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR}


def export(file, program, metadata):
    """Writes the program; its parameters, buffers and constants are constants of the file."""
    if not isinstance(program, torch.export.ExportedProgram):
        raise TypeError(
            f"[torch.export] program: got {type(program).__name__}, allowed is a "
            "torch.export.ExportedProgram"
        )
    if program.range_constraints:
        raise ValueError(
            f"[torch.export] program: got sizes that change, {list(program.range_constraints)}, "
            "allowed are programs of one size"
        )
    program = program.run_decompositions(_decompositions())
    inputs, held = _inputs(program)
    nodes, outputs = _nodes(program), _outputs(program)
    arguments = [node for node in inputs if isinstance(node.meta["val"], torch.Tensor)]
    spelling = Spelling(nodes, [*held, *arguments], [])
    constants = [_core.asarray(x.detach()) for x in held.values()]

    def forward(*arrays):
        values = spelling.values_of([*constants, *arrays])
        return tuple(map_arg(outputs, values.__getitem__))

    forward.__name__ = "forward"
    given = [_placeholder(node.meta["val"]) for node in arguments]
    try:
        _export.export_function(file, forward, *given, metadata=metadata)
    except Refused as refused:
        _refuse(refused.node, refused.reason)


def _decompositions():
    """Those of the backend, and of the composite operators that AOTAutograd leaves to dispatch."""
    composite = torch.export.default_decompositions().items()
    return {op: spelling for op, spelling in composite if row_of(op) is None} | decompositions()


def _inputs(program):
    """The nodes of what calls give, and the tensors of what the program holds, by node."""
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    inputs, held = [], {}
    for spec in program.graph_signature.input_specs:
        node = nodes[spec.arg.name]
        if spec.kind is InputKind.USER_INPUT:
            inputs.append(node)
        elif spec.kind in _HELD:
            place = program.state_dict if spec.target in program.state_dict else program.constants
            held[node] = place[spec.target]
        else:
            _refuse(node, f"an input that is {spec.kind.name}")
    return inputs, held


def _outputs(program):
    for spec in program.graph_signature.output_specs:
        if spec.kind is not OutputKind.USER_OUTPUT:
            raise ValueError(
                f"[torch.export] program: got {spec.kind.name} of {spec.target}, allowed are "
                "programs that change nothing"
            )
    (output,) = (node for node in program.graph.nodes if node.op == "output")
    for x in output.args[0]:
        if not isinstance(x, torch.fx.Node):
            raise ValueError(
                f"[torch.export] program: got a result that is {x!r}, allowed are tensors"
            )
    return output.args[0]


def _nodes(program):
    """Those of operators, each of which has to be joggle's."""
    found = []
    for node in program.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        source = node.args[0] if node.target is getitem else node
        reason = refusal(source)
        if reason is not None:
            _refuse(source, reason)
        found.append(node)
    return found


def _refuse(node, reason):
    raise ValueError(
        f"[torch.export] program: got {node.target}: {reason}, allowed are operators of joggle's "
        "table"
    )


def _placeholder(like):
    return _core.zeros(tuple(like.shape), dtype=OURS[like.dtype])
