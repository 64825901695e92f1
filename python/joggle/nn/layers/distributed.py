# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are spread over the processes of a group: joggle.distributed. group None is
that of all processes, joggle.distributed.init()."""

from __future__ import annotations

import functools
import itertools
import math

import joggle as jg
from joggle import _core, distributed
from joggle.nn.layers.base import Module
from joggle.nn.layers.linear import Linear, spread
from joggle.nn.layers.quantized import QuantizedLinear
from joggle.utils import _fill, tree_flatten, tree_map, tree_map_with_path

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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


def group_of(group: Any) -> Any:
    """The group that is meant."""
    return distributed.init() if group is None else group


@functools.lru_cache
def _summing(group: Any) -> Callable[[jg.array], jg.array]:
    @jg.custom_function
    def same(x: jg.array) -> jg.array:
        return x

    @same.vjp
    def sum_cotangents(x: jg.array, cotangent: jg.array, value: jg.array) -> jg.array:
        return distributed.all_sum(cotangent, group=group)

    return same


def sum_gradients(group: Any = None) -> Callable[[jg.array], jg.array]:
    """A function that gives its argument, whose gradient is summed over the processes.

    >>> jg.nn.layers.distributed.sum_gradients()(jg.array(2.0))
    array(2., dtype=float32)
    """
    group = group_of(group)
    return (lambda x: x) if group.size() == 1 else _summing(group)


def _cut(x: jg.array, axis: int, segments: int | list[Any]) -> Any:
    """The segments of a weight: as many equal ones, or cut at indices, or at fractions."""
    if isinstance(segments, int):
        return jg.split(x, segments, axis=axis)
    extent = x.shape[axis]
    cuts = [int(cut * extent) if isinstance(cut, float) else cut for cut in segments]
    return jg.split(x, cuts, axis=axis)


def _share(name: str, x: jg.array, axis: int, segments: int | list[Any], group: Any) -> jg.array:
    """This process's part of each segment, one after the other."""
    parts = []
    for segment in _cut(x, axis, segments):
        extent, size = segment.shape[axis], group.size()
        if extent % size:
            raise ValueError(
                f"[{name}] segments: got one of {extent} along axis {axis}, allowed are multiples "
                f"of {size}, the processes of the group"
            )
        parts.append(jg.split(segment, size, axis=axis)[group.rank()])
    return jg.contiguous(jg.concat(parts, axis=axis))


def _outputs(segments: Any) -> Callable[[str, jg.array], Any]:
    """Which axis of a parameter belongs to the outputs."""
    return lambda path, x: (-1 if path.endswith("bias") else max(x.ndim - 2, 0), segments)


def _inputs(segments: Any) -> Callable[[str, jg.array], Any]:
    """The same of the inputs; a bias has none."""
    return lambda path, x: None if path.endswith("bias") else (-1, segments)


def _shares(name: str, parameters: Any, where: Callable[[str, jg.array], Any], group: Any) -> Any:
    def share(path: str, x: Any) -> Any:
        chosen = where(path, x) if isinstance(x, jg.array) else None
        if chosen is None:
            return x
        if isinstance(chosen, int):
            chosen = (chosen, 1)
        if not isinstance(chosen, tuple):
            raise ValueError(
                f"[{name}] sharding: gave {type(chosen).__name__} for {path}, allowed are None, an "
                "int and a tuple of an int and segments"
            )
        return _share(name, x, *chosen, group)

    return tree_map_with_path(share, parameters)


def _divides(name: str, argument: str, extent: int, group: Any) -> int:
    if extent % group.size():
        raise ValueError(
            f"[{name}] {argument}: got {extent}, allowed are multiples of {group.size()}, the "
            "processes of the group"
        )
    return extent // group.size()


