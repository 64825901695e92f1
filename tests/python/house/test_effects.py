# SPDX-License-Identifier: Apache-2.0
"""tools/check_effects.py: a prototype that no comment describes is caught."""

import pytest
from compiled_rooms import run_tool


def check(root, text, name):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return run_tool("check_effects.py", "--root", root)


PUBLIC, OWN = "include/joggle/one.h", "src/base/base.h"
NAME = "JG_API const char *jg_one_name(const jg_one *one);\n"
COUNT = "JG_API int jg_one_count(const jg_one *one);\n"
MAKE = "jg_status one_new(int n, jg_one **out);\n"


@pytest.mark.parametrize(
    "text",
    [
        f"/* Its name. gives: borrowed | raises: never */\n{NAME}",
        f"/* What it has. raises: never */\n{COUNT}JG_API int jg_one_rank(const jg_one *one);\n",
        f"/* A new one. gives: *out | raises: NOMEM */\nJG_API {MAKE}",
        "typedef void jg_one_printer(void *context);\n",
    ],
)
def test_public_functions_with_effects_pass(tmp_path, text):
    assert check(tmp_path, text, PUBLIC) == (0, "")


@pytest.mark.parametrize("comment", ["", "/* Its size. */\n", "/* raises: never */\n\n"])
def test_a_public_function_without_an_effect_is_caught(tmp_path, comment):
    said = "no comment tells an effect (keeps, takes, gives, raises, waits: ...)"
    assert check(tmp_path, comment + COUNT, PUBLIC) == (1, f"{PUBLIC}: jg_one_count: {said}\n")


def test_functions_of_rooms_need_them_where_they_may_fail(tmp_path):
    assert check(tmp_path, "int one_count(const jg_one *one);\n", OWN) == (0, "")
    code, output = check(tmp_path, f"/* A new one. gives: *out */\n{MAKE}", OWN)
    assert (code, output) == (
        1,
        f"{OWN}: one_new: no comment tells on what it fails (raises: ...)\n",
    )
    code, output = check(tmp_path, f"/* A new one. raises: NOMEM */\n{MAKE}", OWN)
    assert (code, output) == (
        1,
        f"{OWN}: one_new: no comment tells whose the result is (gives: ...)\n",
    )


def test_words_that_are_no_effect_are_caught(tmp_path):
    text = f"/* Ends it. takes: one | wakes: all */\n{MAKE}"
    said = "one_new: wakes: is no effect, allowed are keeps, takes, gives, raises, waits"
    code, out = check(tmp_path, text, OWN)
    assert code == 1 and f"{OWN}: {said}\n" in out


@pytest.mark.parametrize("told", ["always", "also when it fails", "also after a failure"])
def test_what_passes_on_failure_too_is_caught(tmp_path, told):
    text = f"/* takes: one, {told} */\nstatic int end_one(one *it);\n"
    said = f"takes: one, {told}: what passes also on failure, allowed is takes: ..., and on JG_OK "
    said += "alone"
    assert check(tmp_path, text, "src/base/one.c") == (1, f"src/base/one.c: {said}\n")


@pytest.mark.parametrize("word", ["consumes", "steals"])
@pytest.mark.parametrize("path", ["src/base/one.c", "src/base/base.h", "include/joggle/one.h"])
def test_words_for_that_are_caught_in_the_library(tmp_path, word, path):
    text = f"/* Ends it. {word}: one | raises: never */\nJG_API int jg_one_end(jg_one *one);\n"
    code, output = check(tmp_path, text, path)
    assert code == 1 and f"{path}: {word}: what passes also on failure, allowed is takes" in output


@pytest.mark.parametrize(
    "path", ["python/src/one.c", "python/src/one.h", "include/joggle/python.h"]
)
def test_where_c_meets_python_the_word_is_that_of_python(tmp_path, path):
    text = "/* Ends it. steals: one */\nint end_one(one *it);\n"
    assert check(tmp_path, text, path) == (0, "")
    code, output = check(tmp_path, text.replace("steals", "consumes"), path)
    said = "consumes: what passes also on failure, allowed is steals: ..."
    assert (code, output) == (1, f"{path}: {said}\n")


