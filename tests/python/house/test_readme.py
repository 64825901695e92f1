# SPDX-License-Identifier: Apache-2.0
"""What the prose says is so: its examples run, its links and paths lead somewhere."""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)
MADE = "bench/out/"  # by running something
SUFFIXES = ("build", "c", "def", "h", "md", "options", "py", "pyi", "sh", "svg", "toml", "txt")
FOLDERS = ("bench", "docs", "examples", "include", "python", "src", "tests", "tools")


def python_blocks():
    """The fenced Python blocks of all pages, named by page and number."""
    found = []
    for page in PAGES:
        texts = [text for kind, text in BLOCK.findall(page.read_text()) if kind == "python"]
        for number, text in enumerate(texts, 1):
            found.append(pytest.param(text, id=f"{page.name}-{number}"))
    return found


@pytest.mark.parametrize("text", python_blocks())
def test_python_block_runs_and_prints_what_it_says(text, tmp_path):
    script = tmp_path / "block.py"  # a file, because kernels are compiled from their source
    script.write_text(text)
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    promised = PROMISE.findall(text)
    assert [line for line in result.stdout.splitlines() if line in promised] == promised


def test_readme_has_five_python_examples():
    assert (
        len([text for kind, text in BLOCK.findall(PAGES[0].read_text()) if kind == "python"]) == 5
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def paths_in(page):
    """What stands in backticks and begins with a folder of the tree. <name> stands for any name."""
    prose = BLOCK.sub("", page.read_text())
    for text in re.findall(r"`([^`\n]+)`", prose):
        path = text.split("::")[0]
        if re.fullmatch(rf"(?:{'|'.join(FOLDERS)})/[\w./<>*-]*", path) and not path.startswith(
            MADE
        ):
            yield path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_in_pages_exist(page):
    for path in paths_in(page):
        pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
        assert list(ROOT.glob(pattern)), path


def file_names():
    """Of all files of the tree, and of those that the build writes."""
    paths = [*ROOT.glob("*"), *(path for folder in FOLDERS for path in ROOT.glob(f"{folder}/**/*"))]
    meson = [path.read_text() for path in paths if path.name == "meson.build"]
    outputs = re.findall(r"^ *output: (.*),$", "\n".join(meson), re.MULTILINE)
    written = {name for output in outputs for name in re.findall(r"'([^']+)'", output)}
    return {path.name for path in paths} | written


def missing_names(prose, names):
    """Names of files without a folder that stand in backticks, and that no file has."""
    found = re.findall(rf"`([\w*<>-][\w.<>*-]*\.(?:{'|'.join(SUFFIXES)}))`", prose)
    patterns = {name: re.sub(r"<[^>]*>|\*", "*", name) for name in found}
    return [name for name in found if not fnmatch.filter(names, patterns[name])]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_without_a_folder_exist(page):
    assert missing_names(BLOCK.sub("", page.read_text()), file_names()) == []


def test_a_file_that_was_renamed_is_found():
    prose = "in `kernel_dispatch.c`, `dispatch.c`, `op_calls.c` and `test_<subject>.c`"
    assert missing_names(prose, file_names()) == ["kernel_dispatch.c"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"make ([a-z]+)\b", "".join(re.findall(r"`[^`]+`", prose))):
        assert target in targets, target


def test_architecture_names_every_folder_of_tests():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for folder in sorted(path.name for path in (ROOT / "tests").iterdir() if path.is_dir()):
        assert f"`tests/{folder}/`" in text or folder == "__pycache__", folder


def test_architecture_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for folder in sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir()):
        assert f"`{folder}`" in text, folder


def test_every_lifetime_rule_names_a_test_that_exists():
    text = (ROOT / "docs/lifetime.md").read_text()
    rules = re.split(r"^(?=\d+\. )", text, flags=re.MULTILINE)[1:]
    assert rules
    for rule in rules:
        named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", rule)
        assert named, f"no test: {rule.splitlines()[0]}"
        for path, name in named:
            assert re.search(rf"\b(TEST\(|def ){name}\b", (ROOT / path).read_text()), (
                f"{path}::{name}"
            )


def test_options_are_documented():
    text = (ROOT / "docs/performance.md").read_text()
    table = (ROOT / "src/base/options.def").read_text()
    for variable in re.findall(r"JG_OPTION\(\w+, (\w+),", table):
        assert f"`{variable}`" in text, variable
