# SPDX-License-Identifier: Apache-2.0
"""tools/check_circles.py: a circle of calls between files of one room is caught, unless
tools/circles.txt has it."""

from compiled_rooms import check_rooms, needs_cc

LAYERS = "room 1 base: joggle\nroom 2 tensor: base\n"


def check(root, allowed, one, two, **more):
    return check_rooms("check_circles", root, allowed, base__one=one, base__two=two, **more)


ONE = "void two(void); void one(void) { two(); }"
BACK = "void one(void); void two(void) { one(); }"
END = "void two(void) {}"


@needs_cc
def test_calls_in_one_direction_are_no_circle(tmp_path):
    assert check(tmp_path, "", one=ONE, two=END) == (0, "")


@needs_cc
def test_a_circle_is_caught(tmp_path):
    code, output = check(tmp_path, "# none\n", one=ONE, two=BACK)
    assert code == 1
    assert "src/base/one.c src/base/two.c: use each other" in output


@needs_cc
def test_a_circle_of_the_list_is_allowed(tmp_path):
    assert check(tmp_path, "src/base: one.c\n  two.c: why\n", one=ONE, two=BACK) == (0, "")


@needs_cc
def test_a_line_whose_circle_is_gone_is_caught(tmp_path):
    code, output = check(tmp_path, "src/base: one.c two.c: why\n", one=ONE, two=END)
    assert code == 1
    assert "no circle any more" in output


@needs_cc
def test_a_file_that_left_its_circle_is_caught(tmp_path):
    allowed = "src/base: one.c two.c three.c: why\n"
    code, output = check(tmp_path, allowed, one=ONE, two=BACK, base__three="int three;")
    assert (code, output) == (
        1,
        "tools/circles.txt: src/base/three.c: not of the others' circle any more\n",
    )


@needs_cc
def test_a_line_of_two_circles_is_caught(tmp_path):
    more = {
        "base__three": "void four(void); void three(void) { four(); }",
        "base__four": "void three(void); void four(void) { three(); }",
    }
    allowed = "src/base: one.c two.c three.c four.c: why\n"
    code, output = check(tmp_path, allowed, one=ONE, two=BACK, **more)
    assert code == 1
    assert "several circles" in output


@needs_cc
def test_a_file_of_the_list_that_is_gone_is_caught(tmp_path):
    code, output = check(tmp_path, "src/base: one.c other.c: why\n", one=ONE, two=END)
    assert (code, output) == (1, "tools/circles.txt: src/base/other.c: no such file\n")


@needs_cc
def test_a_build_without_some_of_the_files_may_have_the_rest(tmp_path):
    (tmp_path / "src/base").mkdir(parents=True)
    (tmp_path / "src/base/three.c").write_text("")
    allowed = "src/base: one.c two.c three.c: why\n"
    assert check(tmp_path, allowed, one=ONE, two=BACK) == (0, "")


@needs_cc
def test_a_call_of_a_room_above_is_caught(tmp_path):
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/layers.txt").write_text(LAYERS)
    above = {"base__one": ONE, "tensor__two": END}
    code, output = check_rooms("check_circles", tmp_path, "", **above)
    assert code == 1
    assert output == "src/base/one.c calls src/tensor/two.c, whose room is above its own\n"
    below = {"base__one": "void one(void) {}", "tensor__two": BACK}
    assert check_rooms("check_circles", tmp_path, "", **below) == (0, "")
