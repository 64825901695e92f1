# SPDX-License-Identifier: Apache-2.0
"""A scalar value of a kernel that is being written. Python's operators write instructions.

So what is computed from scalars can be written as ordinary Python, for numbers and kernels alike. A
value has no truth while the kernel is compiled: `if` on one belongs into a kernel or a qd.func.
"""

from .messages import KernelTypeError


class Scalar:
    """An SSA value: its name in the text, its dtype, and its number if it is a constant."""

    __slots__ = ("constant", "dtype", "emitter", "name")

    def __init__(self, emitter, name, dtype, constant=None):
        self.emitter, self.name, self.dtype, self.constant = emitter, name, dtype, constant

    def __repr__(self):
        return f"<{self.name}:{self.dtype}>"

    def __bool__(self):
        raise KernelTypeError(
            "a value that is known only when the kernel runs decides something at compile time; "
            "write the function with @qd.func, or take qd.static away"
        )

    __iter__ = None  # else Python would try indices from 0 on
    __hash__ = object.__hash__  # == writes an instruction and compares nothing


def _binary(operator, swapped=False):
    def apply(self, other):
        from . import arithmetic

        if not isinstance(other, (Scalar, int, float)):
            return NotImplemented
        a, b = (other, self) if swapped else (self, other)
        return arithmetic.binary(self.emitter, operator, a, b)

    return apply


def _install():
    names = {
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
    for python, operator in names.items():
        setattr(Scalar, f"__{python}__", _binary(operator))
        setattr(Scalar, f"__r{python}__", _binary(operator, swapped=True))
    for python, operator in {
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
        "eq": "equal",
        "ne": "not_equal",
    }.items():
        setattr(Scalar, f"__{python}__", _binary(operator))


def _unary(operator):
    def apply(self):
        from . import arithmetic

        return arithmetic.unary(self.emitter, operator, self)

    return apply


_install()
for _python, _operator in {"neg": "negate", "abs": "abs", "invert": "not", "pos": "copy"}.items():
    setattr(Scalar, f"__{_python}__", _unary(_operator))
