# SPDX-License-Identifier: Apache-2.0
"""From measurements to ratios, to tables on the screen and in Markdown, to JSON and a chart."""

import json
import math
import os
import platform
from pathlib import Path

OURS = "joggle"
# Shown beside the peers and named by goals of their own: none is another library of arrays.
YARDSTICKS = ("numba", "stream", "products", "one thread", "a launch")
WITHIN = 1.03  # of a bound: what counts as having reached it


def is_ours(name):
    return name.split()[0] == OURS


def best_of(results):
    """The fastest peer's name; None if there is no peer."""
    peers = (name for name in results if not is_ours(name) and name not in YARDSTICKS)
    timed = {name: results[name]["min_ns"] for name in peers if "min_ns" in results[name]}
    return min(timed, key=timed.get) if timed else None


def _bounded(goal, results, base):
    """The ratio to be reached, and in words what bounds it."""
    part = results.get(goal.bound, {}).get("min_ns")
    if not part or not base:
        return goal.ratio, ""
    bound = part / base
    limit = max(goal.ratio, min(WITHIN * bound, 1.0))  # a part that takes longer is noise
    out_of_reach = f", so {limit:.2f}" if limit > goal.ratio else ""
    return limit, f" ({goal.bound} alone {bound:.2f}{out_of_reach})"


def judge(goal, results):
    """The goal as text, the ratio reached, and whether it is met; None where it cannot be told."""
    ours = results.get(goal.variant, {}).get("min_ns")
    if goal.against is None:
        text, base, limit = f"<= {text_of(goal.ratio)}", goal.ratio, 1.0
    else:
        peer = best_of(results) if goal.against == "best" else goal.against
        base = results.get(peer, {}).get("min_ns")
        limit, bound = _bounded(goal, results, base)
        text = f"<= {goal.ratio:g} x {goal.against}{bound}"
    ratio = ours / base if ours and base else None
    met = None if ratio is None else ratio <= limit
    return {"goal": text, "variant": goal.variant, "ratio": ratio, "limit": limit, "met": met}


def row_of(case, results, wrong):
    """What a case came to. "ratios" are those of our minima to the best peer's."""
    unit = {"unit": case.unit}
    results = {name: r if "absent" in r else r | unit for name, r in results.items()}
    best = best_of(results)
    ratios = {
        name: result["min_ns"] / results[best]["min_ns"]
        for name, result in results.items()
        if best and is_ours(name) and "min_ns" in result
    }
    goals = [judge(goal, results) for goal in case.goals]
    row = {"case": case.name, "results": results, "best": best, "ratios": ratios}
    return row | {"goals": goals, "disagree": wrong}


def all_rows(runs):
    return [row for run in runs for claim in run["claims"] for row in claim["rows"]]


def failures(runs):
    """Cases of ours that failed or gave wrong values."""
    found = []
    for row in all_rows(runs):
        found += [f"{row['case']}: wrong values from {n}" for n in row["disagree"] if is_ours(n)]
        found += [
            f"{row['case']}: {name}: {result['absent']}"
            for name, result in row["results"].items()
            if is_ours(name) and "absent" in result
        ]
    return found


def mean_ratio(rows):
    """The geometric mean of the ratios of what is asked first in each row."""
    logs = [math.log(next(iter(row["ratios"].values()))) for row in rows if row["ratios"]]
    return math.exp(sum(logs) / len(logs)) if logs else None


def text_of(value, unit="ns"):
    return _text_of_bytes(value) if unit == "bytes" else _text_of_time(value)


def _text_of_bytes(nbytes):
    for limit, unit, scale in ((1 << 20, "KiB", 1 << 10), (1 << 30, "MiB", 1 << 20)):
        if nbytes < limit:
            return f"{nbytes / scale:.1f} {unit}"
    return f"{nbytes / (1 << 30):.2f} GiB"


def _text_of_time(ns):
    for limit, unit, scale in ((1e3, "ns", 1), (1e6, "us", 1e3), (1e9, "ms", 1e6)):
        if ns < limit:
            value = ns / scale
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns / 1e9:.2f} s"


def _cell(result):
    if "min_ns" in result:
        texts = [text_of(result[key], result["unit"]) for key in ("min_ns", "median_ns")]
        return f"{texts[0]} ({texts[1]})"
    for word in ("failed", "left out"):
        if result["absent"].startswith(word):
            return "-" if word == "left out" else word
    return "absent"


