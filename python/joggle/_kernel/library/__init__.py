# SPDX-License-Identifier: Apache-2.0
"""What kernels may call beside Python's own functions, by topic."""
