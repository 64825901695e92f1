# SPDX-License-Identifier: Apache-2.0
"""Prints the bytes that one call of one contestant takes at its peak beside what was there before:

    peak_of_call.py CLAIM CASE CONTESTANT THREADS [--quick]

The call has run before, so that code and tables are there. Then whatever keeps freed memory gives
it back, and Linux is asked to begin its count of the peak anew.
"""

import ctypes
import gc
import importlib
import os
import sys
from pathlib import Path

# Of glibc: blocks from 128 KiB on come from the system and go back to it, whatever came before.
FIXED = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}


def status(key):
    """A figure of this process, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"this system does not tell {key} of a process")


def give_back():
    gc.collect()
    for name, clear in (("joggle", "clear_cache"), ("mlx.core", "clear_cache")):
        if name in sys.modules:
            getattr(sys.modules[name], clear)()
    ctypes.CDLL(None).malloc_trim(0)


def peak_of(entry):
    call = compile(entry.statement, "call", "exec")
    for _ in range(2):
        exec(call, entry.names)
    give_back()
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    exec(call, entry.names)
    return status("VmHWM") - before


def main():
    claim, name, contestant, threads, *flags = sys.argv[1:]
    if FIXED.items() - os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | FIXED)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from support import peers

    peers.set_up(int(threads), False)
    from support.work import CONTESTANTS

    library = "joggle" if contestant.startswith("joggle") else CONTESTANTS[contestant][0]
    peers.leave_out(set(peers.MODULES) - {library})
    cases = importlib.import_module(claim).cases("--quick" in flags)
    case = next((case for case in cases if case.name == name), None)
    if case is None:
        sys.exit(f"{claim} has no case {name}")
    case = case.as_case() if hasattr(case, "as_case") else case
    entry = case.entries.get(contestant) or case.entries[library]  # some claims name libraries
    if isinstance(entry, peers.Absent):
        sys.exit(entry)
    print(peak_of(entry))


if __name__ == "__main__":
    main()
