# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of a function, with the line numbers of its file, and the names it can see."""

import ast
import builtins
import functools
import inspect
import textwrap

from ..ir.messages import KernelNameError, KernelSyntaxError
from .mutation import mutated_names

_MISSING = object()


class Source:
    """The source of a function: its tree, file, lines, and the values of its free names."""

    def __init__(self, function):
        self.function = function
        self.name = function.__qualname__.replace("<locals>.", "")
        self.file = inspect.getsourcefile(function) or "<unknown>"
        self.lines, first = _read(function)
        self.tree = _parse(self.lines, first, f"{self.file}:{first}: in {self.name}")
        self.first = first

    def lines_at(self, node):
        """The line of a node, and below it a mark under the node itself."""
        number = getattr(node, "lineno", self.first - 1) - self.first
        if not 0 <= number < len(self.lines):
            return []
        line = self.lines[number]
        start = len(line) - len(line.lstrip())
        first, last = node.col_offset, node.end_col_offset
        if node.end_lineno != node.lineno:
            last = len(line)
        return [line.strip(), " " * (first - start) + "^" * (last - first)]

    @functools.cached_property
    def nodes(self):
        """All nodes of the tree."""
        return list(ast.walk(self.tree))

    @functools.cached_property
    def reassigned(self):
        """The names that the function itself assigns to more than once, or changes a part of."""
        return mutated_names(self, lambda callee: False)

    @functools.cached_property
    def filled(self):
        """The names that the function assigns to an item of."""
        return {
            node.value.id
            for node in self.nodes
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            if isinstance(node.value, ast.Name)
        }

    def lookup(self, name):
        """The value of a free name: from the enclosing function, the module, or Python itself."""
        value = _closure_value(self.function, name)
        if value is _MISSING:
            value = self.function.__globals__.get(name, _MISSING)
        if value is _MISSING:
            value = getattr(builtins, name, _MISSING)
        if value is _MISSING:
            raise self.undefined(name)
        return value

    def undefined(self, name):
        """The error about a name that means nothing where it is used."""
        return KernelNameError(f'name "{name}" is not defined here{_scope_hint(self, name)}')


def _read(function):
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise KernelSyntaxError(
            f"{function.__qualname__}: its source cannot be read ({error}), allowed are "
            "functions that are written in a file, as kernels are compiled from source"
        ) from None
    # Without the indentation of a method or a function inside, which would be no module.
    return textwrap.dedent("".join(lines)).splitlines(), first


def _parse(lines, first, place):
    try:  # empty lines before it, so that nodes have the numbers of the file's lines
        module = ast.parse("\n" * (first - 1) + "\n".join(lines) + "\n")
    except SyntaxError:  # the lines of a lambda may be any part of a statement
        module = ast.Module([ast.Pass()], [])
    tree = module.body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise KernelSyntaxError(
            f"{place}: got a lambda or a class, allowed is a def, whose statements are compiled"
            f"\n    {lines[0].strip()}"
        )
    return tree


def _closure_value(function, name):
    names = function.__code__.co_freevars
    if name not in names:
        return _MISSING
    try:
        return function.__closure__[names.index(name)].cell_contents
    except ValueError:  # an empty cell
        raise KernelNameError(f'name "{name}" has no value yet') from None


def _scope_hint(source, name):
    """A name that is assigned somewhere in the function was assigned in another block."""
    assigned = any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in source.nodes
    )
    if not assigned:
        return ""
    return "; a variable lives in the block that assigns it first: assign it before the block"
