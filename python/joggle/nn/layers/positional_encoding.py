# SPDX-License-Identifier: Apache-2.0
"""Encodings of positions in a sequence, for layers that ignore order."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module

__all__ = ["ALiBi", "RoPE", "SinusoidalPositionalEncoding"]


class RoPE(Module):
    """Rotary positions: pairs of the first dims features are turned by angles, as fast.rope does.

    >>> jg.nn.RoPE(4)(jg.ones((1, 2, 8, 4))).shape
    (1, 2, 8, 4)
    """

    def __init__(
        self, dims: int, traditional: bool = False, base: float = 10000, scale: float = 1.0
    ) -> None:
        super().__init__()
        self.dims = dims
        self.traditional = traditional
        self.base = base
        self.scale = scale

    def _extra_repr(self) -> str:
        return f"{self.dims}, traditional={self.traditional}"

    def __call__(self, x: jg.array, offset: int | jg.array = 0) -> jg.array:
        return jg.fast.rope(
            x,
            self.dims,
            traditional=self.traditional,
            base=self.base,
            scale=self.scale,
            offset=offset,
        )


class SinusoidalPositionalEncoding(Module):
    """Sines and cosines of positions x at dims / 2 frequencies from max_freq down to min_freq.

    >>> jg.nn.SinusoidalPositionalEncoding(8)(jg.arange(5.0)).shape
    (5, 8)
    """

    def __init__(
        self,
        dims: int,
        min_freq: float = 0.0001,
        max_freq: float = 1,
        scale: float | None = None,
        cos_first: bool = False,
        full_turns: bool = False,
    ) -> None:
        super().__init__()
        if dims < 2 or dims % 2:
            raise ValueError(
                f"[SinusoidalPositionalEncoding] dims: got {dims!r}, allowed are 2, 4, 6, ..."
            )
        count = dims // 2
        least, most = math.log(min_freq), math.log(max_freq)
        turn = 2 * math.pi if full_turns else 1.0
        step = (most - least) / max(count - 1, 1)
        self._sigmas = jg.array([turn * math.exp(most - i * step) for i in range(count)])
        self.scale = math.sqrt(2 / dims) if scale is None else scale
        self.cos_first = cos_first

    def __call__(self, x: jg.array) -> jg.array:
        angles = x[..., None] * self._sigmas
        parts = [jg.sin(angles), jg.cos(angles)]
        if self.cos_first:
            parts.reverse()
        return jg.concat(parts, axis=-1) * self.scale


class ALiBi(Module):
    """Scores of attention (batch, heads, queries, keys) less a slope times the distance.

    >>> jg.nn.ALiBi()(jg.zeros((1, 2, 1, 3)))[0, 0]
    array([[ 0.    , -0.0625, -0.125 ]], dtype=float32)
    """

    @staticmethod
    def create_alibi_matrix(
        q_sequence_length: int,
        k_sequence_length: int,
        num_heads: int,
        offset: int = 0,
        dtype: jg.Dtype = jg.float32,
    ) -> jg.array:
        """The numbers that are added to the scores of queries offset to q_sequence_length.

        >>> jg.nn.ALiBi.create_alibi_matrix(2, 3, num_heads=4).shape
        (1, 4, 2, 3)
        """
        queries = jg.arange(offset, q_sequence_length)[:, None]
        distance = jg.abs(queries - jg.arange(k_sequence_length))
        return (-distance * ALiBi.create_alibi_slope(num_heads, dtype)).astype(dtype)[None]

    @staticmethod
    def create_alibi_slope(num_heads: int, dtype: jg.Dtype = jg.float32) -> jg.array:
        """The slope of each head, (heads, 1, 1).

        >>> jg.nn.ALiBi.create_alibi_slope(2).tolist()
        [[[0.0625]], [[0.00390625]]]
        """
        return jg.array(_slopes(num_heads), dtype=dtype).reshape(-1, 1, 1)

    def __call__(
        self, attention_scores: jg.array, offset: int = 0, mask: jg.array | None = None
    ) -> jg.array:
        heads, queries, keys = attention_scores.shape[1:]
        bias = ALiBi.create_alibi_matrix(
            queries + offset, keys, heads, offset, attention_scores.dtype
        )
        return attention_scores + (bias if mask is None else bias + mask)


def _slopes(heads: int) -> list[float]:
    """2 ** (-8 i / heads) for i from 1 where heads is a power of two (Press et al., "Train Short,
    Test Long", 2022, section 3); else those of the next smaller one, and every second of the next
    larger one."""
    whole = 1 << (heads.bit_length() - 1)
    found = [2 ** (-8 * i / whole) for i in range(1, whole + 1)]
    if whole < heads:
        found += _slopes(2 * whole)[::2][: heads - whole]
    return found
