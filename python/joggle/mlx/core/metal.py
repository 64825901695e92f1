# SPDX-License-Identifier: Apache-2.0
"""mlx.core.metal: there is no Metal; the functions about memory work without it."""

from joggle.metal import *  # noqa: F403
from joggle.metal import __all__ as __all__
