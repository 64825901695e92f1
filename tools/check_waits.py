#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a declared function that may evaluate arrays or wait for an event, and whose comment has
no `waits: ...`. What it may call is followed through the definitions, but not through pointers to
functions, and not to where references are given up, which is done on another thread if it waits.

    tools/check_waits.py [--root ROOT]
"""

import argparse
import re
import sys
from collections import defaultdict, deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFINITION = re.compile(
    r"^(?P<head>(?:const )?[\w ]+[ *]+)(?P<name>\w+)\([^;{}]*\)\n\{\n(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
PROTOTYPE = re.compile(r"^(?:[A-Za-z]\w* )+\*?(\w+)\(", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
WAITING = {"run_eval", "run_require", "event_wait", "jg_synchronize"}
GIVEN_UP = {"buffer_release", "memory_defer_end", "memory_settle_later"}


def calls_of(root):
    """What the definitions of the library call: {(path or None, name): names}. The path is that of
    a static function, which its own file alone knows; all that a file calls is looked up there
    first."""
    calls, paths = {}, {}
    for path in sorted((root / "src").rglob("*.c")):
        for match in DEFINITION.finditer(path.read_text()):
            key = path if "static" in match["head"].split() else None, match["name"]
            body = COMMENT.sub("", match["body"])
            calls[key] = set(re.findall(r"\b(\w+)\(", body)) - GIVEN_UP
            paths[key] = path
    return {
        key: {(paths[key], name) if (paths[key], name) in calls else (None, name) for name in names}
        for key, names in calls.items()
    }


def ways_to_wait(calls):
    """From each function that may wait the next one on the way there: {key: key}."""
    callers = defaultdict(set)
    for key, called in calls.items():
        for each in called:
            callers[each].add(key)
    ways, found = {}, deque((None, name) for name in sorted(WAITING))
    while found:
        each = found.popleft()
        for caller in sorted(callers[each] - ways.keys(), key=str):
            ways[caller] = each
            found.append(caller)
    return ways


def way_from(key, ways):
    """The names on the way to the first that is known to wait."""
    while key in ways:
        key = ways[key]
        yield key[1]
        if key[1] in WAITING:
            return


def declared(root):
    """The functions of headers with the comments beside them: (header, name, comments)."""
    for folder in ("include/joggle", "src"):
        for path in sorted((root / folder).rglob("*.h")):
            for block in re.split(r"\n[ \t]*\n", path.read_text()):
                comments = " ".join(COMMENT.findall(block))
                for name in PROTOTYPE.findall(COMMENT.sub("", block)):
                    yield path.relative_to(root), name, comments


def check(root):
    ways = ways_to_wait(calls_of(root))
    for path, name, comments in declared(root):
        # The texts of ops.h are rows of op.def, and its head says which of them wait.
        if (None, name) in ways and "waits:" not in comments and path.name != "ops.h":
            way = " -> ".join(way_from((None, name), ways))
            yield f"{path}: {name}: no comment tells how long it waits, in {way}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    faults = sorted(check(parser.parse_args().root.resolve()))
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
