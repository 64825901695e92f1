# SPDX-License-Identifier: Apache-2.0
"""The kernel that a thread is compiling while it runs a Python function which that kernel calls.

Plain functions and lambdas are called with the kernel's values, when it is compiled. What they call
of joggle.fields, and operators on vectors, write instructions into that kernel.
"""

import threading
from contextlib import contextmanager

from ..ir.scalar import Scalar
from .values import PLACES, Record, Tensor

_VALUES = (Scalar, Tensor, Record, *PLACES)


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


def current(args=None, kwargs=None):
    """The lowering of the kernel that is being compiled, or None. Of a call with these arguments:
    None also where none of them is a value of the kernel, so that Python computes."""
    lowering = _thread.lowering
    if lowering is None or args is None:
        return lowering
    return lowering if any(isinstance(x, _VALUES) for x in (*args, *kwargs.values())) else None


def write_call(callee, args, kwargs):
    """Writes a call into the kernel that is being compiled; gives what it gives. Meanwhile values
    are those of the compiler, which compares and inspects them as objects."""
    lowering = _thread.lowering
    with calling(None):
        return lowering.call(callee, args, kwargs)
