# SPDX-License-Identifier: Apache-2.0
"""The texts of print and assert: f-strings and plain values become a pattern and scalars."""

import ast

from .emit import describe
from .messages import KernelSyntaxError, KernelTypeError
from .scalar import Scalar
from .values import Record, Tensor, read


def quoted(text):
    """A text as the kernel's own text writes it."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


def pattern_of(x, values):
    """How a value is printed: {} for each of its scalars, which are appended to values."""
    if isinstance(x, Scalar):
        values.append(x)
        return "{}"
    if isinstance(x, Tensor):
        if len(x.shape) == 2:
            rows = (Tensor(x.shape[1:], x.row(i)) for i in range(x.shape[0]))
            return "[" + ", ".join(pattern_of(row, values) for row in rows) + "]"
        return "[" + ", ".join(pattern_of(item, values) for item in x.items) + "]"
    if isinstance(x, Record):
        inside = (f"{name}={pattern_of(member, values)}" for name, member in x.members.items())
        return "(" + ", ".join(inside) + ")"
    if isinstance(x, (list, tuple)):
        inside = ", ".join(pattern_of(item, values) for item in x)
        return f"({inside})" if isinstance(x, tuple) else f"[{inside}]"
    if isinstance(x, (bool, int, float, str)) or x is None:
        return str(x).replace("{", "{{").replace("}", "}}")
    raise KernelTypeError(
        f"print: got {describe(x)}, allowed are numbers, vectors, structs and text"
    )


def message_of(lowering, node):
    """The text of an expression in print or assert, quoted, and its scalars."""
    values = []
    return quoted(_pattern(lowering, node, values)), values


def _pattern(lowering, node, values):
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(lowering, part, values) for part in node.values)
    return pattern_of(read(lowering.visit(node)), values)


def _part(lowering, part, values):
    if isinstance(part, ast.Constant):
        return str(part.value).replace("{", "{{").replace("}", "}}")
    if part.conversion != -1:
        raise KernelSyntaxError("!r, !s and !a are not supported in a kernel's f-string")
    value = lowering.value(part.value)
    if part.format_spec is None:
        return pattern_of(value, values)
    spec = "".join(str(piece.value) for piece in part.format_spec.values)
    if isinstance(value, (bool, int, float, str)):
        return format(value, spec)
    return pattern_of(value, values)


def print_values(lowering, call):
    """The statement print(...): a line of text with its values."""
    separator, end, values, parts = " ", "\n", [], []
    for keyword in call.keywords:
        if keyword.arg == "sep":
            separator = lowering.static(keyword.value)
        elif keyword.arg == "end":
            end = lowering.static(keyword.value)
        else:
            raise KernelSyntaxError(f"print: got {keyword.arg}=, allowed are sep= and end=")
    for argument in call.args:
        parts.append(_pattern(lowering, argument, values))
    text = separator.join(parts) + (end if end != "\n" else "")
    names = "".join(f" {x.name}" for x in values)
    lowering.emitter.write(f"print {quoted(text)}{names}{lowering.emitter.suffix()}")
