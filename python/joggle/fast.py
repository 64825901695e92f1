# SPDX-License-Identifier: Apache-2.0
"""Composed operations under MLX's names. Fusion makes one pass over memory of each."""

from joggle import _core
from joggle._core import cross_entropy, layer_norm, rms_norm

__all__ = ["cross_entropy", "layer_norm", "rms_norm", "rope", "scaled_dot_product_attention"]


def rope(a, dims, *, traditional, base, scale, offset, freqs=None, stream=None):
    """Rotary positions: pairs of the first dims features of a, turned by angles.

    a is (batch, ..., positions, features). Position p, counted from offset (an int, or an array of
    one for each of the batch) and times scale, turns pair i by p * base ** (-2 i / dims), or by
    p / freqs[i] if base is None. A pair is two features side by side if traditional, else two that
    lie dims / 2 apart.

    >>> jg.fast.rope(jg.ones((1, 1, 1, 2)), 2, traditional=False, base=10000.0, scale=1.0, offset=0)
    array([[[[1., 1.]]]], dtype=float32)
    """
    if type(offset) is int and abs(offset) < 2**63:  # a constant of the graph: angles are known
        offset = _core.full((), offset, stream=stream)
    else:
        offset = _core.asarray(offset, stream=stream)
    return _core.rope(a, dims, traditional, base, scale, offset, freqs, stream=stream)


def scaled_dot_product_attention(
    q, k, v, *, scale, mask=None, sinks=None, force_fused=False, stream=None
):
    """softmax(scale * q @ k.T + mask) @ v for each head, without the full matrix of scores.

    q is (batch, heads, length, depth); k and v may have fewer heads, a divisor of q's. mask is
    None, "causal", an array of bools (True: attend) or of numbers to add, broadcast over (batch,
    heads, length, span). sinks has a number for each head of q: a score that has a share in the
    softmax, and no value. force_fused asks for what is always so: scores are computed in blocks.

    >>> jg.fast.scaled_dot_product_attention(*3 * [jg.ones((1, 1, 2, 2))], scale=0.5).shape
    (1, 1, 2, 2)
    """
    if isinstance(mask, str):
        if mask != "causal":
            raise ValueError(f'mask: got "{mask}", allowed are None, "causal" and an array')
        return _core.scaled_dot_product_attention(
            q, k, v, scale, causal=True, sinks=sinks, stream=stream
        )
    return _core.scaled_dot_product_attention(q, k, v, scale, mask, sinks=sinks, stream=stream)
