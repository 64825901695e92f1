# SPDX-License-Identifier: Apache-2.0
"""A test in C runs because it is there: tests/c/tests.h lists it, and nobody does so by hand."""

import re

import pytest
from compiling import C_FLAGS, ROOT, build, cc, run

TESTS = ROOT / "tests/c"

TEXT = """
#include "tests.h"
#include <stdio.h>

static int say_begin(void **state) { (void)state; return puts("begin") < 0; }
static int say_end(void **state) { (void)state; return puts("end") < 0; }
static int say_before(void **state) { (void)state; return puts("before") < 0; }
static int say_after(void **state) { (void)state; return puts("after") < 0; }

TEST(this_one_runs) { puts("first body"); }
TEST_IF(1 == 2, this_one_is_not_there) { fail(); }
TEST_IF(1 == 1, and_so_does_this_one) { puts("second body"); }

BEFORE_ALL(say_begin)
AFTER_ALL(say_end)
BEFORE_EACH(say_before)
AFTER_EACH(say_after)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """tests/c/main.c with two files of tests."""
    folder = tmp_path_factory.mktemp("room")
    (folder / "test_subject.c").write_text(TEXT)
    (folder / "test_failure.c").write_text('#include "tests.h"\nTEST(this_one_fails) { fail(); }\n')
    flags = [*C_FLAGS, "-D_GNU_SOURCE", "-I", TESTS]
    files = [TESTS / "main.c", *sorted(folder.glob("*.c"))]
    return build([*cc(), *flags, *files, "-lcmocka"], folder), folder.name


def said(program, *arguments):
    result = run([program[0], *arguments])
    return result.returncode, [line for line in result.stdout.splitlines() if line[:1] != "["]


def test_files_are_named_by_room_and_subject(program):
    path, room = program
    assert sorted(run([path]).stdout.split()) == [f"{room}/failure", f"{room}/subject"]


def test_every_test_of_a_file_runs_with_what_is_around_it(program):
    first = ["before", "first body", "after"]
    second = ["before", "second body", "after"]
    assert said(program, f"{program[1]}/subject") == (0, ["begin", *first, *second, "end"])


def test_a_pattern_chooses_tests(program):
    code, lines = said(program, f"{program[1]}/subject", "and_*")
    assert (code, [line for line in lines if "body" in line]) == (0, ["second body"])
    code, lines = said(program, f"{program[1]}/subject", "third_*")
    assert code == 2 and not any("body" in line for line in lines)


def test_a_failure_is_told_by_the_exit_status(program):
    assert said(program, f"{program[1]}/failure")[0] == 1


def test_a_file_without_tests_is_refused(program):
    assert said(program, f"{program[1]}/other")[0] == 2


def test_every_file_holds_tests_and_no_list_of_them():
    paths = sorted(TESTS.rglob("test_*.c"))
    assert len(paths) > 150
    for path in paths:
        assert re.search(r"^(TEST|TEST_IF|SCENARIO)\(", path.read_text(), re.MULTILINE), path


def test_no_function_looks_like_a_test_without_being_one():
    """cmocka's tests are void functions of a void **; those that run around them return an int."""
    for path in sorted(TESTS.rglob("*.[ch]")):
        text = path.read_text()
        if path.name != "tests.h":
            assert re.findall(r"void (\w+)\(void \*\*", text) == [], path
        assert path.name == "main.c" or re.findall(r"^int main\(", text, re.MULTILINE) == [], path
