# SPDX-License-Identifier: Apache-2.0
"""The functions that kernels may call besides Python's own, by topic."""
