# SPDX-License-Identifier: Apache-2.0
"""What can be asked about devices, with MLX's names, and streams that MLX makes in more ways."""

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
    """How many devices of a kind there are in this process: one CPU, and no GPU so far.

    >>> jg.device_count(jg.cpu)
    1
    """
    return int(is_available(device_type))


def device_info(d=None):
    """What is known of a device, the default one if none is named: a dict with its name, its
    architecture, and its memory in bytes.

    >>> "device_name" in jg.device_info(jg.cpu)
    True
    """
    device = _core.default_device() if d is None else d
    if not is_available(device):
        raise ValueError(f"[device_info] d: got {device!r}, which this process does not have")
    return {
        "architecture": os.uname().machine,
        "device_name": _processor(),
        "memory_size": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _processor():
    """The name that the system has for the processor, or that of its architecture."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine


def new_thread_local_stream(device=None):
    """A stream. Each of ours may be used from any thread, so none needs to be one thread's own.

    >>> jg.new_thread_local_stream(jg.cpu) == jg.default_stream()
    False
    """
    return _core.new_stream(device)


def new_thread_unsafe_stream(device=None):
    """A stream that may be used from any thread, and safely, as all of ours.

    >>> jg.new_thread_unsafe_stream(jg.cpu) == jg.default_stream()
    False
    """
    return _core.new_stream(device)


def clear_streams():
    """Waits for the work of all streams. Those that nobody holds are given out again by
    themselves, so there is nothing to destroy.

    >>> jg.clear_streams()
    """
    _core.synchronize()


def set_wired_limit(limit):
    """Does nothing but give 0: memory that is wired for a GPU is Apple's, and this has none.

    >>> jg.set_wired_limit(0)
    0
    """
    if limit < 0:
        raise ValueError(f"[set_wired_limit] limit: got {limit}, allowed is a number of bytes")
    return 0
