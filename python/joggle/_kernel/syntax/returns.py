# SPDX-License-Identifier: Apache-2.0
"""Returns from inside of the branches and loops of a function that is written into its caller.

The body becomes a loop of one iteration, which a return leaves: it stores its value in variables
declared before the loop, and breaks. If the return is inside loops of the function, a variable
makes each of these break as well.
"""

import ast

from ..ir.arithmetic import is_number
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..ir.promotion import promote
from ..library.mutation import known_of_node
from ..value.values import Local, Record, Tensor, variable


class Exit:
    """The destination of a function's returns."""

    def __init__(self, emitter, tree):
        self.emitter = emitter
        self.form, self.given = None, []
        self.from_loops = 0  # how many returns are in loops
        self.leaving = variable(emitter, False) if _in_loops(tree.body) else None

    def give(self, value, in_loop):
        """Writes the return of a value."""
        form = form_of(value)
        if self.given and form != self.form:
            raise KernelTypeError(
                f"return: got {describe(value)}, other than the return before, allowed are "
                "values of one kind"
            )
        values = [self.emitter.scalar(x) for x in parts_of(value)]
        block = self.emitter.block
        self.form, self.given = form, [*self.given, Given(values, block, len(block.code))]
        if in_loop:
            self.leaving.write(self.emitter.constant(True, "bool"))
            self.from_loops += 1
        self.emitter.perform("break")

    def leave_loop(self):
        """After a loop that a return may have left: leaves the enclosing loop, too."""
        with self.emitter.when(self.leaving.read()):
            self.emitter.perform("break")

    def settle(self):
        """Declares the variables for the result here; gives what reads it."""
        columns = zip(*(given.values for given in self.given), strict=True)
        places = [Local(self.emitter, _common(column)) for column in columns]
        for given in reversed(self.given):  # the last first: those before stay where they are
            given.set(self.emitter, places)
        return lambda: rebuilt(self.form, iter([place.read() for place in places]))


class Given:
    """The values of a return, and where they are set once the dtypes of all returns are known: at a
    place in a block's code."""

    def __init__(self, values, block, place):
        self.values, self.block, self.place = values, block, place

    def set(self, emitter, locals_):
        """Sets locals to the values."""

        def write():
            for x, local in zip(self.values, locals_, strict=True):
                local.write(emitter.scalar(x, local.dtype))

        _, block = emitter.aside(write)
        self.block.code[self.place : self.place] = block.code


def returns_early(tree):
    """Whether a function returns from a branch or a loop that is not one of qd.static."""
    return any(_returns_in(statement) for statement in tree.body)


@known_of_node
def _returns_in(statement):
    if isinstance(statement, ast.If) and _is_static(statement.test):
        return any(_returns_in(inner) for inner in statement.body + statement.orelse)
    if isinstance(statement, ast.For) and _is_static(statement.iter):
        return any(_returns_in(inner) for inner in statement.body)
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        return any(isinstance(node, ast.Return) for node in ast.walk(statement))
    return False


def _is_static(node):
    """Whether an expression is a call of qd.static, by its name."""
    callee = node.func if isinstance(node, ast.Call) else None
    return getattr(callee, "attr", getattr(callee, "id", None)) == "static"


def _in_loops(body):
    return any(
        isinstance(inner, ast.Return)
        for statement in body
        for loop in ast.walk(statement)
        if isinstance(loop, (ast.For, ast.While))
        for inner in ast.walk(loop)
    )


def _common(scalars):
    dtype = scalars[0].dtype
    for x in scalars[1:]:
        dtype = promote(dtype, x.dtype)
    return dtype


def form_of(value):
    """The property that values of one kind have in common: their shape or members."""
    if value is None or is_number(value):
        return None if value is None else "number"
    if isinstance(value, Tensor):
        return value.shape
    if isinstance(value, Record):
        return value.type, {name: form_of(member) for name, member in value.members.items()}
    if isinstance(value, (list, tuple)):
        return [form_of(item) for item in value]
    raise KernelTypeError(
        f"return inside of a branch or a loop: got {describe(value)}, allowed are numbers, "
        "vectors, matrices, structs, and several of them"
    )


def parts_of(value):
    """The scalars of a value, in order."""
    if value is None:
        return []
    if isinstance(value, Tensor):
        return value.items
    if isinstance(value, Record):
        return [part for member in value.members.values() for part in parts_of(member)]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in parts_of(item)]
    return [value]


def rebuilt(form, scalars):
    """A value of a form, of its scalars."""
    if form is None or form == "number":
        return None if form is None else next(scalars)
    if isinstance(form, list):
        return tuple(rebuilt(item, scalars) for item in form)
    if isinstance(form[-1], dict):
        type_, members = form
        return Record(type_, {name: rebuilt(member, scalars) for name, member in members.items()})
    count = 1
    for extent in form:
        count *= extent
    return Tensor(form, [next(scalars) for _ in range(count)])
