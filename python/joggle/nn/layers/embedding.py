# SPDX-License-Identifier: Apache-2.0
"""Tables of vectors that are chosen by number."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.quantized import QuantizedEmbedding
from joggle.nn.layers.settings import are_sizes

__all__ = ["Embedding"]


class Embedding(Module):
    """A table of num_embeddings vectors of dims numbers; a call chooses those of the numbers x.

    >>> jg.nn.Embedding(10, 4)(jg.array([1, 2, 3])).shape
    (3, 4)
    """

    def __init__(self, num_embeddings: int, dims: int) -> None:
        super().__init__()
        are_sizes("Embedding", num_embeddings=num_embeddings)
        are_sizes("Embedding", 1, dims=dims)
        self.weight = jg.random.normal((num_embeddings, dims), scale=math.sqrt(1 / dims))

    def _extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}"

    def __call__(self, x: jg.array) -> jg.array:
        return self["weight"][x]

    def as_linear(self, x: jg.array) -> jg.array:
        """x times the table transposed: scores of each of the vectors.

        >>> jg.nn.Embedding(10, 4).as_linear(jg.ones((2, 4))).shape
        (2, 10)
        """
        return x @ self["weight"].T

    def to_quantized(
        self,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
        quantize_input: bool = False,
    ) -> QuantizedEmbedding:
        """The same table in codes of a few bits.

        >>> jg.nn.Embedding(10, 64).to_quantized(bits=8)
        QuantizedEmbedding(10, 64, group_size=64, bits=8, mode=affine)
        """
        if quantize_input:
            raise ValueError(
                "[Embedding] quantize_input: got True, allowed is False, as a table takes "
                "numbers of rows"
            )
        return QuantizedEmbedding.from_embedding(self, group_size, bits, mode)
