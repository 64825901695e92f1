#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header with a number that tells builds of the compiling tier apart.

The number is a hash of the files with the suffixes among the places, with their names, and of words
(the versions of the compilers). The same source gives the same number anywhere, so code that
another build has left on disk is found again. The files go into a dependency file, so that ninja
runs this when one changes; a header that stays the same is left alone.
"""

import argparse
import hashlib
from pathlib import Path


def sources(root, places, suffixes):
    """The files among the places, and those in folders among them, in the order of their names."""
    found = [path for place in places for path in (root / place, *(root / place).rglob("*"))]
    return sorted(path for path in found if path.suffix in suffixes)


def identity(root, files, words):
    """64 bits that differ where names, contents or words do."""
    known = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        known.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
        known.update(content)
    known.update("\n".join(words).encode())
    return known.hexdigest()[:16]


def main():
    """Writes header and dependency file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="of the macro")
    parser.add_argument("root", type=Path, help="of the repository")
    parser.add_argument("header", type=Path)
    parser.add_argument("dependencies", type=Path)
    parser.add_argument("--suffixes", nargs="+", required=True)
    parser.add_argument("--places", nargs="+", required=True, help="files and folders")
    parser.add_argument("--words", nargs="*", default=[])
    given = parser.parse_args()
    files = sources(given.root, given.places, given.suffixes)
    number = identity(given.root, files, given.words)
    text = f"#define {given.name.upper()} UINT64_C(0x{number})\n"
    if not given.header.exists() or given.header.read_text() != text:
        given.header.write_text(text)
    names = " \\\n ".join(str(path).replace(" ", "\\ ") for path in files)
    given.dependencies.write_text(f"{given.header}: {names}\n")


if __name__ == "__main__":
    main()
