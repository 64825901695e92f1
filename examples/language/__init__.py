# SPDX-License-Identifier: Apache-2.0
"""The parts of the demo that examples/language.py puts together."""