def _ratio_text(row):
    return " ".join(f"{ratio:.2f}" for ratio in row["ratios"].values()) or "-"


def _goal_text(goal):
    reached = "?" if goal["ratio"] is None else f"{goal['ratio']:.2f}"
    met = {None: "not told", True: "met", False: "MISSED"}[goal["met"]]
    about = "" if goal["variant"] == OURS else f"{goal['variant'].removeprefix(OURS).strip()} "
    return f"{about}{goal['goal']}: {reached} {met}"


def _mean_text(document):
    mean, goal = mean_ratio(document["rows"]), document["mean_goal"]
    if mean is None:
        return None
    return f"{mean:.2f}" + (f", goal <= {goal:g}" if goal is not None else "")


def _remarks(rows):
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


def _aligned(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  ".join(
            text.ljust(width) for text, width in zip(line, widths, strict=True)
        ).rstrip()


def screen(document):
    """A claim's table: one column for each contestant, min and (median), ours first."""
    rows = document["rows"]
    names = list(dict.fromkeys(name for row in rows for name in row["results"]))
    names.sort(key=lambda name: not is_ours(name))
    lines = [["case", *names, "best peer", "ratio", "goal"]]
    for row in rows:
        cells = [_cell(row["results"][n]) if n in row["results"] else "-" for n in names]
        goals = ", ".join(map(_goal_text, row["goals"])) or "-"
        lines.append([row["case"], *cells, row["best"] or "-", _ratio_text(row), goals])
    yield f"== {document['claim']}: {document['name']} =="
    yield from _aligned(lines)
    for remark in _remarks(rows):
        yield f"  {remark}"
    if _mean_text(document):
        yield f"  geometric mean of the ratios: {_mean_text(document)}"


def conclusion(runs):
    goals = [goal["met"] for row in all_rows(runs) for goal in row["goals"]]
    met, missed, unknown = (goals.count(value) for value in (True, False, None))
    yield from (f"FAILED {text}" for text in failures(runs))
    yield f"{met} goals met, {missed} missed, {unknown} not told"


def _cpu_facts():
    """What Linux says of the first processor: {"model name", "flags", …}; empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def widest_instructions(flags):
    """The widest vectors that the processor has, by the name that JOGGLE_ISA has for them."""
    found = (name for name, flag in (("avx512", "avx512f"), ("avx2", "avx2")) if flag in flags)
    return next(found, "baseline")


def machine(instructions=None):
    """`instructions` are what the contestants were kept to; None for all that there are."""
    facts = _cpu_facts()
    return {
        "cpu": facts.get("model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "instructions": instructions or widest_instructions(facts.get("flags", "").split()),
        "kept_to": instructions is not None,
        "system": platform.system(),
    }


def write_json(path, runs):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(runs, indent=1) + "\n")


def _markdown_row(row):
    for index, (name, result) in enumerate(row["results"].items()):
        if not is_ours(name):
            continue
        best = row["results"].get(row["best"])
        ratio = row["ratios"].get(name)
        goals = [_goal_text(goal) for goal in row["goals"] if goal["variant"] == name]
        label = row["case"] + name.removeprefix(OURS).replace(" ", ", ")
        cells = [label if index or name != OURS else row["case"], _cell(result)]
        cells += [f"{_cell(best)}, {row['best']}" if best else "-"]
        cells += [f"{ratio:.2f}" if ratio else "-", ", ".join(goals) or "-"]
        yield f"| {' | '.join(cells)} |"


def _markdown(run):
    threads = run["threads"]
    yield f"## {threads} thread{'s' * (threads > 1)}, {run['machine']['cpu']}"
    yield ""
    for claim in run["claims"]:
        yield f"### {claim['name']}"
        yield ""
        yield "| case | joggle | best peer | ratio | goal |"
        yield "|---|---|---|---|---|"
        for row in claim["rows"]:
            yield from _markdown_row(row)
        if _mean_text(claim):
            yield f"| geometric mean | | | {_mean_text(claim)} | |"
        yield ""


def write_markdown(path, runs):
    path.write_text("\n".join(line for run in runs for line in _markdown(run)) + "\n")


def write_chart(path, runs):
    from support import chart

    chart.draw(path, runs)
