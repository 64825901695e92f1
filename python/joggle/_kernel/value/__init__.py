# SPDX-License-Identifier: Apache-2.0
"""What the expressions of a kernel stand for: numbers, vectors, arrays, and parameters."""
