#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where the message of an argument's error does not say what it was, and what is allowed.

    tools/check_messages.py [--root ROOT]

Such a message begins with the argument, as "[op] axis: got 3, allowed is 0 to 2" does, or tells
what it got or which shapes do not fit. Something stands between the argument and what is allowed.
In C jg_fail and PyErr_Format are given it, in Python it is raised; the nodes of a function's file
are refused by FUNCTION_NEEDS and function_refuse. Left out are messages that end with another one,
and those of a cursor and of JSON, which tell the byte of a file where they stopped.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Their text is the last literal, behind a condition that has none.
REFUSALS = re.compile(
    r"\b(?:FUNCTION_NEEDS|function_refuse)\(\s*node,"
    r'((?:(?!FUNCTION_NEEDS|function_refuse)[^;"])*?)(?=")'
)
ERRORS = re.compile(
    r"\b(?:jg_fail\(\s*JG_ERR_(?:VALUE|TYPE|INDEX|AXIS)"
    r"|PyErr_(?:Format|SetString)\(\s*PyExc_(?:Value|Type|Index)Error),\s*"
)
# A format in C: literals with macros between them, up to the comma or parenthesis.
FORMAT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[A-Z]\w*|\s)+')
RAISED = re.compile(r"(Value|Type|Index)Error|Kernel\w*Error")
# Python's own wording for calls says what is wrong without it.
GOT = re.compile(r"\bgot (?!an unexpected keyword|multiple values)|\bshapes %")
ARGUMENT = re.compile(r"(\[[^]]*\] )?(\w+ )?['\w%.]+(\[[^]]*\])?: ")


def of_c(path):
    """The messages of a file in C, with their lines."""
    text = path.read_text()
    for error in [*ERRORS.finditer(text), *REFUSALS.finditer(text)]:
        parts = FORMAT.match(text, error.end())
        if parts is not None and '"' in parts.group():
            message = re.sub(r'"\s*PRI\w+\s*"?', "d", parts.group())
            yield (
                text.count("\n", 0, error.start()) + 1,
                "".join(re.findall(r'"((?:[^"\\]|\\.)*)"?', message)),
            )


def text_of(node):
    """The text of a literal, with %s for what is put in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "%s"


def of_python(path):
    for node in ast.walk(ast.parse(path.read_text())):
        error = node.exc if isinstance(node, ast.Raise) else None
        raised = isinstance(error, ast.Call) and getattr(error.func, "id", "")
        if raised and RAISED.fullmatch(raised) and error.args:
            yield node.lineno, text_of(error.args[0])


def fault_of(message):
    """What the message does not say, or None."""
    argument = ARGUMENT.match(message)
    if not (argument or GOT.search(message)) or message.endswith(": %s"):
        return None
    if "allowed" in message:
        silent = argument and message.startswith("allowed", argument.end())
        return "what the argument was" if silent else None
    return None if re.match(r"\[load\] .*\bbyte %", message) else "what is allowed"


def faults_of(root):
    sources = [(p, of_c) for folder in ("src", "python/src") for p in (root / folder).rglob("*.c")]
    sources += [(p, of_python) for p in (root / "python/joggle").rglob("*.py")]
    for path, messages in sorted(sources):
        for line, message in messages(path):
            if fault := fault_of(message):
                yield f"{path.relative_to(root)}:{line}: does not say {fault}: {message}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    faults = list(faults_of(parser.parse_args().root.resolve()))
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