class AllToShardedLinear(Module):
    """A Linear of which each process has some of the outputs.

    >>> jg.nn.AllToShardedLinear(3, 2)(jg.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(
        self, input_dims: int, output_dims: int, bias: bool = True, group: Any = None
    ) -> None:
        super().__init__()
        self.group = group_of(group)
        outputs = _divides("AllToShardedLinear", "output_dims", output_dims, self.group)
        self.weight = spread(input_dims, (outputs, input_dims))
        if bias:
            self.bias = spread(input_dims, (outputs,))

    def _extra_repr(self) -> str:
        outputs, inputs = self.weight.shape
        outputs *= self.group.size()
        return f"input_dims={inputs}, output_dims={outputs}, bias={'bias' in self}"

    def __call__(self, x: jg.array) -> jg.array:
        x = sum_gradients(self.group)(x)
        if "bias" in self:
            return jg.addmm(self["bias"], x, self["weight"].T)
        return x @ self["weight"].T

    @classmethod
    def from_linear(
        cls, linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a Linear that this process has.

        >>> jg.nn.AllToShardedLinear.from_linear(jg.nn.Linear(3, 2)).weight.shape
        (2, 3)
        """
        return _of_linear(cls, linear_layer, _outputs(segments), group)


class ShardedToAllLinear(Module):
    """A Linear of which each process has some of the inputs; the results are summed.

    >>> jg.nn.ShardedToAllLinear(3, 2)(jg.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(
        self, input_dims: int, output_dims: int, bias: bool = True, group: Any = None
    ) -> None:
        super().__init__()
        self.group = group_of(group)
        inputs = _divides("ShardedToAllLinear", "input_dims", input_dims, self.group)
        self.weight = spread(input_dims, (output_dims, inputs))
        if bias:
            self.bias = spread(input_dims, (output_dims,))

    def _extra_repr(self) -> str:
        outputs, inputs = self.weight.shape
        inputs *= self.group.size()
        return f"input_dims={inputs}, output_dims={outputs}, bias={'bias' in self}"

    def __call__(self, x: jg.array) -> jg.array:
        x = distributed.all_sum(x @ self["weight"].T, group=self.group)
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_linear(
        cls, linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a Linear that this process has.

        >>> jg.nn.ShardedToAllLinear.from_linear(jg.nn.Linear(3, 2)).weight.shape
        (2, 3)
        """
        return _of_linear(cls, linear_layer, _inputs(segments), group)


def _of_linear(kind: Any, layer: Module, where: Callable[..., Any], group: Any) -> Module:
    output_dims, input_dims = layer.weight.shape
    made = kind(input_dims, output_dims, "bias" in layer, group)
    return made.update(_shares(kind.__name__, layer.parameters(), where, made.group))


class _QuantizedSharded(QuantizedLinear):
    """The base of both layers of codes. shares: how many processes share inputs and outputs."""

    def _make(self, dims: tuple[int, int], bias: bool, mode: str, size: int, bits: int) -> None:
        outputs, inputs = dims
        Module.__init__(self)
        self._take(spread(inputs, (outputs, inputs)), mode, size, bits)
        if bias:
            self.bias = jg.zeros((outputs,))
        self.freeze()

    def _repr_of(self, outputs: int, inputs: int) -> str:
        return (
            f"input_dims={inputs * 32 // self.bits}, output_dims={outputs}, "
            f"bias={'bias' in self}, {self._how()}"
        )


