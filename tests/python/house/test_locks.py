# SPDX-License-Identifier: Apache-2.0
"""The list of locks in ARCHITECTURE.md names every lock of the library."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DECLARATION = re.compile(r"^\s*(?:static )?pthread_(?:mutex|rwlock)_t \w+( =|;)", re.MULTILINE)


def _list():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    return text.split("## Threads and locks")[1].split("\n## ")[0]


def _files_with_locks():
    sources = [path for room in ("src",) for path in (ROOT / room).rglob("*.[ch]")]
    return {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if DECLARATION.search(path.read_text())
    }


def test_each_file_that_has_a_lock_stands_in_the_list():
    files = _files_with_locks()
    assert len(files) > 20
    missing = sorted(name for name in files if f"`{name}`" not in _list())
    assert missing == []


def test_no_file_stands_in_the_list_that_has_no_lock():
    locks = re.findall(r"^- \*\*(.*?)\*\*\. \*Held\s", _list(), re.MULTILINE | re.DOTALL)
    named = {name for lock in locks for name in re.findall(r"`(src/[^`]+)`", lock)}
    assert named == _files_with_locks()
