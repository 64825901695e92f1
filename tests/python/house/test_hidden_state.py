# SPDX-License-Identifier: Apache-2.0
"""The list in ARCHITECTURE.md of what functions read without being given it names every variable of
a thread and every switch of the process."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DECLARATION = re.compile(
    r"^(?:static )?(?:(?:JG_FAST_THREAD_LOCAL|_Thread_local|__thread) |atomic_bool \w+;)",
    re.MULTILINE,
)


def _list():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    return text.split("## State beside the arguments")[1].split("\n## ")[0]


def _files_with_state():
    sources = [p for folder in ("src", "python/src") for p in (ROOT / folder).rglob("*.[ch]")]
    return {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if DECLARATION.search(path.read_text())
    }


def test_the_list_has_the_files_with_variables_of_a_thread_and_switches_and_no_others():
    files = _files_with_state()
    assert len(files) > 10
    assert set(re.findall(r"`((?:python/)?src/[^`]+)`", _list())) == files


def test_each_state_says_what_it_changes_and_who_sets_it():
    entries = re.findall(r"^- (.*?)(?=^- |^\n)", _list(), re.MULTILINE | re.DOTALL)
    assert len(entries) > 10
    form = r"\*\*.+?\(`.+?`\)\*\*\.\s\*Changes:\*\s.+\s\*Set\s+by:\*\s.+\.\n"
    assert [entry for entry in entries if not re.fullmatch(form, entry, re.DOTALL)] == []
