# SPDX-License-Identifier: Apache-2.0
"""Which values a forward graph keeps for the backward one: torch's own minimal cut. Equal nodes are
merged before it by what is here: torch's own way imports Inductor, which takes longer than all else
of a first step."""

from operator import getitem

import torch
from functorch.compile import min_cut_rematerialization_partition
from torch.multiprocessing.reductions import StorageWeakRef

from joggle._torch.lower import base_of

_aten = torch.ops.aten
_SCALARS = (bool, int, float, complex, str, type(None), torch.dtype, torch.device, torch.layout)


def partition(module, inputs, **options):
    merge_equal(module.graph)
    with torch._functorch.config.patch(cse=False):
        forward, backward = min_cut_rematerialization_partition(module, inputs, **options)
    _keep_old_values(forward, options["num_fwd_outputs"])
    return forward, backward


def _keep_old_values(forward, count):
    """What backward is given of an argument is a copy where forward then writes the argument: torch
    gives the argument itself, which holds the new value when backward reads it. count: of the
    results before those that are for backward"""
    graph = forward.graph
    (output,) = graph.find_nodes(op="output")
    results = list(output.args[0])
    written = {}
    for node in graph.find_nodes(op="call_function", target=_aten.copy_.default):
        written.setdefault(base_of(node.args[0]), node)
    for place in range(count, len(results)):
        kept = results[place]
        is_tensor = isinstance(kept, torch.fx.Node) and isinstance(kept.meta["val"], torch.Tensor)
        if not is_tensor or kept.target is _aten.copy_.default or base_of(kept) not in written:
            continue
        with graph.inserting_before(written[base_of(kept)]):
            results[place] = graph.call_function(_aten.clone.default, (kept,))
        results[place].meta = dict(kept.meta)
    output.args = (tuple(results),)
    forward.recompile()


def merge_equal(graph):
    """Puts the first of equal nodes in the place of the others. What is returned in memory of its
    own stays apart, and so does what draws; what is changed is read before."""
    kept = _storages(graph)
    first = {}
    for node in list(graph.nodes):
        if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable:
            break
        key = _key(node) if _is_pure(node) and not _storage(node) & kept else None
        same = first.setdefault(key, node) if key is not None else node
        if same is not node:
            node.replace_all_uses_with(same)
            graph.erase_node(node)


def _storages(graph):
    """Those of the graph's results."""
    (output,) = (node for node in graph.nodes if node.op == "output")
    return set().union(*map(_storage, output.all_input_nodes))


def _storage(node):
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return set()
    try:
        return {StorageWeakRef(value.untyped_storage())}
    except NotImplementedError:  # of a layout without one
        return set()


def _is_pure(node):
    target = node.target
    if node.op != "call_function" or target is torch.ops.aten.empty.memory_format:
        return False
    if not isinstance(target, torch._ops.OpOverload):
        return target is getitem
    return torch.Tag.nondeterministic_seeded not in target.tags


def _key(node):
    """None for an argument that has no key. What a checkpoint computes again stays apart."""
    try:
        given = _value(node.args), _value(sorted(node.kwargs.items()))
    except TypeError:
        return None
    return node.target, *given, node.meta.get("recompute")


def _value(x):
    if isinstance(x, (list, tuple)):
        return tuple(map(_value, x))
    if isinstance(x, torch.fx.Node):
        return x
    if isinstance(x, _SCALARS):
        return type(x), repr(x)
    raise TypeError(f"no key for {x!r}")
