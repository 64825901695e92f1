# SPDX-License-Identifier: Apache-2.0
"""The tiers of kernels, as fixtures."""

from kernel_tiers import compiler, threads, tier  # noqa: F401
