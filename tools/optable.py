#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is derived from the .def tables; with --check, says whether any of it is stale.

tools/opread.py reads the tables. An output is a function marked @output(path) that returns the
file's whole new text. To derive another file from a table, add one such function; nothing else
needs to know of it.

    tools/optable.py               writes what has changed, printing the paths
    tools/optable.py --check       exits 1 and prints a diff if anything would change
    tools/optable.py --build D F   writes to the folder D the files F, which only the build reads
"""

import argparse
import difflib
import re
import sys
import textwrap
from pathlib import Path

from opforms import Parameter
from opread import ROOT, aliases, examples, forms, numpy_keywords, ops, rows, topics, type_texts

WIDTH = 100
OUTPUTS = {}
BUILT = {}


def output(path):
    """Registers a function as the one that makes the text of the file at path."""

    def register(function):
        OUTPUTS[path] = function
        return function

    return register


def built(name):
    """The same for a file of that name that only the build reads, so that it is not in the tree."""

    def register(function):
        BUILT[name] = function
        return function

    return register


def between_marks(path, mark, lines):
    """The text of path with the lines between its `mark: begin` and `mark: end` replaced."""
    text = (ROOT / path).read_text()
    begin, end = f"/* {mark}: begin */\n", f"/* {mark}: end */"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"optable: {path} must have the marks of {mark} once each")
    head, rest = text.split(begin)
    indent = head[len(head.rstrip(" ")) :]
    tail = rest[rest.index(end) :]
    return head + begin + "".join(f"{indent}{line}\n" for line in lines) + indent + tail


def comment(text, indent=0):
    """A C comment, wrapped to the line width."""
    first, rest = " " * indent + "/* ", " " * indent + " * "
    lines = textwrap.wrap(text, WIDTH - 3, initial_indent=first, subsequent_indent=rest)
    return "\n".join(lines) + " */"


def aligned(pairs):
    """Lines of `left /* right */` with the comments in one column, as clang-format leaves them."""
    width = max(len(left) for left, _ in pairs)
    return [f"{left:<{width}} /* {right} */" for left, right in pairs]


@output("include/joggle/status.h")
def status_h():
    table = rows("base/status.def", "JG_STATUS", ("name", "value", "text"))
    pairs = [(f"JG_{row['name']} = {row['value']},", row["text"]) for row in table]
    return between_marks("include/joggle/status.h", "status.def", aligned(pairs))


@output("include/joggle/dtype.h")
def dtype_h():
    columns = ("NAME", "name", "kind", "bits", "lanes", "code", "compute")
    table = rows("tensor/dtype.def", "JG_DTYPE", columns)
    lines = [f"JG_DTYPE_{row['NAME']}{' = 0' if at == 0 else ''}," for at, row in enumerate(table)]
    return between_marks("include/joggle/dtype.h", "dtype.def", lines)


INST_COLUMNS = ("NAME", "name", "arity", "result", "takes", "meaning")


def doc_string(row, width=92):
    """What an op computes, dtypes, shape and errors, and an example where there is one."""
    form = forms()[row["form"]]
    facts = [f"dtypes: {type_texts()[row['types']]}.", f"shape: {form.shape}.", form.errors()]
    facts = [textwrap.fill(fact, width, subsequent_indent="    ") for fact in facts if fact]
    parts = [textwrap.fill(row["doc"], width), "\n".join(facts), examples().get(row["name"])]
    return "\n\n".join(filter(None, parts))


def with_numpys(row, stream, spell):
    """The keywords that every op has, and before them those that it has of NumPy's."""
    return ", ".join([*(spell(*each) for each in numpy_keywords().get(row["name"], [])), stream])


def python_parameters(row, stream=None):
    stream = stream and with_numpys(row, stream, lambda name, _: f"{name}=None")
    return forms()[row["form"]].python(Parameter.python, stream)


def declaration(row):
    """The C prototype, broken as clang-format breaks it."""
    form = forms()[row["form"]]
    text = " ".join([row["doc"], *form.notes()])
    lines = textwrap.wrap(text, WIDTH - 3, initial_indent="/* ", subsequent_indent=" * ")
    lines += textwrap.wrap(
        form.effects() + " */", WIDTH - 3, initial_indent=" * ", subsequent_indent=" * "
    )
    head = f"JG_API JG_CHECKED jg_status jg_{row['name']}("
    parts = [f"{each}," for each in form.c_parameters()] + [f"{form.result});"]
    return "\n".join(lines) + "\n" + broken(head, parts) + "\n"


