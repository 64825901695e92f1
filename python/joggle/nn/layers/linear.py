# SPDX-License-Identifier: Apache-2.0
"""Linear and bilinear maps."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.quantized import QQLinear, QuantizedLinear

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Bilinear", "Identity", "Linear"]


def spread(fan_in: int, shape: tuple[int, ...]) -> jg.array:
    """Weights spread evenly over -b to b, b = 1 / sqrt(fan_in)."""
    bound = math.sqrt(1 / fan_in)
    return jg.random.uniform(-bound, bound, shape)


class Identity(Module):
    """Returns its input. It accepts any arguments, so it can replace any layer.

    >>> jg.nn.Identity()(3)
    3
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def __call__(self, x: jg.array) -> jg.array:
        return x


class Linear(Module):
    """x @ weight.T + bias, with a weight of (output_dims, input_dims).

    >>> jg.nn.Linear(3, 2)(jg.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = spread(input_dims, (output_dims, input_dims))
        if bias:
            self.bias = spread(input_dims, (output_dims,))

    def _extra_repr(self) -> str:
        output_dims, input_dims = self.weight.shape
        return f"input_dims={input_dims}, output_dims={output_dims}, bias={'bias' in self}"

    def __call__(self, x: jg.array) -> jg.array:
        if "bias" in self:
            return jg.addmm(self["bias"], x, self["weight"].T)
        return x @ self["weight"].T

    def to_quantized(
        self,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
        quantize_input: bool = False,
    ) -> QuantizedLinear | QQLinear:
        """The same map with a weight in codes of a few bits; with quantize_input x is rounded, too.

        >>> jg.nn.Linear(64, 2).to_quantized(bits=8)
        QuantizedLinear(input_dims=64, output_dims=2, bias=True, group_size=64, bits=8, mode=affine)
        """
        if not quantize_input:
            return QuantizedLinear.from_linear(self, group_size, bits, mode)
        if mode not in ("nvfp4", "mxfp8"):
            raise ValueError(
                f'[Linear] mode: got {mode!r}, allowed with quantize_input are "nvfp4" and "mxfp8"'
            )
        return QQLinear.from_linear(self, group_size, bits, mode)


class Bilinear(Module):
    """x2 @ weight[o] @ x1 + bias[o] for each output o, with a weight of (output, input2, input1).

    >>> jg.nn.Bilinear(3, 4, 2)(jg.ones((5, 3)), jg.ones((5, 4))).shape
    (5, 2)
    """

    def __init__(
        self, input1_dims: int, input2_dims: int, output_dims: int, bias: bool = True
    ) -> None:
        super().__init__()
        self.weight = spread(input1_dims, (output_dims, input2_dims, input1_dims))
        if bias:
            self.bias = spread(input1_dims, (output_dims,))

    def _extra_repr(self) -> str:
        output_dims, input2_dims, input1_dims = self.weight.shape
        return (
            f"input1_dims={input1_dims}, input2_dims={input2_dims}, output_dims={output_dims}, "
            f"bias={'bias' in self}"
        )

    def __call__(self, x1: jg.array, x2: jg.array) -> jg.array:
        outputs, inputs2, inputs1 = self.weight.shape
        rows = x1.reshape(-1, inputs1) @ self.weight.reshape(outputs * inputs2, inputs1).T
        rows = rows.reshape(-1, outputs, inputs2) @ x2.reshape(-1, inputs2, 1)
        found = rows.reshape(*x1.shape[:-1], outputs)
        return found + self.bias if "bias" in self else found
