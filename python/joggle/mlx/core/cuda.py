# SPDX-License-Identifier: Apache-2.0
"""mlx.core.cuda: whether there is a GPU of NVIDIA's."""

from joggle.cuda import is_available as is_available

__all__ = ["is_available"]
