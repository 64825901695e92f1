# SPDX-License-Identifier: Apache-2.0
"""A scalar value of a kernel that is being written. Python's operators write instructions.

So what is computed from scalars can be written as ordinary Python, for numbers and kernels alike. A
value has no truth while the kernel is compiled: `if` on one must be in a kernel or a qd.func.
"""

from .messages import KernelTypeError


class Scalar:
    """An SSA value: its name in the text, its dtype, and its number if it is a constant.

    parts: set for an index that a loop over cells made of others (cells.py).
    """

    __slots__ = ("constant", "dtype", "emitter", "name", "parts")

    def __init__(self, emitter, name, dtype, constant=None):
        self.emitter, self.name, self.dtype, self.constant = emitter, name, dtype, constant

    def __repr__(self):
        return f"<{self.name}:{self.dtype}>"

    def __bool__(self):
        raise KernelTypeError(
            "a value that is known only when the kernel runs decides something at compile time; "
            "write the function with @func, or take static(...) away"
        )

    __iter__ = None  # else Python would try indices from 0 on
    __hash__ = object.__hash__  # == writes an instruction and compares nothing


# Python's methods, without underscores, and the instructions that they write.
BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "lshift": "shift_left",
    "rshift": "shift_right",
}
COMPARING = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
UNARY = {"neg": "negate", "abs": "abs", "invert": "not", "pos": "copy"}


def install_operators(binary, unary):
    """Gives scalars Python's operators. arithmetic.py calls it with its functions that write an
    instruction: that module imports this one."""

    def of_two(operator, swapped=False):
        def apply(self, other):
            if not isinstance(other, (Scalar, int, float)):
                return NotImplemented
            a, b = (other, self) if swapped else (self, other)
            return binary(self.emitter, operator, a, b)

        return apply

    def of_one(operator):
        return lambda self: unary(self.emitter, operator, self)

    for python, operator in BINARY.items():
        setattr(Scalar, f"__{python}__", of_two(operator))
        setattr(Scalar, f"__r{python}__", of_two(operator, swapped=True))
    for python, operator in COMPARING.items():
        setattr(Scalar, f"__{python}__", of_two(operator))
    for python, operator in UNARY.items():
        setattr(Scalar, f"__{python}__", of_one(operator))