WHOSE = "no comment tells whose the result is (gives: ..., or borrowed)"
RAISES = "no comment tells on what it fails (raises: ...)"
DOES = "no comment tells what it does"


@pytest.mark.parametrize(
    "text",
    [
        "/* A block. gives: it, for base_free */\nvoid *one_new(size_t nbytes);\n",
        "const char *one_name(const one *it); /* borrowed from it */\n",
        "/* Borrowed from it. */\nstatic inline one **one_all(const one *it)\n{\n}\n",
        "/* Borrowed from it. */\nchar *one_low(one *it);\nchar *one_high(one *it);\n",
        "/* The entry. gives: borrowed, forever */\ntypedef const one *one_at(int level);\n",
        "jg_array *one_half(compose_scope *scope, jg_array *x);\n",
        "int one_count(const one *it);\nextern const one *const NAMED(one_tables)[2];\n",
    ],
)
def test_pointers_that_rooms_give_pass_where_it_is_told_whose_they_are(tmp_path, text):
    assert check(tmp_path, text, OWN) == (0, "")


@pytest.mark.parametrize(
    "text",
    [
        "void *one_new(size_t nbytes);\n",
        "/* Borrowed from it. */\n\nvoid *one_new(size_t nbytes);\n",
        "/* Its name, and its length. gives: *length */\nconst char *one_new(int *length);\n",
        "int one_count(const one *it); /* borrowed */\nchar *one_new(one *it);\n",
        "int count(one *x)\n{\n    /* borrowed */\n}\nstatic inline one *one_new(one *x)\n{\n}\n",
        "/* The end of it. */\ntypedef const one *one_new(int level);\n",
        "const jg_array *one_new(compose_scope *scope);\n",
        "jg_array *one_new(const compose_scope_options *options);\n",
    ],
)
def test_a_pointer_of_a_room_without_an_owner_is_caught(tmp_path, text):
    assert check(tmp_path, text, OWN) == (1, f"{OWN}: one_new: {WHOSE}\n")


def test_public_pointers_tell_whose_they_are_too(tmp_path):
    code, output = check(tmp_path, f"/* Its name. raises: never */\n{NAME}", PUBLIC)
    assert (code, output) == (1, f"{PUBLIC}: jg_one_name: {WHOSE}\n")
    told = "/* Its name. gives: borrowed from it | raises: never */\n"
    assert check(tmp_path, told + NAME, PUBLIC) == (0, "")


def struct_of(slots, over=""):
    return f"{over}typedef struct one_ops {{\n    int version;\n\n{slots}}} one_ops;\n"


@pytest.mark.parametrize(
    "slots",
    [
        "    /* Makes it. gives: *out, +1 | raises: NOMEM */\n    jg_status (*make)(one **out);\n",
        "    /* Runs it. raises: NOMEM */\n    jg_status (*run)(one *it,\n        int n);\n",
        "    const char *(*name)(const one *it); /* gives: a static string */\n",
        "    void (*drop)(one *it);\n    int (*count)(const one *it);\n",
    ],
)
def test_slots_that_tell_what_prototypes_do_pass(tmp_path, slots):
    assert check(tmp_path, struct_of(slots), OWN) == (0, "")


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        ("    jg_status (*run)(one *it);\n", f"run: {RAISES}\n{OWN}: run: {DOES}"),
        ("    /* Runs it. */\n    jg_status (*run)(one *it);\n", f"run: {RAISES}"),
        (
            "    /* Makes it. raises: NOMEM */\n    jg_status (*make)(one **out);\n",
            "make: no comment tells whose the result is (gives: ...)",
        ),
        ("    /* Its name. */\n    const char *(*name)(const one *it);\n", f"name: {WHOSE}"),
    ],
)
def test_slots_that_do_not_are_caught(tmp_path, slots, said):
    assert check(tmp_path, struct_of(slots), OWN) == (1, f"{OWN}: {said}\n")


def test_what_stands_over_a_struct_is_not_of_its_slots(tmp_path):
    text = "/* Runs one. raises: NOMEM */\nstruct one_ops {\n    jg_status (*run)(one *it);\n};\n"
    code, output = check(tmp_path, text, OWN)
    assert code == 1 and f"{OWN}: run: {RAISES}\n" in output
