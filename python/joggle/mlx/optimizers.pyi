# SPDX-License-Identifier: Apache-2.0
"""joggle.optimizers, under MLX's name (_install.py)."""

from joggle.optimizers import *  # noqa: F403
