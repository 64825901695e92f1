# SPDX-License-Identifier: Apache-2.0
"""From where on a second thread helps: the same evaluation on one thread and on two, in turns.
Below about 30 us joggle keeps to one thread, and both columns should say the same. No peer takes
part; how they do on two threads is in the other claims."""

import time

import numpy as np
from support.measure import Case, Goal, Probe
from support.peers import on

NAME = "a second thread"
THREADS = (2,)
BURST = 10  # evaluations one after the other, as a program makes them
EXTENTS = (2**14, 2**16, 2**18, 2**20)
ALONE = "one thread"
LONG_NS = 200_000  # what takes so long on one thread should gain from two

WORKS = {
    "a*b+c": lambda jg, a, b, c: a * b + c,
    "exp": lambda jg, a, b, c: jg.exp(a),
    "sum": lambda jg, a, b, c: jg.sum(a),
    "softmax, rows of 256": lambda jg, a, b, c: jg.softmax(a.reshape(-1, 256), axis=-1),
    "cumsum": lambda jg, a, b, c: jg.cumsum(a),
}


def _probe(jg, function, arrays, threads):
    """Times a burst by itself, as the number of threads is the process's."""

    def run():
        before = jg.get_num_threads()
        jg.set_num_threads(threads)
        jg.eval(function(jg, *arrays))
        start = time.perf_counter_ns()
        for _ in range(BURST):
            jg.eval(function(jg, *arrays))
        spent = time.perf_counter_ns() - start
        jg.set_num_threads(before)
        return spent / BURST

    return Probe(run)


def _case(name, function, arrays):
    def entry(threads):
        def make(jg):
            return _probe(jg, function, [jg.from_dlpack(x) for x in arrays], threads)

        return on("joggle", make)

    alone, shared = entry(1), entry(2)
    spent = alone.function() if isinstance(alone, Probe) else 0
    goal = Goal(0.7 if spent >= LONG_NS else 1.1, ALONE)
    return Case(name, {"joggle": shared, ALONE: alone}, (goal,))


def cases(quick):
    rng = np.random.default_rng(0)
    for name, function in WORKS.items():
        for extent in (2**10,) if quick else EXTENTS:
            arrays = [rng.standard_normal(extent, np.float32) for _ in range(3)]
            yield _case(f"{name}, {extent}", function, arrays)
