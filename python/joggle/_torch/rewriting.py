# SPDX-License-Identifier: Apache-2.0
"""Common functions of the files that rewrite FX graphs: questions about nodes, and new nodes."""

import torch


def is_of(x, target):
    """Whether x is a node that calls the target."""
    return isinstance(x, torch.fx.Node) and x.target is target


def value_of(x):
    """The fake tensor that stands for a node's value; None for a number, or where there is none."""
    return x.meta.get("val") if isinstance(x, torch.fx.Node) else None


def made(node, target, *args, **kwargs):
    """A new node, where the graph inserts now, that computes a part of what `node` does."""
    new = node.graph.call_function(target, args, kwargs)
    value = target(*torch.fx.node.map_arg(args, value_of), **kwargs)
    new.meta = {**node.meta, "val": value}
    return new
