# SPDX-License-Identifier: Apache-2.0
"""What programs written for Quadrants name beside fields and kernels: its errors, which are kinds
of ours and of Python's, and the levels of its log."""

from joggle._kernel.messages import (
    KernelError,
    KernelNameError,
    KernelSyntaxError,
    KernelTypeError,
)

QuadrantsCompilationError = KernelError
QuadrantsSyntaxError = KernelSyntaxError
QuadrantsTypeError = KernelTypeError
QuadrantsNameError = KernelNameError
QuadrantsAssertionError = AssertionError
QuadrantsRuntimeError = RuntimeError
QuadrantsRuntimeTypeError = TypeError

TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL = "trace", "debug", "info", "warn", "error", "critical"


def pure(kernel):
    """Marks a kernel for Quadrants' cache as depending on its arguments alone."""
    return kernel
