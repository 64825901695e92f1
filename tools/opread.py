# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of ops by the C preprocessor (`cc -E`), as the library reads them: there is no
second parser. tools/optable.py writes files of what they say."""

import functools
import os
import shlex
import subprocess
import sys
from pathlib import Path

from opforms import Form

ROOT = Path(__file__).resolve().parent.parent


def expand(source):
    """The C text with its directives carried out, by the compiler's own preprocessor."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    result = subprocess.run(
        [*compiler, "-E", "-P", "-x", "c", "-std=c17", f"-I{ROOT}/src", f"-I{ROOT}/include", "-"],
        input=source,
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        sys.exit(f"optable: the C preprocessor failed:\n{result.stderr}")
    return result.stdout


@functools.cache
def rows(table, macro, columns):
    """The rows of src/<table> as dicts of text by column name. Strings come without their quotes.

    columns names the macro's parameters in order; a last one ending in "..." takes the rest. The
    preprocessor puts each cell, turned into a string literal, on a line of its own.
    """
    names = [column.removesuffix("...") for column in columns]
    parameters = [*names[:-1], "..."] if columns[-1].endswith("...") else names
    cells = ["__VA_ARGS__" if name == "..." else name for name in parameters]
    body = " ".join(f"@cell #{cell}" for cell in cells)
    head = f"{macro}({', '.join(parameters)})"
    text = expand(f'#define {head} @row {body} @end\n#include "{table}"\n')
    found = []
    for row in text.split("@row")[1:]:
        literals = row.split("@end")[0].split("@cell")[1:]
        values = [unquote(literal.strip()) for literal in literals]
        found.append(dict(zip(names, map(unquote_if_quoted, values), strict=True)))
    if not found:
        sys.exit(f"optable: src/{table} has no {macro} rows")
    return tuple(found)


def unquote(literal):
    """The value of one C string literal."""
    assert literal[0] == literal[-1] == '"', literal
    return literal[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()


def unquote_if_quoted(cell):
    """A cell that is itself string literals, as their joined value; others unchanged."""
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"':
        return cell
    return "".join(unquote(f'"{part}"') for part in cell[1:-1].split('" "'))


@functools.cache
def forms():
    table = rows("op/form.def", "JG_FORM", ("name", "gives", "raises", "shape", "parameters..."))
    return {row["name"]: Form(row) for row in table}


def ops():
    """The rows of op.def, with the wrappers around their cells taken off."""
    columns = ("name", "form", "by", "types", "node", "doc")
    found = []
    for row in rows("op/op.def", "JG_OP", columns):
        inner = {key: row[key][row[key].index("(") + 1 : -1] for key in ("types", "node", "doc")}
        found.append({**row, **inner, "doc": unquote_if_quoted(inner["doc"])})
    return found


@functools.cache
def topics():
    """The topics of op.def in its order: pairs of a title and the names of its ops."""
    text = expand(
        "#define JG_OP(name, ...) @op name\n#define JG_OP_TOPIC(title) @topic title\n"
        '#include "op/op.def"\n'
    )
    found = []
    for row in text.split("@")[1:]:
        kind, value = row.strip().split(maxsplit=1)
        if kind == "topic":
            found.append((unquote(value), []))
        else:
            found[-1][1].append(value)
    return tuple(found)


def aliases():
    """The rows of alias.def as pairs: the alias, and the row of the op that it names."""
    by_name = {row["name"]: row for row in ops()}
    table = rows("op/alias.def", "JG_ALIAS", ("alias", "name"))
    return [(row["alias"], by_name[row["name"]]) for row in table]


@functools.cache
def type_texts():
    table = rows("op/type_rule.def", "JG_TYPE_RULE", ("name", "text"))
    return {row["name"]: row["text"] for row in table}


@functools.cache
def examples():
    table = rows("op/op.def", "JG_EXAMPLE", ("name", "code", "result"))
    return {row["name"]: f">>> {row['code']}\n{row['result']}" for row in table}


@functools.cache
def numpy_keywords():
    """The rows of numpy_keyword.def: for each function the keywords and their types."""
    found = {}
    for row in rows("../python/src/op/numpy_keyword.def", "PY_NUMPY", ("name", "keyword", "type")):
        found.setdefault(row["name"], []).append((row["keyword"], row["type"]))
    return found
