# SPDX-License-Identifier: Apache-2.0
"""progress gives the items of a loop and shows how far it is."""

import io

import pytest

import joggle as jg


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_items_pass_and_a_file_gets_the_last_line_alone():
    text = io.StringIO()
    bar = jg.utils.progress((i * i for i in range(4)), total=4, label="squares", file=text)
    assert list(bar) == [0, 1, 4, 9]
    assert len(bar) == 4
    assert text.getvalue().startswith("squares 4/4 in ")
    assert text.getvalue().count("\n") == 1


def test_a_terminal_sees_bar_rate_time_and_values():
    text = Terminal()
    bar = jg.utils.progress(range(4), unit="batches", file=text, interval=0)
    for step in bar:
        bar.show(loss=jg.array(2.5) * step, name="x", shape=jg.ones((2,)))
    lines = text.getvalue().split("\r")
    assert "2/4" in lines[2]
    assert "█" * 12 + "░" * 12 in lines[2]
    assert "batches/s)" in lines[2]
    assert " left loss 2.5 name x shape " in lines[2]
    assert lines[-1].startswith("4/4 in ")
    assert lines[-1].endswith("\n")


def test_a_loop_of_unknown_length_and_one_that_is_left_early():
    text = io.StringIO()
    for number in jg.utils.progress(iter(range(100)), file=text):
        if number == 3:
            break
    assert text.getvalue().startswith("3 it in ")
    with pytest.raises(TypeError, match="length is not known"):
        len(jg.utils.progress(iter([])))
    assert list(jg.utils.progress([], file=text)) == []


def test_what_cannot_be_looped_over_is_refused():
    with pytest.raises(TypeError, match=r"\[progress\] iterable: got int"):
        jg.utils.progress(3)
    with pytest.raises(ValueError, match=r"\[progress\] total: got -1"):
        jg.utils.progress([], total=-1)
