# SPDX-License-Identifier: Apache-2.0
"""The clock. All contestants of a case run in one process, in turns: what disturbs the machine
during a round disturbs each of them, and none is always first. A turn begins when the threads of
the one before have come to rest."""

import dataclasses
import gc
import os
import statistics
import threading
import time
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
    """What measures itself: a function that gives the nanoseconds of one run, or what the case's
    unit is."""

    function: object
    value: None = None


def code(statement, value=None, **names):
    return Code(statement, value, names)


@dataclasses.dataclass(frozen=True)
class Goal:
    """At most `ratio` times the minimum of `against`, which is a peer's name or "best"; `ratio`
    nanoseconds if against is None. `variant` is the one of ours that it is about. `bound` names
    who does only a part of the work: its own ratio is shown, and where that leaves less than 3 %
    to the goal, the goal is 1.03 times that, but no more than 1."""

    ratio: float
    against: str | None = "best"
    variant: str = "joggle"
    bound: str | None = None


@dataclasses.dataclass
class Case:
    """One line of the table: a name, who takes part with what code, and what is to be reached.

    Contestants whose name begins with "joggle" are ours. reference gives the values that all are
    compared with, else the first of the others that has one does. The unit is "ns" or "bytes".
    """

    name: str
    entries: dict
    goals: tuple = ()
    reference: object = None
    tolerance: float = 2e-4
    unit: str = "ns"


@dataclasses.dataclass
class Budget:
    """How long to measure. A sample takes about sample_ns or one run; there are rounds of them,
    fewer once seconds are over, but no fewer than least. Who takes more than `far` times as long
    as the fastest is measured in the first `least` rounds only, and who takes long_ns as well, in
    none after the trial."""

    sample_ns: int = 2_000_000
    rounds: int = 40
    least: int = 3
    seconds: float = 2.0
    far: float = 4.0
    long_ns: int = 100_000_000


QUICK = Budget(sample_ns=200_000, rounds=3, least=2, seconds=0.3)


def _timer(entry, budget):
    """A function that times a number of runs, in ns; how many of them fill a sample; the time of
    one in a trial."""
    if isinstance(entry, Probe):
        return lambda count: entry.function(), 1, entry.function()
    timer = timeit.Timer(entry.statement, globals=entry.names)
    first = timer.timeit(1) * 1e9
    if first < 10 * budget.sample_ns:  # the first run may have prepared what others find
        first = min(timer.timeit(1) * 1e9, first)
    if first < budget.sample_ns / 20:
        first = min(timer.timeit(20) / 20 * 1e9, first)
    count = max(1, int(budget.sample_ns / max(first, 1)))
    return lambda count: timer.timeit(count) * 1e9, count, first


def _failure(error):
    return Absent(f"failed: {type(error).__name__}: {error}".splitlines()[0])


def _timers(case, budget):
    """{name: (timer, count, trial)} of those who can run, {name: Absent} of the others."""
    timers, absent = {}, {}
    for name, entry in case.entries.items():
        if isinstance(entry, Absent):
            absent[name] = entry
            continue
        try:
            timers[name] = _timer(entry, budget)
        except Exception as error:
            absent[name] = _failure(error)
    return timers, absent


def _leave_out_the_slow(timers, samples, budget):
    """The names of the others. Who is slow has its trial for a sample, and another if that is no
    great loss: something may have come between."""
    limit = max(budget.long_ns, budget.far * min(trial for _, _, trial in timers.values()))
    names = []
    for name, (run, _, trial) in timers.items():
        if trial > limit:
            samples[name].append(trial)
            if trial < 10 * budget.long_ns:
                samples[name].append(run(1))
        if min(samples[name], default=trial) <= limit:
            names.append(name)
    return names


def _others_run():
    """Whether a thread of this process other than this one runs, by what Linux says of each."""
    own = str(threading.get_native_id())
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/stat") as stat:
                state = stat.read().rpartition(")")[2].split()[0]
        except OSError:
            continue  # it has ended
        if state == "R" and thread != own:
            return True
    return False


def _settle():
    """Waits until nothing else of this process runs, 300 ms at most. The pools of OpenBLAS and of
    OpenMP look for more work in a loop before they sleep; whoever comes next on as many threads as
    there are cores would be timed with fewer."""
    end = timeit.default_timer() + 0.3
    while _others_run() and timeit.default_timer() < end:
        time.sleep(0.0005)


def _rounds(timers, budget):
    """The samples of each, in ns a run."""
    samples = {name: [] for name in timers}
    clock = timeit.default_timer
    end = clock() + budget.seconds
    names = _leave_out_the_slow(timers, samples, budget)
    for turn in range(budget.rounds):
        if turn >= budget.least:
            fastest = min(min(samples[name]) for name in names)
            names = [name for name in names if min(samples[name]) <= budget.far * fastest]
            if clock() > end:
                break
        at = turn % len(names)
        for name in names[at:] + names[:at]:
            run, count, _ = timers[name]
            _settle()
            samples[name].append(run(count) / count)
    return samples


def measure(case, budget):
    """{name: {"min_ns", "median_ns", "rounds", "runs"} or {"absent": why}} for each entry."""
    gc.collect()
    gc.disable()
    try:
        timers, absent = _timers(case, budget)
        samples = _rounds(timers, budget) if timers else {}
    finally:
        gc.enable()
    results = {name: {"absent": str(why)} for name, why in absent.items()}
    for name, values in samples.items():
        results[name] = {
            "min_ns": min(values),
            "median_ns": statistics.median(values),
            "rounds": len(values),
            "runs": timers[name][1],
        }
    return {name: results[name] for name in case.entries}


def as_numpy(value):
    """The values of anybody's array; narrow floats that NumPy does not know come out wider."""
    import numpy as np

    try:
        array = np.asarray(value)
    except Exception:
        if hasattr(value, "float"):  # torch
            array = value.detach().float().numpy()
        else:  # mlx
            import mlx.core

            array = np.asarray(value.astype(mlx.core.float32))
    return array if array.dtype.kind in "biufc" else array.astype(np.float32)


def _some(values):
    """All of few values, about two million of many."""
    return values.reshape(-1)[:: max(1, values.size // 2**21) | 1]


def _is_close(value, reference, tolerance):
    import numpy as np

    if value.squeeze().shape != reference.squeeze().shape:
        return False
    value, reference = _some(value), _some(reference)
    finite = reference[np.isfinite(reference)] if reference.dtype.kind == "f" else reference
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    return np.allclose(value, reference, rtol=tolerance, atol=tolerance / 20 * max(1.0, scale))


def check(case):
    """Runs everybody once, which compiles and plans. Gives the names of those who came to other
    values than the reference; who fails becomes absent."""
    reference, wrong = None, []
    if case.reference is not None:
        reference = as_numpy(case.reference())
    order = sorted(case.entries, key=lambda name: name != "numpy")
    for name in order:
        entry = case.entries[name]
        if isinstance(entry, Absent) or entry.value is None:
            continue
        try:
            value = as_numpy(entry.evaluate())
        except Exception as error:
            case.entries[name] = _failure(error)
            continue
        if reference is None:
            reference = value
        elif not _is_close(value, reference, case.tolerance):
            wrong.append(name)
    return wrong
