# SPDX-License-Identifier: Apache-2.0
"""The header of the room base tells where things are: its head names each file of the room, and a
function is declared under the name of the file that defines it."""

import re

from compiling import ROOT

ROOM = ROOT / "src/base"
SECTION = re.compile(r"^/\* (\w+\.c) \*/$", re.M)
PROTOTYPE = re.compile(r"^(?!typedef|extern|static|#)[a-z][\w ]*[ *](\w+)\([^;{]*;", re.M)


def header():
    return (ROOM / "base.h").read_text()


def sections(text):
    """Pairs of a file's name and what is declared under it."""
    parts = SECTION.split(text)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def defines(source, name):
    hooks = name.removesuffix("_install_hooks")
    return re.search(rf"^[a-z][\w ]*[ *]{name}\(", source, re.M) or (
        hooks != name and f"FORK_HOLDS({hooks}, " in source
    )


def misplaced(text):
    return [
        name
        for file, body in sections(text)
        for name in PROTOTYPE.findall(body)
        if not defines((ROOM / file).read_text(), name)
    ]


def test_the_head_names_each_file():
    head = header()[: header().index("#ifndef")]
    files = {path.name for path in [*ROOM.glob("*.c"), *ROOM.glob("*.h")]} - {"base.h"}
    assert set(re.findall(r"\w+\.[ch]\b", head)) == files


def test_each_function_stands_under_the_file_that_defines_it():
    declared = sum(len(PROTOTYPE.findall(body)) for _, body in sections(header()))
    assert declared > 50
    assert misplaced(header()) == []


def test_a_function_under_another_file_is_found():
    lines = "/* hash.c */\n\nvoid pool_install_hooks(void);\n"
    assert misplaced(lines) == ["pool_install_hooks"]
