# SPDX-License-Identifier: Apache-2.0
"""summary: a table of a module's layers."""

from __future__ import annotations

import collections
import itertools
import operator

from joggle.nn.layers.base import Module
from joggle.utils import tree_flatten, tree_map

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Summary", "summary"]


class Summary:
    """The result of summary: rows of (path, layer, output shape, parameters, bytes), and totals.

    >>> table = jg.nn.summary(jg.nn.Linear(3, 2))
    >>> table.parameters, table.trainable, table.bytes
    (8, 8, 32)
    """

    def __init__(self, rows: list[tuple[str, str, str, int, int]], module: Module) -> None:
        self.rows = rows
        self.parameters, self.bytes = _counted(module.parameters())
        self.trainable, _ = _counted(module.trainable_parameters())

    def __str__(self) -> str:
        header = ("path", "layer", "output shape", "parameters", "bytes")
        cells = [header, *((*row[:3], f"{row[3]:,}", f"{row[4]:,}") for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
        lines = []
        for row in cells:
            texts = [text.ljust(width) for text, width in zip(row[:3], widths[:3], strict=True)]
            numbers = [text.rjust(width) for text, width in zip(row[3:], widths[3:], strict=True)]
            lines.append("  ".join(texts + numbers).rstrip())
        lines.insert(1, "-" * max(map(len, lines)))
        lines.append(lines[1])
        frozen = self.parameters - self.trainable
        lines.append(
            f"{self.parameters:,} parameters ({self.trainable:,} trainable, {frozen:,} frozen), "
            f"{self.bytes:,} bytes"
        )
        return "\n".join(lines)

    __repr__ = __str__


def summary(module: Module, *inputs: Any, **kwargs: Any) -> Summary:
    """A table of the layers of a module: their parameters, and what each gives for the inputs.

    With inputs the module is called, in evaluation mode; nothing is computed. A layer that is
    called more than once is shown with its last result. Arrays that layers share count in the
    row of each, and once in the totals.

    >>> print(jg.nn.summary(jg.nn.Sequential(jg.nn.Linear(3, 2)), jg.ones((5, 3))))
    path      layer   output shape  parameters  bytes
    -------------------------------------------------
    layers.0  Linear  (5, 2)                 8     32
    -------------------------------------------------
    8 parameters (8 trainable, 0 frozen), 32 bytes
    """
    if not isinstance(module, Module):
        raise TypeError(
            f"[summary] module: got {type(module).__name__}, allowed is a joggle.nn.Module"
        )
    shapes = _shapes(module, inputs, kwargs) if inputs or kwargs else {}
    rows = []
    for path, layer in _in_order(module):
        own = {key: value for key, value in layer.items() if not _holds_modules(value)}
        kept = layer.filter_and_map(
            lambda m, key, value, own=own: (
                key.split(".")[0] in own and m.valid_parameter_filter(m, key, value)
            )
        )
        count, size = _counted(kept)
        if count or _is_leaf(layer):
            rows.append((path, type(layer).__name__, shapes.get(id(layer), ""), count, size))
    return Summary(rows, module)


def _in_order(module: Module) -> list[tuple[str, Module]]:
    """All modules in the order in which they were put in, each before those within."""
    found = [("", module)]
    for path, inner in tree_flatten(module.children(), is_leaf=Module.is_module):
        if Module.is_module(inner):
            found += [(f"{path}.{below}".rstrip("."), m) for below, m in _in_order(inner)]
    return found


def _holds_modules(value: Any) -> bool:
    return any(Module.is_module(leaf) for _, leaf in tree_flatten(value, is_leaf=Module.is_module))


def _is_leaf(layer: Module) -> bool:
    return not tree_flatten(layer.children(), is_leaf=Module.is_module)


def _counted(tree: Any) -> tuple[int, int]:
    """The elements and the bytes of a tree of arrays, each counted once."""
    arrays = {id(leaf): leaf for _, leaf in tree_flatten(tree)}.values()
    return sum(x.size for x in arrays), sum(x.nbytes for x in arrays)


def _shapes(module: Module, inputs: Any, kwargs: Any) -> dict[int, str]:
    """The shape of what each module gave, by the module's id."""
    found: dict[int, str] = {}
    modules = module.modules()
    kinds = {type(inner) for inner in modules}
    calls = {kind: kind.__call__ for kind in kinds}

    def watching(kind: type) -> Any:
        def call(self: Module, *args: Any, **more: Any) -> Any:
            given = calls[kind](self, *args, **more)
            found[id(self)] = _shape_of(given)
            return given

        return call

    before: list[tuple[Any, ...]] = []
    for kind in kinds:
        # One that inherits its __call__ has none of its own again; it may not have one yet.
        before.append((type.__setattr__, kind, "__call__", calls[kind]))
        if "__call__" not in kind.__dict__:
            before.append((type.__delattr__, kind, "__call__"))
    before += [(object.__setattr__, m, "_training", m.training) for m in modules]
    put_back = itertools.starmap(operator.call, before)
    try:
        for inner in modules:
            inner._training = False  # not by eval(), which changes weights of some layers
        for kind in kinds:
            kind.__call__ = watching(kind)
        module(*inputs, **kwargs)
    finally:
        collections.deque(put_back, 0)  # in one step of C, of which no signal leaves a part
    return found


def _shape_of(given: Any) -> str:
    shapes = tree_map(lambda leaf: getattr(leaf, "shape", None), given)
    return str(shapes)