@output("include/joggle/ops.h")
def ops_h():
    head = """/* SPDX-License-Identifier: Apache-2.0 */
/* The ops: every function works out the dtype and shape of its result and gives a new node of the
 * lazy graph. Written by tools/optable.py from src/op/op.def.
 *
 * Operands x1 and x2 (and condition) are broadcast and promoted to their common dtype. TYPE is
 * raised for a dtype that the op does not compute on, VALUE for an argument that is NULL but must
 * not be. A message begins with the name of the op that was called, in brackets. A
 * function computes nothing and does not wait, unless its text says that it computes an operand:
 * then it raises what jg_eval raises, and waits until the operand is in memory. */
#ifndef JOGGLE_OPS_H
#define JOGGLE_OPS_H

#include <joggle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A padding of convolutions and pooling in place of a number: as many zeros as leave a result for
 * each stride of the input. */
#define JG_PADDING_SAME INT64_MIN

"""
    tail = """
#ifdef __cplusplus
}
#endif
#endif
"""
    return head + "\n".join(map(declaration, ops())) + tail


def broken(head, parts, indent=None):
    """head and the parts, a line broken where it would be too long: below the head's end, or by
    indent."""
    indent = len(head) if indent is None else indent
    code, column = head, len(head)
    for part in parts:
        start = column == indent or code.endswith((" ", "("))
        if not start and column + 1 + len(part) > WIDTH:
            code, column, start = code + "\n" + " " * indent, indent, True
        code += part if start else f" {part}"
        column += len(part) + (not start)
    return code


def composed_head(row, prefix, end=""):
    form = forms()[row["form"]]
    parts = [f"{each}," for each in form.c_parameters()] + [f"{form.result}){end}"]
    return broken(f"jg_status {prefix}_{row['name']}(", parts)


def composed():
    """The rows of ops that compose makes."""
    return [row for row in ops() if row["by"] == "COMPOSE"]


@built("compose_ops.h")
def compose_ops_h():
    head = """/* SPDX-License-Identifier: Apache-2.0 */
/* compose_NAME for each op that is spelled in others: op_calls.c calls it for jg_NAME, with no
 * NULL, and puts the op's name into its failures. Effects as in <joggle/ops.h>.
 * Written by tools/optable.py from src/op/op.def. */
#ifndef JG_COMPOSE_OPS_H
#define JG_COMPOSE_OPS_H

#include <joggle/ops.h>

/* clang-format off */
"""
    lines = [composed_head(row, "compose", ";") + "\n" for row in composed()]
    return head + "".join(lines) + "/* clang-format on */\n#endif\n"


def null_checks(row):
    """The statements that refuse a NULL, and a number that is no dtype, among the arguments."""
    op = row["name"]
    for name, kind, count in forms()[row["form"]].pointers():
        if kind == "arrays":
            yield f'    JG_TRY(graph_check_list(JG_OP_{op}, "{name}", {count}, {name}));\n'
            continue
        if count:
            yield f"    if ({count} {'!= 0' if count == 'nindices_or_sections' else '> 0'})\n    "
        yield f"    GRAPH_NEEDS({op}, {name});\n"
    for each in forms()[row["form"]].parameters:
        if each.kind == "DTYPE_OR_NONE":
            yield f"    if ({each.name} != NULL)\n    "
        if each.kind in ("DTYPE", "DTYPE_OR_NONE"):
            value = each.name if each.kind == "DTYPE" else f"*{each.name}"
            yield f"    GRAPH_NEEDS_DTYPE({op}, {each.name}, {value});\n"


