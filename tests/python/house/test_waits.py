# SPDX-License-Identifier: Apache-2.0
"""tools/check_waits.py: a function that may evaluate, without a word of that, is caught."""

import pytest
from compiled_rooms import run_tool

HEADER = "include/joggle/one.h"
SAID = "no comment tells how long it waits, in"


def check(root, comment, source):
    for name, text in (
        (HEADER, f"/* The sum. {comment} */\nJG_API jg_status jg_one_sum(jg_array *x);\n"),
        ("src/one/one.c", source),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return run_tool("check_waits.py", "--root", root)


def body(called, name="jg_one_sum", words=""):
    return f"{words}jg_status {name}(jg_array *x)\n{{\n    return {called}(x);\n}}\n"


@pytest.mark.parametrize(
    ("source", "way"),
    [
        (body("run_require"), "run_require"),
        (body("ready", words="\n") + body("run_require", "ready"), "ready -> run_require"),
        (
            body("run_require", "ready", "static ") + body("add") + body("ready", "add"),
            "add -> ready -> run_require",
        ),
        (
            body("first") + body("second", "first") + body("first(x), run_eval", "second"),
            "first -> second -> run_eval",
        ),
    ],
)
def test_a_function_that_may_evaluate_says_what_it_waits_for(tmp_path, source, way):
    assert check(tmp_path, "raises: NOMEM", source) == (1, f"{HEADER}: jg_one_sum: {SAID} {way}\n")
    assert check(tmp_path, "raises: NOMEM | waits: for x", source) == (0, "")


@pytest.mark.parametrize(
    "source",
    [
        body("graph_sum"),
        body("buffer_release") + body("run_require", "buffer_release"),
        body("ready") + body("other", "ready", "static ") + body("run_eval", "unlike"),
        body("graph_sum").replace("return", "/* run_eval(x) comes later */ return"),
    ],
)
def test_a_function_that_does_not_needs_no_word(tmp_path, source):
    assert check(tmp_path, "raises: NOMEM", source) == (0, "")
