# SPDX-License-Identifier: Apache-2.0
"""qd.profiler: how often each kernel ran, and how long, after qd.init(kernel_profiler=True). A
kernel's compiling is not counted, the call of its code is. jg.trace shows the same on a time axis,
with the loops of each kernel."""

from joggle._kernel.derivatives import modes as _modes
from joggle._kernel.profile import Record


def _times():
    if _modes.times is None:
        raise RuntimeError(
            "profiler: nothing is recorded, allowed after init(kernel_profiler=True)"
        )
    return _modes.times


def print_kernel_profiler_info(mode="count"):
    """Prints a line for each kernel, the longest first, or for mode="trace" one for each run in the
    order of the calls. Times are in milliseconds."""
    if mode not in ("count", "trace"):
        raise ValueError(f"mode: got {mode!r}, allowed are 'count' and 'trace'")
    runs = _times().runs
    if mode == "trace":
        print("     time  kernel")
        for name, seconds in runs:
            print(f"{1e3 * seconds:9.3f}  {name}")
        return
    total = get_kernel_profiler_total_time()
    print("    %     total  count       min       avg       max  kernel")
    for record in sorted(_times().records(), key=lambda record: -record.total):
        share = 100 * record.total / 1e3 / total if total else 0
        print(
            f"{share:5.1f} {record.total:9.3f} {record.counter:6d} {record.min:9.3f} "
            f"{record.avg:9.3f} {record.max:9.3f}  {record.name}"
        )


def query_kernel_profiler_info(name):
    """A kernel's record: counter, and min, max, avg and total in milliseconds; zeros for one that
    has not run."""
    found = [record for record in _times().records() if record.name == name]
    return found[0] if found else Record(name, [])


def get_kernel_profiler_total_time():
    """The seconds that all kernels took."""
    return sum(seconds for _, seconds in _times().runs)


def clear_kernel_profiler_info():
    """Forgets all runs."""
    _times().runs.clear()


def __getattr__(name):
    from joggle.fields._absent import message_of

    raise AttributeError(message_of(__name__, name))


__all__ = [
    "clear_kernel_profiler_info",
    "get_kernel_profiler_total_time",
    "print_kernel_profiler_info",
    "query_kernel_profiler_info",
]
