# SPDX-License-Identifier: Apache-2.0
"""Interrupts at a place that a number names, instead of a time."""

import sys


class Interrupt(BaseException):
    pass


def run_until(number, function):
    """Raises at the call or return of that number, if there are as many; gives how many there were.
    Those of C functions count when they have returned, as a signal's handler runs then and not
    before."""
    met = 0

    def count(frame, event, what):
        nonlocal met
        if event == "c_call":
            return
        met += 1
        if met == number:
            raise Interrupt

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    except Interrupt:
        pass
    finally:
        sys.setprofile(before)
    return met
