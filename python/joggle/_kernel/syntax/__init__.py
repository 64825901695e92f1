# SPDX-License-Identifier: Apache-2.0
"""Python's syntax trees to the text of a kernel: expressions, statements, calls."""
