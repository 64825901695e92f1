# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are codes of a few bits, and quantize, which puts them into a model."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.settings import are_sizes
from joggle.utils import tree_map_with_path

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["QQLinear", "QuantizedEmbedding", "QuantizedLinear", "quantize"]

# The defaults of a mode: elements of a group, and bits of a code.
_DEFAULTS = {"affine": (64, 4), "mxfp4": (32, 4), "nvfp4": (16, 4), "mxfp8": (32, 8)}


def _settings(mode: str, group_size: int | None, bits: int | None) -> tuple[int, int]:
    if mode not in _DEFAULTS:
        raise ValueError(f"mode: got {mode!r}, allowed are {', '.join(map(repr, _DEFAULTS))}")
    usual_size, usual_bits = _DEFAULTS[mode]
    return group_size or usual_size, bits or usual_bits


def quantize(
    model: Module,
    group_size: int | None = None,
    bits: int | None = None,
    *,
    mode: str = "affine",
    quantize_input: bool = False,
    class_predicate: Callable[[str, Module], bool | dict[str, Any]] | None = None,
) -> None:
    """Puts quantised layers in the places of those layers of a model that have such a form.

    class_predicate is given the path and the layer, and says whether it is to be quantised, or
    with which arguments of to_quantized.

    >>> model = jg.nn.Sequential(jg.nn.Linear(64, 8), jg.nn.ReLU())
    >>> jg.nn.quantize(model, bits=8)
    >>> type(model.layers[0]).__name__
    'QuantizedLinear'
    """
    if not Module.is_module(model):
        raise TypeError(
            f"[quantize] model: got {type(model).__name__}, allowed is a joggle.nn.Module"
        )
    arguments: dict[str, Any] = {"group_size": group_size, "bits": bits, "mode": mode}
    if quantize_input:
        arguments["quantize_input"] = True

    def quantized(path: str, layer: Any) -> Any:
        if not Module.is_module(layer):
            return layer
        if class_predicate is None:
            chosen: Any = hasattr(layer, "to_quantized")
        else:
            chosen = class_predicate(path, layer)
        if not chosen:
            return layer
        if not hasattr(layer, "to_quantized"):
            raise ValueError(
                f"[quantize] {path}: {type(layer).__name__} has no quantised form, allowed are "
                "layers with to_quantized"
            )
        if isinstance(chosen, bool):
            return layer.to_quantized(**arguments)
        if not isinstance(chosen, dict):
            raise ValueError(
                f"[quantize] class_predicate: gave {type(chosen).__name__} for {path}, allowed are "
                "a bool and a dict of arguments"
            )
        if not chosen.get("quantize_input", True):
            chosen = {key: value for key, value in chosen.items() if key != "quantize_input"}
        return layer.to_quantized(**chosen)

    leaves = tree_map_with_path(quantized, model.leaf_modules(), is_leaf=Module.is_module)
    model.update_modules(leaves)


class _Quantized(Module):
    """A weight in codes, with their scales and, in affine mode, biases. It is frozen."""

    def _take(self, weight: jg.array, mode: str, group_size: int | None, bits: int | None) -> None:
        self.group_size, self.bits = _settings(mode, group_size, bits)
        self.mode = mode
        self._encode(weight)

    def _encode(self, weight: jg.array) -> None:
        self.weight, self.scales, *biases = jg.quantize(
            weight, self.group_size, self.bits, mode=self.mode
        )
        self.biases = biases[0] if biases else None

    def _how(self) -> str:
        return f"group_size={self.group_size}, bits={self.bits}, mode={self.mode}"

    def _multiply(self, x: jg.array) -> jg.array:
        return jg.quantized_matmul(
            x,
            self["weight"],
            scales=self["scales"],
            biases=self.get("biases"),
            transpose=True,
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )


