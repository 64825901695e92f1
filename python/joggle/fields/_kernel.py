# SPDX-License-Identifier: Apache-2.0
"""Kernels under the names that Quadrants has: decorators, functions, loops."""

from joggle._kernel import cell_kernels as _cell_kernels  # noqa: F401
from joggle._kernel.kernel import data_oriented, func, kernel, real_func
from joggle._kernel.library import addresses as _addresses  # noqa: F401
from joggle._kernel.library import decompose as _decompose  # noqa: F401
from joggle._kernel.value.functions import FUNCTIONS

pyfunc = func

__all__ = ["data_oriented", "func", "kernel", "pyfunc", "real_func", *FUNCTIONS]

globals().update(FUNCTIONS)
