# SPDX-License-Identifier: Apache-2.0
"""joggle.nn, under MLX's name (_install.py)."""

from joggle.nn import *  # noqa: F403
