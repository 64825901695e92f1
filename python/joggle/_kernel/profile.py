# SPDX-License-Identifier: Apache-2.0
"""How long the runs of kernels took, for joggle.fields.profiler."""

import time


class Record:
    """The runs of one kernel. min, max, avg and total are in milliseconds."""

    def __init__(self, name, seconds):
        self.name, self.counter = name, len(seconds)
        times = [1e3 * x for x in seconds] or [0.0]
        self.min, self.max, self.total = min(times), max(times), sum(times)
        self.avg = self.total / max(self.counter, 1)


class Times:
    """All runs, in order: names and seconds."""

    def __init__(self):
        self.runs = []

    def run(self, name, code, args):
        """Runs a kernel's code, and notes how long that takes."""
        begin = time.perf_counter()
        try:
            return code(args)
        finally:
            self.runs.append((name, time.perf_counter() - begin))

    def records(self):
        """A record for each kernel that has run."""
        seconds = {}
        for name, each in self.runs:
            seconds.setdefault(name, []).append(each)
        return [Record(name, each) for name, each in seconds.items()]