def public_call(row):
    """The public function of an op that compose makes."""
    form = forms()[row["form"]]
    ruled = form.ruled()
    call = f"compose_{row['name']}({', '.join(form.passed_on())});"
    operands = f"(jg_array *[]){{{', '.join(ruled)}}}" if ruled else "NULL"
    op = f"JG_OP_{row['name']},"
    failed = [f"graph_call_failed({op}", "status,", f"{len(ruled)},", f"{operands});"]
    status = broken("    jg_status status = ", re.findall(r"\S+", call), 8)
    result = broken("    return status == JG_OK ? JG_OK : ", failed, 8)
    return f"{composed_head(row, 'jg')}\n{{\n{''.join(null_checks(row))}{status}\n{result}\n}}\n"


@built("op_calls.c")
def op_calls_c():
    head = """/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the ops that are spelled in others: NULL is refused, and a failure names
 * the op that was called. Those of ops that are one node are in graph/apply.c.
 * Written by tools/optable.py from src/op/op.def. */
#include "compose/compose.h"

/* clang-format off */
"""
    return head + "\n".join(map(public_call, composed())) + "/* clang-format on */\n"


# What stands for each C parameter in a call with one NULL; test_null.c has what is named here.
STAND_INS = (
    (r"jg_array \*\w+", "x"),
    (r"jg_array \*const \*\w+", "list"),
    (r"jg_array \*\*out", "&out"),
    (r"jg_array_list \*out", "&outs"),
    (r"const int64_t \*\w+", "ints"),
    (r"const double \*\w+", "NULL"),
    (r"const jg_dtype \*\w+", "NULL"),
    (r"const char \*\w+", '""'),
    (r"jg_dtype \w+", "JG_DTYPE_FLOAT32"),
    (r"(int|int64_t) \w+", "1"),
    (r"double \w+", "0.0"),
    (r"bool \w+", "false"),
)


def stand_in(parameter):
    return next(text for pattern, text in STAND_INS if re.fullmatch(pattern, parameter))


def null_calls(row):
    """A call of the op for each argument that must not be NULL, in which it is."""
    form = forms()[row["form"]]
    arguments = [stand_in(each) for each in [*form.c_parameters(), form.result]]
    for name, kind, _ in form.pointers():
        at = form.passed_on().index(name)
        for null in ["NULL", "hole"] if kind == "arrays" else ["NULL"]:
            passed = [*arguments[:at], null, *arguments[at + 1 :]]
            yield f'NULL_CALL({row["name"]}, "{name}", jg_{row["name"]}({", ".join(passed)}))\n'


@built("null_calls.h")
def null_calls_h():
    head = """/* SPDX-License-Identifier: Apache-2.0 */
/* NULL_CALL(op, argument, call): a call of each op with one argument NULL that must not be. For
 * test_null.c. Written by tools/optable.py from src/op/op.def. */
/* clang-format off */
"""
    calls = [call for row in ops() for call in null_calls(row)]
    return head + "".join(calls) + "/* clang-format on */\n"


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def string_lines(text):
    """The string as C literals of a line each, which the compiler joins."""
    words, lines = re.findall(r"\S*\s*", text), [""]
    for word in words:
        if len(c_string(lines[-1] + word)) > WIDTH - 8:
            lines.append("")
        lines[-1] += word
    return "\n      ".join(map(c_string, lines))


def method_row(macro, names, row):
    form = forms()[row["form"]]
    signature = f"({python_parameters(row, 'stream=None')})\n--\n\n"
    head = ", ".join([*names, row["form"]])
    return (
        f"{macro}({head}, {form.method()},\n      {string_lines(signature)},\n"
        f"      {string_lines(doc_string(row))})"
    )


@built("op_methods.h")
def op_methods_h():
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* PY_OP(name, FORM, METHOD, signature, doc): one row per op, for ops.c, which defines",
        " * PY_OP before each inclusion. PY_ALIAS(alias, name, FORM, METHOD, signature, doc): one",
        " * more name of an op.",
        " * Written by tools/optable.py from src/op/op.def and src/op/alias.def. */",
        "/* clang-format off */",
    ]
    lines += [method_row("PY_OP", [row["name"]], row) for row in ops()]
    lines.append("#ifdef PY_ALIAS")
    lines += [method_row("PY_ALIAS", [alias, row["name"]], row) for alias, row in aliases()]
    lines.append("#endif")
    return "\n".join([*lines, "/* clang-format on */"]) + "\n"


