# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run: every claim measures joggle, agrees with NumPy, and tells what came out. With
--all that is every case, otherwise every fifth one of some claims."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# A quick run of every claim, beside other tests perhaps.
pytestmark = pytest.mark.timeout(600)

BENCH = Path(__file__).resolve().parents[3] / "bench"
CLAIMS = sorted(path.stem for path in BENCH.glob("*.py") if path.stem != "run")
SOME = ("chains", "dispatch", "exchange_in", "exchange_out", "kernels")
OF_CLAIMS = [
    pytest.param(claim, marks=() if claim in SOME else pytest.mark.full) for claim in CLAIMS
]


def run(folder, *arguments, variables=None):
    command = [sys.executable, BENCH / "run.py", "--out", folder, *arguments]
    environment = os.environ | (variables or {})
    return subprocess.run(command, capture_output=True, text=True, env=environment)


# What takes seconds to import; all peers together are measured by `quick`.
SLOW_PEERS = ("mlx", "numba", "quadrants", "torch", "tvm_ffi")


def alone(folder, **files):
    """Variables for a run without those peers, and with the files as its first modules."""
    absent = f"import sys\nsys.modules.update(dict.fromkeys({SLOW_PEERS}))\n"
    files["sitecustomize"] = absent + files.get("sitecustomize", "")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return {"PYTHONPATH": os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))}


NO_JAX = "raise ImportError('no jax here')\n"


@pytest.fixture(scope="module")
def quick(tmp_path_factory, in_full):
    """A quick run: its claims, what it printed, its folder."""
    folder = tmp_path_factory.mktemp("bench")
    result = run(folder, "--quick", *(() if in_full else ("--every", "5", "--only", *SOME)))
    assert result.returncode == 0, result.stdout + result.stderr
    (document,) = json.loads((folder / "results.json").read_text())
    return {claim["claim"]: claim for claim in document["claims"]}, result.stdout, folder


def ours(row):
    return {name: r for name, r in row["results"].items() if name.split()[0] == "joggle"}


def test_every_claim_is_run(quick, in_full):
    assert sorted(quick[0]) == (CLAIMS if in_full else list(SOME))


@pytest.mark.parametrize("claim", OF_CLAIMS)
def test_claim_measures_joggle(quick, claim):
    rows = quick[0][claim]["rows"]
    assert rows
    for row in rows:
        assert ours(row)
        for name, result in ours(row).items():
            assert "absent" not in result, (row["case"], name, result)
            assert 0 < result["min_ns"] <= result["median_ns"], row["case"]


@pytest.mark.parametrize("claim", OF_CLAIMS)
def test_claim_agrees_with_its_peers(quick, claim):
    for row in quick[0][claim]["rows"]:
        assert row["disagree"] == [], row["case"]


def test_goals_are_told_with_what_was_reached(quick):
    claims, output, _ = quick
    goals = [goal for row in claims["dispatch"]["rows"] for goal in row["goals"]]
    told = {goal["goal"] for goal in goals}
    assert "<= 0.25 x mlx" in told and told <= {"<= 0.25 x mlx", "<= 1 x numpy", "<= 0.1 x mlx"}
    for goal in goals:
        assert goal["met"] == (goal["ratio"] <= float(goal["goal"].split()[1]))
    assert "goals met" in output


def test_a_table_and_a_chart_are_written(quick):
    claims, _, folder = quick
    table = (folder / "results.md").read_text()
    for claim in claims.values():
        assert f"### {claim['name']}" in table
    assert (folder / "chart.png").read_bytes()[:4] == b"\x89PNG"


def test_missing_peer_is_shown_as_absent(tmp_path):
    """A jax that cannot be imported stays in the table and in the file."""
    variables = alone(tmp_path, jax=NO_JAX)
    result = run(tmp_path, "--quick", "--only", "cumulative", variables=variables)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "jax.jit: ImportError: no jax here (all)" in result.stdout
    (document,) = json.loads((tmp_path / "results.json").read_text())
    for row in document["claims"][0]["rows"]:
        assert row["results"]["jax.jit"] == {"absent": "ImportError: no jax here"}


WRONG = """
import joggle
right = joggle.tanh
joggle.tanh = lambda x: right(x) + 1
"""


def test_wrong_values_of_ours_fail_the_run(tmp_path):
    variables = alone(tmp_path, jax=NO_JAX, sitecustomize=WRONG)
    result = run(tmp_path, "--quick", "--only", "chains", "--sizes", "gelu", variables=variables)
    assert result.returncode == 1
    assert "FAILED gelu 4 KiB: wrong values from joggle" in result.stdout


def test_two_thread_counts_are_measured_and_told_apart(tmp_path):
    arguments = ["--threads", "1", "2", "--only", "functions", "--sizes", "tanh float32"]
    arguments += ["--seconds", "0.1", "--no-compile"]
    result = run(tmp_path, *arguments, variables=alone(tmp_path, jax=NO_JAX))
    assert result.returncode == 0, result.stdout + result.stderr
    runs = json.loads((tmp_path / "results.json").read_text())
    assert [run["threads"] for run in runs] == [1, 2]
    assert "=== 2 threads" in result.stdout
