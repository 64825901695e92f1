# SPDX-License-Identifier: Apache-2.0
"""Times calls side by side: what disturbs the machine then disturbs them all alike."""

import gc
import os
import statistics
import timeit

SAMPLE_NS = 1_000_000
ROUNDS = int(os.environ.get("TIMING_ROUNDS", 40))  # fewer where nobody reads the times


def time_together(calls):
    """calls: functions without arguments, by name. Gives {name: (min, median)} in ns per call."""
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    counts = {name: _count(timer) for name, timer in timers.items()}
    samples = {name: [] for name in calls}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for name, timer in timers.items():
                samples[name].append(timer.timeit(counts[name]) / counts[name] * 1e9)
    finally:
        if collecting:
            gc.enable()
    return {name: (min(values), statistics.median(values)) for name, values in samples.items()}


def _count(timer):
    """How many calls fill one sample; the first call, which may prepare things, does not count."""
    timer.timeit(3)
    if timer.timeit(1) * 1e9 >= SAMPLE_NS:
        return 1
    return max(1, int(SAMPLE_NS / (timer.timeit(10) / 10 * 1e9)))


def text_of(ns):
    """A time with three digits and its unit."""
    for limit, unit, scale in ((1e3, "ns", 1), (1e6, "us", 1e3), (1e9, "ms", 1e6)):
        if ns < limit:
            value = ns / scale
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns / 1e9:.2f} s"
