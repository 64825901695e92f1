# SPDX-License-Identifier: Apache-2.0
"""Which variables of a function change: those become locals, the others are values.

A name changes if it is bound twice, if something is assigned to a part of it, or if it is handed to
a function that may assign to its parameter.
"""

import ast
import functools
from collections import Counter

from ..value.linear import METHODS


def known_of_node(find):
    """find(node), kept with the node: a function is written into kernels at each of its calls, and
    its tree stays as it is."""
    name = f"_kernel_{find.__name__}"

    @functools.wraps(find)
    def known(node):
        found = node.__dict__.get(name)
        if found is None:
            found = find(node)
            setattr(node, name, found)
        return found

    return known


def mutated_names(source, may_assign):
    """The names that change in a function. may_assign(callee) tells whether it may assign to its
    arguments."""
    arguments = ast.walk(source.tree.args)
    bound = Counter(node.arg for node in arguments if isinstance(node, ast.arg))
    changed = set()
    for node in source.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
        elif isinstance(node, ast.AugAssign):
            changed.update(_root(node.target))
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            changed.update(_root(node))
        elif isinstance(node, ast.Call):
            changed.update(_handed(node, may_assign))
    return changed | {name for name, count in bound.items() if count > 1}


def _root(node):
    """The name at the left end of a chain of attributes and subscripts."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return [node.id] if isinstance(node, ast.Name) else []


def _handed(call, may_assign):
    """The names that a call may change: what a method is called on, and arguments of what
    assigns."""
    names = []
    if isinstance(call.func, ast.Attribute) and call.func.attr not in METHODS:
        names += _root(call.func.value)
    if may_assign(call.func):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            names += _root(argument)
    return names


def names_of(target):
    """The names that the target of a loop binds."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def assigned_names(body):
    """Names that statements bind, assign to, or assign to a part of."""
    return set().union(*map(_assigned_by, body))


def _assigned_by(node):
    """The names that a node assigns to. A statement keeps its own, as each loop around it asks."""
    names = getattr(node, "assigned", None)
    if names is None:
        names = set(_root(node)) if isinstance(getattr(node, "ctx", None), ast.Store) else set()
        for child in ast.iter_child_nodes(node):
            names |= _assigned_by(child)
        if isinstance(node, ast.stmt):
            node.assigned = names
    return names


def stored_names(body):
    """The same without names that are only updated by what can be atomic."""
    return assigned_names(body) - _updated_only(body)


ATOMIC = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}


def _updated_only(body):
    """Names that augmented assignments alone store to, by operators that atomics have."""
    updated, other = set(), set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.AugAssign) and type(node.op) in ATOMIC:
                updated.update(_root(node.target))
            elif isinstance(
                node, (ast.Assign, ast.AnnAssign, ast.For, ast.AugAssign, ast.NamedExpr)
            ):
                for target in getattr(node, "targets", None) or [node.target]:
                    other.update(name for part in ast.walk(target) for name in _root(part))
    return updated - other


def has_open_loop(body):
    """Whether a loop is among the statements whose number of turns the text does not tell: a while,
    or a for over a range of other things than numbers."""
    return any(_is_open_loop(node) for statement in body for node in ast.walk(statement))


def _is_open_loop(node):
    if not isinstance(node, ast.For):
        return isinstance(node, ast.While)
    called = node.iter.func if isinstance(node.iter, ast.Call) else None
    is_range = isinstance(called, ast.Name) and called.id == "range"
    return is_range and not all(isinstance(each, ast.Constant) for each in node.iter.args)


def returns(body):
    """Whether a return is among the statements, but for functions that are defined there."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.FunctionDef):
            continue
        if any(returns(getattr(statement, name, [])) for name in ("body", "orelse")):
            return True
    return False


def always_returns(body):
    """Whether the last statement is a return, or an if whose branches both end so."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)


def breaks(body):
    """Whether a break in the statements leaves the loop that they are the body of."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, (ast.For, ast.While, ast.FunctionDef)):
            continue
        inner = [getattr(statement, name, []) for name in ("body", "orelse")]
        if any(breaks(block) for block in inner):
            return True
    return False
