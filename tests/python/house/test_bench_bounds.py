# SPDX-License-Identifier: Apache-2.0
"""A goal of the benchmarks with a bound shows it, and asks for no more than that allows."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench"


@pytest.fixture
def judged(monkeypatch):
    """Judges times of fused work, of two steps and of the first one alone."""
    monkeypatch.syspath_prepend(str(BENCH))
    for name in [name for name in sys.modules if name.split(".")[0] == "support"]:
        monkeypatch.delitem(sys.modules, name)
    from support import measure, report

    goal = measure.Goal(0.9, "in two steps", bound="products")

    def judge(fused, alone):
        times = {"joggle": fused, "in two steps": 100.0}
        if alone is not None:
            times["products"] = alone
        return report.judge(goal, {name: {"min_ns": time} for name, time in times.items()})

    return judge


@pytest.mark.parametrize(
    ("fused", "alone", "met"),
    [
        (89, 60, True),
        (91, 60, False),  # within reach, and missed
        (91, 87, False),  # 0.87 leaves just enough
        (96, 95, True),
        (99, 95, False),  # more than 3 % above the bound
        (101, 120, False),  # a part is never slower: no excuse for being so
        (91, None, False),
    ],
)
def test_a_bound_moves_the_goal_only_where_it_is_out_of_reach(judged, fused, alone, met):
    assert judged(fused, alone)["met"] is met


def test_the_bound_and_the_goal_that_follows_are_told(judged):
    assert judged(89, 60)["goal"] == "<= 0.9 x in two steps (products alone 0.60)"
    assert judged(96, 95)["goal"] == "<= 0.9 x in two steps (products alone 0.95, so 0.98)"
