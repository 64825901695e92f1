# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are spread over processes. Joggle computes in one process: a group of one
has the whole weight, and a larger group is refused."""

from __future__ import annotations

from joggle.nn.layers.base import Module
from joggle.nn.layers.linear import Linear
from joggle.nn.layers.quantized import QuantizedLinear

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import joggle as jg

__all__ = [
    "AllToShardedLinear",
    "FullyShardedModule",
    "QuantizedAllToShardedLinear",
    "QuantizedShardedToAllLinear",
    "ShardedToAllLinear",
    "fully_shard",
    "shard_inplace",
    "shard_linear",
    "sum_gradients",
]

_SHARDINGS = ("all-to-sharded", "sharded-to-all")


def is_alone(name: str, group: Any) -> None:
    """Refuses a group of several processes; None is the group of this process."""
    size = 1 if group is None else group.size()
    if size != 1:
        raise NotImplementedError(
            f"[{name}] group: got one of {size} processes, allowed is one of 1: joggle has no "
            "communication between processes"
        )


def sum_gradients(group: Any = None) -> Callable[[jg.array], jg.array]:
    """A function that gives its argument, whose gradient is summed over the processes.

    >>> jg.nn.layers.distributed.sum_gradients()(jg.array(2.0))
    array(2., dtype=float32)
    """
    is_alone("sum_gradients", group)
    return lambda x: x


class AllToShardedLinear(Linear):
    """A Linear of which each process has some of the outputs.

    >>> jg.nn.AllToShardedLinear(3, 2)(jg.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(
        self, input_dims: int, output_dims: int, bias: bool = True, group: Any = None
    ) -> None:
        is_alone(type(self).__name__, group)
        super().__init__(input_dims, output_dims, bias)

    @classmethod
    def from_linear(
        cls, linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a Linear that this process has.

        >>> jg.nn.AllToShardedLinear.from_linear(jg.nn.Linear(3, 2)).weight.shape
        (2, 3)
        """
        output_dims, input_dims = linear_layer.weight.shape
        made = cls(input_dims, output_dims, "bias" in linear_layer, group)
        return made.update(linear_layer.parameters())


class ShardedToAllLinear(AllToShardedLinear):
    """A Linear of which each process has some of the inputs.

    >>> jg.nn.ShardedToAllLinear(3, 2)(jg.ones((5, 3))).shape
    (5, 2)
    """


class QuantizedAllToShardedLinear(QuantizedLinear):
    """A QuantizedLinear of which each process has some of the outputs.

    >>> jg.nn.QuantizedAllToShardedLinear(64, 2)(jg.ones((5, 64))).shape
    (5, 2)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group_size: int = 64,
        bits: int = 4,
        mode: str = "affine",
        group: Any = None,
    ) -> None:
        is_alone(type(self).__name__, group)
        super().__init__(input_dims, output_dims, bias, group_size, bits, mode)

    @classmethod
    def from_quantized_linear(
        cls, quantized_linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a QuantizedLinear that this process has.

        >>> layer = jg.nn.QuantizedLinear(64, 2)
        >>> jg.nn.QuantizedAllToShardedLinear.from_quantized_linear(layer).bits
        4
        """
        is_alone(cls.__name__, group)
        made = cls.__new__(cls)
        Module.__init__(made)
        for name in ("group_size", "bits", "mode", "biases"):
            setattr(made, name, getattr(quantized_linear_layer, name))
        for name, value in quantized_linear_layer.items():
            setattr(made, name, value)
        made.freeze()
        return made


class QuantizedShardedToAllLinear(QuantizedAllToShardedLinear):
    """A QuantizedLinear of which each process has some of the inputs.

    >>> jg.nn.QuantizedShardedToAllLinear(64, 2)(jg.ones((5, 64))).shape
    (5, 2)
    """


def _is_known(name: str, sharding: Any) -> None:
    if sharding not in _SHARDINGS:
        raise ValueError(
            f"[{name}] sharding: got {sharding!r}, allowed are " + " and ".join(_SHARDINGS)
        )


def shard_inplace(
    module: Module,
    sharding: str | Callable[[str, jg.array], Any],
    *,
    segments: int | list[Any] = 1,
    group: Any = None,
) -> None:
    """Leaves this process its share of a module's parameters.

    >>> layer = jg.nn.Linear(3, 2)
    >>> jg.nn.layers.distributed.shard_inplace(layer, "all-to-sharded")
    >>> layer.weight.shape
    (2, 3)
    """
    is_alone("shard_inplace", group)
    if not callable(sharding):
        _is_known("shard_inplace", sharding)


def shard_linear(
    module: Module, sharding: str, *, segments: int | list[Any] = 1, group: Any = None
) -> Module:
    """The layer that has this process's share of a Linear or QuantizedLinear.

    >>> jg.nn.layers.distributed.shard_linear(jg.nn.Linear(3, 2), "sharded-to-all")
    ShardedToAllLinear(input_dims=3, output_dims=2, bias=True)
    """
    _is_known("shard_linear", sharding)
    outputs = sharding == _SHARDINGS[0]
    if isinstance(module, Linear):
        plain = AllToShardedLinear if outputs else ShardedToAllLinear
        return plain.from_linear(module, segments=segments, group=group)
    quantized = QuantizedAllToShardedLinear if outputs else QuantizedShardedToAllLinear
    return quantized.from_quantized_linear(module, segments=segments, group=group)


class FullyShardedModule(Module):
    """A module of whose parameters each process keeps a part, and gets the others for a call.

    >>> jg.nn.FullyShardedModule(jg.nn.Linear(3, 2))(jg.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(
        self, module: Module, group: Any = None, compute_dtype: jg.Dtype | None = None
    ) -> None:
        is_alone("FullyShardedModule", group)
        super().__init__()
        self.module = module
        self._compute_dtype = compute_dtype

    def _called(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        dtype = self._compute_dtype
        if dtype is None:
            return function(*args, **kwargs)
        kept = self.module.trainable_parameters()
        self.module.set_dtype(dtype)
        try:
            return function(*args, **kwargs)
        finally:
            self.module.update(kept)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._called(self.module, *args, **kwargs)

    def as_linear(self, *args: Any, **kwargs: Any) -> Any:
        """The module's as_linear, as that of an Embedding.

        >>> jg.nn.FullyShardedModule(jg.nn.Embedding(10, 4)).as_linear(jg.ones((2, 4))).shape
        (2, 10)
        """
        return self._called(self.module.as_linear, *args, **kwargs)


def fully_shard(
    module: Module, *, group: Any = None, compute_dtype: jg.Dtype | None = None
) -> Module:
    """A module of whose parameters each process keeps a part: for one process, the module itself,
    whatever the compute_dtype, as in MLX.

    >>> jg.nn.fully_shard(jg.nn.Linear(3, 2))
    Linear(input_dims=3, output_dims=2, bias=True)
    """
    is_alone("fully_shard", group)
    return module
