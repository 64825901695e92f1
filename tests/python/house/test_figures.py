# SPDX-License-Identifier: Apache-2.0
"""docs/figures.md is what tools/figures.py makes of the machines' files, and those keep what a run
of the benchmarks told."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_files_say():
    result = subprocess.run(
        [sys.executable, ROOT / "tools/figures.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture
def figures():
    spec = importlib.util.spec_from_file_location("figures", ROOT / "tools/figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bench(monkeypatch):
    """bench/support's modules, as bench/run.py imports them."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    for name in [name for name in sys.modules if name.split(".")[0] == "support"]:
        monkeypatch.delitem(sys.modules, name)
    from support import keep, measure, report

    return {"keep": keep, "measure": measure, "report": report}


WIDE = {"cpu": "a CPU", "cores": 2, "instructions": "avx512", "kept_to": False, "system": "Linux"}
NARROW = WIDE | {"instructions": "avx2", "kept_to": True}


def run_of(bench, times, machine=WIDE, threads=1, claim="chains", mean_goal=None):
    """A run as bench/run.py writes it: `times` has {case: (ours, numpy's, goal)} in ns."""
    rows = []
    for name, (ours, theirs, goal) in times.items():
        goals = (bench["measure"].Goal(goal),) if goal else ()
        case = bench["measure"].Case(name, {}, goals)
        results = {"joggle": {"min_ns": ours}, "numpy": {"min_ns": theirs}}
        rows.append(bench["report"].row_of(case, results, []))
    document = {"claim": claim, "name": claim, "mean_goal": mean_goal, "rows": rows}
    versions = {"joggle": "1", "numpy": "2.4"}
    run = {"machine": machine, "seconds": 0.5, "threads": threads, "versions": versions}
    return run | {"claims": [document]}


def written(bench, path, *runs):
    bench["keep"].write(path, list(runs))
    return json.loads(path.read_text())


def rows_of(page):
    """{first cell: the others} of all tables."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in lines}


def test_a_table_has_a_column_for_each_machine_and_number_of_threads(bench, figures, tmp_path):
    wide = written(
        bench,
        tmp_path / "wide.json",
        run_of(bench, {"exp": (50.0, 100.0, 0.8)}),
        run_of(bench, {"exp": (90.0, 100.0, 0.8)}, threads=2),
    )
    narrow = written(
        bench, tmp_path / "narrow.json", run_of(bench, {"exp": (70, 100, 0.8)}, NARROW)
    )
    page = figures.page([wide, narrow])
    assert "Goal: 0.8 x best." in page
    assert rows_of(page)["case"] == ["A1", "A2", "B1", "ratio to"]
    assert rows_of(page)["exp"] == ["0.50", "**0.90**", "0.70", "numpy"]
    assert "a CPU, 2 cores, AVX-512; at most 0.5 s a case" in page
    assert "AVX2, to which joggle and all peers with an option for it were kept" in page
    assert "numpy 2.4." in page and "joggle 1" not in page


def test_the_case_farthest_above_its_goal_is_shown(bench, figures, tmp_path):
    times = {f"case {n}": (10.0 * n, 100.0, 1.0) for n in range(1, 10)}
    times["small, with a hard goal"] = (20.0, 100.0, 0.1)
    page = figures.page([written(bench, tmp_path / "a.json", run_of(bench, times, mean_goal=0.3))])
    shown = rows_of(page)
    names = [name for name in shown if name.startswith(("case ", "small"))]
    assert names == ["small, with a hard goal"]
    assert "1 of 10 rows" in shown
    assert shown["geometric mean, goal 0.3"][0] == "**0.39**"


def test_a_case_without_a_goal_is_shown_beside_the_best_peer(bench, figures, tmp_path):
    run = run_of(bench, {"exp": (120.0, 100.0, None)})
    assert rows_of(figures.page([written(bench, tmp_path / "a.json", run)]))["exp"] == [
        "1.20",
        "numpy",
    ]


def test_what_alone_takes_more_than_a_goal_allows_is_told_beside_it(figures):
    goal = {"goal": "<= 2 x our CPU tier (a launch alone 2.80)", "limit": 2.0}
    within = {"goal": "<= 0.9 x in two steps (products alone 0.95, so 0.98)", "limit": 0.98}
    case = {"best": None, "goals": [goal | {"variant": "joggle", "ratio": 3.2, "met": False}]}
    assert figures.entries_of(case)[0][-1] == "our CPU tier; a launch alone 2.80"
    assert figures.bound_of(within) == figures.bound_of({"goal": "<= 1 x best", "limit": 1.0}) == ""


def test_claims_that_were_not_measured_again_stay(bench, tmp_path):
    path = tmp_path / "a.json"
    written(bench, path, run_of(bench, {"exp": (50.0, 100.0, 0.8)}))
    sort = run_of(bench, {"sort": (30.0, 100.0, 1.0)}, claim="sorting")
    again = run_of(bench, {"exp": (60.0, 100.0, 0.8)}, threads=2)
    kept = written(bench, path, sort, again)["claims"]
    assert kept["chains"]["1"]["cases"]["exp"]["ratios"] == {"joggle": 0.5}
    assert kept["chains"]["2"]["cases"]["exp"]["ratios"] == {"joggle": 0.6}
    assert list(kept["sorting"]["1"]["cases"]) == ["sort"]


def test_another_machine_starts_the_file_anew(bench, tmp_path):
    path = tmp_path / "a.json"
    written(bench, path, run_of(bench, {"exp": (50.0, 100.0, 0.8)}))
    document = written(
        bench, path, run_of(bench, {"sort": (1.0, 2.0, 1.0)}, NARROW, claim="sorting")
    )
    assert document["machine"] == NARROW
    assert list(document["claims"]) == ["sorting"]


KEPT = f"""
import sys
sys.path.insert(0, {str(ROOT / "bench")!r})
from support import peers, report
peers.set_up(1, False, "avx2")
import torch
print(torch.backends.cpu.get_cpu_capability(), report.machine()["instructions"])
"""


def test_contestants_are_kept_to_narrower_instructions():
    """The options that --instructions sets are those which a library obeys."""
    result = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    capability, machine = result.stdout.split()
    assert capability == ("DEFAULT" if machine == "baseline" else "AVX2")
