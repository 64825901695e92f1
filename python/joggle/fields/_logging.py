# SPDX-License-Identifier: Apache-2.0
"""The log of Quadrants, for programs that write to it or put functions in place of these."""

import os
import sys

from joggle.fields._names import (
    CRITICAL,
    DEBUG,
    ERROR,
    INFO,
    TRACE,
    WARN,
    is_logging_effective,
    set_logging_level,
)

supported_log_levels = [DEBUG, TRACE, INFO, WARN, ERROR, CRITICAL]


def _get_logging(name):
    """The function that writes messages of a level to the standard error, with the caller's place,
    if the level is written. The message is a format of its arguments. ValueError for a level that
    there is none of."""
    is_logging_effective(name)

    def log(msg, *args, **kwargs):
        if is_logging_effective(name):
            caller = sys._getframe(1)
            code = caller.f_code
            place = f"{os.path.basename(code.co_filename)}:{code.co_name}@{caller.f_lineno}"
            print(f"[{name}] [{place}] {msg.format(*args, **kwargs)}", file=sys.stderr)

    return log


debug = _get_logging(DEBUG)
trace = _get_logging(TRACE)
info = _get_logging(INFO)
warn = _get_logging(WARN)
error = _get_logging(ERROR)
critical = _get_logging(CRITICAL)

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "TRACE",
    "WARN",
    "is_logging_effective",
    "set_logging_level",
]