@built("op_forms.h")
def op_forms_h():
    head = """/* SPDX-License-Identifier: Apache-2.0 */
/* call_FORM for each form of op: reads the arguments, calls the op, wraps the result. For ops.c.
 * Written by tools/optable.py from src/op/form.def. */
/* clang-format off */
"""
    used = {row["form"] for row in ops()}
    callers = [form.caller() for form in forms().values() if form.name in used and not form.by_hand]
    return head + "\n".join(callers) + "/* clang-format on */\n"


STREAM = "stream: StreamLike = None"


@output("python/joggle/_ops.pyi")
def ops_pyi():
    head = """# SPDX-License-Identifier: Apache-2.0
\"\"\"The ops. Written by tools/optable.py from src/op/op.def.\"\"\"

from collections.abc import Sequence
from typing import NamedTuple

from joggle._core import {names}

"""
    used = {row["form"] for row in ops()}
    stubs = [form.stub_type() for form in forms().values() if form.names and form.name in used]
    for row in ops():
        form = forms()[row["form"]]
        last = with_numpys(row, STREAM, lambda name, type: f"{name}: {type} | None = None")
        parameters = form.python(Parameter.typed, last)
        stub = f"def {row['name']}({parameters}) -> {form.stub}:"
        if len(stub) > WIDTH:
            stub = f"def {row['name']}(\n    {parameters}\n) -> {form.stub}:"
        if max(map(len, stub.split("\n"))) > WIDTH:
            lines = form.python(Parameter.typed, last.replace(", ", ",\n    "), ",\n    ") + ","
            stub = stub.replace(parameters, lines)
        stubs.append(f'{stub}\n    """{row["doc"]}"""\n')
    renamed = "".join(f"{alias} = {row['name']}\n" for alias, row in aliases())
    columns = ("NAME", "name", "kind", "bits", "lanes", "code", "compute")
    names = [row["name"] for row in rows("tensor/dtype.def", "JG_DTYPE", columns)]
    dtypes = "".join(f"{name}: dtype\n" for name in names if name != "bool")  # the type of flags
    text = "\n".join([*stubs, renamed, dtypes])
    known = ("ArrayLike", "DeviceLike", "DTypeLike", "StreamLike", "array", "dtype")
    names = [name for name in known if re.search(rf"\b{name}\b", text)]
    return head.format(names=", ".join(names)) + text


def op_item(row):
    """An item of a list: how the op is called, its rule of dtypes, and what it computes."""
    star = "\\*" if row["by"] == "GRAPH" else ""
    doc = row["doc"].replace("*", "\\*").replace("<", "&lt;")
    return f"- `{row['name']}({python_parameters(row)})`{star} *{row['types']}*: {doc}\n"


@output("docs/ops.md")
def ops_md():
    head = """# The ops

Written by `tools/optable.py` from `src/op/op.def`. In C the functions are called `jg_` + name
(`joggle/ops.h`), in Python `joggle.` + name; if the first parameter is `x`, the op is a method too.
All take `stream=`, which computes the op on another stream than the thread's default. An op with an
asterisk is a node of the graph; the others consist of other ops. The word in italics names the rule
of dtypes; `help` of an op explains it.
"""
    by_name = {row["name"]: row for row in ops()}
    parts = [
        f"\n## {title}\n\n" + "".join(op_item(by_name[name]) for name in names)
        for title, names in topics()
    ]
    renamed = [f"| `{alias}` | `{row['name']}` |\n" for alias, row in aliases()]
    other = "\n## Other names in Python\n\n| alias | op |\n|---|---|\n"
    return head + "".join(parts) + other + "".join(renamed)


