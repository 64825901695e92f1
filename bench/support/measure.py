# SPDX-License-Identifier: Apache-2.0
"""The clock. All contestants of a case run in one process, in turns: what disturbs the machine
during a round disturbs each of them, and none is always first."""

import dataclasses
import gc
import statistics
import timeit

from support.peers import Absent


@dataclasses.dataclass
class Code:
    """What is timed: a statement, its names, and an expression for the array that it works out."""

    statement: str
    value: str | None = None
    names: dict = dataclasses.field(default_factory=dict)

    def evaluate(self):
        return eval(self.value, dict(self.names))


@dataclasses.dataclass
class Probe:
    """What times itself: a function that gives the nanoseconds of one run."""

    function: object
    value: None = None


def code(statement, value=None, **names):
    return Code(statement, value, names)


@dataclasses.dataclass(frozen=True)
class Goal:
    """At most `ratio` times the minimum of `against`, which is a peer's name or "best"; `ratio`
    nanoseconds if against is None."""

    ratio: float
    against: str | None = "best"


@dataclasses.dataclass
class Case:
    """One line of the table: a name, who takes part with what code, and what is to be reached."""

    name: str
    entries: dict
    goals: tuple = ()


@dataclasses.dataclass
class Budget:
    """How long to measure. A sample takes about sample_ns or one run; there are rounds of them,
    fewer once seconds are over, but no fewer than least."""

    sample_ns: int = 2_000_000
    rounds: int = 40
    least: int = 5
    seconds: float = 4.0


QUICK = Budget(sample_ns=200_000, rounds=3, least=2, seconds=0.5)


def _prepare(entry, budget):
    """A function that times a number of runs, in ns, and how many of them fill a sample."""
    if isinstance(entry, Probe):
        entry.function()
        return lambda count: entry.function(), 1
    timer = timeit.Timer(entry.statement, globals=entry.names)
    timer.timeit(1)  # compiles, plans, fills caches
    first = timer.timeit(1) * 1e9
    if first < budget.sample_ns / 20:
        first = min(timer.timeit(20) / 20 * 1e9, first)
    return lambda count: timer.timeit(count) * 1e9, max(1, int(budget.sample_ns / max(first, 1)))


def _run(timers, budget):
    samples = {name: [] for name in timers}
    names = list(timers)
    clock = timeit.default_timer
    end = clock() + budget.seconds
    for turn in range(budget.rounds):
        if turn >= budget.least and clock() > end:
            break
        at = turn % len(names)
        for name in names[at:] + names[:at]:
            run, count = timers[name]
            samples[name].append(run(count) / count)
    return samples


def measure(case, budget):
    """{name: {"min_ns", "median_ns", "rounds", "runs"} or {"absent": why}} for each entry."""
    results, timers = {}, {}
    for name, entry in case.entries.items():
        if isinstance(entry, Absent):
            results[name] = {"absent": str(entry)}
            continue
        try:
            timers[name] = _prepare(entry, budget)
        except Exception as error:
            why = f"failed: {type(error).__name__}: {error}".splitlines()[0]
            results[name] = {"absent": why}
    gc.collect()
    gc.disable()
    try:
        samples = _run(timers, budget) if timers else {}
    finally:
        gc.enable()
    for name, values in samples.items():
        results[name] = {
            "min_ns": min(values),
            "median_ns": statistics.median(values),
            "rounds": len(values),
            "runs": timers[name][1],
        }
    return {name: results[name] for name in case.entries}


def disagreements(case):
    """The entries whose value is not NumPy's, or not the first one's where NumPy takes no part."""
    import numpy as np

    values = {}
    for name, entry in case.entries.items():
        if isinstance(entry, Absent) or entry.value is None:
            continue
        try:
            values[name] = np.asarray(entry.evaluate())
        except Exception:  # measure() tells about it
            continue
    if not values:
        return []
    reference = values.get("numpy", next(iter(values.values())))
    close = {"rtol": 2e-4, "atol": 1e-5 * max(1.0, float(np.abs(reference).max()))}
    return [name for name, value in values.items() if not np.allclose(value, reference, **close)]
