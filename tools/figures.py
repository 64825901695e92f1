#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/figures.md of bench/figures/*.json, which `make bench ARGS="--keep NAME"` writes: one
file for each machine and instruction set, one table for each claim.

    tools/figures.py            write docs/figures.md
    tools/figures.py --check    exit with 1 if it is not what the files say
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/figures.md"
OURS = "joggle"
FEW_ROWS = 4  # a table with no more shows all
WORST = 1  # rows of each column that a longer one shows, beside one of another goal than the usual
OF_ANOTHER = ", of "  # in the name of a row of such a goal
INSTRUCTIONS = {"baseline": "SSE2", "avx2": "AVX2", "avx512": "AVX-512"}

HEAD = """\
<!-- Written by `tools/figures.py` from `bench/figures/`: `make bench ARGS="--keep NAME"` -->
# Figures

Ratios of joggle's time to that of another library; smaller is better. They are minima of one call,
with all libraries in one process, in turns. "Best" is the fastest other library. Bold ratios miss
their goal. A claim with many cases shows the one of each column that is farthest above its goal,
and the geometric mean of all ratios to the best. `bench/README.md` has reasons for
missed goals under "Known gaps".
"""


def columns_of(machines):
    """[(machine, its number among them, threads)] in the order of the table's columns."""
    return [
        (machine, number, threads)
        for number, machine in enumerate(machines)
        for threads in sorted({t for claim in machine["claims"].values() for t in claim})
    ]


def letter(number):
    return "ABCDEFGH"[number]


def describe(machine, number):
    facts = machine["machine"]
    names = INSTRUCTIONS[facts["instructions"]]
    kept = ", to which joggle and all peers with an option for it were kept" * facts["kept_to"]
    versions = ", ".join(
        f"{name} {text.split('+')[0]}" for name, text in machine["versions"].items()
    )
    return (
        f"- **{letter(number)}**: {facts['cpu']}, {facts['cores']} cores, {names}{kept}; at most"
        f" {machine['seconds']:g} s a case, {machine['month']}; {versions}."
    )


def plain(goal):
    """The goal without what bounds it: "0.9 x best"."""
    return re.sub(r" \(.*\)$", "", goal["goal"].removeprefix("<= "))


def bound_of(goal):
    """Beside a goal that no work could reach, what alone takes more: "; a launch alone 2.80"."""
    found = re.search(r" \((.* alone ([0-9.]+)).*\)$", goal["goal"])
    return f"; {found[1]}" if found and float(found[2]) > goal["limit"] else ""


def entries_of(case):
    """[(goal's text or None, variant, ratio, limit, met, whom the ratio is to)] of a case: every
    goal that could be judged; if it has none, the ratio to the best peer."""
    if case["goals"]:
        return [_entry_of_goal(goal, case["best"]) for goal in case["goals"]]
    variant, ratio = next(iter(case["ratios"].items()), (OURS, None))
    return [] if ratio is None else [(None, variant, ratio, 1.0, True, case["best"])]


def _entry_of_goal(goal, best):
    text = plain(goal)
    whom = text.partition(" x ")[2]  # nobody, for a goal in bytes or nanoseconds
    whom = (best if whom == "best" else whom) + bound_of(goal)
    return text, goal["variant"], goal["ratio"], goal["limit"], goal["met"], whom


def label(name, text, variant, usual):
    """A row's name, with the goal where it is not the case's usual one, which is told above."""
    about = variant.removeprefix(OURS).strip()
    other = "" if text == usual else f"{OF_ANOTHER}{text}"
    return ", ".join(part for part in (name, about) if part) + other


def rows_of(columns, claim):
    """({row's name: {column: (ratio, limit, met, whom)}}, {goal: the cases whose first it is})"""
    rows, told = {}, {}
    for column, (machine, _, threads) in enumerate(columns):
        cases = machine["claims"].get(claim, {}).get(threads, {"cases": {}})["cases"]
        for name, case in cases.items():
            usual = None
            for text, variant, *found in entries_of(case):
                if usual is None:
                    told.setdefault(text, []).append(name)
                    usual = text
                rows.setdefault(label(name, text, variant, usual), {})[column] = found
    return rows, told


