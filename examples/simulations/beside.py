# SPDX-License-Identifier: Apache-2.0
"""The peers that a simulation is timed beside, and the table of the times."""

from digits import timing


def load_quadrants():
    """Quadrants, set up for the CPU; None if it is not installed."""
    try:
        import quadrants
    except ImportError:
        return None
    quadrants.init(arch=quadrants.cpu, log_level=quadrants.ERROR, offline_cache=False)
    return quadrants


def print_table(title, calls):
    """Times the calls in turns and prints a line for each; the first one is ours."""
    times = timing.time_together(calls)
    ours = next(iter(times.values()))[0]
    print(f"{title:32}{'min':>14}{'median':>14}{'x joggle':>10}")
    for name, (least, median) in times.items():
        cells = f"{timing.text_of(least):>14}{timing.text_of(median):>14}{least / ours:>10.2f}"
        print(f"{name:32}{cells}")
    if not any("Quadrants" in name for name in calls):
        print(f"{'Quadrants':32}{'not installed':>14}")
