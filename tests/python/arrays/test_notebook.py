# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of arrays, plans and graphs."""

import html
import itertools
import re
import shutil
from xml.etree import ElementTree

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


def elements(svg, name, kind):
    """The elements of a drawing that are of a class."""
    root = ElementTree.fromstring(svg)
    found = root.iter(f"{{http://www.w3.org/2000/svg}}{name}")
    return [each for each in found if kind in each.get("class", "").split()]


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("}text")]


def box(rect):
    x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def test_plans_are_texts_that_are_shown_line_by_line():
    plan = jg.explain(jg.exp(jg.ones(3)) + 1)
    assert isinstance(plan, str)
    shown = plan._repr_html_()
    assert shown == f"{plan._repr_svg_()}<pre>{html.escape(plan)}</pre>"
    assert plan.splitlines()[-1] in html.unescape(shown)


def test_a_plan_is_drawn_with_a_bar_for_what_each_launch_reads_and_writes():
    x = evaluated(np.ones((64, 64), np.float32))
    plan = jg.explain(jg.sum(jg.exp(x @ x) < x, axis=1))
    drawn = plan._repr_svg_()
    lines = plan.splitlines()[:-1]
    for kind, pattern in (("read", r"reads (\d+)"), ("written", r"writes (\d+)")):
        counts = [int(re.search(pattern, line)[1]) for line in lines]
        widths = [float(bar.get("width")) for bar in elements(drawn, "rect", kind)]
        assert len(widths) == len(lines) > 1
        scale = 160 / max(
            int(n) for line in lines for n in re.findall(r"(?:reads|writes) (\d+)", line)
        )
        assert widths == pytest.approx([count * scale for count in counts], abs=0.06)
    assert any("less" in text for text in texts(drawn))


def without_graphviz(monkeypatch, path):
    monkeypatch.setenv("PATH", str(path))


def test_a_graph_is_drawn_without_graphviz(tmp_path, monkeypatch):
    without_graphviz(monkeypatch, tmp_path)
    x = evaluated(np.ones((2, 3), np.float32))
    graph = jg.export_dot(jg.sum(jg.exp(x) * x, axis=1), jg.max(x, axis=0))
    drawn = graph._repr_svg_()
    boxes = [box(each) for each in elements(drawn, "rect", "node")]
    assert len(boxes) == graph.count("label=") - graph.count('label="group') == 5
    assert len(elements(drawn, "rect", "asked")) == 2
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
    assert {"exp", "multiply", "sum", "max", "float32 (2, 3)", "axes={1}"} <= set(texts(drawn))
    edges = elements(drawn, "path", "edge")
    assert len(edges) == len(set(re.findall(r"n\d+ -> n\d+", graph))) == 5
    for edge in edges:
        places = [float(number) for number in re.findall(r"[\d.]+", edge.get("d"))]
        assert places[1] < places[-1]  # to what reads it, which is below


def test_a_graph_that_is_too_large_to_be_read_stays_a_text(tmp_path, monkeypatch):
    without_graphviz(monkeypatch, tmp_path)
    x = evaluated(np.ones(3, np.float32))
    for _ in range(500):
        x = jg.sin(x)
    assert jg.export_dot(x)._repr_svg_() is None
    many = jg.explain([jg.ones((n, n)) @ jg.ones((n, n)) for n in range(1, 300)])
    assert many._repr_svg_() is None and many._repr_html_().startswith("<pre>")


def test_graphs_are_drawn_by_graphviz_where_it_is(tmp_path, monkeypatch):
    graph = jg.export_dot(jg.ones(3) + 1)
    assert graph.startswith("digraph")
    without_graphviz(monkeypatch, tmp_path)
    own = graph._repr_svg_()
    program = tmp_path / "dot"
    program.write_text(
        f"#!/bin/sh\n[ $1 = -Tsvg ] && {shutil.which('cat', path='/bin:/usr/bin')}\n"
    )
    program.chmod(0o755)
    assert graph._repr_svg_() == graph
    program.write_text("#!/bin/sh\nexit 1\n")
    assert graph._repr_svg_() == own
