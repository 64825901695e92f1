#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the functions of src/source/prelude.inc.h, preprocessed, into a table for printed kernels.

    tools/prelude.py OUTPUT [DEPFILE]    writes the table, which src/source/prelude.c includes, and
                                         in the form of make what it was made of

What each dialect of C spells differently becomes a name that the dialect defines: FUNCTION before a
function, PRIVATE before a pointer to a local, MADE(T) before the braces of a struct, and C's
functions with the width of what they take (fabs_f32).
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The headers of C that the room math includes: their names stay as they are.
EMPTY = ("complex.h", "immintrin.h", "math.h", "stdint.h", "string.h")

# What a dialect defines itself.
OF_DIALECTS = {"bits_of_f32", "f32_of_bits", "bits_of_f64", "f64_of_bits"}
SAME_AS = {"half_bits_of": "bits_of_f32", "half_float_of": "f32_of_bits"}

# C's functions of floats.
C_FUNCTIONS = ["fabs", "copysign", "sqrt", "floor", "ceil", "trunc", "rint", "fma", "sin", "cos"]
C_FUNCTIONS += ["tan", "ldexp"]

# Names that are words of a dialect.
RESERVED = ("half", "kernel", "local", "global", "constant", "private", "thread", "device")

# What instructions and casts are called; all else is printed where one of these needs it.
IS_ROOT = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+|_AS)*_[A-Z0-9]+$")


def preprocess(option):
    """What the compiler's own preprocessor makes of the file for an imaginary machine that joins
    multiplications and additions: with -E its text, with -MM the files that it reads."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:
        for name in EMPTY:
            (Path(folder) / name).touch()
        arguments = [option, "-P", "-undef", "-nostdinc", "-x", "c", "-D__FMA__", "-D__clang__=1"]
        paths = [f"-I{folder}", f"-I{ROOT}/src", str(ROOT / "src/source/prelude.inc.h")]
        result = subprocess.run([*compiler, *arguments, *paths], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"prelude: the C preprocessor failed:\n{result.stderr}")
        return result.stdout.replace(folder, "")


def made_of():
    """The files that the text comes from, this one among them."""
    words = preprocess("-MM").replace("\\\n", " ").split()[1:]
    return [word for word in words if Path(word).name not in EMPTY] + [__file__]


def declarations(text):
    """The text of each function and type at the top."""
    depth, start, found = 0, 0, []
    for at, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        if depth == 0 and (character == ";" or (character == "}" and not is_type(text[start:at]))):
            found.append(" ".join(text[start : at + 1].split()))
            start = at + 1
    return found


def is_type(text):
    return text.lstrip().startswith("typedef")


def name_of(declaration):
    if is_type(declaration):
        return re.search(r"(\w+);$", declaration)[1]
    return re.search(r"(\w+)\(", declaration.replace("__attribute__((always_inline))", ""))[1]


def end_of_operand(text, at):
    """Where the operand of ?: that begins there ends."""
    depth = questions = 0
    while True:
        character = text[at]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and character in ",;"):
            return at
        if depth == 0 and character == "?":
            questions += 1
        if depth == 0 and character == ":":
            if questions == 0:
                return at
            questions -= 1
        at += 1


def decided(text):
    """The text without the ways that the imaginary machine does not take."""
    text = re.sub(r"if \(!1\) \{[^}]*\}", "", text)
    while (match := re.search(r"if \(!1\) [^;]*;", text)) is not None:
        text = text[: match.start()] + text[match.end() :]
    while (match := re.search(r"if \(1\) (return [^;]*;)", text)) is not None:
        text = text[: match.start()] + match[1] + " }"
    constant = re.compile(r"(?<=[^=!<>]= )1 \? |(?<=return )1 \? |(?<=\()1 \? ")
    while (match := constant.search(text)) is not None:
        middle = end_of_operand(text, match.end())
        end = end_of_operand(text, middle + 1)
        text = text[: match.start()] + text[match.end() : middle].rstrip() + text[end:]
    return re.sub(r"return 1 \|\| [^?;]* \? ([^:]*) : [^;]*;", r"return \1;", text)


def spelled(declaration):
    """The declaration in what all dialects have."""
    text = re.sub(r"static inline (__attribute__\(\(always_inline\)\) )?", "FUNCTION ", declaration)
    text = re.sub(r"__builtin_", "", text)
    for name in C_FUNCTIONS:
        text = re.sub(rf"\b{name}f\(", f"{name}_f32(", text)
        text = re.sub(rf"\b{name}\(", f"{name}_f64(", text)
    for word in RESERVED:
        text = re.sub(rf"\b{word}\b", f"{word}_", text)
    for name, other in SAME_AS.items():
        text = re.sub(rf"\b{name}\b", other, text)
    text = re.sub(r"\((\w+)\)\{", r"MADE(\1){", text)
    head, brace, body = text.partition("{")
    if not is_type(text):
        head = re.sub(r"(const )?(\w+) \*(\w+)", r"PRIVATE \1\2 *\3", head)
    return decided(head + brace + body)


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def table():
    """(name, text, the earlier entries that it uses) of all that instructions reach."""
    entries = {}
    for declaration in declarations(preprocess("-E")):
        name = name_of(declaration)
        if name not in OF_DIALECTS and name not in SAME_AS:
            text = spelled(declaration)
            entries[name] = (text, [other for other in entries if other in words(text)])
    reached, waiting = set(), [name for name in entries if IS_ROOT.match(name)]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += entries[name][1]
    return [(name, *entries[name]) for name in entries if name in reached]


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def main():
    rows = table()
    order = {name: at for at, (name, _, _) in enumerate(rows)}
    doubles = set()
    lines = ["/* Made by tools/prelude.py of src/source/prelude.inc.h. */"]
    lines += ["static const char prelude_text[] ="]
    lines += [f"    {literal(text)}" for _, text, _ in rows]
    lines += ["    ;", "static const uint16_t prelude_uses[] = {"]
    uses = [order[other] for _, _, others in rows for other in others]
    lines += [f"    {', '.join(map(str, uses[at : at + 20]))}," for at in range(0, len(uses), 20)]
    lines += ["};", "static const prelude_entry prelude_entries[] = {"]
    at = first = 0
    for name, text, others in rows:
        if "double" in words(text) or any(other in doubles for other in others):
            doubles.add(name)
        size = len(text) + 1
        is_wide = str(name in doubles).lower()
        lines += [f'    {{"{name}", {at}, {size}, {first}, {len(others)}, {is_wide}}},']
        at += size
        first += len(others)
    lines += ["};", "static const uint16_t prelude_by_name[] = {"]
    sorted_rows = sorted(order, key=lambda name: name.encode())
    lines += [f"    {order[name]}," for name in sorted_rows]
    target, new = Path(sys.argv[1]), "\n".join([*lines, "};", ""])
    if not target.exists() or target.read_text() != new:
        target.write_text(new)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(f"{sys.argv[1]}: {' '.join(made_of())}\n")


if __name__ == "__main__":
    main()
