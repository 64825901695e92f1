# SPDX-License-Identifier: Apache-2.0
"""The texts of print and assert: f-strings and plain values become a pattern and scalars."""

import ast
import re
import string

from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..ir.promotion import is_float
from ..ir.scalar import Scalar
from .values import Record, Tensor, read

# The formats that src/field/launch/format.c supports, besides i and u, which become d.
_FORMAT = re.compile(r"([<>]?)([+ ]?0?\d*(?:\.\d+)?)([diuxXoeEfFgG]?)")
_INTEGER_TYPES = frozenset("diuxXo")
_ALLOWED = "alignment, sign, zeros, width, precision and a type of diuxXoeEfFgG"


# Braces are doubled; values contain none.
def _plain(text):
    return str(text).replace("{", "{{").replace("}", "}}")


def pattern_of(x, values, spec=""):
    """How a value is printed: a placeholder for each of its scalars, which are appended to values.
    Floats without a format have 6 digits behind the point, those of 64 bits 12."""
    if isinstance(x, Scalar):
        values.append(x)
        return f"{{:{spec}}}" if (spec := _spec_of(x.dtype, spec)) else "{}"
    if isinstance(x, Tensor):
        if len(x.shape) == 2:
            rows = (Tensor(x.shape[1:], x.row(i)) for i in range(x.shape[0]))
            return "[" + ", ".join(pattern_of(row, values, spec) for row in rows) + "]"
        return "[" + ", ".join(pattern_of(item, values, spec) for item in x.items) + "]"
    if isinstance(x, Record):
        members = x.members.items()
        inside = (f"{name}={pattern_of(member, values, spec)}" for name, member in members)
        return "(" + ", ".join(inside) + ")"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(pattern_of(item, values, spec) for item in x) + "]"
    if isinstance(x, (bool, int, float)):
        return _number(x, spec)
    if isinstance(x, str) or x is None:
        return _plain(format(x, spec) if spec else x)
    raise KernelTypeError(
        f"print: got {describe(x)}, allowed are numbers, vectors, structs and text"
    )


def _spec_of(dtype, spec):
    """A format for src/field/launch/format.c."""
    if is_float(dtype):
        spec = spec or (".12" if dtype == "float64" else ".6")
    elif not spec:
        return "d" if dtype == "bool" else ""
    align, middle, kind = _parts(spec)
    if kind in _INTEGER_TYPES and is_float(dtype):
        raise KernelTypeError(f"format {spec!r}: got {dtype}, allowed are the types eEfFgG")
    if kind == "u" and not dtype.startswith("u"):
        raise KernelTypeError(f"format {spec!r}: got {dtype}, allowed are the types dixXoeEfFgG")
    return align + middle + _type_of(kind, is_float(dtype))


def _type_of(kind, is_real):
    if kind in ("i", "u"):
        return "d"
    return kind or ("f" if is_real else "d")


def _parts(spec):
    found = _FORMAT.fullmatch(spec)
    if not found:
        raise KernelTypeError(f"format: got {spec!r}, allowed in kernels are {_ALLOWED}")
    return found.groups()


def _number(x, spec):
    """A number that is known when compiling, as a value of the kernel would be printed."""
    is_real = isinstance(x, float)
    align, middle, kind = _parts(spec or (".6f" if is_real else "d"))
    if is_real and kind in _INTEGER_TYPES:
        raise KernelTypeError(f"format {spec!r}: got the number {x}, allowed are the types eEfFgG")
    return f"%{align.translate(_ALIGNMENT)}{middle}{_type_of(kind, is_real)}" % x


_ALIGNMENT = str.maketrans({"<": "-", ">": None})


def message_of(lowering, node):
    """The text of an expression in print or assert, and its scalars."""
    values = []
    return _pattern(lowering, node, values), values


def _pattern(lowering, node, values):
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(lowering, part, values) for part in node.values)
    if isinstance(node, ast.Call) and _is_format(node.func):
        return _formatted(lowering, node, values)
    return pattern_of(read(lowering.visit(node)), values)


def _part(lowering, part, values):
    """A text of an f-string, or a value. !r and !s do not change numbers."""
    if isinstance(part, ast.Constant):
        return _plain(part.value)
    spec = "" if part.format_spec is None else _spec(lowering, part.format_spec)
    return _replacement(lowering.value(part.value), values, spec)


def _replacement(x, values, spec):
    """What stands in an f-string for a value: a number that is known when compiling is written as
    Python writes it, as in Quadrants."""
    if isinstance(x, (bool, int, float)) and not spec:
        return str(x)
    return pattern_of(x, values, spec)


def _spec(lowering, node):
    """A format, whose own parts must be known when compiling."""
    texts = (
        piece.value if isinstance(piece, ast.Constant) else lowering.static(piece.value)
        for piece in node.values
    )
    return "".join(map(str, texts))


def _is_format(callee):
    literal = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Constant)
    return literal and callee.attr == "format" and isinstance(callee.value.value, str)


def _formatted(lowering, call, values):
    given = [lowering.value(argument) for argument in call.args]
    named = {keyword.arg: lowering.value(keyword.value) for keyword in call.keywords}
    out, following = "", 0
    for text, name, spec, _ in string.Formatter().parse(call.func.value.value):
        out += _plain(text)
        if name is None:
            continue
        if name == "":
            name, following = str(following), following + 1
        try:
            value = given[int(name)] if name.isdigit() else named[name]
        except (IndexError, KeyError):
            known = ", ".join(map(str, [*range(len(given)), *named])) or "none"
            raise KernelTypeError(
                f"format: there is no argument {name}, allowed are {known}"
            ) from None
        out += _replacement(value, values, spec)
    return out


def print_values(lowering, call):
    """The statement print(...): a text with its values."""
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
    lowering.emitter.tell(_plain(separator).join(parts) + _plain(end), values)
