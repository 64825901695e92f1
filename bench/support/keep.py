# SPDX-License-Identifier: Apache-2.0
"""What is kept of a machine's results: a file for each machine in bench/figures, with the ratios
and none of the times. tools/figures.py makes docs/figures.md of all of them."""

import datetime
import json

from support.report import is_ours, mean_ratio


def _rounded(ratio):
    return None if ratio is None else round(ratio, 3)


def _case(row):
    """The best peer, ratios to it, and what came of the goals."""
    goals = [
        {
            key: _rounded(value) if key in ("ratio", "limit") else value
            for key, value in goal.items()
        }
        for goal in row["goals"]
        if goal["met"] is not None
    ]
    ratios = {name: _rounded(ratio) for name, ratio in row["ratios"].items()}
    return {"best": row["best"], "ratios": ratios, "goals": goals}


def _claim(claim):
    mean = _rounded(mean_ratio(claim["rows"]))
    cases = {row["case"]: _case(row) for row in claim["rows"]}
    return {"mean": mean, "mean_goal": claim["mean_goal"], "cases": cases}


def _versions(runs):
    """Of peers alone: what joggle's is, the commit tells."""
    found = {name: text for run in runs for name, text in run.get("versions", {}).items()}
    return {name: found[name] for name in sorted(found) if not is_ours(name)}


def merged(kept, runs):
    """The file's document with these runs in it: {"machine", "claims": {name: {threads: ...}}}."""
    document = kept if kept.get("machine") == runs[0]["machine"] else {}
    claims = document.get("claims", {})
    for run in runs:
        for claim in run["claims"]:
            claims.setdefault(claim["name"], {})[str(run["threads"])] = _claim(claim)
    return {
        "machine": runs[0]["machine"],
        "month": datetime.date.today().strftime("%Y-%m"),
        "seconds": runs[0]["seconds"],
        "versions": document.get("versions", {}) | _versions(runs),
        "claims": dict(sorted(claims.items())),
    }


def _lines(value, depth):
    """JSON with a line for each case."""
    if depth == 0 or not isinstance(value, dict):
        return json.dumps(value)
    members = (f"{json.dumps(key)}: {_lines(member, depth - 1)}" for key, member in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def write(path, runs):
    """Puts runs into the file; claims that it has and that were not run stay."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    # Claims, a claim, its numbers of threads, the cases of one: each has lines of its own.
    path.write_text(_lines(merged(kept, runs), 5) + "\n")
