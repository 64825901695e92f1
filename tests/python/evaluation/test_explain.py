# SPDX-License-Identifier: Apache-2.0
"""jg.explain tells what an evaluation would run."""

import numpy as np
import pytest

import joggle as jg


def launches(*arrays):
    return jg.explain(*arrays).splitlines()[:-1]


def rows(shape):
    return jg.asarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def test_each_launch_names_its_ops_its_space_and_its_bytes():
    x = rows((4, 100))
    (line,) = launches(jg.exp(x) + jg.sum(x, axis=1, keepdims=True))
    assert line == "launch 0: exp+sum+add over (4, 100), reducing 1; reads 1600 bytes, writes 1600"


def test_the_last_line_has_the_sums_and_the_temporaries():
    x = rows((8, 8))
    text = jg.explain(jg.exp(x) @ x)
    assert text.splitlines()[-1] == (
        "launches: 2; reads 768 bytes, writes 512; temporaries: 1 of 256 bytes"
    )


def test_what_is_in_memory_takes_no_launch():
    x = rows((3, 3))
    assert launches(x) == []
    y = x + 1
    assert len(launches(y)) == 1
    jg.eval(y)
    assert launches(y) == []


def test_what_a_launch_would_compute_twice_is_merged():
    x = rows((4, 100))
    (line,) = launches(x.exp(), x.exp() * 2)
    assert "exp+exp+multiply over (4, 100), merging 1 into equal ones;" in line
    (line,) = launches(jg.mean(x, axis=1), jg.sum(x, axis=1))
    assert "sum+sum+divide over (4, 100), reducing 1, merging 1 into" in line
    (line,) = launches((x + 1).exp(), (x + 1).exp() * (x - 1))
    assert "merging 2 into" in line  # numbers that are equal are one
    (line,) = launches((x + 1).exp(), (x + 1.5).exp() * (x - 1))
    assert "merging" not in line


def test_what_a_rule_makes_shorter_is_told():
    x, y = rows((4, 100)), rows((4, 100))
    (line,) = launches(x + -y)
    assert "simplifying 1;" in line
    (line,) = launches(x.astype(jg.float64).astype(jg.float32) * y)
    assert "simplifying 2;" in line  # to one cast, which is to the same type
    (line,) = launches(x - y)
    assert "simplifying" not in line


def test_equal_numbers_are_in_the_structure_of_a_graph():
    x = rows((4, 100))
    for first, second in ((1, 2), (2, 2), (3, 2), (2, 2)):
        y = (x + first).sqrt() * (x + second).sqrt()
        a = np.asarray(x)
        expected = np.sqrt(a + np.float32(first)) * np.sqrt(a + np.float32(second))
        assert np.array_equal(np.asarray(y), expected)
    y = (x * 0.0 + x.sqrt()) * (x * -0.0)  # equal to ==, but not the same number
    assert np.signbit(np.asarray(y)).all()


def test_without_fusing_each_op_is_a_launch():
    x = rows((3, 3))
    y = jg.exp(x * x) - x
    assert len(launches(y)) == 1
    jg.set_option("fuse", "0")
    try:
        assert len(launches(y)) == 3
    finally:
        jg.set_option("fuse", "1")


def test_arrays_may_lie_in_lists_and_what_shares_memory_is_one_launch():
    x = rows((3, 3))
    assert len(launches([x + 1, (x * 2, {"c": jg.exp(x)})])) == 1


@pytest.mark.parametrize("nothing", [len, 3, [], {"a": None}])
def test_what_holds_no_array_is_refused_by_name(nothing):
    x = rows((3, 3))
    for describe in (jg.explain, jg.export_dot):
        name = describe.__name__
        with pytest.raises(
            TypeError, match=rf"\[{name}\] argument 2: got {type(nothing).__name__}"
        ):
            describe(x, nothing)
    with pytest.raises(TypeError, match=r"\[export_to_dot\] argument 1: got "):
        jg.export_to_dot("nowhere.dot", nothing)
    jg.eval(x, nothing)
