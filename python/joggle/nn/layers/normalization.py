# SPDX-License-Identifier: Apache-2.0
"""Layers that bring values to mean 0 and variance 1: of a row, a group, a channel, a batch."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.settings import are_sizes

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from typing import Any

__all__ = ["BatchNorm", "GroupNorm", "InstanceNorm", "LayerNorm", "RMSNorm"]


class _Norm(Module):
    """eps, which is added to the variance, and a weight and a bias where affine."""

    _size = "dims"  # the name of the argument

    def _set(self, dims: int, eps: float, affine: bool, bias: bool = True) -> None:
        are_sizes(type(self).__name__, **{self._size: dims})
        if eps <= 0:
            raise ValueError(
                f"[{type(self).__name__}] eps: got {eps!r}, allowed are numbers above 0"
            )
        self.eps = eps
        if affine:
            self.weight = jg.ones((dims,))
            if bias:
                self.bias = jg.zeros((dims,))

    def _scaled(self, x: jg.array) -> jg.array:
        return self["weight"] * x + self["bias"] if "weight" in self else x


class LayerNorm(_Norm):
    """Rows of dims elements are brought to mean 0 and variance 1.

    >>> jg.nn.LayerNorm(3, eps=1e-9)(jg.array([1.0, 2.0, 3.0]))
    array([-1.2247448,  0.       ,  1.2247448], dtype=float32)
    """

    def __init__(
        self, dims: int, eps: float = 1e-5, affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self._set(dims, eps, affine, bias)
        self.dims = dims

    def _extra_repr(self) -> str:
        return f"{self.dims}, eps={self.eps}, affine={'weight' in self}"

    def __call__(self, x: jg.array) -> jg.array:
        return jg.fast.layer_norm(x, self.get("weight"), self.get("bias"), self.eps)


class RMSNorm(_Norm):
    """Rows are divided by the root of their mean square, and multiplied by a weight.

    >>> jg.nn.RMSNorm(2, eps=1e-9)(jg.array([3.0, 4.0]))
    array([0.84852815, 1.1313709 ], dtype=float32)
    """

    def __init__(self, dims: int, eps: float = 1e-5) -> None:
        super().__init__()
        self._set(dims, eps, True, bias=False)

    def _extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, eps={self.eps}"

    def __call__(self, x: jg.array) -> jg.array:
        return jg.fast.rms_norm(x, self["weight"], self.eps)


class InstanceNorm(_Norm):
    """Each channel of each element of a batch (batch, ..., channels) is normalised on its own.

    >>> jg.nn.InstanceNorm(3)(jg.ones((2, 4, 4, 3))).shape
    (2, 4, 4, 3)
    """

    def __init__(self, dims: int, eps: float = 1e-5, affine: bool = False) -> None:
        super().__init__()
        self._set(dims, eps, affine)
        self.dims = dims

    def _extra_repr(self) -> str:
        return f"{self.dims}, eps={self.eps}, affine={'weight' in self}"

    def __call__(self, x: jg.array) -> jg.array:
        if x.ndim < 3:
            raise ValueError(
                f"[InstanceNorm] x: got {x.ndim} axes, allowed are 3 and more: batch, ..., channels"
            )
        axes = tuple(range(1, x.ndim - 1))
        return self._scaled(_normalized(x, axes, self.eps))


class GroupNorm(_Norm):
    """Groups of channels of each element of a batch (batch, ..., dims) are normalised on their own.

    Channel c is in group c % num_groups; if pytorch_compatible, neighbours are in one group.

    >>> jg.nn.GroupNorm(2, 4)(jg.ones((1, 3, 3, 4))).shape
    (1, 3, 3, 4)
    """

    def __init__(
        self,
        num_groups: int,
        dims: int,
        eps: float = 1e-5,
        affine: bool = True,
        pytorch_compatible: bool = False,
    ) -> None:
        super().__init__()
        are_sizes("GroupNorm", 1, dims=dims, num_groups=num_groups)
        if dims % num_groups:
            raise ValueError(
                f"[GroupNorm] num_groups: got {num_groups!r}, allowed are divisors of dims, {dims}"
            )
        self._set(dims, eps, affine)
        self.num_groups = num_groups
        self.dims = dims
        self.pytorch_compatible = pytorch_compatible

    def _extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.dims}, eps={self.eps}, affine={'weight' in self}, "
            f"pytorch_compatible={self.pytorch_compatible}"
        )

    def __call__(self, x: jg.array) -> jg.array:
        groups, per_group = self.num_groups, self.dims // self.num_groups
        split = (groups, per_group) if self.pytorch_compatible else (per_group, groups)
        axis = 3 if self.pytorch_compatible else 2
        batch = x.shape[0]
        rows = x.reshape(batch, -1, self.dims)
        if rows.shape[1] == 1:
            found = _normalized(rows.reshape(batch, 1, *split), (axis,), self.eps)
        else:
            found = _normalized_in_groups(rows, split, axis, self.eps)
        return self._scaled(found.reshape(x.shape))


class BatchNorm(_Norm):
    """Channels of (batch, ..., num_features) are normalised by mean and variance of the batch.

    In evaluation they are normalised by the running mean and variance, which training gathers:
    momentum is the share that a batch has in them. These are frozen.

    >>> norm = jg.nn.BatchNorm(1)
    >>> norm(jg.array([[1.0], [3.0]])).tolist()
    [[-0.9999950528144836], [0.9999950528144836]]
    >>> norm.running_mean
    array([0.2], dtype=float32)
    """

    _size = "num_features"

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self._set(num_features, eps, affine)
        self.num_features = num_features
        self.momentum = momentum
        self.track_running_stats = track_running_stats
        if track_running_stats:
            self.running_mean = jg.zeros((num_features,))
            self.running_var = jg.ones((num_features,))
            self._freeze_statistics()

    def _freeze_statistics(self) -> None:
        self.freeze(keys=["running_mean", "running_var"], recurse=False)

    def unfreeze(self, *args: Any, **kwargs: Any) -> Module:
        """Undoes freeze, but for the running mean and variance.

        >>> jg.nn.BatchNorm(1).unfreeze().trainable_parameters().keys()
        dict_keys(['weight', 'bias'])
        """
        super().unfreeze(*args, **kwargs)
        self._freeze_statistics()
        return self

    def _extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={'weight' in self}, track_running_stats={self.track_running_stats}"
        )

    def __call__(self, x: jg.array) -> jg.array:
        if not 2 <= x.ndim <= 4:
            raise ValueError(f"[BatchNorm] x: got {x.ndim} axes, allowed are 2, 3 and 4")
        if self.track_running_stats and not self.training:
            mean, variance = self.running_mean, self.running_var
        else:
            axes = tuple(range(x.ndim - 1))
            mean, variance = _mean_and_variance(x, axes, keepdims=False)
        if self.training:
            self._gather(math.prod(x.shape[:-1]), mean, variance)
        return self._scaled((x - mean) * jg.rsqrt(variance + self.eps))

    def _gather(self, count: int, mean: jg.array, variance: jg.array) -> None:
        """Moves the running mean and variance towards those of a batch."""
        if count < 2:
            raise ValueError(
                f"[BatchNorm] x: got {count} values for each channel, allowed in training are two "
                "or more"
            )
        if self.track_running_stats:
            share = self.momentum
            unbiased = variance * (count / (count - 1))
            self.running_mean = (1 - share) * self.running_mean + share * mean
            self.running_var = (1 - share) * self.running_var + share * unbiased


def _mean_and_variance(
    x: jg.array, axes: tuple[int, ...], keepdims: bool = True
) -> tuple[jg.array, jg.array]:
    """As jg.mean and jg.var, which makes the mean once more. The mean of halves is rounded, and so
    is not the one that their variance is from."""
    mean = jg.mean(x, axis=axes, keepdims=True)
    if x.dtype not in (jg.float32, jg.float64):
        variance = jg.var(x, axis=axes, keepdims=keepdims)
    else:
        apart = x - mean
        variance = jg.mean(apart * apart, axis=axes, keepdims=keepdims)
    return mean if keepdims else jg.squeeze(mean, axis=axes), variance


def _normalized(x: jg.array, axes: tuple[int, ...], eps: float) -> jg.array:
    mean, variance = _mean_and_variance(x, axes)
    return (x - mean) * jg.rsqrt(variance + eps)


def _normalized_in_groups(x: jg.array, split: tuple[int, int], axis: int, eps: float) -> jg.array:
    """x of (batch, positions, channels), whose channels are split in two axes, one in a group.

    Columns are summed where they lie; the elements of a group would first be gathered. A group's
    variance is the mean of its channels' variances and of the squares of how far their means are
    from its own. The means are added as differences from the first, which are rounded less.
    """
    batch, _, channels = x.shape
    means, variances = (y.reshape(batch, 1, *split) for y in _mean_and_variance(x, (1,)))
    first = means[..., :1] if axis == 3 else means[:, :, :1]
    mean = first + jg.mean(means - first, axis=axis, keepdims=True)
    apart = means - mean
    factor = jg.rsqrt(jg.mean(variances + apart * apart, axis=axis, keepdims=True) + eps)
    mean, factor = (
        jg.broadcast_to(y, means.shape).reshape(batch, 1, channels) for y in (mean, factor)
    )
    return (x - mean) * factor