def distance(cells):
    """How far above its goal a row is where it is farthest."""
    return max(ratio / limit for ratio, limit, _, _ in cells.values())


def chosen(rows, columns):
    """The names of the rows to be shown, the farthest above its goal first."""
    names = sorted(rows, key=lambda name: -distance(rows[name]))
    if len(names) <= FEW_ROWS:
        return names
    usual = [name for name in names if OF_ANOTHER not in name]
    others = [name for name in names if OF_ANOTHER in name]
    worst = {
        name
        for column in columns
        for some, count in ((usual, WORST), (others, 1))
        for name in farthest(rows, some, column)[:count]
    }
    return [name for name in names if name in worst]


def farthest(rows, names, column):
    """Those of the names that have the column, the farthest above its goal there first."""
    there = [name for name in names if column in rows[name]]
    return sorted(there, key=lambda name: -distance({column: rows[name][column]}))


def goals_line(told):
    """The goals of a claim's cases; where they differ, the commonest first."""
    texts = sorted((text for text in told if text), key=lambda text: -len(told[text]))
    if not texts:
        return None
    if len(texts) == 1:
        return f"Goal: {texts[0]}."
    others = (f"{text} for {', '.join(dict.fromkeys(told[text]))}" for text in texts[1:])
    return f"Goals: {texts[0]}; {'; '.join(others)}."


def cell(found):
    if found is None:
        return ""
    ratio, _, met, _ = found
    return f"{ratio:.2f}" if met else f"**{ratio:.2f}**"


def peers_of(cells):
    return ", ".join(dict.fromkeys(whom for *_, whom in cells.values() if whom))


def mean_cells(columns, claim):
    for machine, _, threads in columns:
        found = machine["claims"].get(claim, {}).get(threads)
        if not found or found["mean"] is None:
            yield ""
            continue
        missed = found["mean_goal"] and found["mean"] > found["mean_goal"]
        yield cell((found["mean"], None, not missed, None))


def mean_label(columns, claim):
    documents = (m["claims"].get(claim, {}).get(t) for m, _, t in columns)
    goals = {d["mean_goal"] for d in documents if d} - {None}
    return f"geometric mean, goal {goals.pop():g}" if goals else "geometric mean"


def table(columns, claim):
    rows, told = rows_of(columns, claim)
    used = [i for i in range(len(columns)) if any(i in cells for cells in rows.values())]
    shown = chosen(rows, used)
    yield f"## {claim}"
    yield ""
    if goals_line(told):
        yield goals_line(told)
        yield ""
    heads = [f"{letter(columns[i][1])}{columns[i][2]}" for i in used]
    first = f"{len(shown)} of {len(rows)} rows" if len(rows) > len(shown) else "case"
    yield f"| {' | '.join([first, *heads, 'ratio to'])} |"
    yield "|---" * (len(used) + 2) + "|"
    for name in shown:
        cells = [cell(rows[name].get(i)) for i in used]
        yield f"| {' | '.join([name, *cells, peers_of(rows[name])])} |"
    means = list(mean_cells(columns, claim))
    if len(rows) > 1 and any(means):
        yield f"| {' | '.join([mean_label(columns, claim), *(means[i] for i in used), ''])} |"
    yield ""


def page(machines):
    """The text of docs/figures.md for the files' documents."""
    columns = columns_of(machines)
    claims = sorted({claim for machine in machines for claim in machine["claims"]})
    lines = [HEAD, "The machines; A2 is A with two threads:", ""]
    lines += [describe(machine, number) for number, machine in enumerate(machines)]
    lines.append("")
    for claim in claims:
        lines += table(columns, claim)
    return "\n".join(lines).rstrip() + "\n"


def main():
    files = sorted((ROOT / "bench/figures").glob("*.json"))
    text = page([json.loads(path.read_text()) for path in files])
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text)
        return 0
    if PAGE.read_text() != text:
        print("docs/figures.md is not what bench/figures/ says: run tools/figures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
