# SPDX-License-Identifier: Apache-2.0
"""Composed operations under MLX's names. Fusion makes one pass over memory of each."""

from joggle._core import layer_norm, rms_norm

__all__ = ["layer_norm", "rms_norm"]
