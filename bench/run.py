# SPDX-License-Identifier: Apache-2.0
"""Measures joggle beside its peers. Every other script in this folder is one claim and defines

    NAME        what the claim is about, in a few words
    cases(q)    yields measure.Case objects; q is true for a quick look, with small sizes
    budget(q)   if it needs another than measure.Budget's
    MEAN_GOAL   if the geometric mean of its ratios to the best peers has a goal

The table shows minimum and median of each contestant, the ratio of our minimum to the best peer's,
and the goal. The figures go to bench/out/<claim>.json as well, and a summary of all to summary.md
beside them. The exit status is 1 if a case of ours failed or gave other values than its peers; a
goal that is missed is shown and changes nothing.
"""

import argparse
import importlib
import math
import sys
from pathlib import Path

from support import measure, peers, report

HERE = Path(__file__).resolve().parent
CLAIMS = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")


def run_case(case, budget):
    wrong = measure.disagreements(case)
    results = measure.measure(case, budget)
    best = report.best_of(results)
    ours = results.get(report.OURS, {}).get("min_ns")
    return {
        "case": case.name,
        "results": results,
        "best": best[0] if best else None,
        "ratio": ours / best[1]["min_ns"] if best and ours else None,
        "goals": [report.judge(goal, results) for goal in case.goals],
        "disagree": wrong,
    }


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def run_claim(claim, arguments):
    """Prints the claim's table and writes its file; gives what is in it."""
    module = importlib.import_module(claim)
    budget = measure.QUICK if arguments.quick else measure.Budget(seconds=arguments.seconds)
    if hasattr(module, "budget"):
        budget = module.budget(arguments.quick)
    rows = []
    for case in module.cases(arguments.quick):
        rows.append(run_case(case, budget))
        if sys.stderr.isatty():
            print(f"{claim}: {case.name}", end="\033[K\r", file=sys.stderr)
    for line in report.table(module.NAME, rows):
        print(line)
    for line in report.remarks(rows):
        print(f"  {line}")
    mean = geometric_mean([row["ratio"] for row in rows if row["ratio"] is not None])
    goal = getattr(module, "MEAN_GOAL", None)
    if goal is not None and mean is not None:
        print(f"  geometric mean of the ratios: {mean:.2f}, goal <= {goal:g}")
    print(flush=True)
    document = {
        "claim": claim,
        "name": module.NAME,
        "quick": arguments.quick,
        "machine": report.machine(arguments.threads),
        "versions": peers.versions(),
        "mean_ratio": mean,
        "mean_goal": goal,
        "rows": rows,
    }
    report.write(arguments.out / f"{claim}.json", document)
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("claims", nargs="*", metavar="CLAIM", help=", ".join(CLAIMS))
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--threads", type=int, default=1, help="cores for everybody (1)")
    parser.add_argument("--seconds", type=float, default=4.0, help="at most, for one case (4)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="where the JSON files go")
    arguments = parser.parse_args()
    for claim in arguments.claims:
        if claim not in CLAIMS:
            parser.error(f"no claim {claim}; there are {', '.join(CLAIMS)}")
    peers.limit_threads(arguments.threads)
    documents = [run_claim(claim, arguments) for claim in arguments.claims or CLAIMS]
    summary = "\n".join(line for document in documents for line in report.markdown(document))
    (arguments.out / "summary.md").write_text(summary + "\n")
    rows = [row for document in documents for row in document["rows"]]
    goals = [goal["met"] for row in rows for goal in row["goals"]]
    met, missed, unknown = (goals.count(value) for value in (True, False, None))
    print(f"{met} goals met, {missed} missed, {unknown} not told")
    failed = [row["case"] for row in rows if "absent" in row["results"].get(report.OURS, {})]
    wrong = [row["case"] for row in rows if report.OURS in row["disagree"]]
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
