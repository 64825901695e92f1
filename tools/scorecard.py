#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a script can count about the tree, and fails on what must not be.

Fails: a file over 600 lines that no tool wrote, a body of a function over 45 lines, two C functions
with one body, a banner between sections of a file, an exported symbol that no public header
declares (or the other way round), a handle without an invariant, a test whose name is no
sentence, or more words in docs/ than people read. The rest is for people to look at.

    tools/scorecard.py [BUILD]      BUILD: the Meson build whose libjoggle is looked at (build/py)
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 600
MOST_OF_A_BODY = 45
LEAST_OF_A_SENTENCE = 3  # words
TEST_NAME = re.compile(r"^ *def test_(\w+)|^TEST\((\w+)", re.MULTILINE)
MOST_WORDS = 35_000  # in docs/*.md together
LEAST_OF_A_COPY = 4  # lines of a body that may stand only once
COLUMNS = 100
FOLDERS_OF_PYTHON = ("python/joggle", "tools", "tests", "bench", "examples")
GENERATED = re.compile(r"(generated|written) by `?tools/", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
BODY = re.compile(r"^\{\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
HANDLE = re.compile(r"^typedef struct (jg_\w+) \1;", re.MULTILINE)
STRUCT = re.compile(r"^(.*)\nstruct (jg_\w+) \{", re.MULTILINE)
BANNER = re.compile(
    r"^/\* (?!clang-format)[a-z][^.;:\n]* \*/\n\n|^ *# [a-z][^.;:\n]*\n\n"
    r"|^ *(?:#|/\*) ?[-=*#]{3,}[^\n]*\n",
    re.MULTILINE,
)
DECLARED = re.compile(r"\bJG_API\b([^;]*);")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def summary(values):
    median, p90 = percentile(values, 0.5), percentile(values, 0.9)
    return f"median {median}, p90 {p90}, max {max(values, default=0)}"


def sources(*patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())


def is_generated(text):
    return bool(GENERATED.search("\n".join(text.splitlines()[:5])))


def function_lengths(text):
    """Body lengths in lines. clang-format puts a function's braces, and only those, in column 0."""
    lengths, start = [], None
    for number, line in enumerate(text.splitlines()):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            lengths.append(number - start - 1)
            start = None
    return lengths


def python_bodies(text):
    """(name, lines) of each function's body, without its doc string."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            yield node.name, body[-1].end_lineno - body[0].lineno + 1 if body else 0


def check_bodies(c_files, python_files):
    """The bodies that are too long; a line is printed for each language."""
    faults, lengths = [], {"C": [], "Python": []}
    for path in c_files:
        text = path.read_text()
        lengths["C"] += [] if is_generated(text) else function_lengths(text)
        long = [n for n in function_lengths(text) if n > MOST_OF_A_BODY and not is_generated(text)]
        faults += [f"{path.relative_to(ROOT)}: a body of {n} lines" for n in long]
    for path in python_files:
        for name, n in python_bodies(path.read_text()):
            lengths["Python"].append(n)
            if n > MOST_OF_A_BODY:
                faults.append(f"{path.relative_to(ROOT)}: {name} has a body of {n} lines")
    for language, found in lengths.items():
        print(f"{language + ' functions':<19} {len(found)}: body lines {summary(found)}")
    return [f"{fault}, at most {MOST_OF_A_BODY}" for fault in faults]


def check_copies(paths):
    """Bodies that stand twice, whatever their comments and their indentation."""
    places = defaultdict(list)
    for path in paths:
        text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
        for body in BODY.finditer(text):
            lines = [line.split() for line in body[1].splitlines() if line.strip()]
            if len(lines) >= LEAST_OF_A_COPY:
                line = text.count("\n", 0, body.start()) + 1
                places[str(lines)].append(f"{path.relative_to(ROOT)}:{line}")
    return [
        f"{first}: the body of a function that {' and '.join(others)} also has"
        for first, *others in places.values()
        if others
    ]


def check_handles(headers, sources):
    """Structs behind the handles of public headers that no comment tells the invariant of."""
    handles = {name for path in headers for name in HANDLE.findall(path.read_text())}
    return [
        f"{path.relative_to(ROOT)}: struct {match[2]}: no comment above it tells what always holds"
        for path in sources
        for match in STRUCT.finditer(path.read_text())
        if match[2] in handles and not match[1].endswith("*/")
    ]


def check_banners(paths):
    """Comments that head a section: a few words above a blank line, or between rules."""
    return [
        f"{path.relative_to(ROOT)}: a banner between sections: {found.strip()}"
        for path in paths
        for found in BANNER.findall(path.read_text())
    ]


def comment_share(texts):
    """Lines with nothing but comment, in percent of the lines that are not blank."""
    comments = total = 0
    for text in texts:
        bare = COMMENT.sub(lambda match: "\x00" + "\n\x00" * match[0].count("\n"), text)
        lines = [line.strip() for line in bare.splitlines() if line.strip()]
        total += len(lines)
        comments += sum(not line.replace("\x00", "") for line in lines)
    return round(100 * comments / max(total, 1))


def declared_symbols():
    """What public headers declare with JG_API: the last word before the first parenthesis."""
    names = set()
    for path in sources("include/joggle/*.h"):
        text = COMMENT.sub("", path.read_text())
        text = re.sub(r"^[ \t]*#[^\n]*(\\\n[^\n]*)*", "", text, flags=re.MULTILINE)
        for declaration in DECLARED.findall(text):
            head = re.sub(r"\bJG_NONNULL\(.*?\)|__attribute__\(\(.*?\)\)", "", declaration)
            names.add(re.findall(r"\w+", head.split("(")[0].split("[")[0])[-1])
    return names


def exported_symbols(library):
    output = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {line.split()[0] for line in output.splitlines()}


def check_symbols(library):
    """The faults found; a line is printed either way."""
    if not library.is_file():
        return [f"{library} is not built"]
    declared, exported = declared_symbols(), exported_symbols(library)
    print(f"exported symbols    {len(exported)}, declared {len(declared)}")
    return [f"{name}: declared, not exported" for name in sorted(declared - exported)] + [
        f"{name}: exported, not declared" for name in sorted(exported - declared)
    ]


def names_of_tests(path):
    return [python or c for python, c in TEST_NAME.findall(path.read_text())]


def check_test_names(paths):
    """The names of tests that are too short to be sentences."""
    names = [(path, name) for path in paths for name in names_of_tests(path)]
    words = [len(name.split("_")) for _, name in names]
    print(f"names of tests      {len(names)}: words {summary(words)}")
    return [
        f"{path.relative_to(ROOT)}: test {name!r} has {len(name.split('_'))} words, a sentence has "
        f"at least {LEAST_OF_A_SENTENCE}"
        for path, name in names
        if len(name.split("_")) < LEAST_OF_A_SENTENCE
    ]


def check_words():
    """The faults found in docs/*.md; a line is printed."""
    pages = sources("docs/*.md")
    words = sum(len(path.read_text().split()) for path in pages)
    print(f"docs                {len(pages)} pages, {words} words, at most {MOST_WORDS}")
    return [f"docs/*.md: {words} words, at most {MOST_WORDS}"] if words > MOST_WORDS else []


def check_files(label, paths):
    """The faults found among one kind of files; a line is printed either way."""
    texts = {path: path.read_text() for path in paths}
    kept = {path: text for path, text in texts.items() if not is_generated(text)}
    sizes = {path: text.count("\n") for path, text in kept.items()}
    print(
        f"{label:<19} {len(kept)} files, {sum(sizes.values())} lines: {summary(sizes.values())}; "
        f"generated apart: {len(texts) - len(kept)}"
    )
    wide = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} columns, at most {COLUMNS}"
        for path, text in kept.items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > COLUMNS
    ]
    return wide + [
        f"{path.relative_to(ROOT)}: {size} lines, at most {MOST_LINES}"
        for path, size in sizes.items()
        if size > MOST_LINES
    ]


def main():
    build = ROOT / (sys.argv[1] if len(sys.argv) > 1 else "build/py")
    c_files = sources(
        "src/**/*.[chm]", "src/**/*.def", "include/joggle/*.h", "python/src/**/*.[ch]"
    )
    c_texts = [text for text in (path.read_text() for path in c_files) if not is_generated(text)]
    faults = [
        *check_files("C", c_files),
        *check_files("Python", sources("python/joggle/**/*.py", "tools/*.py")),
        *check_files("tests", sources("tests/**/*.[ch]", "tests/**/*.py")),
        *check_files(
            "examples, bench", sources("examples/**/*.py", "examples/**/*.c", "bench/*.py")
        ),
    ]
    faults += check_bodies(c_files, sources("python/joggle/**/*.py", "tools/*.py"))
    faults += check_copies(sources("src/**/*.[ch]", "python/src/**/*.[ch]"))
    faults += check_handles(
        sources("include/joggle/*.h"), sources("src/**/*.[ch]", "python/src/**/*.[ch]")
    )
    faults += check_banners(
        sources(
            *(f"{folder}/**/*.[ch]" for folder in ("include", "src", "python/src", "tests")),
            *(f"{folder}/**/*.py" for folder in FOLDERS_OF_PYTHON),
        )
    )
    print(f"C comments          {comment_share(c_texts)} % of the lines that are not blank")
    faults += check_test_names(sources("tests/**/*.c", "tests/**/test_*.py"))
    faults += check_words()
    faults += check_symbols(build / "src/libjoggle.so.0")
    for fault in faults:
        print(f"scorecard: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
