# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of arrays, plans and graphs."""

import re
import shutil

import numpy as np
import pytest

import joggle as jg


def cells(text):
    """The rows of each table: lists of what their cells hold."""
    return [
        [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
        for table in re.findall(r"<table>(.*?)</table>", text)
    ]


def evaluated(x):
    x = jg.asarray(x)
    jg.eval(x)
    return x


def test_an_array_tells_what_it_is():
    facts, shown = cells(evaluated(np.array([[1.5, -2.25], [1e10, 0]], np.float32))._repr_html_())
    assert facts == [
        ["shape", "(2, 2)"],
        ["dtype", "float32"],
        ["device", "cpu"],
        ["state", "evaluated"],
        ["memory", "16 bytes"],
    ]
    assert shown == [["1.5", "-2.25"], ["1e+10", "0"]]


def test_an_array_that_is_not_evaluated_stays_so():
    x = jg.ones((1000, 1000)) + 1
    facts, *shown = cells(x._repr_html_())
    assert facts[3:] == [["state", "not evaluated yet"], ["memory", "3.815 MiB"]]
    assert shown == []
    assert x.status == "unscheduled"


@pytest.mark.parametrize(
    "value, wanted",
    [
        (np.float64(0.5), [["0.5"]]),
        (np.arange(3), [["0", "1", "2"]]),
        (np.array([True, False]), [["True", "False"]]),
        (np.array([1 + 2j]), [["1+2j"]]),
        (np.arange(7), [["0", "1", "2", "…", "4", "5", "6"]]),
        (np.zeros((0, 3)), None),
    ],
)
def test_every_rank_and_dtype_is_shown(value, wanted):
    _, *shown = cells(evaluated(value)._repr_html_())
    assert shown == ([] if wanted is None else [wanted])


def test_corners_stand_for_large_arrays():
    x = np.arange(2 * 100 * 8).reshape(2, 100, 8)
    text = evaluated(x)._repr_html_()
    rows = cells(text)[1]
    corner = x[0][[0, 1, 2, 97, 98, 99]][:, [0, 1, 2, 5, 6, 7]]
    assert "<caption>x[0]</caption>" in text
    assert rows[3] == ["⋮"] * 7
    assert [row[:3] + row[4:] for row in rows if row[0] != "⋮"] == corner.astype(str).tolist()
    assert {row[3] for row in rows} == {"…", "⋮"}


def test_a_failed_array_says_so():
    x = evaluated(np.arange(8, dtype=np.float32)) + 0
    jg.eval(x)
    x = x.at[jg.array([3, 8]) * 1].set(1.0)  # written over, so there is nothing to go back to
    with pytest.raises(IndexError):
        x.wait()
    facts, *shown = cells(x._repr_html_())
    assert facts[3] == ["state", "its evaluation failed"]
    assert shown == []


def test_plans_are_texts_that_are_shown_line_by_line():
    plan = jg.explain(jg.exp(jg.ones(3)) + 1)
    assert isinstance(plan, str)
    assert plan._repr_html_().startswith("<pre>")
    assert plan.splitlines()[-1] in plan._repr_html_().replace("&gt;", ">")


def test_graphs_are_drawn_where_graphviz_is(tmp_path, monkeypatch):
    graph = jg.export_dot(jg.ones(3) + 1)
    assert graph.startswith("digraph")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert graph._repr_svg_() is None
    program = tmp_path / "dot"
    program.write_text(
        f"#!/bin/sh\n[ $1 = -Tsvg ] && {shutil.which('cat', path='/bin:/usr/bin')}\n"
    )
    program.chmod(0o755)
    assert graph._repr_svg_() == graph
    program.write_text("#!/bin/sh\nexit 1\n")
    assert graph._repr_svg_() is None
