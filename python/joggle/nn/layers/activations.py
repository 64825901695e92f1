# SPDX-License-Identifier: Apache-2.0
"""Activations: layers that call a function of each element or of each row."""

from __future__ import annotations

import joggle as jg
from joggle.nn.layers.base import Module
from joggle.nn.layers.functions import celu as celu
from joggle.nn.layers.functions import elu as elu
from joggle.nn.layers.functions import gelu as gelu
from joggle.nn.layers.functions import gelu_approx as gelu_approx
from joggle.nn.layers.functions import gelu_fast_approx as gelu_fast_approx
from joggle.nn.layers.functions import glu as glu
from joggle.nn.layers.functions import hard_shrink as hard_shrink
from joggle.nn.layers.functions import hard_tanh as hard_tanh
from joggle.nn.layers.functions import hardswish as hardswish
from joggle.nn.layers.functions import leaky_relu as leaky_relu
from joggle.nn.layers.functions import log_sigmoid as log_sigmoid
from joggle.nn.layers.functions import log_softmax as log_softmax
from joggle.nn.layers.functions import mish as mish
from joggle.nn.layers.functions import prelu as prelu
from joggle.nn.layers.functions import relu as relu
from joggle.nn.layers.functions import relu2 as relu2
from joggle.nn.layers.functions import relu6 as relu6
from joggle.nn.layers.functions import selu as selu
from joggle.nn.layers.functions import sigmoid as sigmoid
from joggle.nn.layers.functions import silu as silu
from joggle.nn.layers.functions import softmax as softmax
from joggle.nn.layers.functions import softmin as softmin
from joggle.nn.layers.functions import softplus as softplus
from joggle.nn.layers.functions import softshrink as softshrink
from joggle.nn.layers.functions import softsign as softsign
from joggle.nn.layers.functions import step as step
from joggle.nn.layers.functions import tanh as tanh

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "HardShrink",
    "HardTanh",
    "Hardswish",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU2",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Step",
    "Tanh",
    "celu",
    "elu",
    "gelu",
    "gelu_approx",
    "gelu_fast_approx",
    "glu",
    "hard_shrink",
    "hard_tanh",
    "hardswish",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "prelu",
    "relu",
    "relu2",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "step",
    "tanh",
]


