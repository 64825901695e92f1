# SPDX-License-Identifier: Apache-2.0
"""qd.experimental: real_func, under its old name."""

from joggle._kernel.kernel import func as real_func

__all__ = ["real_func"]