@output("docs/accuracy.md")
def accuracy_md():
    head = """# Accuracy

Written by `tools/optable.py` from `src/math/accuracy.def`. The table bounds the errors of functions
on every instruction set, in units in the last place (ULP) of the dtype. Everything else
rounds correctly: arithmetic, square roots, rounding, casts. float16 and bfloat16 are computed in
float32 and rounded once more. The bounds are measured against libm in the next wider precision and
rounded up. `tests/c/tile/test_vector_math.c` checks them with samples of floats and doubles,
`make bench ARGS=--accuracy` with every float. `tools/minimax.py` makes the polynomials.

"Found" and "at" are the largest error of float32 over all 2^32 arguments, and its argument, with
fused multiply-add (AVX2, AVX-512, NEON). Odd and even functions and logarithms were tested with
positive arguments, sin, cos and tan with those up to 10^6, because libm computes the others. The
bounds also hold for baseline x86-64, which has no fused multiply-add. Rows without "found" are
measured with samples.

sin, cos and tan hold their bounds for arguments of any size. log(e^x + e^y) of float64 is accurate
in units of its larger operand; near zero this is more than a unit of the result.

Powers with a number as exponent: x ** 2, x ** 0.5 and x ** -1 round correctly. In float32 and
float64, x ** 3 (two products) is within 1.3, x ** -0.5 within 1.5 and x ** -2 within 1.95.

| instruction | float32 | found | at | float64 |
|---|---|---|---|---|
"""
    table = rows("math/accuracy.def", "JG_ACCURACY", ("op", "single", "double", "found", "at"))
    names = {row["NAME"]: row["name"] for row in rows("program/inst.def", "JG_INST", INST_COLUMNS)}
    lines = [
        f"| {names[row['op']]} | {row['single']} | {row['found']} | {row['at']} "
        f"| {row['double'].replace('1e6', '-')} |\n"
        for row in table
    ]
    return head + "".join(lines)


# What the ways of the column RULES mean: forward, reverse; and in a batch.
DERIVATIVES = {
    "FORMULA": ("its formula", "its formula"),
    "LINEAR": ("itself, of the tangent", "a rule"),
    "BILINEAR": ("itself, of each operand's tangent", "a rule"),
    "RULE": ("a rule", "a rule"),
    "TANGENT": ("a rule", "that rule, transposed"),
    "SPELL": ("spelled in other primitives", "the same"),
    "MISSING": ("refused", "refused"),
    "NONE": ("zero: constant, integers or jumps", "zero"),
}
BATCHES = {
    "ALIGN": "itself, operands aligned by views",
    "AXES": "itself, axes one further",
    "AXIS": "itself, its axis one further",
    "LEADING": "its own batch",
    "BY": "a rule",
    "LOOP": "a loop, stacked",
    "NONE": "as it is",
}


@output("docs/transforms.md")
def transforms_md():
    groups = {}
    for row in rows("op/primitive.def", "JG_PRIMITIVE", ("name", "kind", "rules...")):
        derivative, batch = re.fullmatch(r"RULES\((.*), (.*)\)", row["rules"]).groups()
        key = derivative.split("(")[0], batch.split("(")[0]
        groups.setdefault(key, []).append(row["name"])
    lines = [
        "| forward | reverse | in a batch | primitives |\n",
        "|---|---|---|---|\n",
        *[
            f"| {' | '.join(DERIVATIVES[way])} | {BATCHES[batch]} | {', '.join(names)} |\n"
            for (way, batch), names in groups.items()
            if names[0] != "none"
        ],
    ]
    text = (ROOT / "docs/transforms.md").read_text()
    begin, end = "<!-- rules: begin -->\n", "<!-- rules: end -->"
    head, rest = text.split(begin)
    return head + begin + "".join(lines) + rest[rest.index(end) :]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    parser.add_argument("--build", type=Path, metavar="D", help="where to write the files named")
    parser.add_argument("files", nargs="*", help="what only the build reads, with --build")
    options = parser.parse_args()
    if options.build:
        for name in options.files:
            target, new = options.build / name, BUILT[name]()
            # What stays the same is left alone, so that nothing is compiled again for it.
            if not target.exists() or target.read_text() != new:
                target.write_text(new)
        return 0
    stale = []
    for path, make in OUTPUTS.items():
        target = ROOT / path
        old, new = target.read_text() if target.exists() else "", make()
        if old == new:
            continue
        stale.append(path)
        if options.check:
            diff = difflib.unified_diff(old.splitlines(True), new.splitlines(True), path, "derived")
            sys.stdout.writelines(diff)
        else:
            target.write_text(new)
            print(f"optable: wrote {path}")
    if options.check and stale:
        print(f"optable: stale: {', '.join(stale)}; run tools/optable.py")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
