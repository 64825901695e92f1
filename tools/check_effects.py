#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a prototype that no comment describes: those that return jg_status, and all public ones.
Those that return a pointer tell whose it is: `gives: ...` that does not begin with an argument's
`*`, or the word borrowed. Slots of structs are read like prototypes.
Of all C files it fails on what passes also on failure. That is allowed where C meets Python alone,
as in CPython's own functions, and has CPython's word, `steals:`.

The comment stands beside the prototype, above it, or above those that it stands with, without an
empty line in between. It has a sentence and an effect, such as `keeps: ...`; where jg_status is
returned that is `raises: ...`, and where such a function gives a pointer through its last argument,
`gives: ...`. docs/ownership.md says what effects mean.

    tools/check_effects.py [--root ROOT]
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
LINE = re.compile(r"\n[ \t]*\*")
PROTOTYPE = re.compile(
    r"^(?:typedef |extern |JG_API |JG_COLD |static inline )*jg_status\s(?P<head>[^;{=#]*?)"
    r"\b(?P<name>\w+)\((?P<arguments>[^;{]*)",
    re.MULTILINE,
)
POINTER = re.compile(
    r"^(?:typedef )?(?P<result>(?!typedef\b)(?:\w+ )+\*(?:\*|const )*)\b(?P<name>\w+)"
    r"\((?!\w+\)\[)(?P<arguments>[^;{]*)",
    re.MULTILINE,
)
SLOT = re.compile(
    r"^[ \t]+(?P<result>(?:\w+ )+(?:\*(?:\*|const )*)?)\(\*(?:const )?(?P<name>\w+)\)"
    r"\((?P<arguments>[^;{=]*)(?=;)",
    re.MULTILINE,
)
PUBLIC = re.compile(r"^JG_API\b[^;{=#]*?\b(?P<name>\w+)\((?!\w+\)\))", re.MULTILINE)
WHOSE = re.compile(r"\bgives:(?! *\*)|\bborrowed\b", re.IGNORECASE)
GIVES = re.compile(r"\*\*\w+\)\s*(?:JG_\w+|__attribute__.*)?\s*$")
EFFECTS = ("keeps", "takes", "gives", "raises", "waits")  # of docs/ownership.md
ON_FAILURE_TOO = re.compile(r"\b(consumes|steals):")
ALWAYS = re.compile(r"\btakes:[^|]*?,? (?:always|also (?:when|after|if|on)\b)[^|;.]*")
EFFECT = re.compile(rf"\b(?:{'|'.join((*EFFECTS, 'steals'))})(?:, \w+)*:[^|]*")


def headers_of(root):
    """Those of rooms and the public ones; not those that are included several times."""
    for folder in ("src", "include/joggle"):
        for path in sorted((root / folder).rglob("*.h")):
            if ".inc." not in path.name:
                yield path


def files_of(root):
    """All of C that may tell whose something is."""
    for folder in ("src", "include/joggle", "python/src"):
        yield from sorted((root / folder).rglob("*.[ch]"))


def blocks_of(text):
    """Pieces of a header between empty lines, each with its comments and its code apart."""
    for block in re.split(r"\n[ \t]*\n", text):
        comments = [" ".join(LINE.sub("\n", c).split()) for c in COMMENT.findall(block)]
        yield comments, COMMENT.sub("\0", block)


def unknown_effects(comment):
    """Words that stand where an effect does and are none; the first may begin a sentence's line."""
    for word in re.findall(r"\| (\w+):", comment):
        if word not in (*EFFECTS, "steals"):  # which check_words knows
            yield f"{word}: is no effect, allowed are {', '.join(EFFECTS)}"


def faults_of(comment, prototype):
    yield from unknown_effects(comment)
    if not re.search(r"\braises?\b", comment, re.IGNORECASE):
        yield "no comment tells on what it fails (raises: ...)"
    if not re.search(r"\w{2}", EFFECT.sub("", comment)):
        yield "no comment tells what it does"
    if GIVES.search(prototype["arguments"]) and not re.search(r"\bgives\b|\*out\b", comment):
        yield "no comment tells whose the result is (gives: ...)"


def public_faults_of(comment, _):
    if not EFFECT.search(comment):
        yield "no comment tells an effect (keeps, takes, gives, raises, waits: ...)"


def check_words(path):
    """Ownership moves on JG_OK alone."""
    at_python = path.name == "python.h" or "/python/src/" in path.as_posix()
    for comment in COMMENT.findall(path.read_text()):
        text = " ".join(LINE.sub("\n", comment).split())
        found = [f.strip() for f in ALWAYS.findall(text) if "JG_OK" not in f]
        found += [f for f in ON_FAILURE_TOO.findall(text) if f != "steals" or not at_python]
        allowed = "steals: ..." if at_python else "takes: ..., and on JG_OK alone"
        yield from (f"{f}: what passes also on failure, allowed is {allowed}" for f in found)


def pointer_faults_of(comment, prototype):
    """compose/compose.h says once whose the arrays are that functions of a compose_scope give: they
    are borrowed until it ends."""
    of_scope = re.search(r"\bcompose_scope \*", prototype["arguments"])
    is_covered = of_scope and prototype["result"] == "jg_array *"
    if not is_covered and not WHOSE.search(comment):
        yield "no comment tells whose the result is (gives: ..., or borrowed)"


def slot_faults_of(comment, slot):
    if re.fullmatch(r"(?:const )?jg_status ", slot["result"]):
        yield from faults_of(comment, slot)
    elif "*" in slot["result"]:
        yield from pointer_faults_of(comment, slot)


def comments_over(code, comments, prototype):
    """Those on lines of their own above it, and the one beside it, not those beside others. Those
    over a struct are not its slots', and those in a body are not the next function's."""
    indent = re.match(r"[ \t]*", prototype[0])[0]
    opened = code.rfind("{", 0, prototype.start()) if indent else -1
    beside = re.compile(r"[^;{]*;[ \t]*\0").match(code, prototype.end())
    for comment, at in zip(comments, re.finditer("\0", code), strict=True):
        line = code[code.rfind("\n", 0, at.start()) + 1 : at.start()]
        above = opened < at.start() < prototype.start() and line == indent
        if above or (beside and at.end() == beside.end()):
            yield comment


KINDS = (
    (PROTOTYPE, faults_of),
    (PUBLIC, public_faults_of),
    (POINTER, pointer_faults_of),
    (SLOT, slot_faults_of),
)


def check(path):
    for comments, code in blocks_of(path.read_text()):
        for prototypes, faults in KINDS:
            for prototype in prototypes.finditer(code):
                told = " ".join(comments_over(code, comments, prototype))
                yield from (f"{prototype['name']}: {fault}" for fault in faults(told, prototype))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    root = parser.parse_args().root.resolve()
    faults = [f"{path.relative_to(root)}: {f}" for path in headers_of(root) for f in check(path)]
    faults += [f"{p.relative_to(root)}: {f}" for p in files_of(root) for f in check_words(p)]
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
