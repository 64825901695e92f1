# SPDX-License-Identifier: Apache-2.0
"""joggle.utils, under MLX's name (_install.py)."""

from joggle.utils import *  # noqa: F403
