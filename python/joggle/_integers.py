# SPDX-License-Identifier: Apache-2.0
"""Arguments that are an integer: Python's, NumPy's, or an array of integers without axes."""

import operator

__all__ = ["integer_of"]


def integer_of(x):
    """x as an int where it is one integer; else None."""
    if getattr(x, "ndim", 0) != 0:
        return None
    try:
        return operator.index(x)
    except TypeError:
        return None