class QuantizedAllToShardedLinear(_QuantizedSharded):
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
        group = group_of(group)
        outputs = _divides("QuantizedAllToShardedLinear", "output_dims", output_dims, group)
        self._make((outputs, input_dims), bias, mode, group_size, bits)
        self.group = group

    def _extra_repr(self) -> str:
        outputs, inputs = self.weight.shape
        return self._repr_of(outputs * self.group.size(), inputs)

    def __call__(self, x: jg.array) -> jg.array:
        x = self._multiply(sum_gradients(self.group)(x))
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_quantized_linear(
        cls, quantized_linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a QuantizedLinear that this process has.

        >>> layer = jg.nn.QuantizedLinear(64, 2)
        >>> jg.nn.QuantizedAllToShardedLinear.from_quantized_linear(layer).bits
        4
        """
        return _of_quantized(cls, quantized_linear_layer, _outputs(segments), group)


class QuantizedShardedToAllLinear(_QuantizedSharded):
    """A QuantizedLinear of which each process has some of the inputs; the results are summed.

    >>> jg.nn.QuantizedShardedToAllLinear(64, 2)(jg.ones((5, 64))).shape
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
        group = group_of(group)
        inputs = _divides("QuantizedShardedToAllLinear", "input_dims", input_dims, group)
        self._make((output_dims, inputs), bias, mode, group_size, bits)
        self.group = group

    def _extra_repr(self) -> str:
        outputs, inputs = self.weight.shape
        return self._repr_of(outputs, inputs * self.group.size())

    def __call__(self, x: jg.array) -> jg.array:
        x = distributed.all_sum(self._multiply(x), group=self.group)
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_quantized_linear(
        cls, quantized_linear_layer: Module, *, segments: int | list[Any] = 1, group: Any = None
    ) -> Module:
        """The share of a QuantizedLinear that this process has.

        >>> layer = jg.nn.QuantizedLinear(64, 2)
        >>> jg.nn.QuantizedShardedToAllLinear.from_quantized_linear(layer).bits
        4
        """
        return _of_quantized(cls, quantized_linear_layer, _inputs(segments), group)


def _of_quantized(kind: Any, layer: Any, where: Callable[..., Any], group: Any) -> Module:
    made = kind.__new__(kind)
    Module.__init__(made)
    made.group = group_of(group)
    for name in ("group_size", "bits", "mode", "biases"):
        setattr(made, name, getattr(layer, name))
    for name, value in _shares(kind.__name__, layer.parameters(), where, made.group).items():
        setattr(made, name, value)
    made.freeze()
    return made


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
    """Leaves this process its share of a module's parameters. sharding may be a function of a
    parameter's path and the parameter: it gives the axis, or the axis and segments, or None.

    >>> layer = jg.nn.Linear(3, 2)
    >>> jg.nn.layers.distributed.shard_inplace(layer, "all-to-sharded")
    >>> layer.weight.shape
    (2, 3)
    """
    where: Any = sharding
    if not callable(sharding):
        _is_known("shard_inplace", sharding)
        where = (_outputs if sharding == _SHARDINGS[0] else _inputs)(segments)
    module.update(_shares("shard_inplace", module.parameters(), where, group_of(group)))


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
        plain: Any = AllToShardedLinear if outputs else ShardedToAllLinear
        return plain.from_linear(module, segments=segments, group=group)
    quantized: Any = QuantizedAllToShardedLinear if outputs else QuantizedShardedToAllLinear
    return quantized.from_quantized_linear(module, segments=segments, group=group)


def _joined(arrays: list[jg.array], rows: int) -> jg.array:
    """The arrays, each as that many rows, side by side."""
    flat = [x.reshape(rows, -1) for x in arrays]
    return flat[0] if len(flat) == 1 else jg.concat(flat, axis=1)


def _parted(flat: jg.array, shapes: list[tuple[int, ...]]) -> list[jg.array]:
    """The arrays of these shapes that lie side by side in rows."""
    ends = list(itertools.accumulate(math.prod(shape) // flat.shape[0] for shape in shapes))
    parts = jg.split(flat, ends[:-1], axis=1)
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


@functools.lru_cache
def _gathering(group: Any) -> Callable[[list[jg.array]], list[jg.array]]:
    """A function of arrays of one dtype, of which each process has its part of the first axis. It
    gives the whole arrays. A gradient is the mean over the processes, of which each gets its part.
    """
    size = group.size()

    @jg.custom_function
    def gather(shards: list[jg.array]) -> list[jg.array]:
        flat = distributed.all_gather(_joined(shards, 1), group=group)
        return _parted(flat, [(x.shape[0] * size, *x.shape[1:]) for x in shards])

    @gather.vjp
    def scatter(shards: list[jg.array], cotangents: list[jg.array], wholes: Any) -> Any:
        flat = distributed.sum_scatter(_joined(cotangents, size), group=group) / size
        return _parted(flat, [x.shape for x in shards])

    return gather


def _gather(shards: list[jg.array], group: Any, compute_dtype: jg.Dtype | None) -> list[jg.array]:
    """The whole arrays: one message for each dtype."""
    by_dtype: dict[jg.Dtype, list[int]] = {}
    for at, x in enumerate(shards):
        if compute_dtype is not None and jg.isdtype(x.dtype, "real floating"):
            shards[at] = x = x.astype(compute_dtype)
        by_dtype.setdefault(x.dtype, []).append(at)
    wholes: list[Any] = [None] * len(shards)
    for places in by_dtype.values():
        for at, whole in zip(places, _gathering(group)([shards[at] for at in places]), strict=True):
            wholes[at] = whole
    return wholes


def _is_sharded(module: Module, key: str, value: Any) -> bool:
    """Whether a FullyShardedModule keeps a part of a parameter, or looks for some in a module:
    nested ones gather their own."""
    if isinstance(value, FullyShardedModule):
        return False
    return Module.valid_parameter_filter(module, key, value)


class FullyShardedModule(Module):
    """A module of whose parameters each process keeps a part of the first axis. A call gathers the
    whole ones; gradients are means over the processes, of which each gets its part.

    >>> jg.nn.FullyShardedModule(jg.nn.Linear(3, 2))(jg.ones((5, 3))).shape
    (5, 2)
    """

    _group: Any
    _compute_dtype: jg.Dtype | None
    _paths: list[str]

    def __init__(
        self, module: Module, group: Any = None, compute_dtype: jg.Dtype | None = None
    ) -> None:
        super().__init__()
        group = group_of(group)
        shared = module.filter_and_map(_is_sharded)
        leaves = tree_flatten(shared)
        for path, x in leaves:
            if x.ndim == 0 or x.shape[0] % group.size():
                raise ValueError(
                    f"[FullyShardedModule] module: its parameter {path!r} has the shape {x.shape}, "
                    f"allowed is a first extent that is a multiple of {group.size()}, the "
                    "processes of the group"
                )
        self._keep("_group", group)
        self._keep("_compute_dtype", compute_dtype)
        self._keep("_paths", [path for path, _ in leaves])
        module.update(_shares("FullyShardedModule", shared, lambda path, x: 0, group))
        self.module = module

    def _keep(self, name: str, value: Any) -> None:
        """Sets an attribute that is no parameter."""
        super(Module, self).__setattr__(name, value)

    def _extra_repr(self) -> str:
        return f"num_sharded_params={len(self._paths)}"

    def _called(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        shards = self.module.filter_and_map(_is_sharded)
        leaves = [leaf for _, leaf in tree_flatten(shards)]
        wholes = _fill(shards, iter(_gather(leaves, self._group, self._compute_dtype)))
        try:
            self.module.update(wholes)
            return function(*args, **kwargs)
        finally:
            _core._tree_put_back(wholes, shards, self.module)
            self._share_anew(shards)

    def _share_anew(self, shards: Any) -> None:
        """The state that a call has set, such as the statistics of a BatchNorm."""

        def share(x: Any, shard: Any) -> Any:
            if x is shard:
                return shard
            return _share("FullyShardedModule", x, 0, 1, self._group).astype(shard.dtype)

        self.module.update(tree_map(share, self.module.filter_and_map(_is_sharded), shards))

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
    """The FullyShardedModule of a module, of whose parameters each process keeps a part. The module
    itself where there is nothing to share: in a group of one process, as in MLX whatever the
    compute_dtype, for a FullyShardedModule, and without parameters.

    >>> jg.nn.fully_shard(jg.nn.Linear(3, 2))
    Linear(input_dims=3, output_dims=2, bias=True)
    """
    group = group_of(group)
    if group.size() == 1 or isinstance(module, FullyShardedModule):
        return module
    made = FullyShardedModule(module, group, compute_dtype)
    return made if made._paths else module
