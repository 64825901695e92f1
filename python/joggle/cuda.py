# SPDX-License-Identifier: Apache-2.0
"""The functions of mlx.core.cuda."""

from joggle._devices import is_available as _is_available

__all__ = ["is_available"]


def is_available():
    """Whether this process has a device of CUDA's that arrays can be on."""
    return _is_available("cuda")
