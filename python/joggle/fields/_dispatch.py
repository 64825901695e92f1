# SPDX-License-Identifier: Apache-2.0
"""qd.perf_dispatch: several kernels for one purpose, of which the fastest is kept."""

import functools
import time

import joggle as _jg


class _Choice:
    """The times of each candidate for one geometry, and the fastest one."""

    def __init__(self, candidates, warmup):
        self.times = {candidate: [] for candidate in candidates}
        self.warmup, self.fastest = warmup, None
        self.calls, self.since = 0, time.monotonic()

    def next(self):
        """The candidate that has run least often."""
        return min(self.times, key=lambda candidate: len(self.times[candidate]))

    def settle(self, active):
        """Chooses once each candidate has run often enough; the first runs do not count."""
        if min(map(len, self.times.values())) >= self.warmup + active:
            best = {c: min(times[self.warmup :]) for c, times in self.times.items()}
            self.fastest = min(best, key=best.get)
            self.calls, self.since = 0, time.monotonic()


class PerfDispatch:
    """Functions with the same effect. A call runs one of them: after some trials, the fastest."""

    def __init__(self, function, geometry, first_warmup, warmup, active, count, seconds):
        self.geometry, self.first_warmup, self.warmup = geometry, first_warmup, warmup
        self.active, self.count, self.seconds = active, count, seconds
        self.candidates, self.choices = [], {}
        functools.update_wrapper(self, function)

    def register(self, function=None, *, is_compatible=None):
        """Adds a function; is_compatible(*arguments) says whether it takes a call."""
        if function is None:
            return lambda inner: self.register(inner, is_compatible=is_compatible)
        if not callable(function):
            raise TypeError(f"register: got {function!r}, allowed are functions and kernels")
        self.candidates.append((function, is_compatible))
        return function

    def __call__(self, *args, **kwargs):
        choice = self._choice(args, kwargs)
        if choice.fastest is not None:
            choice.calls += 1
            return choice.fastest(*args, **kwargs)
        candidate = choice.next()
        _jg.synchronize()
        start = time.perf_counter()
        result = candidate(*args, **kwargs)
        _jg.synchronize()
        choice.times[candidate].append(time.perf_counter() - start)
        choice.settle(self.active)
        return result

    def _choice(self, args, kwargs):
        geometry = self.geometry(*args, **kwargs)
        choice = self.choices.get(geometry)
        if choice is None or self._is_stale(choice):
            fitting = [f for f, fits in self.candidates if fits is None or fits(*args, **kwargs)]
            if not fitting:
                raise RuntimeError(f"{self.__name__}: no registered function takes the arguments")
            warmup = self.first_warmup if choice is None else self.warmup
            choice = self.choices[geometry] = _Choice(fitting, warmup)
            choice.fastest = fitting[0] if len(fitting) == 1 else None
        return choice

    def _is_stale(self, choice):
        if choice.fastest is None or len(choice.times) == 1:
            return False
        by_count = self.count and choice.calls >= self.count > 0
        by_time = self.seconds and time.monotonic() - choice.since >= self.seconds > 0
        return bool(by_count or by_time)


def perf_dispatch(
    *,
    get_geometry_hash,
    first_warmup=1,
    warmup=0,
    active=1,
    repeat_after_count=None,
    repeat_after_seconds=None,
):
    """Makes a function that runs one of those registered with it, the fastest after some trials.

    get_geometry_hash(*arguments) tells apart calls for which another one may be the fastest. The
    trials begin again after repeat_after_count calls, or after repeat_after_seconds; after 300
    calls if neither is given.
    """
    if not callable(get_geometry_hash):
        raise TypeError(f"get_geometry_hash: got {get_geometry_hash!r}, allowed are functions")
    if repeat_after_count is None and repeat_after_seconds is None:
        repeat_after_count = 300
    settings = (first_warmup, warmup, active, repeat_after_count, repeat_after_seconds)
    return lambda function: PerfDispatch(function, get_geometry_hash, *settings)
