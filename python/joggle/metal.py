# SPDX-License-Identifier: Apache-2.0
"""The functions of mlx.core.metal: there is no Metal here; those about memory work without it."""

from joggle._core import (
    clear_cache,
    get_active_memory,
    get_cache_memory,
    get_peak_memory,
    reset_peak_memory,
    set_cache_limit,
    set_memory_limit,
)
from joggle._devices import set_wired_limit

__all__ = [
    "clear_cache",
    "device_info",
    "get_active_memory",
    "get_cache_memory",
    "get_peak_memory",
    "is_available",
    "reset_peak_memory",
    "set_cache_limit",
    "set_memory_limit",
    "set_wired_limit",
    "start_capture",
    "stop_capture",
]


def is_available():
    """False: no device of Metal's in this build."""
    return False


def device_info():
    """An empty dict: there is no device."""
    return {}


def start_capture(path):
    """Raises RuntimeError: there is nothing to capture. jg.trace records what joggle does."""
    raise RuntimeError("[metal.start_capture] there is no Metal; jg.trace(path) records what runs")


def stop_capture():
    """Raises RuntimeError, as start_capture."""
    raise RuntimeError("[metal.stop_capture] there is no Metal")
