# SPDX-License-Identifier: Apache-2.0
"""How a program of this folder is run on one namespace and measured.

    python PROGRAM.py numpy|joggle RESULT

A program is a function of a namespace that lays out its data and gives a function, which computes
and gives its results by name. It runs until it has run REPEATS times or for LONGEST seconds.
RESULT, a file of NumPy's, gets the results, the shortest time but the first run's, and the version
of the library.
"""

import importlib
import importlib.metadata
import sys
import time

import numpy as np

REPEATS, LONGEST = 12, 20.0


def on_host(results):
    return {name: np.asarray(value) for name, value in results.items()}


def check_ours(results):
    """A program that had gone on in NumPy would be measured as ours."""
    left = [name for name, value in results.items() if isinstance(value, np.ndarray)]
    if left:
        raise SystemExit(f"{', '.join(left)}: got arrays of NumPy, allowed are those of joggle")


def measure(prepare, library):
    """Measures a program that one process runs."""
    which, result = sys.argv[1:]
    run = prepare(importlib.import_module(which))
    first = run()
    if which == "joggle":
        check_ours(first)
    found, spent, begin = on_host(first), [], time.perf_counter()
    while len(spent) < REPEATS and time.perf_counter() - begin < LONGEST:
        start = time.perf_counter()
        on_host(run())
        spent.append(time.perf_counter() - start)
    keep(result, library, spent, found)


def measure_together(prepare, library, world):
    """The same of processes that run a program together: a run ends with the last of them."""
    which, result = sys.argv[1:]
    run = prepare(importlib.import_module(which))
    found, spent = on_host(run()), []
    for _ in range(REPEATS):
        world.Barrier()
        start = time.perf_counter()
        on_host(run())
        world.Barrier()
        spent.append(time.perf_counter() - start)
    if world.rank == 0:
        keep(result, library, spent, found)


def keep(result, library, spent, found):
    version = importlib.metadata.version(library)
    np.savez(result, version=version, seconds=min(spent), **found)
