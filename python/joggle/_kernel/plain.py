# SPDX-License-Identifier: Apache-2.0
"""Vectors and structs of a kernel in plain Python functions that it calls: operators, indices and
attributes write what they write in the kernel's own source. Scalars have theirs from scalar.py."""

import ast

from .compiling import current, write_call
from .linear import Method
from .messages import KernelTypeError
from .subscript import subscript
from .values import Record, Tensor, read

_TWO = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult,
    "and": ast.BitAnd,
    "or": ast.BitOr,
    "xor": ast.BitXor,
    "lshift": ast.LShift,
    "rshift": ast.RShift,
}
_ONE = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert}
_COMPARING = {
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}


def _operator(symbol, swapped=False):
    def apply(self, other):
        lowering = current()
        if lowering is None:
            return NotImplemented
        other = lowering.capture(other)
        return lowering.binary(symbol(), *((other, self) if swapped else (self, other)))

    return apply


def _comparison(symbol):
    def apply(self, other):
        lowering = current()
        if lowering is None:
            return NotImplemented
        return lowering.compare(symbol(), self, lowering.capture(other))

    return apply


def _of_one(symbol):
    return lambda self: current().unary(symbol(), self)


# Elsewhere, every vector is true.
def _truth(self):
    if current() is not None:
        raise KernelTypeError(
            "the truth of a vector is not one: use all() or any(), in a function with @qd.func"
        )
    return True


def _item(self, index):
    return read(subscript(current(), self, index))


def _attribute(self, name):
    """A member, a component or a method. Outside of plain functions there is none."""
    if current() is None or name.startswith("_"):
        raise AttributeError(name)
    lowering = current()
    try:
        found = read(lowering.attribute(self, name))
    except KernelTypeError as error:
        raise AttributeError(str(error)) from None
    if isinstance(found, Method):
        return lambda *args, **kwargs: write_call(found, args, kwargs)
    return found


def check_members(x):
    """Refuses a struct that hides members from Python: its own attributes have their names."""
    if not isinstance(x, Record):
        return
    hidden = [name for name in x.members if name in vars(x) or hasattr(type(x), name)]
    if hidden:
        raise KernelTypeError(
            f"a plain function: got a struct with a member {hidden[0]}, which it would not see; "
            "write the function with @qd.func"
        )
    for member in x.members.values():
        check_members(member)


def install_operators():
    """Gives vectors and structs their operators. calls.py does it, which calls plain functions."""
    for name, symbol in _TWO.items():
        setattr(Tensor, f"__{name}__", _operator(symbol))
        setattr(Tensor, f"__r{name}__", _operator(symbol, swapped=True))
    for name, symbol in _COMPARING.items():
        setattr(Tensor, f"__{name}__", _comparison(symbol))
    for name, symbol in _ONE.items():
        setattr(Tensor, f"__{name}__", _of_one(symbol))
    Tensor.__abs__ = lambda self: current().map(abs, self)
    Tensor.__hash__ = object.__hash__
    Tensor.__bool__ = _truth
    Tensor.__getitem__ = _item
    Tensor.__getattr__ = Record.__getattr__ = _attribute
