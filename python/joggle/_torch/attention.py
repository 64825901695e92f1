# SPDX-License-Identifier: Apache-2.0
"""Attention as torch has it: an op of joggle's forward, a formula of ATen's operators backward."""

import math

import torch

from joggle import _core


def attention(node, q, k, v, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    """The result. The logarithms of sums beside it are for torch's own gradient alone."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    rows, columns = q.shape[2], k.shape[2]
    if is_causal and rows != columns:  # torch's diagonal begins above, joggle's ends below
        seen = _core.tril(_core.ones((rows, columns), dtype="bool"))
        return _core.scaled_dot_product_attention(q, k, v, scale, seen), None
    found = _core.scaled_dot_product_attention(q, k, v, scale, attn_mask, is_causal)
    if attn_mask is None:
        return found, None
    if attn_mask.dtype == _core.dtype("bool"):
        is_seen = _core.any(attn_mask, axis=-1, keepdims=True)
    else:
        is_seen = _core.max(attn_mask, axis=-1, keepdims=True) > -math.inf
    zero = _core.zeros((), dtype=found.dtype)  # what rows get that may attend to nothing
    return _core.where(is_seen, found, zero), None


def composed(node, q, k, v, mask, scale, is_causal, fill):
    """Attention as a graph spells it: a row whose scores are all infinite or NaN is NaN. In joggle
    a score that a mask of bools leaves out is the lowest finite number, not -inf, so it would
    get a weight; that is correct only for such a fill."""
    found = _core.scaled_dot_product_attention(q, k, v, scale, mask, is_causal)
    if is_causal:
        rows, columns = q.shape[2], k.shape[2]
        mask = _core.tril(_core.ones((rows, columns), dtype="bool"), columns - rows)
    if mask is None or mask.dtype != _core.dtype("bool") or fill != -math.inf:
        return found
    finite_keys = _core.all(_core.isfinite(k), axis=-1)
    finite_keys = _core.repeat(finite_keys, q.shape[1] // k.shape[1], axis=1)
    seen = _core.logical_and(mask, _core.expand_dims(finite_keys, axis=2))
    is_seen = _core.logical_and(
        _core.any(seen, axis=-1, keepdims=True),
        _core.all(_core.isfinite(q), axis=-1, keepdims=True),
    )
    return _core.where(is_seen, found, _core.full((), math.nan, dtype=found.dtype))


def is_plain(node):
    """Whether nothing is dropped, there is something to attend to, and nobody asks for the
    logarithms."""
    q, k, v, dropout, *_ = (*node.given, 0.0)
    dropout = node.named.get("dropout_p", dropout)
    if dropout or any(user.args[1] == 1 for user in node.users):
        return False
    return all(x.numel() > 0 for x in (q, k, v))


def backward(
    gradient, q, k, v, out, logsumexp, dropout_p, is_causal, *, attn_mask=None, scale=None
):
    """The gradients of q, k and v, with the weights computed anew, so that nothing of the size of
    the scores is kept between forward and backward."""
    if dropout_p:
        return NotImplemented
    kinds = q.dtype, k.dtype, v.dtype
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    gradient, q, k, v, out = (x.to(wide) for x in (gradient, q, k, v, out))
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    heads, times = k.shape[1], q.shape[1] // k.shape[1]
    if times > 1:
        k, v = (x.repeat_interleave(times, 1) for x in (k, v))
    weights = _weights(q, k, is_causal, attn_mask, scale)
    of_v = weights.mT @ gradient
    moved = gradient @ v.mT - (gradient * out).sum(-1, keepdim=True)
    of_scores = weights * moved * scale
    of_q, of_k = of_scores @ k, of_scores.mT @ q
    if times > 1:
        of_k, of_v = (x.unflatten(1, (heads, times)).sum(2) for x in (of_k, of_v))
    return tuple(_strided(x.to(kind)) for x, kind in zip((of_q, of_k, of_v), kinds, strict=True))


def _strided(x):
    """x with the strides that torch's gradients have: heads lie beside each other."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def _weights(q, k, is_causal, mask, scale):
    """0 in rows that may attend to nothing."""
    scores = q @ k.mT * scale
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = torch.where(seen, scores, -float("inf"))
    if mask is None:
        return torch.softmax(scores, -1)
    is_bool = mask.dtype == torch.bool
    scores = torch.where(mask, scores, -float("inf")) if is_bool else scores + mask
    is_empty = (scores == -float("inf")).all(-1, keepdim=True)
    return torch.where(is_empty, 0.0, torch.softmax(scores, -1))
