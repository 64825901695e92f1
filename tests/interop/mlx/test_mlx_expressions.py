# SPDX-License-Identifier: Apache-2.0
"""Hundreds of expressions under the mlx wheel and under `python -m joggle.mlx`: the same values,
dtypes, shapes and kinds of results, and where MLX raises, an error that code for MLX catches.

programs/same.txt has those; programs/different.txt has those that differ on purpose, as docs/mlx.md
says: joggle takes more, prints as NumPy does, or raises an error of another kind.
"""

import json
import math
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mlx.core")

PROGRAMS = pathlib.Path(__file__).parent / "programs"
TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2}


def outcomes(name, folder, *interpreter):
    command = [sys.executable, *interpreter, PROGRAMS / "expressions.py", PROGRAMS / f"{name}.txt"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def near(x, y, tolerance):
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    return x == y or abs(x - y) <= tolerance * (0.05 + max(abs(x), abs(y)))


def same(ours, theirs, tolerance=2e-5):
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        if theirs[:1] == ["array"]:
            tolerance = TOLERANCES.get(theirs[1], tolerance)
        alike = isinstance(ours, list) and len(ours) == len(theirs)
        return alike and all(same(*pair, tolerance) for pair in zip(ours, theirs, strict=True))
    if isinstance(theirs, float):
        return isinstance(ours, float) and near(ours, theirs, tolerance)
    return ours == theirs and type(ours) is type(theirs)


def agrees(ours, theirs):
    if isinstance(theirs, list) and theirs[0] == "raised":
        return isinstance(ours, list) and ours[0] == "raised" and theirs[1][0] in ours[1]
    return same(ours, theirs)


@pytest.mark.parametrize("name", ["same", "different"])
def test_expressions_give_what_they_give_in_mlx_or_differ_on_purpose(name, tmp_path):
    theirs, ours = (
        outcomes(name, tmp_path, *interpreter) for interpreter in ((), ("-m", "joggle.mlx"))
    )
    assert ["ended"] not in ours.values() and len(ours) > 70
    wrong = [
        (line, ours[line], theirs[line])
        for line in theirs
        if theirs[line] != ["ended"] and agrees(ours[line], theirs[line]) != (name == "same")
    ]
    assert wrong == []