class Sigmoid(Module):
    """Calls sigmoid.

    >>> jg.nn.Sigmoid()(jg.array([0.0]))
    array([0.5], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return sigmoid(x)


class Mish(Module):
    """Calls mish.

    >>> jg.nn.Mish()(jg.array([1.0]))
    array([0.8650984], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return mish(x)


class ReLU(Module):
    """Calls relu.

    >>> jg.nn.ReLU()(jg.array([-1.0, 2.0]))
    array([0., 2.], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return relu(x)


class ReLU2(Module):
    """Calls relu2.

    >>> jg.nn.ReLU2()(jg.array([-1.0, 2.0]))
    array([0., 4.], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return relu2(x)


class ReLU6(Module):
    """Calls relu6.

    >>> jg.nn.ReLU6()(jg.array([-1.0, 8.0]))
    array([0., 6.], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return relu6(x)


class Softmax(Module):
    """Calls softmax.

    >>> jg.nn.Softmax()(jg.array([0.0, 0.0]))
    array([0.5, 0.5], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return softmax(x)


class Softplus(Module):
    """Calls softplus.

    >>> jg.nn.Softplus()(jg.array([0.0]))
    array([0.6931472], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return softplus(x)


class Softsign(Module):
    """Calls softsign.

    >>> jg.nn.Softsign()(jg.array([1.0]))
    array([0.5], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return softsign(x)


class SiLU(Module):
    """Calls silu.

    >>> jg.nn.SiLU()(jg.array([2.0]))
    array([1.761594], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return silu(x)


class LogSoftmax(Module):
    """Calls log_softmax.

    >>> jg.nn.LogSoftmax()(jg.array([0.0, 0.0]))
    array([-0.6931472, -0.6931472], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return log_softmax(x)


class LogSigmoid(Module):
    """Calls log_sigmoid.

    >>> jg.nn.LogSigmoid()(jg.array([0.0]))
    array([-0.6931472], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return log_sigmoid(x)


class Tanh(Module):
    """Calls tanh.

    >>> jg.nn.Tanh()(jg.array([0.0]))
    array([0.], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return tanh(x)


class Hardswish(Module):
    """Calls hardswish.

    >>> jg.nn.Hardswish()(jg.array([-4.0, 3.0]))
    array([-0.,  3.], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return hardswish(x)


class SELU(Module):
    """Calls selu.

    >>> jg.nn.SELU()(jg.array([2.0]))
    array([2.1014], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return selu(x)


class HardTanh(Module):
    """Calls hard_tanh.

    >>> jg.nn.HardTanh()(jg.array([-4.0, 0.5]))
    array([-1. ,  0.5], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return hard_tanh(x)


class Softmin(Module):
    """Calls softmin.

    >>> jg.nn.Softmin()(jg.array([0.0, 0.0]))
    array([0.5, 0.5], dtype=float32)
    """

    def __call__(self, x: jg.array) -> jg.array:
        return softmin(x)


class LeakyReLU(Module):
    """Calls leaky_relu with negative_slope.

    >>> jg.nn.LeakyReLU()(jg.array([-1.0, 2.0]))
    array([-0.01,  2.  ], dtype=float32)
    """

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def __call__(self, x: jg.array) -> jg.array:
        return leaky_relu(x, self.negative_slope)


class ELU(Module):
    """Calls elu with alpha.

    >>> jg.nn.ELU()(jg.array([-1.0, 2.0]))
    array([-0.63212055,  2.        ], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def __call__(self, x: jg.array) -> jg.array:
        return elu(x, self.alpha)


class CELU(Module):
    """Calls celu with alpha.

    >>> jg.nn.CELU()(jg.array([-1.0, 2.0]))
    array([-0.63212055,  2.        ], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def __call__(self, x: jg.array) -> jg.array:
        return celu(x, self.alpha)


class Softshrink(Module):
    """Calls softshrink with lambd.

    >>> jg.nn.Softshrink()(jg.array([-1.0, 0.25]))
    array([-0.5,  0. ], dtype=float32)
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def __call__(self, x: jg.array) -> jg.array:
        return softshrink(x, self.lambd)


class HardShrink(Module):
    """Calls hard_shrink with lambd.

    >>> jg.nn.HardShrink()(jg.array([-1.0, 0.25]))
    array([-1.,  0.], dtype=float32)
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def __call__(self, x: jg.array) -> jg.array:
        return hard_shrink(x, self.lambd)


class Step(Module):
    """Calls step with threshold.

    >>> jg.nn.Step()(jg.array([-1.0, 2.0])).tolist()
    [0, 1]
    """

    def __init__(self, threshold: float = 0.0) -> None:
        super().__init__()
        self.threshold = threshold

    def __call__(self, x: jg.array) -> jg.array:
        return step(x, self.threshold)


class GLU(Module):
    """Calls glu with axis.

    >>> jg.nn.GLU()(jg.array([2.0, 0.0]))
    array([1.], dtype=float32)
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def __call__(self, x: jg.array) -> jg.array:
        return glu(x, self.axis)


class PReLU(Module):
    """Calls prelu with a slope that is trained: one, or one for each of num_parameters channels.

    >>> jg.nn.PReLU()(jg.array([-1.0, 2.0]))
    array([-0.25,  2.  ], dtype=float32)
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.weight = jg.full((num_parameters,), init)

    def __call__(self, x: jg.array) -> jg.array:
        return prelu(x, self.weight)


_GELU = {
    "none": gelu,
    "precise": gelu_approx,
    "tanh": gelu_approx,
    "fast": gelu_fast_approx,
}


class GELU(Module):
    """Calls gelu, or what approx names: "precise" or "tanh" gelu_approx, "fast" gelu_fast_approx.

    >>> jg.nn.GELU("tanh")(jg.array([2.0]))
    array([1.9545977], dtype=float32)
    """

    def __init__(self, approx: str = "none") -> None:
        super().__init__()
        if approx not in _GELU:
            raise ValueError(f"[GELU] approx: got {approx!r}, allowed are {', '.join(_GELU)}")
        self._approx = approx

    def __call__(self, x: jg.array) -> jg.array:
        return _GELU[self._approx](x)
