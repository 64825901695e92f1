# SPDX-License-Identifier: Apache-2.0
"""What random programs are made of: statements, and what NumPy and joggle both run of them."""

import operator
from typing import NamedTuple

import numpy as np
from helpers import HELPERS

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
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
            return f"owner_{out} = laid_out({p}, {s.text!r}); {out} = jg.asarray(owner_{out})"
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
