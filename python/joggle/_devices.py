# SPDX-License-Identifier: Apache-2.0
"""Queries about devices under MLX's names, and MLX's further ways to make streams."""

import os

from joggle import _core

__all__ = [
    "clear_streams",
    "device_count",
    "device_info",
    "is_available",
    "new_thread_local_stream",
    "new_thread_unsafe_stream",
    "set_wired_limit",
]


def is_available(device):
    """Whether arrays can be on the device, or on one of that kind, in this process.

    >>> jg.is_available(jg.cpu)
    True
    """
    try:
        _core.default_stream(device)
    except ValueError:
        return False
    return True


def device_count(device_type):
    """How many devices of a kind there are in this process, by the kind's name, as "cpu" or
    "opencl". The first question opens the kind's driver.

    >>> jg.device_count(jg.cpu)
    1
    """
    kind = str(device_type).partition(":")[0]
    if kind == "cpu":
        return 1
    count = 0
    while is_available(f"{kind}:{count}"):
        count += 1
    return count


def device_info(d=None):
    """The facts about a device, the default one if none is named: a dict with its name, its
    architecture, its memory in bytes and, where the driver tells, how much of that is free.

    >>> "device_name" in jg.device_info(jg.cpu)
    True
    """
    device = _core.default_device() if d is None else d
    _core.default_stream(device)  # refuses one that is not there
    title, total, free = _core._device_facts(device)
    is_cpu = str(device).partition(":")[0] == "cpu"
    info = {
        "architecture": os.uname().machine if is_cpu else str(device).partition(":")[0],
        "device_name": _processor() if title is None else title,
        "memory_size": total,
    }
    if free is not None:
        info["memory_free"] = free
    return info


def _processor():
    """The processor's name in the system, or that of its architecture."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine


def new_thread_local_stream(device=None):
    """A stream. Joggle's streams may be used from any thread, so this is an ordinary one.

    >>> jg.new_thread_local_stream(jg.cpu) == jg.default_stream()
    False
    """
    return _core.new_stream(device)


def new_thread_unsafe_stream(device=None):
    """A stream. Like all of joggle's, it may be used safely from any thread.

    >>> jg.new_thread_unsafe_stream(jg.cpu) == jg.default_stream()
    False
    """
    return _core.new_stream(device)


def clear_streams():
    """Waits for the work of all streams. Streams without a reference are reused, so there is
    nothing to destroy.

    >>> jg.clear_streams()
    """
    _core.synchronize()


def set_wired_limit(limit):
    """Does nothing and gives 0: only Apple's GPUs have wired memory.

    >>> jg.set_wired_limit(0)
    0
    """
    if limit < 0:
        raise ValueError(f"[set_wired_limit] limit: got {limit}, allowed is a number of bytes")
    return 0
