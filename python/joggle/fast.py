# SPDX-License-Identifier: Apache-2.0
"""Composed operations under MLX's names. Fusion makes one pass over memory of each."""

from joggle import _core
from joggle._core import layer_norm, rms_norm

__all__ = ["layer_norm", "rms_norm", "scaled_dot_product_attention"]


def scaled_dot_product_attention(q, k, v, *, scale, mask=None, stream=None):
    """softmax(scale * q @ k.T + mask) @ v for each head, without the full matrix of scores.

    q is (batch, heads, length, depth); k and v may have fewer heads, a divisor of q's. mask is
    None, "causal", an array of bools (True: attend) or of numbers to add, broadcast over (batch,
    heads, length, span).
    """
    if isinstance(mask, str):
        if mask != "causal":
            raise ValueError(f'mask: got "{mask}", allowed are None, "causal" and an array')
        return _core.scaled_dot_product_attention(q, k, v, scale, causal=True, stream=stream)
    return _core.scaled_dot_product_attention(q, k, v, scale, mask, stream=stream)
