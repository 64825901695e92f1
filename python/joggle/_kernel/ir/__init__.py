# SPDX-License-Identifier: Apache-2.0
"""The text of a kernel while it is written: blocks, scalars, and the messages of compiling."""
