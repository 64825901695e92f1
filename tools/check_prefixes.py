#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the first words of hidden functions and types.

What a C file defines for others, and each inline function and type of a header, begins with the
name of its room, or with a noun that no other room uses and that a file or a type of the room
bears. It never begins with the name of another room. In python/src the word is py. The prefix jg_
is for what the public headers have. tools/prefixes.txt has the exceptions.

    tools/check_prefixes.py [BUILD] [--root ROOT]    BUILD: a Meson build (build/lint)
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from check_circles import objects_of, symbols_of

ROOT = Path(__file__).resolve().parent.parent
INLINE = re.compile(r"^static inline [^;{]*?\b(\w+)\(", re.MULTILINE)
TYPE = re.compile(
    r"\b(?:struct|enum|union) (\w+) \{"
    r"|^(?:typedef [^{;]*?\b|\} )(?!__)(\w+)(?: __attribute__\(\(.*\)\))?(?:;|\()",
    re.MULTILINE,
)
MACRO = re.compile(r"^#(?:.*\\\n)*.*$", re.MULTILINE)


def read_exceptions(path):
    """The rooms' own names, from lines of `ROOM: NAMES: REASON`. Lines that are indented go on."""
    exceptions = set()
    for line in re.sub(r"\n +", " ", path.read_text()).splitlines():
        if line.strip() and not line.startswith("#"):
            room, names, reason = line.split(":", 2)
            if not reason.strip():
                sys.exit(f"{path}: gives no reason: {line}")
            exceptions |= {(room, name) for name in names.split()}
    return exceptions


def headers_of(root):
    """Headers with their rooms; not those that are included several times with other macros."""
    for path in sorted((root / "src").rglob("*.h")):
        if ".inc." not in path.name:
            yield path, path.relative_to(root / "src").parts[0]
    for path in sorted((root / "python/src").rglob("*.h")):
        yield path, "python"


def types_of(path):
    """The names of the types that a file defines or declares, but for those of macros."""
    for match in TYPE.finditer(MACRO.sub("", path.read_text())):
        yield match[1] or match[2]


def names_of(build, root):
    """Pairs of the room, and the name of what it defines for more than one file."""
    for file, target in objects_of(build, root):
        room = "python" if file.parts[0] == "python" else file.parts[1]
        for name in symbols_of(target)[1]:
            if not name.startswith(("__", "PyInit_")):
                yield room, name
    for path, room in headers_of(root):
        yield from ((room, name) for name in INLINE.findall(path.read_text()))
        yield from ((room, name) for name in types_of(path))


def nouns_of(root):
    """The words that the files and the types of each room begin with, by room."""
    nouns = defaultdict(set)
    for path in (root / "src").rglob("*"):
        room = path.relative_to(root / "src").parts[0]
        word = path.name.split(".")[0].split("_")[0]
        nouns[room] |= {word, word.removesuffix("s")}
    for path, room in headers_of(root):
        for words in (name.split("_") for name in types_of(path)):
            nouns[room] |= {words[0], *(words[1:2] if words[0] == room else ())}
    nouns["python"] = set()  # py is the one word
    return nouns


def public_names(root):
    """What the public headers have. The functions of ops come from macros over their names."""
    text = "\n".join(path.read_text() for path in (root / "include").rglob("*.h"))
    return set(re.findall(r"\bjg_\w+", text))


def types_of_sources(root):
    """Pairs of the room, and the name of a type that only one file of C knows."""
    for path in sorted((root / "src").rglob("*.c")):
        yield from ((path.relative_to(root / "src").parts[0], name) for name in types_of(path))


def check_words(build, root, exceptions):
    names, used = defaultdict(lambda: defaultdict(set)), set()
    public, found = public_names(root), set(names_of(build, root))
    found |= {(room, name) for room, name in types_of_sources(root) if name.startswith("jg_")}
    for room, name in found:
        if (room, name) in exceptions:
            used.add((room, name))
        elif not name.startswith("jg_"):
            names[name.split("_")[0]][room].add(name)
        elif name not in public:
            yield f"{room}: {name}: no public header has it, jg_ is for what those have"
    rooms, nouns = {path.name for path in (root / "src").iterdir()}, nouns_of(root)
    for word, places in names.items():
        for room, found in places.items():
            if word == ("py" if room == "python" else room):
                continue
            others = sorted(set(places) - {room})
            if word in rooms:
                fault = f"{word} is another room"
            elif others:
                fault = f"{word} is a word of {', '.join(others)}, too"
            elif word not in nouns[room]:
                fault = f"no file and no type of {room} is called {word}"
            else:
                continue
            yield from (f"{room}: {name}: {fault}" for name in found)
    for room, name in exceptions - used:
        yield f"tools/prefixes.txt: {room}: {name}: needs no exception"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args()
    root = options.root.resolve()
    exceptions = read_exceptions(root / "tools/prefixes.txt")
    faults = sorted(check_words(options.build or root / "build/lint", root, exceptions))
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
