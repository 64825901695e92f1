# SPDX-License-Identifier: Apache-2.0
"""Products, convolutions and norms as torch has them."""

import torch

from joggle import _core
from joggle._torch.dtypes import cast, computing, is_float
from joggle._transforms import vjp

_CONVOLUTIONS = {1: _core.conv1d, 2: _core.conv2d, 3: _core.conv3d}
_TRANSPOSED = {1: _core.conv_transpose1d, 2: _core.conv_transpose2d, 3: _core.conv_transpose3d}
_FIRST = "channels_first"


def product(node, x, other):
    return _core.matmul(x, other)


def product_added(node, bias, x, other, beta=1, alpha=1):
    found = _core.matmul(x, other)
    if alpha != 1:
        found = _core.multiply(found, alpha)
    if beta == 0:
        return found
    return _core.add(found, bias if beta == 1 else _core.multiply(bias, beta))


def softmax(node, x, dim, half_to_float):
    x = cast(x, computing(node.like.dtype))
    return cast(_core.softmax(x, axis=dim) if x.ndim else _core.exp(x - x), node.like.dtype)


def log_softmax(node, x, dim, half_to_float):
    x = cast(x, computing(node.like.dtype))
    return cast(_core.log_softmax(x, axis=dim) if x.ndim else x - x, node.like.dtype)


def _normal(x, axes, eps):
    """(x - mean) / sqrt(variance + eps), the mean, and 1 / sqrt(variance + eps)."""
    mean = _core.mean(x, axis=axes, keepdims=True)
    deviation = _core.subtract(x, mean)
    variance = _core.mean(_core.multiply(deviation, deviation), axis=axes, keepdims=True)
    scale = _core.divide(1.0, _core.sqrt(_core.add(variance, eps)))
    return _core.multiply(deviation, scale), mean, scale


def _scaled(x, weight, bias):
    if weight is not None:
        x = _core.multiply(x, weight)
    return x if bias is None else _core.add(x, bias)


def _in(x, dtype):
    return None if x is None else cast(x, dtype)


def layer_norm(node, x, shape, weight, bias, eps):
    wide = computing(node.given[0].dtype)
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    found, mean, scale = _normal(cast(x, wide), axes, eps)
    found = _scaled(found, _in(weight, wide), _in(bias, wide))
    return _as_likes(node, found, mean, scale)


