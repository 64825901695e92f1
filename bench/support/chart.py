# SPDX-License-Identifier: Apache-2.0
"""One picture of all ratios: a line for each case, a mark for each number of threads."""

INK, MUTED, GRID = "#1f2328", "#656d76", "#d8dee4"
MARKS = (("o", "#0969da"), ("D", "#bc4c00"), ("s", "#1a7f37"))


def _lines(runs):
    """(claim's name, case, variant) in order, without those that nobody could be measured in."""
    lines = {}
    for run in runs:
        for claim in run["claims"]:
            for row in claim["rows"]:
                for variant in row["ratios"]:
                    lines[claim["name"], row["case"], variant] = None
    return list(lines)


def _points(run, lines):
    found = {}
    for claim in run["claims"]:
        for row in claim["rows"]:
            for variant, ratio in row["ratios"].items():
                found[lines.index((claim["name"], row["case"], variant))] = ratio
    return found


def _label(line, previous):
    claim, case, variant = line
    text = case + variant.removeprefix("joggle").replace(" ", ", ", 1)
    return f"{claim}:  {text}" if previous is None or previous[0] != claim else text


def draw(path, runs):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = _lines(runs)
    if not lines:
        return
    figure, axes = pyplot.subplots(figsize=(11, 1.6 + 0.19 * len(lines)), layout="constrained")
    axes.axvspan(1e-3, 1, color="#0969da", alpha=0.06, lw=0)
    axes.axvline(1, color=INK, lw=1)
    for run, (mark, color) in zip(runs, MARKS, strict=False):
        points = _points(run, lines)
        name = f"{run['threads']} thread{'s' * (run['threads'] > 1)}"
        axes.plot(list(points.values()), list(points), mark, color=color, ms=4.5, label=name)
    labels = [_label(line, lines[i - 1] if i else None) for i, line in enumerate(lines)]
    axes.set_yticks(range(len(lines)), labels, fontsize=7, color=INK)
    for i, line in enumerate(lines):
        if i and line[0] != lines[i - 1][0]:
            axes.axhline(i - 0.5, color=GRID, lw=0.8)
    ratios = [ratio for run in runs for ratio in _points(run, lines).values()]
    axes.set_xscale("log")
    axes.set_xlim(min(0.05, 0.8 * min(ratios)), max(4, 1.25 * max(ratios)))
    axes.set_ylim(len(lines) - 0.4, -0.6)
    ticks = [t for t in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.5, 2, 4, 8, 16, 32)]
    ticks = [t for t in ticks if axes.get_xlim()[0] <= t <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks], fontsize=8, color=MUTED)
    axes.set_xticks([], minor=True)
    axes.grid(axis="x", color=GRID, lw=0.6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("joggle's time / the best peer's (left of 1: joggle is faster)", color=MUTED)
    axes.legend(loc="upper right", frameon=False, fontsize=8)
    axes.set_title(
        f"joggle beside its best peer, {runs[0]['machine']['cpu']}", loc="left", color=INK
    )
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