class QuantizedEmbedding(_Quantized):
    """An Embedding in codes of a few bits; the vectors that are chosen are decoded.

    >>> jg.nn.QuantizedEmbedding(10, 64)(jg.array([1, 2])).shape
    (2, 64)
    """

    def __init__(
        self,
        num_embeddings: int,
        dims: int,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> None:
        super().__init__()
        are_sizes("QuantizedEmbedding", num_embeddings=num_embeddings)
        are_sizes("QuantizedEmbedding", 1, dims=dims)
        table = jg.random.normal((num_embeddings, dims), scale=math.sqrt(1 / dims))
        self._take(table, mode, group_size, bits)
        self.num_embeddings = num_embeddings
        self.dims = dims
        self.freeze()

    def __call__(self, x: jg.array) -> jg.array:
        biases = self.get("biases")
        return jg.dequantize(
            self["weight"][x],
            scales=self["scales"][x],
            biases=None if biases is None else biases[x],
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    def as_linear(self, x: jg.array) -> jg.array:
        """x times the table transposed.

        >>> jg.nn.QuantizedEmbedding(10, 64).as_linear(jg.ones((2, 64))).shape
        (2, 10)
        """
        return self._multiply(x)

    def _extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.dims}, {self._how()}"

    @classmethod
    def from_embedding(
        cls,
        embedding_layer: Module,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> QuantizedEmbedding:
        """The codes of an Embedding's table.

        >>> jg.nn.QuantizedEmbedding.from_embedding(jg.nn.Embedding(10, 64)).dims
        64
        """
        made = cls.__new__(cls)
        Module.__init__(made)
        made._take(embedding_layer.weight, mode, group_size, bits)
        made.num_embeddings, made.dims = embedding_layer.weight.shape
        made.freeze()
        return made


class QuantizedLinear(_Quantized):
    """A Linear whose weight is codes of a few bits.

    >>> jg.nn.QuantizedLinear(64, 2)(jg.ones((5, 64))).shape
    (5, 2)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> None:
        super().__init__()
        are_sizes(type(self).__name__, 1, input_dims=input_dims)
        are_sizes(type(self).__name__, output_dims=output_dims)
        bound = math.sqrt(1 / input_dims)
        self._take(
            jg.random.uniform(-bound, bound, (output_dims, input_dims)), mode, group_size, bits
        )
        if bias:
            self.bias = jg.zeros((output_dims,))
        self.freeze()

    def _extra_repr(self) -> str:
        output_dims, words = self.weight.shape
        return (
            f"input_dims={words * 32 // self.bits}, output_dims={output_dims}, "
            f"bias={'bias' in self}, {self._how()}"
        )

    def __call__(self, x: jg.array) -> jg.array:
        found = self._multiply(x)
        return found + self["bias"] if "bias" in self else found

    @classmethod
    def from_linear(
        cls,
        linear_layer: Module,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> QuantizedLinear:
        """The codes of a Linear's weight, which are frozen, and its bias as it is.

        >>> jg.nn.QuantizedLinear.from_linear(jg.nn.Linear(64, 2), bits=8).bits
        8
        """
        made = cls.__new__(cls)
        Module.__init__(made)
        made._take(linear_layer.weight, mode, group_size, bits)
        made.freeze()
        if "bias" in linear_layer:
            made.bias = linear_layer.bias
        return made


class QQLinear(_Quantized):
    """A Linear without bias whose input is rounded as its weight is: "nvfp4" or "mxfp8".

    The weight is codes in evaluation only, so that it can be trained.

    >>> jg.nn.QQLinear(32, 2, mode="mxfp8")(jg.ones((5, 32))).shape
    (5, 2)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "nvfp4",
    ) -> None:
        super().__init__()
        self.group_size, self.bits = _settings(mode, group_size, bits)
        self.mode = mode
        are_sizes("QQLinear", 1, input_dims=input_dims)
        are_sizes("QQLinear", output_dims=output_dims)
        bound = math.sqrt(1 / input_dims)
        self.weight = jg.random.uniform(-bound, bound, (output_dims, input_dims))
        self._quantized = False

    def _extra_repr(self) -> str:
        output_dims, extent = self.weight.shape
        if self._quantized:
            extent = extent * 32 // self.bits
        return f"input_dims={extent}, output_dims={output_dims}, {self._how()}"

    def quantize(self) -> None:
        """Makes codes of the weight, unless it is codes.

        >>> layer = jg.nn.QQLinear(32, 2, mode="mxfp8")
        >>> layer.quantize()
        >>> layer.weight.dtype
        joggle.uint32
        """
        if not self._quantized:
            self._dtype = self.weight.dtype
            self._encode(self.weight)
            self._quantized = True

    def dequantize(self) -> None:
        """Makes numbers of the weight's codes.

        >>> layer = jg.nn.QQLinear(32, 2, mode="mxfp8").eval()
        >>> layer.dequantize()
        >>> layer.weight.shape
        (2, 32)
        """
        if self._quantized:
            self.weight = jg.dequantize(
                self.weight,
                scales=self.scales,
                group_size=self.group_size,
                bits=self.bits,
                mode=self.mode,
            ).astype(self._dtype)
            del self.scales
            self._quantized = False

    def _set_training_mode(self, mode: bool) -> None:
        super()._set_training_mode(mode)
        if mode:
            self.dequantize()
        else:
            self.quantize()

    def __call__(self, x: jg.array) -> jg.array:
        return jg.qqmm(
            x,
            self["weight"],
            scales=self.get("scales"),
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    @classmethod
    def from_linear(
        cls,
        linear_layer: Module,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "nvfp4",
    ) -> QQLinear:
        """The same map as a Linear's without bias, in the Linear's mode.

        >>> jg.nn.QQLinear.from_linear(jg.nn.Linear(32, 2, bias=False), mode="mxfp8").bits
        8
        """
        if linear_layer.get("bias") is not None:
            raise NotImplementedError("[QQLinear] linear_layer: it has a bias, allowed is none")
        output_dims, input_dims = linear_layer.weight.shape
        made = cls(input_dims, output_dims, group_size, bits, mode)
        made.weight = linear_layer.weight
        made.train(linear_layer.training)
        return made
