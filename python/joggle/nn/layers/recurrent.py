# SPDX-License-Identifier: Apache-2.0
"""Layers that go along a row (..., length, features) and remember."""

from __future__ import annotations

import math

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.settings import are_sizes

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GRU", "LSTM", "RNN"]


class _Recurrent(Module):
    """Weights of the input and of what is remembered, with rows for each of the gates."""

    # The names of the parameters, which are MLX's.
    _input_name, _hidden_name, _bias_name = "Wx", "Wh", "bias"

    def _set(self, input_size: int, hidden_size: int, gates: int, bias: bool) -> None:
        are_sizes(type(self).__name__, input_size=input_size)
        are_sizes(type(self).__name__, 1, hidden_size=hidden_size)
        self.hidden_size = hidden_size
        rows = gates * hidden_size
        setattr(self, self._input_name, self._spread((rows, input_size)))
        setattr(self, self._hidden_name, self._spread((rows, hidden_size)))
        setattr(self, self._bias_name, self._spread((rows,)) if bias else None)

    def _spread(self, shape: tuple[int, ...]) -> jg.array:
        bound = 1 / math.sqrt(self.hidden_size)
        return jg.random.uniform(-bound, bound, shape)

    def _extra_repr(self) -> str:
        return (
            f"input_dims={self[self._input_name].shape[1]}, hidden_size={self.hidden_size}, "
            f"bias={self._bias_name in self}"
        )

    def _of_inputs(self, x: jg.array) -> jg.array:
        """The input's part of all gates at all places: one product."""
        weight, bias = self[self._input_name].T, self.get(self._bias_name)
        return x @ weight if bias is None else jg.addmm(bias, x, weight)


class RNN(_Recurrent):
    """h = nonlinearity(Wx x + bias + Wh h) for each place; gives all h.

    >>> jg.nn.RNN(3, 4)(jg.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    _input_name, _hidden_name = "Wxh", "Whh"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Callable[[jg.array], jg.array] | None = None,
    ) -> None:
        super().__init__()
        if nonlinearity is not None and not callable(nonlinearity):
            raise ValueError(
                f"[RNN] nonlinearity: got {type(nonlinearity).__name__}, allowed is a function"
            )
        self.nonlinearity = nonlinearity or jg.tanh
        self._set(input_size, hidden_size, 1, bias)

    def _extra_repr(self) -> str:
        before, bias = super()._extra_repr().rsplit(", ", 1)
        return f"{before}, nonlinearity={self.nonlinearity}, {bias}"

    def __call__(self, x: jg.array, hidden: jg.array | None = None) -> jg.array:
        inputs = self._of_inputs(x)
        found = []
        for place in range(x.shape[-2]):
            gate = inputs[..., place, :]
            if hidden is not None:
                gate = jg.addmm(gate, hidden, self["Whh"].T)
            hidden = self.nonlinearity(gate)
            found.append(hidden)
        return jg.stack(found, axis=-2)


class GRU(_Recurrent):
    """A gated recurrent unit: r and z = sigmoid(...), n = tanh(Wx x + b + r (Wh h + bhn)),
    h = (1 - z) n + z h for each place; gives all h.

    >>> jg.nn.GRU(3, 4)(jg.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    _bias_name = "b"

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        super().__init__()
        self._set(input_size, hidden_size, 3, bias)
        self.bhn = self._spread((hidden_size,)) if bias else None

    def __call__(self, x: jg.array, hidden: jg.array | None = None) -> jg.array:
        inputs = self._of_inputs(x)
        found = []
        for place in range(x.shape[-2]):
            hidden = self._step(inputs[..., place, :], hidden)
            found.append(hidden)
        return jg.stack(found, axis=-2)

    def _step(self, gates: jg.array, hidden: jg.array | None) -> jg.array:
        size, bias = self.hidden_size, self.get("bhn")
        reset_update, new = gates[..., :-size], gates[..., -size:]
        remembered = bias
        if hidden is not None:
            products = hidden @ self["Wh"].T
            reset_update = reset_update + products[..., :-size]
            remembered = products[..., -size:]
            if bias is not None:
                remembered = remembered + bias
        reset, update = jg.split(jg.sigmoid(reset_update), 2, axis=-1)
        if remembered is not None:
            new = new + reset * remembered
        new = (1 - update) * jg.tanh(new)
        return new if hidden is None else new + update * hidden


class LSTM(_Recurrent):
    """A long short-term memory: i, f, o = sigmoid(...), g = tanh(...), c = f c + i g,
    h = o tanh(c) for each place; gives all h and all c.

    >>> hidden, cell = jg.nn.LSTM(3, 4)(jg.ones((2, 5, 3)))
    >>> cell.shape
    (2, 5, 4)
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        super().__init__()
        self._set(input_size, hidden_size, 4, bias)

    def __call__(
        self, x: jg.array, hidden: jg.array | None = None, cell: jg.array | None = None
    ) -> tuple[jg.array, jg.array]:
        inputs = self._of_inputs(x)
        all_hidden, all_cell = [], []
        for place in range(x.shape[-2]):
            gates = inputs[..., place, :]
            if hidden is not None:
                gates = jg.addmm(gates, hidden, self["Wh"].T)
            i, f, g, o = jg.split(gates, 4, axis=-1)
            added = jg.sigmoid(i) * jg.tanh(g)
            cell = added if cell is None else jg.sigmoid(f) * cell + added
            hidden = jg.sigmoid(o) * jg.tanh(cell)
            all_hidden.append(hidden)
            all_cell.append(cell)
        return jg.stack(all_hidden, axis=-2), jg.stack(all_cell, axis=-2)
