# SPDX-License-Identifier: Apache-2.0
"""What random programs are made of: statements, and what NumPy and joggle both run of them."""

import copy
import operator
from typing import NamedTuple

import numpy as np

import joggle as jg

INTEGERS = ("int8", "uint8", "int32", "int64")
IN_PLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor,
}  # fmt: skip


class Statement(NamedTuple):
    """One line of a program. `text` names operands by number, {0}, and literals by {p}."""

    kind: str  # a key of RUN
    out: tuple = ()  # names that get values
    ins: tuple = ()  # names that are read
    text: str = ""
    p: object = None
    views: bool = False  # the results may lie in the operands' memory


class Box:
    """An array as NumPy knows it: a value that names share, and the owners of memory under it."""

    def __init__(self, value, owners=frozenset()):
        self.value = value
        self.owners = owners


def hadamard(xp, x):
    """The sums with signs over the last axis, a power of two long."""
    if xp is jg:
        return jg.hadamard_transform(x, 1.0)
    matrix = np.ones((1, 1))
    while len(matrix) < x.shape[-1]:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return (x.astype(np.float64) @ matrix).astype(x.dtype)


def bits(xp, x, dtype):
    """The same bytes in another dtype."""
    return x.view(getattr(jg, dtype)) if xp is jg else np.ascontiguousarray(x).view(dtype)


def updated_at(xp, x, index, values, op):
    """x with values added, or multiplied in, at indices of its first axis, which may repeat."""
    if xp is jg:
        return getattr(x.at[index], op)(values)
    result = x.copy()
    getattr(np, op).at(result, index, x.dtype.type(values))
    return result


def duplicate(xp, x):
    """A copy by the protocol of Python."""
    return copy.deepcopy(x)


HELPERS = {
    "hadamard": hadamard,
    "bits": bits,
    "updated_at": updated_at,
    "duplicate": duplicate,
}
_functions = {}


def function_of(text):
    """The template as a function of a namespace, operands and the literal."""
    function = _functions.get(text)
    if function is None:
        count = next(n for n in range(9) if f"{{{n}}}" not in text)
        names = [f"x{i}" for i in range(count)]
        body = text.format(*names, p="p")
        function = eval(f"lambda xp, p, {', '.join(names)}: {body}", dict(HELPERS))
        _functions[text] = function
    return function


def line_of(s):
    """The statement as a line of Python, more or less."""
    p = f"np.array({s.p.tolist()}, '{s.p.dtype}')" if isinstance(s.p, np.ndarray) else repr(s.p)
    out, ins = ", ".join(s.out), ", ".join(s.ins)
    match s.kind:
        case "leaf":
            return f"{out} = jg.array({p}, copy=True)"
        case "import":
            return f"owner_{out} = {p}; {out} = jg.asarray(owner_{out})"
        case "in_place":
            return f"{s.ins[0]} {s.text}= {s.ins[1] if len(s.ins) > 1 else p}"
        case "set":
            return f"{s.ins[0]}[{s.p[0]!r}] = {s.ins[1] if len(s.ins) > 1 else s.p[1]}"
        case "drop":
            return f"del {ins}"
        case "evaluate":
            return f"jg.{s.text}({ins})"
        case "compare":
            return f"np.asarray({ins})"
        case "export":
            return f"export = np.from_dlpack({ins})"
        case "stream":
            return f"jg.set_default_stream({p})"
        case "owner":
            return f"jg.eval(everything); del what_shares_{s.p}; owner_{s.p}[...] = 1"
        case _:
            return f"{out} = {s.text.format(*s.ins, p=p)}"


def show(statements):
    return "\n".join(map(line_of, statements))
