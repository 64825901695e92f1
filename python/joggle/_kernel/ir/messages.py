# SPDX-License-Identifier: Apache-2.0
"""The errors of compiling a kernel: each names the file, the line and the source it is about.

Inner functions raise without a location; the lowering adds that of the innermost statement or
expression, once.
"""


class KernelError(Exception):
    """Something in a kernel's source that cannot be compiled.

    Each kind is the built-in exception of its name as well, so that code which catches those works.
    """

    placed = False  # whether the message says where


class KernelSyntaxError(KernelError, SyntaxError):
    """A construct that kernels do not have."""

    # SyntaxError prints its own attributes, which are not set here.
    def __str__(self):
        return str(self.args[0]) if self.args else ""


class KernelTypeError(KernelError, TypeError):
    """Values whose types do not fit."""


class KernelNameError(KernelError, NameError):
    """A name that is not defined where it is used."""


class KernelValueError(KernelError, ValueError):
    """A value that is known when compiling and is not allowed."""


class KernelIndexError(KernelError, IndexError):
    """An index that is known when compiling and is out of range, or the wrong number of indices."""


def placed(error, source, node):
    """The same error with file, line and the source of node in its message."""
    if error.placed:
        return error
    line = getattr(node, "lineno", 0)
    message = f"{source.file}:{line}: in {source.name}: {error.args[0]}"
    for text in source.lines_at(node):
        message += f"\n    {text}"
    error.args = (message, *error.args[1:])
    error.placed = True
    return error


def as_kernel_error(error):
    """An error of Python while it evaluated something at compile time, as one of ours."""
    if isinstance(error, KernelError):
        return error
    kinds = (
        (NameError, KernelNameError),
        (IndexError, KernelIndexError),
        (ValueError, KernelValueError),
        (SyntaxError, KernelSyntaxError),
    )
    for builtin, ours in kinds:
        if isinstance(error, builtin):
            return ours(str(error))
    return KernelTypeError(f"{type(error).__name__}: {error}")
