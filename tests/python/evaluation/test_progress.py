# SPDX-License-Identifier: Apache-2.0
"""progress gives the items of a loop and shows how far it is; eval shows how far it is itself."""

import io
import re
import sys
import types

import numpy as np
import pytest

import joggle as jg
from joggle import _progress


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


def test_a_length_that_is_not_known_is_left_out():
    class Stream:
        def __iter__(self):
            return iter([1, 2])

        def __len__(self):
            raise TypeError("a stream has no length")

    text = io.StringIO()
    assert list(jg.utils.progress(Stream(), file=text)) == [1, 2]
    assert text.getvalue().startswith("2 it in ")


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


def test_progress_ends_its_line_when_a_loop_is_left_early():
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


@pytest.fixture
def terminal(monkeypatch):
    """What stands on the terminal of a process without tqdm, where anything is long."""
    made = Terminal()
    monkeypatch.setattr(_progress, "sys", types.SimpleNamespace(stderr=made))
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.001)
    monkeypatch.setattr(_progress, "_INTERVAL", 0.001)
    return made


def powers(count=100):
    x = jg.asarray(np.random.default_rng(1).standard_normal((400, 400)).astype("f4") / 20)
    y = x
    for _ in range(count):
        y = y @ x
    return y


def test_an_evaluation_shows_how_far_it_is(terminal):
    y = powers()
    jg.eval({"y": [y]}, progress=True)
    assert y.status == "available"
    lines = terminal.getvalue().split("\r")[1:]
    shares = [int(re.search(r"(\d+)/100", line)[1]) for line in lines]
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert any(0 < share < 100 for share in shares)
    np.testing.assert_array_equal(y.tolist(), powers().tolist())


def test_what_is_short_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 30.0)
    jg.eval(jg.ones(3) + 1, progress=True)
    jg.eval(powers(), progress=False)
    assert terminal.getvalue() == ""


def test_a_failure_ends_the_line_and_comes_through(terminal):
    with pytest.raises(jg.linalg.LinAlgError, match="singular"):
        jg.eval(powers(), jg.linalg.inv(jg.zeros((3, 3))), progress=True)
    before = jg._core._progress_read()
    jg.eval(powers())
    assert jg._core._progress_read() == before  # nobody watches


def test_an_evaluation_shows_tqdms_bar_where_that_is(monkeypatch):
    seen = []

    class Bar:
        def __init__(self, **options):
            self.n, self.total, self.options = 0, options["total"], options

        def update(self, count):
            self.n += count
            seen.append((self.n, self.total))

        def close(self):
            seen.append("closed")

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(_progress, "_PATIENCE", 0.001)
    jg.eval(powers(), progress=True)
    assert seen[-1] == "closed"
    assert seen[-2][0] == seen[-2][1] > 100 * 400**3 / 10


@pytest.mark.parametrize("wrong", [1, None, "yes"])
def test_progress_is_true_or_false(wrong):
    with pytest.raises(TypeError, match=r"\[eval\] progress: got .*, allowed are True and False"):
        jg.eval(jg.ones(2), progress=wrong)
    with pytest.raises(TypeError, match="bar"):
        jg.eval(jg.ones(2), bar=True)
