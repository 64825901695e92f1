# SPDX-License-Identifier: Apache-2.0
"""tools/check_prefixes.py and tools/check_effects.py: a hidden function or type whose first word is
not its room's is caught, and so is a prototype that may fail and tells nothing of it."""

import pytest
from compiled_rooms import check_rooms, needs_cc, run_tool


def check_prefixes(root, exceptions="", **files):
    return check_rooms("check_prefixes", root, exceptions, **files)


def check_effects(root, header):
    path = root / "src/base/base.h"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header)
    return run_tool("check_effects.py", "--root", root)


@needs_cc
def test_the_room_and_the_name_of_a_file_are_prefixes(tmp_path):
    text = "void base_add(void) {} void text_add(void) {} static void add(void) {}"
    assert check_prefixes(tmp_path, base__text=text + " void *p = add;") == (
        1,
        "base: p: no file and no type of base is called p\n",
    )
    text += " void *base_p = add;"
    assert check_prefixes(tmp_path, base__text=text) == (0, "")


@needs_cc
def test_the_name_of_another_room_is_caught(tmp_path):
    code, output = check_prefixes(tmp_path, base__run="void run_it(void) {}", run__run="")
    assert (code, output) == (1, "base: run_it: run is another room\n")


@needs_cc
def test_a_word_of_two_rooms_is_caught_in_both(tmp_path):
    code, output = check_prefixes(
        tmp_path, base__text="void text_add(void) {}", io__text="void text_copy(void) {}"
    )
    assert code == 1
    assert output.splitlines() == [
        "base: text_add: text is a word of io, too",
        "io: text_copy: text is a word of base, too",
    ]


@needs_cc
def test_an_exception_is_allowed_and_must_be_needed(tmp_path):
    text = "void odd_name(void) {}"
    assert check_prefixes(tmp_path, "base: odd_name: why\n", base__text=text) == (0, "")
    code, output = check_prefixes(tmp_path, "base: odd_name gone: why\n", base__text=text)
    assert (code, output) == (1, "tools/prefixes.txt: base: gone: needs no exception\n")


@needs_cc
def test_functions_of_headers_count(tmp_path):
    header = tmp_path / "src/base/base.h"
    header.parent.mkdir(parents=True)
    header.write_text("static inline int odd_name(int x)\n{\n    return x;\n}\n")
    code, output = check_prefixes(tmp_path, base__text="")
    assert (code, output) == (1, "base: odd_name: no file and no type of base is called odd\n")


def write_header(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


@needs_cc
def test_types_of_headers_count(tmp_path):
    write_header(tmp_path, "src/plan/plan.h", "typedef struct plan_slot plan_slot;\n")
    for text in (
        "struct plan_run {\n    int a;\n};\n",
        "typedef struct plan_run {\n    int a;\n} plan_run;\n",
        "typedef int plan_run(int a);\n",
        "typedef float plan_run __attribute__((vector_size(16)));\n",
    ):
        write_header(tmp_path, "src/run/run.h", text)
        code, output = check_prefixes(tmp_path, run__text="")
        assert (code, output) == (1, "run: plan_run: plan is another room\n")
        write_header(tmp_path, "src/run/run.h", text.replace("plan_run", "run_state"))
        assert check_prefixes(tmp_path, run__text="") == (0, "")


@needs_cc
def test_a_word_of_a_type_and_of_a_function_elsewhere_is_caught(tmp_path):
    write_header(tmp_path, "src/io/text.h", "typedef struct text_piece text_piece;\n")
    code, output = check_prefixes(tmp_path, base__text="void text_add(void) {}", io__text="")
    assert code == 1
    assert output.splitlines() == [
        "base: text_add: text is a word of io, too",
        "io: text_piece: text is a word of base, too",
    ]


@needs_cc
def test_types_that_macros_make_and_types_of_one_file_are_left_out(tmp_path):
    write_header(
        tmp_path,
        "src/op/op.h",
        "#define CHOICES(name, ...) \\\n    typedef enum name { __VA_ARGS__ } \\\n    name;\n",
    )
    text = "typedef struct plan_run {\n    int a;\n} plan_run;\n"
    assert check_prefixes(tmp_path, op__text=text, plan__text="") == (0, "")


@needs_cc
def test_types_of_the_extension_begin_with_py(tmp_path):
    write_header(tmp_path, "python/src/base/text.h", "typedef struct text_piece text_piece;\n")
    code, output = check_prefixes(tmp_path, base__vec="")
    fault = "python: text_piece: no file and no type of python is called text\n"
    assert (code, output) == (1, fault)
    write_header(tmp_path, "python/src/base/text.h", "typedef struct py_piece py_piece;\n")
    assert check_prefixes(tmp_path, base__vec="") == (0, "")


@needs_cc
def test_what_has_the_public_prefix_has_to_be_public(tmp_path):
    write_header(tmp_path, "include/joggle/array.h", "typedef struct jg_array jg_array;\n")
    types = "struct jg_array {\n    int base;\n};\nstruct jg_odd {\n};\n"
    write_header(tmp_path, "src/base/base.h", types)
    fault = "base: jg_odd: no public header has it, jg_ is for what those have\n"
    assert check_prefixes(tmp_path, base__text="") == (1, fault)
    assert check_prefixes(tmp_path, "base: jg_odd: why\n", base__text="") == (0, "")
    write_header(tmp_path, "src/base/base.h", "")
    assert check_prefixes(tmp_path, base__text="void jg_odd(void) {}") == (1, fault)


def test_a_sentence_with_its_effects_is_enough(tmp_path):
    header = "/* Makes a text. gives: *out, +1 | raises: NOMEM */\n"
    header += "jg_status text_new(base_text **out);\njg_status text_copy(base_text **out);\n"
    assert check_effects(tmp_path, header) == (0, "")


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        ("jg_status text_new(int x);", "no comment tells on what it fails"),
        ("/* Makes a text. */\njg_status text_new(int x);", "no comment tells on what it fails"),
        ("/* raises: NOMEM */\njg_status text_new(int x);", "no comment tells what it does"),
        (
            "/* Makes a text. raises: NOMEM */\njg_status text_new(base_text **out);",
            "no comment tells whose the result is",
        ),
        (
            "/* Makes a text. raises: NOMEM */\n\njg_status text_new(int x);",
            "no comment tells on what it fails",
        ),
    ],
)
def test_a_prototype_that_may_fail_and_lacks_one_is_caught(tmp_path, header, fault):
    code, output = check_effects(tmp_path, header + "\n")
    assert code == 1
    assert f"src/base/base.h: text_new: {fault}" in output
