# SPDX-License-Identifier: Apache-2.0
"""Compiles a text, and reads the results of a launch as the kernel's annotation says."""

from joggle import _core

from . import types


def load(text):
    """The compiled kernel of a text."""
    return _core.Kernel(text)


def formed(form, results):
    """The results of a launch as what the kernel's annotation says."""
    if form in (None, "int", "float"):
        return results
    numbers = iter(results if isinstance(results, tuple) else (results,))
    return _take(form, numbers)


def _take(form, numbers):
    if isinstance(form, str):
        return next(numbers)
    if isinstance(form, types.MatrixType):
        shape = form.element_shape
        flat = [next(numbers) for _ in range(_count(shape))]
        width = shape[-1]
        rows = [flat[i : i + width] for i in range(0, len(flat), width)]
        return form(flat if len(shape) == 1 else rows)
    if len(form) == 2 and isinstance(form[0], types.StructType):
        type_, members = form
        return type_(**{name: _take(member, numbers) for name, member in members.items()})
    return tuple(_take(part, numbers) for part in form)


def _count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count
