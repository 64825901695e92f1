# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run: every claim measures joggle, writes its file and agrees with its peers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
CLAIMS = sorted(path.stem for path in BENCH.glob("*.py") if path.stem != "run")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The documents of a quick run of everything, by claim, and what it printed."""
    folder = tmp_path_factory.mktemp("bench")
    result = subprocess.run(
        [sys.executable, BENCH / "run.py", "--quick", "--out", folder],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    documents = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}
    return documents, result.stdout


def test_every_claim_writes_its_file(quick):
    documents, _ = quick
    assert sorted(documents) == CLAIMS


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim_measures_joggle_in_every_case(quick, claim):
    rows = quick[0][claim]["rows"]
    assert rows
    for row in rows:
        ours = row["results"]["joggle"]
        assert 0 < ours["min_ns"] <= ours["median_ns"], row["case"]


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim_agrees_with_its_peers(quick, claim):
    for row in quick[0][claim]["rows"]:
        assert row["disagree"] == [], row["case"]


def test_missing_peer_is_shown_as_absent(tmp_path):
    """A jax that cannot be imported stays in the table and in the file."""
    (tmp_path / "jax.py").write_text("raise ImportError('no jax here')\n")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    }
    result = subprocess.run(
        [sys.executable, BENCH / "run.py", "chain_small", "--quick", "--out", tmp_path],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "jax.jit: ImportError: no jax here (all)" in result.stdout
    (row,) = json.loads((tmp_path / "chain_small.json").read_text())["rows"]
    assert row["results"]["jax.jit"] == {"absent": "ImportError: no jax here"}


def test_goals_are_told_with_what_was_reached(quick):
    documents, output = quick
    (row,) = documents["chain_small"]["rows"]
    assert {goal["goal"] for goal in row["goals"]} == {"<= 1 x numpy", "<= 0.1 x mlx"}
    for goal in row["goals"]:
        assert goal["met"] == (goal["ratio"] <= float(goal["goal"].split()[1]))
    assert "goals met" in output.splitlines()[-1]