def group_norm(node, x, weight, bias, n, c, hxw, group, eps):
    wide = computing(node.given[0].dtype)
    grouped = _core.reshape(cast(x, wide), (n, group, c // group * hxw))
    found, mean, scale = _normal(grouped, (2,), eps)
    across = (1, c) + (1,) * (x.ndim - 2)
    weight, bias = (
        None if a is None else _core.reshape(cast(a, wide), across) for a in (weight, bias)
    )
    found = _scaled(_core.reshape(found, x.shape), weight, bias)
    return _as_likes(node, found, _core.reshape(mean, (n, group)), _core.reshape(scale, (n, group)))


def _as_likes(node, *arrays):
    return tuple(cast(x, like.dtype) for x, like in zip(arrays, node.like, strict=True))


def batch_norm(node, x, weight, bias, training, momentum, eps):
    """Normalises by the batch's own mean and variance."""
    wide = computing(node.given[0].dtype)
    axes = (0, *range(2, x.ndim))
    found, mean, scale = _normal(cast(x, wide), axes, eps)
    found = _scaled(found, _across(weight, x, wide), _across(bias, x, wide))
    channels = (x.shape[1],)
    return _as_likes(node, found, _core.reshape(mean, channels), _core.reshape(scale, channels))


def batch_norm_counted(node, x, weight, bias, mean, variance, training, momentum, eps):
    """Normalises by the batch's own mean and variance, which also update the layer's; the layer's
    is unbiased."""
    wide = computing(node.given[0].dtype)
    axes = (0, *range(2, x.ndim))
    x = cast(x, wide)
    found, middle, scale = _normal(x, axes, eps)
    deviation = _core.subtract(x, middle)
    spread = _core.mean(_core.multiply(deviation, deviation), axis=axes)
    found = _scaled(found, _across(weight, x, wide), _across(bias, x, wide))
    middle, scale = (_core.reshape(a, (x.shape[1],)) for a in (middle, scale))
    count = x.size // x.shape[1]
    moved = [
        _core.add(_core.multiply(old, 1 - momentum), _core.multiply(new, momentum))
        for old, new in (
            (cast(mean, wide), middle),
            (cast(variance, wide), _core.multiply(spread, count / (count - 1))),
        )
    ]
    return _as_likes(node, found, middle, scale, *moved)


def is_trained(node):
    """Whether a norm goes by the batch and has what to move."""
    x, mean, training = node.given[0], node.given[3], node.given[5]
    return training and mean is not None and x.numel() > x.shape[1]


def batch_norm_fixed(node, x, weight, bias, mean, variance, momentum, eps):
    wide = computing(node.given[0].dtype)
    mean, variance = _across(mean, x, wide), _across(variance, x, wide)
    scale = _core.divide(1.0, _core.sqrt(_core.add(variance, eps)))
    found = _core.multiply(_core.subtract(cast(x, wide), mean), scale)
    found = _scaled(found, _across(weight, x, wide), _across(bias, x, wide))
    nothing = _core.zeros((0,), dtype=found.dtype)
    return _as_likes(node, found, nothing, nothing)


def _across(values, x, dtype):
    """A value for each channel, as something to compute with x."""
    if values is None:
        return None
    return _core.reshape(cast(values, dtype), (1, -1) + (1,) * (x.ndim - 2))


def convolution(node, x, weight, bias, stride, padding, dilation, transposed, extra, groups):
    wide = computing(node.like.dtype)
    x, weight, bias = cast(x, wide), cast(weight, wide), _in(bias, wide)
    found = _convolved(x, weight, stride, padding, dilation, transposed, extra, groups)
    if bias is not None:
        found = _core.add(found, _core.reshape(bias, (1, -1) + (1,) * (x.ndim - 2)))
    return cast(found, node.like.dtype)


def _convolved(x, weight, stride, padding, dilation, transposed, extra, groups):
    count = x.ndim - 2
    stride, padding, dilation, extra = (
        tuple(a) * count if len(a) == 1 else tuple(a) for a in (stride, padding, dilation, extra)
    )
    if not transposed:
        fun = _CONVOLUTIONS[count]
        return fun(x, weight, stride, padding, dilation, groups, data_format=_FIRST)
    fun = _TRANSPOSED[count]
    return fun(x, weight, stride, padding, dilation, extra, groups, data_format=_FIRST)


def convolution_backward(node, gradient, x, weight, sizes, *geometry):
    *geometry, mask = geometry
    wide = computing(node.given[1].dtype)
    gradient, x, weight = (cast(a, wide) for a in (gradient, x, weight))
    _, pull = vjp(lambda x, weight: _convolved(x, weight, *geometry), [x, weight])
    of_x, of_weight = pull([gradient])
    of_bias = _core.sum(gradient, axis=(0, *range(2, gradient.ndim)))
    found = (of_x, of_weight, of_bias)
    return tuple(
        cast(x, like.dtype) if wanted else None
        for x, like, wanted in zip(found, node.like, mask, strict=True)
    )


def is_convolved(node):
    """Empty batches, and what is no float, are left to torch."""
    x, weight = node.given[0], node.given[1]
    return is_float(x.dtype) and x.numel() > 0 and weight.numel() > 0 and x.dim() in (3, 4, 5)


def is_convolved_backward(node):
    x, weight = node.given[1], node.given[2]
    return is_float(x.dtype) and x.numel() > 0 and weight.numel() > 0 and x.dim() in (3, 4, 5)


def is_nonempty(node):
    return node.given[0].numel() > 0


def is_product(node):
    """Products of floats; torch's own of integers wrap as ours do, but those of bools differ."""
    return node.given[-1].dtype is not torch.bool
