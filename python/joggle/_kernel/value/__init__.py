# SPDX-License-Identifier: Apache-2.0
"""The values of a kernel's expressions: numbers, vectors, arrays, and parameters."""
