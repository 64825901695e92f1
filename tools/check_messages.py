#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where the message of an error does not say what was given, and what is allowed or to do.

    tools/check_messages.py [--root ROOT]

Most messages begin with the argument, as "[op] axis: got 3, allowed is 0 to 2" does. Between the
argument and what is allowed stands the value: something that is put in, or a word for it. SPARED
are messages about what has no value to tell. In C base_fail and PyErr_Format are given it, for
arguments, for what has no implementation, and for devices and libraries that are missing; the
nodes of a function's file are refused by FUNCTION_NEEDS and function_refuse. In Python it is
raised; there only messages are read that name an argument or tell what they got, as those of a
kernel's text quote the text. Left out are messages that end with another one, such as a driver's,
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
    r"\b(?:base_fail\(\s*JG_ERR_(?:VALUE|TYPE|INDEX|AXIS|UNSUPPORTED|LIBRARY|DEVICE|BUFFER|COPY)"
    r"|PyErr_(?:Format|SetString)\(\s*PyExc_(?:Value|Type|Index|Overflow|Buffer)Error),\s*"
)
# A format in C: literals with macros between them, up to the comma or parenthesis.
FORMAT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[A-Z]\w*|\s)+')
RAISED = re.compile(r"(Value|Type|Index)Error|Kernel\w*Error")
# Python's own wording for calls says what is wrong without it.
PYTHONS_OWN = re.compile(
    r"\(\) (?:got an unexpected keyword|got multiple values|takes at most|missing required)"
)
GOT = re.compile(r"\bgot |\bshapes %")
ARGUMENT = re.compile(r"(\[[^]]*\] )?(\w+ )?['\w%.]+(\[[^]]*\])?: ")
# What is put in, or a word that is as good: of nothing, of a constant, of a sum beyond int64.
VALUE = re.compile(
    r"%|\bgot (?:NULL|None|True|False|none|nothing|no |0\b|(?:a )?complex |opaque |a (?:dict|tuple|"
    r"lambda|dynamic node|masked array|second one)\b|"
    r'\\?"\w)|\b(?:is|are) (?:NULL|0|empty)\b|\bhas (?:no|0) |\bof 0\b|\bno (?:\w+ ){1,2}is '
    r"|\b2\^63 (?:\w+ )?or more"
)
# A number or a form that is spoken of without being told.
VAGUE = re.compile(
    r"\b(?:the|a) (?:complex |real )?(?:number|value) (?:does|that|is)\b|\btoo (?:many|long)\b|"
    r"\bgot more\b|\banother (?:dtype|shape)\b|\bdiffers? (?:from|in)\b"
)
# What is allowed, or what to do instead.
WAY = re.compile(
    r"\b(?:allowed|needed)\b|[;:,] (?:please )?(?:ask|assign|call|do|give|install|make|move|name"
    r"|pass|reduce|set|start|stop|use|write)\b"
)
# Another message follows: that of a library or a driver, with its number, or what to do.
ENDS_WITH_ANOTHER = re.compile(r"(?:^|[]:;] )%[sSU](?: \(%d\))?(?:: %\.\*s%s)?$")
# No value can be told: pieces of messages, and why.
SPARED = {
    "depends on an argument of": "an array that is traced has no values",
    "its own arguments and constants": "as above, of a recorded function",
    "changed while": "the value was another one before",
    "its cells exist one by one": "a kind of field, which the message names",
    "whose cells need not exist": "as above, of a kernel's argument",
    "that takes its memory at once": "as above, of a node",
    "of numbers of few bits": "as above, of a field",
    "got an array without": "what it lacks is named",
    "got one of jg_tracing_begin,": "the function that made it is named",
    "got one while a kernel": "a call, and what is under way is named",
    "got more words in one call": "the device does not count what it has no room for",
    "is the name of": "the argument's name is the value",
    "is closed": "the argument is a file, by its path",
    "the annotation says": "the annotation is quoted",
    "runs with other arguments": "the argument is an attribute, by its name",
    "got a lambda or a class": "its source follows",
    "op: got one": "the node's op stands before it",
    "comes late": "an instruction of a kernel, by its name, as the three that follow",
    "outside a loop": "as above",
    "not in the block of an if": "as above",
    "no block is open": "as above",
    "cannot be deleted": "what is deleted stands in the statement",
    "have their memory already": "a tree of axes, which has no name",
    "while the process ends": "what is compiled then is told nobody",
    "a write to the memory": "memory has no name",
    "arrays of joggle are values": "the argument is named before it",
    "are not in memory as they are": "as above",
    "failed without a word": "another library's failure, which tells nothing",
    "did not name its stream": "what it lacks is named",
    "made no tensor of a result": "another library's failure, which tells nothing",
}


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


def tells_value(message, argument, way):
    """Whether the value is told before what is allowed. argument: a match, or None."""
    told = message[argument.end() if argument else 0 : way.start()]
    if any(piece in message for piece in SPARED) or (argument and "'%" in argument.group()):
        return True
    return bool(VALUE.search(told)) and ("got %" in told or not VAGUE.search(told))


def fault_of(message, in_c):
    """What the message does not say, or None."""
    argument = ARGUMENT.match(message)
    if not (in_c or argument or GOT.search(message)) or ENDS_WITH_ANOTHER.search(message):
        return None
    if re.match(r"\[load\] .*\bbyte %", message) or PYTHONS_OWN.search(message):
        return None
    if not (way := re.search(r"\ballowed\b", message) or WAY.search(message)):
        return "what is allowed, or what to do"
    return None if tells_value(message, argument, way) else "what the argument was"


def faults_of(root):
    sources = [(p, of_c) for folder in ("src", "python/src") for p in (root / folder).rglob("*.c")]
    sources += [(p, of_python) for p in (root / "python/joggle").rglob("*.py")]
    for path, messages in sorted(sources):
        for line, message in messages(path):
            if fault := fault_of(message, messages is of_c):
                yield f"{path.relative_to(root)}:{line}: does not say {fault}: {message}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    faults = list(faults_of(parser.parse_args().root.resolve()))
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
