# SPDX-License-Identifier: Apache-2.0
"""AxisError, which is NumPy's as well where NumPy is imported."""

import sys

__all__ = ["AxisError"]


class AxisError(ValueError, IndexError):
    """An axis lies outside those of the array.

    Where NumPy is imported the error raised is a `numpy.exceptions.AxisError` too, so code that
    was written for NumPy's arrays catches it.
    """

    __module__ = "joggle"

    def __reduce__(self):
        return AxisError, self.args


_both = None  # the class that derives from NumPy's too, made when it is first raised


def axis_error(message):
    """The error with that message, to be raised."""
    global _both
    numpy = sys.modules.get("numpy.exceptions")
    if numpy is None:
        return AxisError(message)
    if _both is None:
        names = {"__module__": "joggle", "__doc__": AxisError.__doc__}
        _both = type("AxisError", (AxisError, numpy.AxisError), names)
    return _both(message)
