# SPDX-License-Identifier: Apache-2.0
"""The parts of the demo that examples/digits.py puts together."""
