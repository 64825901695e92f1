# SPDX-License-Identifier: Apache-2.0
"""From measurements to ratios, to a table on the screen, and to a JSON file for each claim."""

import json
import platform
from pathlib import Path

OURS = "joggle"


def best_of(results):
    """The fastest peer's name and result; None if there is no peer."""
    timed = {n: r for n, r in results.items() if n != OURS and "min_ns" in r}
    return min(timed.items(), key=lambda item: item[1]["min_ns"]) if timed else None


def judge(goal, results):
    """The goal as text, the ratio reached, and whether it is met; None where it cannot be told."""
    ours = results.get(OURS, {}).get("min_ns")
    if goal.against is None:
        text, base = f"<= {text_of(goal.ratio)}", goal.ratio
        ratio, limit = (ours / base if ours else None), 1.0
    else:
        peer = best_of(results) if goal.against == "best" else (0, results.get(goal.against, {}))
        base = peer[1].get("min_ns") if peer else None
        text, limit = f"<= {goal.ratio:g} x {goal.against}", goal.ratio
        ratio = ours / base if ours and base else None
    return {"goal": text, "ratio": ratio, "met": None if ratio is None else ratio <= limit}


def text_of(ns):
    for limit, unit, scale in ((1e3, "ns", 1), (1e6, "us", 1e3), (1e9, "ms", 1e6)):
        if ns < limit:
            value = ns / scale
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns / 1e9:.2f} s"


def cell(result):
    if "min_ns" in result:
        return f"{text_of(result['min_ns'])} ({text_of(result['median_ns'])})"
    return "failed" if result["absent"].startswith("failed") else "absent"


def table(claim, rows):
    """The lines of a claim's table: one column for each contestant, min and (median)."""
    names = list(dict.fromkeys(name for row in rows for name in row["results"]))
    names.sort(key=lambda name: name != OURS)
    lines = [["case", *names, "best peer", "ratio", "goal"]]
    for row in rows:
        best = row["best"]
        cells = [cell(row["results"][n]) if n in row["results"] else "-" for n in names]
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else "-"
        goals = ", ".join(goal_text(goal) for goal in row["goals"])
        lines.append([row["case"], *cells, best or "-", ratio, goals or "-"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    yield f"== {claim}: minimum (median) of one call =="
    for line in lines:
        first, *rest = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        yield "  ".join([first, *rest]).rstrip()


def remarks(rows):
    """Who took no part and why, a line for each reason; and who came to other values."""
    reasons = {}
    for row in rows:
        for name, result in row["results"].items():
            if "absent" in result:
                reasons.setdefault((name, result["absent"]), []).append(row["case"])
    for (name, why), names in reasons.items():
        yield f"{name}: {why} ({'all' if len(names) == len(rows) else ', '.join(names)})"
    for row in rows:
        if row["disagree"]:
            yield f"{row['case']}: OTHER VALUES from {', '.join(row['disagree'])}"


def goal_text(goal):
    reached = "?" if goal["ratio"] is None else f"{goal['ratio']:.2f}"
    met = {None: "not told", True: "met", False: "MISSED"}[goal["met"]]
    return f"{goal['goal']}: {reached} {met}"


def markdown(document):
    """The claim as a table of a Markdown page: ours, the best peer, and the goals."""
    yield f"### {document['name']}"
    yield ""
    yield "| case | joggle | best peer | ratio | goal |"
    yield "|---|---|---|---|---|"
    for row in document["rows"]:
        ours, best = row["results"].get(OURS, {}), row["results"].get(row["best"], {})
        times = [text_of(r["min_ns"]) if "min_ns" in r else "-" for r in (ours, best)]
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else "-"
        goals = ", ".join(goal_text(goal) for goal in row["goals"]) or "-"
        peer = f"{times[1]}, {row['best']}" if row["best"] else "-"
        yield f"| {row['case']} | {times[0]} | {peer} | {ratio} | {goals} |"
    if document["mean_goal"] is not None:
        mean, goal = document["mean_ratio"], document["mean_goal"]
        yield f"| geometric mean | | | {mean:.2f} | <= {goal:g} |"
    yield ""


def machine(threads):
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": cpu, "system": platform.system(), "threads": threads}


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
