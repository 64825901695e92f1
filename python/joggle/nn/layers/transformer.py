# SPDX-License-Identifier: Apache-2.0
"""Attention with several heads, and the encoders and decoders that are made of it."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.activations import relu
from joggle.nn.layers.base import Module
from joggle.nn.layers.dropout import Dropout
from joggle.nn.layers.linear import Linear
from joggle.nn.layers.normalization import LayerNorm
from joggle.nn.layers.parameters import checkpoint as checkpoint_of

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Activation = Callable[[Any], Any]

__all__ = [
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


class MultiHeadAttention(Module):
    """Attention of num_heads heads, between linear maps of queries, keys, values and the result.

    mask is added to the scores, or says by bools where to look; it may be "causal".

    >>> x = jg.ones((2, 5, 8))
    >>> jg.nn.MultiHeadAttention(8, num_heads=2)(x, x, x).shape
    (2, 5, 8)
    """

    def __init__(
        self,
        dims: int,
        num_heads: int,
        query_input_dims: int | None = None,
        key_input_dims: int | None = None,
        value_input_dims: int | None = None,
        value_dims: int | None = None,
        value_output_dims: int | None = None,
        bias: bool = False,
    ) -> None:
        super().__init__()
        if num_heads < 1 or dims % num_heads:
            raise ValueError(
                f"[MultiHeadAttention] num_heads: got {num_heads!r}, allowed are divisors of dims, "
                f"{dims}"
            )
        key_input_dims = key_input_dims or dims
        value_dims = value_dims or dims
        self.num_heads = num_heads
        self.query_proj = Linear(query_input_dims or dims, dims, bias=bias)
        self.key_proj = Linear(key_input_dims, dims, bias=bias)
        self.value_proj = Linear(value_input_dims or key_input_dims, value_dims, bias=bias)
        self.out_proj = Linear(value_dims, value_output_dims or dims, bias=bias)

    def __call__(
        self,
        queries: jg.array,
        keys: jg.array,
        values: jg.array,
        mask: jg.array | str | None = None,
    ) -> jg.array:
        queries = self._heads(self.query_proj(queries))
        keys = self._heads(self.key_proj(keys))
        values = self._heads(self.value_proj(values))
        found = jg.fast.scaled_dot_product_attention(
            queries, keys, values, scale=math.sqrt(1 / queries.shape[-1]), mask=mask
        )
        return self.out_proj(found.transpose(0, 2, 1, 3).flatten(-2, -1))

    def _heads(self, x: jg.array) -> jg.array:
        """(batch, length, dims) as (batch, heads, length, dims of a head)."""
        return jg.unflatten(x, -1, (self.num_heads, -1)).transpose(0, 2, 1, 3)

    @staticmethod
    def create_additive_causal_mask(N: int, dtype: jg.Dtype = jg.float32) -> jg.array:
        """The mask of N places with which each attends to itself and to those before it.

        >>> jg.nn.MultiHeadAttention.create_additive_causal_mask(2)[0, 1] < -1e38
        array(True, dtype=bool)
        """
        places = jg.arange(N)
        later = places[:, None] < places
        return later.astype(dtype) * jg.array(jg.finfo(dtype).min, dtype=dtype)


class _Layer(Module):
    """Attention parts and a perceptron of two linear maps, each with dropout and a LayerNorm.

    Each adds to x: of the normalised x if norm_first, or else the sum is normalised.
    """

    _parts = 2

    def _set(
        self,
        dims: int,
        mlp_dims: int | None,
        dropout: float,
        activation: Activation,
        norm_first: bool,
    ) -> None:
        mlp_dims = mlp_dims or 4 * dims
        for part in range(1, self._parts + 1):
            setattr(self, f"ln{part}", LayerNorm(dims))
        self.linear1 = Linear(dims, mlp_dims)
        self.linear2 = Linear(mlp_dims, dims)
        for part in range(1, self._parts + 1):
            setattr(self, f"dropout{part}", Dropout(dropout))
        self.activation = activation
        self.norm_first = norm_first

    def _add(self, part: int, x: jg.array, function: Callable[[jg.array], jg.array]) -> jg.array:
        norm = self[f"ln{part}"]
        if self.norm_first:
            return x + function(norm(x))
        return norm(x + function(x))

    def _attend(self, part: int, attention: MultiHeadAttention, memory: Any, mask: Any) -> Any:
        """A function of x that attends to memory, or to x if there is none."""
        dropout = self[f"dropout{part}"]

        def attended(x: jg.array) -> jg.array:
            seen = x if memory is None else memory
            return dropout(attention(x, seen, seen, mask))

        return attended

    def _perceive(self, x: jg.array) -> jg.array:
        dropout = self[f"dropout{self._parts}"]
        return self.linear2(dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention of x to itself and a perceptron, each added to x.

    >>> jg.nn.TransformerEncoderLayer(8, num_heads=2)(jg.ones((1, 5, 8)), None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dims, num_heads)
        self._set(dims, mlp_dims, dropout, activation, norm_first)

    def __call__(self, x: jg.array, mask: jg.array | str | None) -> jg.array:
        x = self._add(1, x, self._attend(1, self.attention, None, mask))
        return self._add(2, x, self._perceive)


class TransformerDecoderLayer(_Layer):
    """Attention of x to itself, to memory, and a perceptron, each added to x.

    >>> x = jg.ones((1, 5, 8))
    >>> jg.nn.TransformerDecoderLayer(8, num_heads=2)(x, x, None, None).shape
    (1, 5, 8)
    """

    _parts = 3

    def __init__(
        self,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(dims, num_heads)
        self.cross_attention = MultiHeadAttention(dims, num_heads)
        self._set(dims, mlp_dims, dropout, activation, norm_first)

    def __call__(self, x: jg.array, memory: jg.array, x_mask: Any, memory_mask: Any) -> jg.array:
        x = self._add(1, x, self._attend(1, self.self_attention, None, x_mask))
        x = self._add(2, x, self._attend(2, self.cross_attention, memory, memory_mask))
        return self._add(3, x, self._perceive)


class _Stack(Module):
    """Layers one after the other and a LayerNorm; with checkpoint what is in a layer is computed
    again for derivatives."""

    _layer: type[Module]

    def __init__(
        self,
        num_layers: int,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
        checkpoint: bool = False,
    ) -> None:
        super().__init__()
        settings = dims, num_heads, mlp_dims, dropout, activation, norm_first
        self.layers = [self._layer(*settings) for _ in range(num_layers)]
        self.ln = LayerNorm(dims)
        self.checkpoint = checkpoint

    def _run(self, x: jg.array, *others: Any) -> jg.array:
        for layer in self.layers:
            x = (checkpoint_of(layer) if self.checkpoint else layer)(x, *others)
        return self.ln(x)


class TransformerEncoder(_Stack):
    """TransformerEncoderLayers one after the other, and a LayerNorm.

    >>> jg.nn.TransformerEncoder(2, 8, num_heads=2)(jg.ones((1, 5, 8)), None).shape
    (1, 5, 8)
    """

    _layer = TransformerEncoderLayer

    def __call__(self, x: jg.array, mask: jg.array | str | None) -> jg.array:
        return self._run(x, mask)


class TransformerDecoder(_Stack):
    """TransformerDecoderLayers one after the other, and a LayerNorm.

    >>> x = jg.ones((1, 5, 8))
    >>> jg.nn.TransformerDecoder(2, 8, num_heads=2)(x, x, None, None).shape
    (1, 5, 8)
    """

    _layer = TransformerDecoderLayer

    def __call__(self, x: jg.array, memory: jg.array, x_mask: Any, memory_mask: Any) -> jg.array:
        return self._run(x, memory, x_mask, memory_mask)


class Transformer(Module):
    """An encoder of src and a decoder of tgt which looks at what the encoder gives.

    >>> model = jg.nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1)
    >>> model(jg.ones((1, 5, 8)), jg.ones((1, 3, 8)), None, None, None).shape
    (1, 3, 8)
    """

    def __init__(
        self,
        dims: int = 512,
        num_heads: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        norm_first: bool = True,
        checkpoint: bool = False,
    ) -> None:
        super().__init__()
        settings = dims, num_heads, mlp_dims, dropout, activation, norm_first, checkpoint
        self.encoder = (
            TransformerEncoder(num_encoder_layers, *settings)
            if custom_encoder is None
            else custom_encoder
        )
        self.decoder = (
            TransformerDecoder(num_decoder_layers, *settings)
            if custom_decoder is None
            else custom_decoder
        )

    def __call__(
        self, src: jg.array, tgt: jg.array, src_mask: Any, tgt_mask: Any, memory_mask: Any
    ) -> jg.array:
        return self.decoder(tgt, self.encoder(src, src_mask), tgt_mask, memory_mask)
