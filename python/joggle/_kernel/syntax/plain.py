# SPDX-License-Identifier: Apache-2.0
"""Vectors and structs of a kernel in plain Python functions that it calls: operators, indices and
attributes write what they write in the kernel's own source. Scalars have theirs from scalar.py."""

from ..ir.messages import KernelTypeError
from ..ir.scalar import BINARY, COMPARING, UNARY
from ..value.compiling import current, write_call
from ..value.linear import Method
from ..value.values import Record, Tensor, read
from .subscript import subscript


def _binary(write, *name):
    """An operator, and the one for operands that are swapped. write: the method of a lowering."""

    def apply(lowering, a, b):
        return getattr(lowering, write)(*name, lowering.capture(a), lowering.capture(b))

    def straight(self, other):
        return NotImplemented if current() is None else apply(current(), self, other)

    def swapped(self, other):
        return NotImplemented if current() is None else apply(current(), other, self)

    return straight, swapped


def _unary(name):
    return lambda self: current().change(name, self)


# Elsewhere, every vector is true.
def _truth(self):
    if current() is not None:
        raise KernelTypeError(
            "the truth of a vector is not one: use all() or any(), in a function with @func"
        )
    return True


def _item(self, index):
    return read(subscript(current(), self, index))


def _attribute(self, name):
    """A member, a component or a method. Outside of plain functions there is none."""
    lowering = current()
    if lowering is None or name.startswith("_"):
        raise AttributeError(name)
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
            "allowed is a function with @func"
        )
    for member in x.members.values():
        check_members(member)


def install_operators():
    """Gives vectors and structs their operators. calls.py does it, which calls plain functions."""
    for python, name in BINARY.items():
        straight, swapped = _binary("combine", name)
        setattr(Tensor, f"__{python}__", straight)
        setattr(Tensor, f"__r{python}__", swapped)
    Tensor.__matmul__, Tensor.__rmatmul__ = _binary("matmul")
    for python, name in COMPARING.items():
        setattr(Tensor, f"__{python}__", _binary("relate", name)[0])
    for python, name in UNARY.items():
        setattr(Tensor, f"__{python}__", _unary(name))
    Tensor.__hash__ = object.__hash__
    Tensor.__bool__ = _truth
    Tensor.__getitem__ = _item
    Tensor.__getattr__ = Record.__getattr__ = _attribute
