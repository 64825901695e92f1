# SPDX-License-Identifier: Apache-2.0
"""The kernel that a thread is compiling while it runs a Python function which that kernel calls.

Plain functions and lambdas are called with the kernel's values, when it is compiled. What they call
of joggle.fields, and operators on vectors, write instructions into that kernel.
"""

import threading
from contextlib import contextmanager


class _Thread(threading.local):
    lowering = None


_thread = _Thread()


@contextmanager
def calling(lowering):
    """While a Python function is called by the kernel that lowering writes."""
    outer, _thread.lowering = _thread.lowering, lowering
    try:
        yield
    finally:
        _thread.lowering = outer


def current():
    """The lowering of the kernel that is being compiled, or None."""
    return _thread.lowering
